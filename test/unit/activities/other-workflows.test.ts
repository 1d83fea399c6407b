import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { onboardingActivities } from '../../../src/activities/other-workflows.js';
import type { OnboardingActivities } from '../../../src/messages/activities.js';
import { receiptQuery } from '../../../src/messages/requirements.js';
import { environment } from '../../rigs/activities/environment.js';

/** One activity next to an onboarding in this state of Temporal, which takes an update like this. */
async function run<Name extends keyof OnboardingActivities>(
  name: Name,
  request: Parameters<OnboardingActivities[Name]>[0],
  { status = 'RUNNING', facts = {}, taken = async () => ({}) as unknown, attempt = 1, accepted = '' } = {},
) {
  const questions: unknown[] = [];
  const handle = {
    describe: async () => ({ workflowId: 'm', runId: 'run-2', status: { name: status } }),
    query: async (query: unknown) =>
      query === receiptQuery
        ? accepted && { requirementId: accepted }
        : { stage: 'underwriting', timeline: [], ...facts },
    result: async () => ({ outcome: 'boarded' }),
    cancel: async () => void questions.push('cancel'),
    executeUpdate: async (_: unknown, { updateId, args }: { updateId: string; args: unknown[] }) => {
      questions.push([updateId, ...args]);
      return taken();
    },
  };
  const info = { attempt, activityId: '9', workflowExecution: { workflowId: 'c', runId: 'run' } };
  const activity = onboardingActivities({ minMs: 60_000, maxMs: 3_600_000 })[name];
  const outcome = await environment(info, { client: { workflow: { getHandle: () => handle } } })
    .run(activity as (request: unknown) => Promise<unknown>, request)
    .catch((error: unknown) => error);
  return { outcome, questions };
}

const NOT_YET = { type: 'NotYet', nonRetryable: false };
const MERCHANT = { merchantProfileId: 7, mid: '518', dba: 'Corner Bakery' };
const KNOWN = { facts: { merchantProfileId: 7, mid: '518' } };

it.each([
  ['merchant', 'RUNNING', {}, NOT_YET],
  ['merchant', 'RUNNING', MERCHANT, KNOWN],
  ['merchant', 'CANCELLED', {}, { facts: {}, end: { how: 'cancelled' } }],
  ['end', 'RUNNING', MERCHANT, NOT_YET],
  ['end', 'COMPLETED', MERCHANT, { ...KNOWN, end: { how: 'completed', outcome: { outcome: 'boarded' } } }],
  ['end', 'TERMINATED', {}, { facts: {}, end: { how: 'terminated' } }],
  ['end', 'TIMED_OUT', {}, { facts: {}, end: { how: 'timed out' } }],
  ['end', 'FAILED', {}, { facts: {}, end: { how: 'failed' } }],
  ['reset', 'FAILED', MERCHANT, NOT_YET],
  ['reset', 'RUNNING', {}, { facts: {} }],
] as const)('a wait for %s of an onboarding that is %s with %j', async (until, status, facts, expected) => {
  const { outcome } = await run('awaitOnboarding', { workflowId: 'm', until }, { status, facts });
  if (expected === NOT_YET) expect(outcome).toMatchObject(NOT_YET);
  else expect(outcome).toEqual(expected);
});

it.each([
  ['TERMINATED', ['cancel']],
  ['FAILED', ['cancel']],
  ['TIMED_OUT', ['cancel']],
  ['CANCELLED', []],
  ['COMPLETED', []],
  ['RUNNING', []],
])('a part whose customer is %s is asked to %j', async (status, expected) => {
  expect((await run('cancelOrphan', { workflowId: 'm', customer: 'c' }, { status })).questions).toEqual(
    expected,
  );
});

const resolution = { requirementId: 'r', answer: { kind: 'retry' }, actor: 'olga', reason: 'x' } as const;
const rejected = ApplicationFailure.nonRetryable('not open', 'InvalidResolution');
const unavailable = new Error('unavailable');

const rejects = new WorkflowUpdateFailedError('failed', rejected);
const gone = new WorkflowNotFoundError('gone', 'm', undefined);
const odd = new WorkflowUpdateFailedError('failed', undefined);

it.each<[string, Error, object]>([
  ['rejects it', rejects, { message: 'not open', type: 'InvalidResolution', nonRetryable: true }],
  ['has ended', gone, { type: 'OnboardingEnded', nonRetryable: true }],
  ['does not respond', unavailable, unavailable],
  ['fails in another way', odd, { name: 'WorkflowUpdateFailedError' }],
])('an answer to an onboarding that %s', async (_, error, expected) => {
  const taken = () => Promise.reject(error);
  const { outcome, questions } = await run('resolveInOnboarding', { workflowId: 'm', resolution }, { taken });
  expect(outcome).toMatchObject(expected);
  // A retry sends the same update, so the onboarding takes it once.
  expect(questions).toEqual([['run-9', resolution, { id: 'run-9' }]]);
});

const before = ApplicationFailure.nonRetryable('it was accepted before', 'AcceptedBefore', {
  requirementId: 'r',
});
const knows = new WorkflowUpdateFailedError('failed', before);

// A retry sends the same update with the same key, so the onboarding takes it once.
it.each<[string, Error, accepted: string, receipt: string]>([
  ['that has accepted it before', knows, '', 'r'],
  ['that had accepted it, and has ended', gone, 'r', 'r'],
])('an answer whose first attempt was lost, to an onboarding %s, has its receipt', async (...row) => {
  const [, error, accepted, requirementId] = row;
  const taken = () => Promise.reject(error);
  const request = { workflowId: 'm', resolution };
  const { outcome, questions } = await run('resolveInOnboarding', request, { attempt: 2, accepted, taken });
  expect([outcome, questions]).toEqual([{ requirementId }, [['run-9', resolution, { id: 'run-9' }]]]);
});
