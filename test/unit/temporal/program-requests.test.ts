import proto from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { answersIn, partnerActivitiesIn, runsOf } from '../../../src/temporal/history.js';
import { MERCHANT } from '../../../src/temporal/kinds/kinds.js';
import { resolveOnce, startOrAttach } from '../../../src/temporal/program-requests.js';
import { merchant } from '../../rigs/inputs.js';
import {
  type Answers,
  answering,
  execution,
  grpcError,
  payloads,
} from '../../rigs/temporal/answering-service.js';

const ID = 'merchant-boarding-m-1';
const began = (input: unknown, continuedExecutionRunId?: string) => ({
  workflowExecutionStartedEventAttributes: { input: { payloads: payloads(input) }, continuedExecutionRunId },
});
/** Of the last of three runs, or of one before it. */
const startOf = (runId: string) => began({}, { 'run-3': 'run-2', 'run-2': 'run-1' }[runId]);
const backend = (answers: Answers) => {
  const { client, sent } = answering(answers);
  return {
    backend: { client, taskQueue: 'gangway', dbaForm: 'shown', fourEyes: [], accounts: [] } as const,
    client,
    sent,
  };
};
const describeWorkflowExecution = () => ({ workflowExecutionInfo: execution({ runId: 'run-3' }) });

describe('a request to start an onboarding', () => {
  const input = merchant(undefined, { externalId: 'm-1' });

  const errors = [{ field: 'agentProfileId', message: 'differs from the first input' }];
  const unknown = grpcError('NOT_FOUND');
  it.each<[string, first: unknown, answer: object]>([
    ['starts one that is not there', undefined, { started: true, isUnchanged: false }],
    ['attaches to the one with the same input', input, { started: false, isUnchanged: true }],
    // The setting has changed since: it is no part of what was sent.
    [
      'attaches to the one with another rule of four eyes',
      { ...input, fourEyes: ['ticket'] },
      { started: false, isUnchanged: true },
    ],
    ['attaches to one whose first input is unknown', unknown, { started: false, isUnchanged: false }],
    ['is refused for another input', { ...input, agentProfileId: 102 }, { kind: 'other-input', errors }],
  ])('%s', async (_, first, answer) => {
    const { backend: here } = backend({
      startWorkflowExecution: () => {
        if (first !== undefined) throw grpcError('ALREADY_EXISTS');
        return { runId: 'run-1' };
      },
      describeWorkflowExecution,
      getWorkflowExecutionHistory: () => {
        if (first instanceof Error) throw first;
        return { history: { events: [began(first)] } };
      },
    });
    expect(await startOrAttach(here, MERCHANT, input).catch((error: unknown) => error)).toMatchObject(answer);
  });
});

describe('an answer', () => {
  const answer = { kind: 'retry' } as const;
  const input = { id: ID, requirementId: 'r-1', actor: 'ada', reason: 'r', answer };
  const updateRef = { workflowExecution: { workflowId: ID, runId: 'run-3' }, updateId: 'update-1' };
  const ended = (outcome: object) => async () => ({ outcome, updateRef, stage: 3 });
  const taken = ended({ success: { payloads: payloads({ requirementId: 'r-1' }) } });
  const fails = (code: Parameters<typeof grpcError>[0]) => () => Promise.reject(grpcError(code));
  const RECEIPT = { workflowId: ID, receipt: { requirementId: 'r-1' } };
  const before = ended({
    failure: {
      message: 'it was accepted before',
      applicationFailureInfo: {
        type: 'AcceptedBefore',
        nonRetryable: true,
        details: { payloads: payloads({ requirementId: 'r-1' }) },
      },
    },
  });

  /** @param receipt what the workflow knows of the update, after its end */
  const onboarding = (update: () => Promise<object>, receipt: object | null = null) =>
    backend({
      describeWorkflowExecution,
      updateWorkflowExecution: update,
      queryWorkflow: () => ({ queryResult: { payloads: payloads(receipt) } }),
    });

  it('is sent once', async () => {
    const { backend: here, sent } = onboarding(taken);
    expect(await resolveOnce(here, input, 'update-1')).toEqual(RECEIPT);
    expect(sent.map(([name]) => name)).toEqual(['describeWorkflowExecution', 'updateWorkflowExecution']);
  });

  // Alone catches that the receipt of an earlier run is taken for a refusal.
  it.each([
    ['the workflow has accepted it before', before, null],
    ['the workflow had accepted it, and has ended', fails('NOT_FOUND'), { requirementId: 'r-1' }],
  ])('has its first receipt when %s', async (_, update, receipt) => {
    const { backend: here } = onboarding(update, receipt);
    expect(await resolveOnce(here, input, 'update-1')).toEqual(RECEIPT);
  });

  it('is refused when the onboarding has ended without it', async () => {
    const { backend: here } = onboarding(fails('NOT_FOUND'));
    await expect(resolveOnce(here, input, 'update-1')).rejects.toMatchObject({ kind: 'not-open' });
  });

  it('fails as the server does, for another reason', async () => {
    const { backend: here } = onboarding(fails('UNAVAILABLE'));
    await expect(resolveOnce(here, input, 'update-1')).rejects.toThrow('Workflow Update failed');
  });
});

describe('a history', () => {
  const { client } = answering({});
  const history = (...events: object[]) =>
    proto.temporal.api.history.v1.History.fromObject({ events }).events;

  it('has the answers that were accepted and applied, as given or as confirmed', async () => {
    const accepted = (updateId: string, name: string, arg: object) => ({
      eventTime: { seconds: 1_769_853_600 },
      workflowExecutionUpdateAcceptedEventAttributes: {
        acceptedRequest: { meta: { updateId }, input: { name, args: { payloads: payloads(arg) } } },
      },
    });
    const completed = (updateId: string, outcome: object) => ({
      workflowExecutionUpdateCompletedEventAttributes: { meta: { updateId }, outcome },
    });
    const done = (value: object) => ({ success: { payloads: payloads(value) } });
    const resolution = { requirementId: 'r-1', answer: { kind: 'text', text: 'Yes.' } };
    const confirmed = { ...resolution, requirementId: 'r-4' };
    const events = [
      accepted('1', 'resolveRequirement', resolution),
      accepted('2', 'resolveRequirement', {}),
      accepted('3', 'resolveRequirement', {}),
      accepted('4', 'confirmAnswer', {}),
      accepted('5', 'assignRequirement', {}),
      completed('1', done({})),
      completed('2', { failure: { message: 'rejected' } }),
      completed('4', done({ resolution: confirmed })),
      completed('5', done({})),
    ];
    const [one, other] = [resolution, confirmed].map((each) => ({ ...each, at: '2026-01-31T10:00:00.000Z' }));
    expect(await answersIn(client, { workflowId: ID, events: history(...events) })).toEqual([one, other]);
  });

  it('has the runs before the last one that Temporal still has', async () => {
    const runs = async (gone: string) => {
      const { client: here } = answering({
        getWorkflowExecutionHistory: ({ execution: { runId } }) => {
          if (runId === gone) throw grpcError('NOT_FOUND');
          return { history: { events: [startOf(runId)] } };
        },
      });
      const { runs: matches, missing } = await runsOf(here, ID, 'run-3');
      return [matches.map(({ runId }) => runId), missing];
    };
    expect(await runs('')).toEqual([['run-1', 'run-2', 'run-3'], undefined]);
    expect(await runs('run-1')).toEqual([['run-2', 'run-3'], 'run-1']);
    await expect(runs('run-3')).rejects.toThrow('the server rejects it');
  });

  it.each<[string, object[], attempts: number, end: string]>([
    ['runs for the first time', [{ activityId: '1', state: 2, attempt: 1 }], 1, 'pending'],
    ['waits for its third attempt', [{ activityId: '1', state: 1, attempt: 3 }], 2, 'pending'],
    ['waits for its first attempt', [{ activityId: '1', state: 1 }], 0, 'pending'],
    ['was left when its run ended', [{ activityId: '2', state: 2, attempt: 1 }], 0, 'unfinished'],
  ])('has the attempts of an activity that %s', async (_, pending, attempts, end) => {
    const scheduled = { activityId: '1', activityType: { name: 'read' }, taskQueue: { name: 'q-boarding' } };
    const events = history({ eventId: 5, activityTaskScheduledEventAttributes: scheduled });
    const matches = await partnerActivitiesIn(client, ID, 'q', events, pending as never);
    expect(matches).toMatchObject([{ activity: 'read', system: 'boarding', attempts, end }]);
  });
});
