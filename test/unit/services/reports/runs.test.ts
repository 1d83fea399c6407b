import { describe, expect, it } from 'vitest';
import { confirmAnswer } from '../../../../src/messages/claims.js';
import type { DocumentRef, Resolution } from '../../../../src/messages/requirements.js';
import { resolveRequirement } from '../../../../src/messages/requirements.js';
import { StoreFailure } from '../../../../src/platform/documents/file-store.js';
import { readRecord } from '../../../../src/services/reports/read-record.js';
import { initialState } from '../../../../src/workflows/runtime/state.js';
import {
  answering,
  execution,
  type Facts,
  grpcError,
  indexedFields,
  payloads,
  time,
} from '../../../rigs/temporal/answering-service.js';

const ID = 'merchant-boarding-m-1@west';
const OTHER_ID = 'customer-onboarding-c-1';
const document = (key: string): DocumentRef => ({
  key,
  fileName: `${key}.pdf`,
  contentType: 'application/pdf',
});

/** The events of a run, one second after the other. */
class Run {
  readonly events: object[] = [];

  constructor(
    readonly runId: string,
    private readonly day: number,
    attributes: object = {},
  ) {
    this.add('workflowExecutionStarted', { identity: `starter-${day}`, ...attributes });
  }

  at(): string {
    const second = `${this.events.length}`.padStart(2, '0');
    return `2026-02-0${this.day}T10:00:${second}.000Z`;
  }

  add(kind: string, attributes: object): number {
    const eventId = this.events.length + 1;
    this.events.push({ eventId, eventTime: time(this.at()), [`${kind}EventAttributes`]: attributes });
    return eventId;
  }

  /** A call that took some attempts. */
  called(activity: string, attempt: number, request: object, response: object): this {
    const scheduledEventId = this.add('activityTaskScheduled', {
      activityType: { name: activity },
      activityId: activity,
      taskQueue: { name: 'gangway-boarding-west' },
      input: { payloads: payloads(request) },
    });
    this.add('activityTaskStarted', { scheduledEventId, attempt });
    this.add('activityTaskCompleted', { scheduledEventId, result: { payloads: payloads(response) } });
    return this;
  }

  /** A poll that has no end in this run. */
  polls(): this {
    const activity = { activityType: { name: 'awaitStatusChange' }, activityId: 'await-status' };
    this.add('activityTaskScheduled', { ...activity, taskQueue: { name: 'gangway-boarding-west' } });
    return this;
  }

  /** An answer of a person, or one that a second person confirmed. */
  answered(resolution: Resolution, isConfirmed = false): this {
    const meta = { updateId: `${this.runId}-${this.events.length}` };
    const [name, args, result] = isConfirmed
      ? [confirmAnswer.name, { requirementId: resolution.requirementId }, { resolution }]
      : [resolveRequirement.name, resolution, {}];
    const acceptedRequest = { input: { name, args: { payloads: payloads(args) } }, meta };
    this.add('workflowExecutionUpdateAccepted', { acceptedRequest });
    const outcome = { success: { payloads: payloads(result) } };
    this.add('workflowExecutionUpdateCompleted', { meta, outcome });
    return this;
  }

  indexed(values: Readonly<Record<string, unknown>>): this {
    this.add('upsertWorkflowSearchAttributes', {
      searchAttributes: { indexedFields: indexedFields(values) },
    });
    return this;
  }
}

const answer = (requirementId: string, text: Resolution['answer'], actor = 'olga'): Resolution => ({
  requirementId,
  answer: text,
  actor,
  reason: 'asked the merchant',
});
const corrected = (city: string) => ({ kind: 'correction', patch: { merchant: { city } } }) as const;
const uploaded = (...keys: string[]) => ({ kind: 'documents', documents: keys.map(document) }) as const;

const INPUT = { externalId: 'm-1', merchant: { dba: 'Corner Bakery', city: 'Albany' } };
const NOTE = { snapshot: { notes: [{ id: 'note-1', text: 'Send a check.' }] } };
const timeline = (event: string, detail?: string) => ({
  at: '2026-02-01T10:00:00.500Z',
  event,
  ...(detail && { detail }),
});
const HANDED_ON = [
  timeline('started'),
  timeline('requirement-raised', 'note-1: Note'),
  timeline('fees-read'),
];

/** Three runs of an onboarding. Each later one begins with the corrected input, and with what the one before handed on. */
function runs(handsOn: (state: object) => unknown[] = (state) => [state]): Run[] {
  const named = (dba: string) => ({ memo: { fields: { dba: payloads(dba)[0] } } });
  const start = {
    ...named('Corner Bakery'),
    ...indexedIn({ MerchantProfileId: '1001', PartnerStatus: 'Pending' }),
  };
  const first = new Run('run-1', 1, { input: { payloads: payloads(INPUT) }, ...start })
    .called('createMerchant', 3, { document: document('k-0') }, { merchantProfileId: 1001 })
    .called('awaitStatusChange', 1, {}, NOTE)
    .answered(answer('rejected-input-1', corrected('Troy')));
  first.add('workflowExecutionCancelRequested', { identity: 'pat' });
  const { input: _, ...blank } = initialState('merchantBoarding', {}, {});
  const carriedState = handsOn({ ...blank, timeline: HANDED_ON });
  const later = (city: string, before: string) => ({
    input: { payloads: payloads({ ...INPUT, merchant: { ...INPUT.merchant, city } }, ...carriedState) },
    continuedExecutionRunId: before,
    ...named('Corner Bakeries'),
  });
  const second = new Run('run-2', 2, later('Troy', 'run-1'))
    .answered(answer('note-1', uploaded('k-1', 'k-2')))
    .called('attachDocument', 2, { document: document('k-1') }, {})
    .called('attachDocument', 1, { document: document('k-2') }, {})
    .indexed({ Mid: '518' })
    .polls();
  const third = new Run('run-3', 3, later('Troy', 'run-2'))
    .answered(answer('rejected-input-2', corrected('Utica'), 'pete'), true)
    .answered(answer('note-2', uploaded('k-2', 'k-3')))
    .called('attachDocument', 1, { document: document('k-3') }, {})
    .indexed({ PartnerStatus: 'Approved', Requirements: ['ticket t-1 R D', 'ticket t-2 R D', 'ticket'] })
    .polls();
  return [first, second, third];
}

const indexedIn = (values: Readonly<Record<string, unknown>>) => ({
  searchAttributes: { indexedFields: indexedFields(values) },
});

interface Server {
  readonly workflowId?: string;
  readonly state?: object;
  readonly all?: readonly Run[];
  /** Runs that Temporal no longer has. */
  readonly gone?: readonly string[];
  readonly others?: readonly Facts[];
}

async function record({ workflowId = ID, state, all = runs(), gone = [], others = [] }: Server) {
  const facts = (runId: string): Facts => ({ workflowId, runId, startedAt: '2026-02-03T10:00:00Z' });
  const { client } = answering({
    describeWorkflowExecution({ execution: { workflowId: id } }) {
      if (id !== workflowId) throw grpcError('NOT_FOUND');
      const pendingActivities = [{ activityId: 'await-status', attempt: 7 }];
      return {
        workflowExecutionInfo: execution(facts('run-3')),
        pendingActivities,
        executionConfig: { taskQueue: { name: 'gangway' } },
      };
    },
    getWorkflowExecutionHistory({ execution: { runId } }) {
      const run = all.find((each) => each.runId === runId);
      if (!run || gone.includes(runId)) throw grpcError('NOT_FOUND');
      return { history: { events: run.events } };
    },
    listWorkflowExecutions: () => ({
      executions: [...all.map(({ runId }) => facts(runId)), ...others].map(execution),
    }),
    queryWorkflow() {
      if (state) return { queryResult: { payloads: payloads(state) } };
      throw grpcError('DEADLINE_EXCEEDED');
    },
    describeTaskQueue: () => ({ pollers: [] }),
  });
  const store = {
    hash: async ({ key }: { key: string }) => {
      if (key === 'k-1') throw new StoreFailure('k-1', 'missing', 'is damaged');
      return { sha256: `of ${key}`, bytes: 7 };
    },
  };
  const description = await client.workflow.getHandle(workflowId).describe();
  const result = await readRecord(client, store as never, description, { actor: 'ann', reason: 'an audit' });
  return result.onboarding;
}

const STATE = {
  stage: 'underwriting',
  partnerStatus: 'Approved',
  requirements: [],
  timeline: HANDED_ON,
};

describe('the record of an onboarding of three runs', () => {
  it('begins with the first, and has the answers and the calls of all in their order', async () => {
    const { runIds, startedAt, startedBy, input, answers, calls } = await record({ state: STATE });
    expect({ runIds, startedAt, startedBy, input }).toEqual({
      runIds: ['run-1', 'run-2', 'run-3'],
      startedAt: '2026-02-01T10:00:00.000Z',
      startedBy: 'starter-1',
      input: INPUT,
    });
    expect(
      answers.map(({ at, requirementId, actor }) => `${at.slice(8, 10)} ${requirementId} ${actor}`),
    ).toEqual([
      '01 rejected-input-1 olga',
      '02 note-1 olga',
      // Pete proposed it, and another person confirmed it.
      '03 rejected-input-2 pete',
      '03 note-2 olga',
    ]);
    expect(
      calls.map(({ number, operation, attempts, result }) => `${number} ${operation} ${attempts} ${result}`),
    ).toEqual([
      '1 createMerchant 3 done',
      '2 awaitStatusChange 1 done',
      '3 attachDocument 2 done',
      '4 attachDocument 1 done',
      '5 awaitStatusChange 0 not-recorded',
      // The server describes an activity of the last run only.
      '6 attachDocument 1 done',
      '7 awaitStatusChange 6 pending',
    ]);
    for (const { scheduledAt, startedAt: began, endedAt } of calls.filter((call) => call.endedAt))
      expect([scheduledAt, began, endedAt].toSorted()).toEqual([scheduledAt, began, endedAt]);
  });

  it('has each correction with the value before it, whichever run accepted that', async () => {
    const { corrections } = await record({ state: STATE });
    expect(corrections.map(({ field, old, new: now }) => [field, old, now])).toEqual([
      ['merchant.city', 'Albany', 'Troy'],
      ['merchant.city', 'Troy', 'Utica'],
    ]);
  });

  it('has every document with all that it answers and all that sent it, also after one that cannot be read', async () => {
    const { documents } = await record({ state: STATE });
    const row = (key: string, answered: string[], sentBy: number[]) => ({ key, answered, sentBy });
    expect(documents.map(({ key, answered, sentBy }) => row(key, answered, sentBy))).toEqual([
      row('k-1', ['note-1'], [3]),
      row('k-2', ['note-1', 'note-2'], [4]),
      row('k-3', ['note-2'], [6]),
      row('k-0', [], [1]),
    ]);
    expect(documents.map(({ sha256, problem }) => sha256 ?? problem)).toEqual([
      'k-1: is damaged',
      'of k-2',
      'of k-3',
      'of k-0',
    ]);
  });

  it('has what an earlier run learned, where no worker responds', async () => {
    const { source, facts, requirements, timeline: events, status } = await record({});
    expect({ source, status, facts }).toEqual({
      source: 'history',
      status: 'running',
      facts: {
        dba: 'Corner Bakeries',
        merchantProfileId: 1001,
        mid: '518',
        partnerStatus: 'Approved',
      },
    });
    // Those that are open, and the one that the timeline names.
    expect(requirements.map(({ id, status: is }) => `${id} ${is}`).sort()).toEqual([
      'note-1 open',
      'note-2 answered',
      'rejected-input-2 answered',
      't-1 open',
      't-2 open',
    ]);
    expect(requirements.find(({ id }) => id === 'note-1')?.detail).toBe('Send a check.');
    expect(events.map(({ event }) => event)).toEqual([
      'started',
      'requirement-raised',
      'fees-read',
      'cancel-requested',
      'requirement-resolved',
      'requirement-resolved',
      'status-changed',
    ]);
  });

  it('says which runs are gone, and names each other run of the id', async () => {
    const others = ['old-1', 'old-2'].map((runId): Facts => ({ workflowId: ID, runId }));
    const { runIds, notes, input } = await record({ state: STATE, gone: ['run-1'], others });
    expect([runIds, (input as typeof INPUT).merchant.city]).toEqual([['run-2', 'run-3'], 'Troy']);
    expect(notes).toEqual([
      expect.stringMatching(/^Temporal no longer has run run-1 and those before it/),
      expect.stringContaining('does not cover: old-1, old-2.'),
    ]);
  });
});

it('the record of a customer of several runs has the timeline of all, where no worker responds', async () => {
  // A customer hands on its state after its options.
  const all = runs((state) => [{}, state]);
  const { timeline: events } = await record({ workflowId: OTHER_ID, all });
  expect(events.map(({ event }) => event).slice(0, 3)).toEqual([
    'started',
    'requirement-raised',
    'fees-read',
  ]);
});
