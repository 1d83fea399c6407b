import { describe, expect, it } from 'vitest';
import type { OnboardingState } from '../../../../src/messages/onboarding-state.js';
import type { Requirement } from '../../../../src/messages/requirements.js';
import {
  askingPart,
  askingWorkflow,
  readWaits,
  timelinesOf,
} from '../../../../src/services/inbox/waiting-state.js';
import { answering, execution, grpcError, payloads } from '../../../rigs/temporal/answering-service.js';

const AT = '2026-03-01T10:00:00.000Z';
const CUSTOMER = 'customer-onboarding-c-1@west';
const IDS = ['merchant-boarding-c-1@west', 'business-onboarding-c-1@west'];
const [MERCHANT = '', BUSINESS = ''] = IDS;

const asks = (id: string, kind: Requirement['kind'] = 'ticket'): Requirement => ({
  id,
  kind,
  title: id,
  detail: '',
  raisedAt: AT,
  dueAt: AT,
  answers: ['text'],
});
const state = (more: Partial<OnboardingState> = {}): OnboardingState => ({
  stage: 'underwriting',
  partnerStatus: 'Pending',
  requirements: [],
  timeline: [],
  ...more,
});
const happened = (event: 'started' | 'business-attached') => ({ at: AT, event });

/** The states of workflows, and the failures of the activities that the server retries, by workflow id. */
interface Given {
  readonly states: Readonly<Record<string, OnboardingState | 'no worker' | 'forgotten'>>;
  readonly failures?: Readonly<Record<string, readonly object[]>>;
}

const unreadable = { system: 'banking', kind: 'Uncertain', unreadable: 'get-profile' };
const refused = { system: 'banking', kind: 'Unauthorized' };

async function waits({ states, failures = {} }: Given) {
  const facts = (workflowId: string) => {
    const result = states[workflowId];
    if (result === undefined || result === 'forgotten') throw grpcError('NOT_FOUND');
    return result;
  };
  const { client } = answering({
    describeWorkflowExecution({ execution: { workflowId } }) {
      facts(workflowId);
      const pendingActivities = (failures[workflowId] ?? []).map((details, place) => ({
        activityId: `${place}`,
        activityType: { name: 'submit' },
        state: 1,
        attempt: 2,
        lastFailure: {
          message: `failure ${place}`,
          applicationFailureInfo: { type: 'PartnerError', details: { payloads: payloads(details) } },
        },
      }));
      const config = { executionConfig: { taskQueue: { name: 'gangway' } } };
      return { workflowExecutionInfo: execution({ workflowId }), pendingActivities, ...config };
    },
    queryWorkflow({ execution: { workflowId } }) {
      const result = facts(workflowId);
      if (result === 'no worker') throw grpcError('DEADLINE_EXCEEDED');
      return { queryResult: { payloads: payloads(result) } };
    },
    describeTaskQueue: () => ({ pollers: [] }),
  });
  return readWaits(client, CUSTOMER);
}

const both = (more: Partial<OnboardingState> = {}) =>
  state({ stage: 'onboarding', boarding: state(), business: state(), ...more });

describe('what a customer waits for', () => {
  it.each(IDS)('shows what its part %s waits for at its partner', async (id) => {
    const states = { [CUSTOMER]: both(), ...Object.fromEntries(IDS.map((each) => [each, state()])) };
    const { obstacles, on } = await waits({
      states,
      failures: { [id]: [{ system: 'boarding', kind: 'NotSent' }] },
    });
    expect([obstacles, on]).toEqual([['waiting for the partner: failure 0'], 'unavailable']);
  });

  it('has every question of the account that holds up a part: about access, and about responses', async () => {
    const account = 'partner-account-banking@west';
    const questions = [
      asks('credentials-1', 'credentials'),
      asks('unreadable-2', 'unreadable'),
      asks('ticket-3'),
    ];
    const { requirements, on, obstacles } = await waits({
      states: {
        [CUSTOMER]: both(),
        [MERCHANT]: state(),
        [BUSINESS]: state(),
        [account]: state({ requirements: questions }),
      },
      failures: { [MERCHANT]: [refused, refused], [BUSINESS]: [unreadable] },
    });
    const ofAccount = requirements.filter(({ workflowId }) => workflowId === account);
    // The ticket holds up nothing.
    expect(ofAccount.map(({ requirement: { id } }) => id).sort()).toEqual(['credentials-1', 'unreadable-2']);
    expect([on, obstacles.length]).toEqual(['person', 3]);
  });

  it.each([
    ['is forgotten', 'forgotten', []],
    ['cannot be read', 'no worker', [[BUSINESS, true]]],
  ] as const)('is shown also where one part %s', async (_, business, unread) => {
    const { parts, requirements, step } = await waits({
      states: {
        [CUSTOMER]: both({ requirements: [asks('note-1')] }),
        [MERCHANT]: state({ timeline: [happened('started')] }),
        [BUSINESS]: business,
      },
    });
    expect(parts.map(({ workflowId, state: its }) => [workflowId, its instanceof Error])).toEqual([
      [MERCHANT, false],
      ...unread,
    ]);
    expect([requirements.length, step]).toEqual([
      1,
      'boarding: underwriting, Pending; business: underwriting, Pending; waits for a person: 1 open',
    ]);
  });

  it('is asked for by the part that was started on its own, next to what the customer asks', async () => {
    const { requirements } = await waits({
      states: {
        [CUSTOMER]: state({
          stage: 'onboarding',
          boarding: state(),
          requirements: [asks('note-1'), asks('note-2')],
          timeline: [happened('started'), happened('business-attached')],
        }),
        [MERCHANT]: state({ requirements: [asks('note-1'), asks('note-2')] }),
        [BUSINESS]: state({ requirements: [asks('ticket-1'), asks('ticket-2')] }),
      },
    });
    expect(requirements.map(({ workflowId, requirement: { id } }) => `${workflowId} ${id}`)).toEqual([
      `${CUSTOMER} note-1`,
      `${CUSTOMER} note-2`,
      `${BUSINESS} ticket-1`,
      `${BUSINESS} ticket-2`,
    ]);
  });
});

it('each question of a customer is that of the part that has it, the second and the third as well', () => {
  const [one, two, three] = [asks('note-1'), asks('note-2'), asks('ticket-3')];
  const of = state({
    boarding: state({ requirements: [one, two] }),
    business: state({ requirements: [three] }),
    requirements: [one, two, three],
  });
  const ids = ['note-1', 'note-2', 'ticket-3', 'unknown'];
  expect(ids.map((id) => askingPart(of, id))).toEqual(['boarding', 'boarding', 'business', undefined]);
  expect(ids.map((id) => askingWorkflow(CUSTOMER, of, id))).toEqual([MERCHANT, MERCHANT, BUSINESS, CUSTOMER]);
});

it('the timelines of a customer are its own and that of each part', () => {
  const part = (own: OnboardingState) =>
    ({ state: own, workflowId: '', part: 'boarding', isAttached: false }) as const;
  const own = state({ timeline: [happened('started')] });
  const all = timelinesOf(own, [part(own), part(own), part(own)]);
  expect(all).toHaveLength(4);
});
