import proto from '@temporalio/proto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  isStepAt,
  nudge,
  type Pending,
  pendingActivities,
  readsChange,
  retryNow,
} from '../../../src/temporal/nudge.js';
import { answering, execution, type Facts, grpcError, time } from '../../rigs/temporal/answering-service.js';

const NOW = Date.parse('2026-02-01T00:00:00Z');
const { PENDING_ACTIVITY_STATE_SCHEDULED: SCHEDULED, PENDING_ACTIVITY_STATE_STARTED: STARTED } =
  proto.temporal.api.enums.v1.PendingActivityState;

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true, now: NOW, loopLimit: 2_000 }));
afterEach(() => void vi.useRealTimers());

const inSeconds = (seconds: number) => time(new Date(NOW + seconds * 1_000).toISOString());
const id = 'merchant-boarding-m-1';

/** A status poll that was scheduled an hour ago, and sleeps for an hour after several attempts. */
const ASLEEP = {
  activityId: 'await-status',
  state: SCHEDULED,
  attempt: 3,
  lastFailure: { message: 'no change' },
  scheduledTime: inSeconds(-3_600),
  nextAttemptScheduleTime: inSeconds(3_600),
};
const RUNNING = { ...ASLEEP, state: STARTED };
const dueIn = (seconds: number) => ({ ...ASLEEP, nextAttemptScheduleTime: inSeconds(seconds) });
/** A poll whose first attempt has not begun. */
const newSince = (seconds: number, more: object = {}) => ({
  ...ASLEEP,
  attempt: 1,
  lastFailure: null,
  scheduledTime: inSeconds(-seconds),
  ...more,
});

/** Nudges a workflow, whose pending activities and status change with the milliseconds that passed. */
async function nudged(
  pending: (passed: number) => readonly object[],
  { facts = (_: number): Facts => ({}), signal = new AbortController().signal, replacedUntil = 0 } = {},
) {
  const passed = () => Date.now() - NOW;
  const resetAt: number[] = [];
  const { client, sent } = answering({
    describeWorkflowExecution: () => ({
      workflowExecutionInfo: execution(facts(passed())),
      pendingActivities: pending(passed()),
    }),
    resetActivity: () => {
      resetAt.push(passed());
      if (passed() < replacedUntil) throw grpcError('NOT_FOUND');
      return {};
    },
  });
  const followed: number[] = [];
  const follow = (poll: Pending) => void followed.push(Number(poll.scheduledTime?.seconds) - NOW / 1_000);
  const ended = nudge(client, id, { signal, follow }).then((isNudged) => ({ isNudged, at: passed() }));
  await vi.runAllTimersAsync();
  return { ...(await ended), resetAt, followed, sent };
}

// Proves T4.
describe('a nudge', () => {
  const next = (ms: number) =>
    ms < 3_000 ? [RUNNING] : ms < 4_000 ? [] : [ms < 6_000 ? newSince(-4) : ASLEEP];
  it.each<[string, (passed: number) => readonly object[], isNudged: boolean, at: number, resetAt: number[]]>([
    ['makes a sleeping poll read', () => [{ activityId: 'x', state: STARTED }, ASLEEP], true, 0, [0]],
    ['finds no poll', () => [{ ...ASLEEP, activityId: 'other' }], false, 0, []],
    ['waits for the end of a running attempt', (ms) => [ms < 3_000 ? RUNNING : ASLEEP], true, 3_000, [3_000]],
    ['waits for the next poll after a running attempt, and its first one', next, true, 6_000, [6_000]],
    ['waits 5 seconds for the next poll', (ms) => (ms < 3_000 ? [RUNNING] : []), true, 7_950, []],
    ['waits a minute for a running attempt', () => [RUNNING], true, 60_000, []],
    ['waits 30 seconds for a first attempt', () => [newSince(29)], true, 1_000, [1_000]],
    ['takes one without a number as the first', () => [newSince(29, { attempt: 0 })], true, 1_000, [1_000]],
    ['waits for no second attempt', () => [newSince(1, { attempt: 2 })], true, 0, [0]],
    ['waits for no attempt after a failure', () => [newSince(1, { lastFailure: {} })], true, 0, [0]],
    ['resets a poll that is due in 2 seconds', () => [dueIn(2)], true, 0, [0]],
    ['leaves alone a poll that is due in a second', () => [dueIn(1)], true, 0, []],
    ['leaves alone a poll that is due', () => [{ ...ASLEEP, nextAttemptScheduleTime: null }], true, 0, []],
  ])('%s', async (_, pending, isNudged, at, resetAt) => {
    expect(await nudged(pending)).toMatchObject({ isNudged, at, resetAt });
  });

  it('waits for the next poll when the one that it has seen ends before the reset', async () => {
    const replaced = (ms: number) => (ms < 50 || ms >= 2_000 ? [ASLEEP] : []);
    const ended = await nudged(replaced, { replacedUntil: 50 });
    expect(ended).toMatchObject({ isNudged: true, at: 2_000, resetAt: [0, 2_000] });
  });

  it('resets the poll of the run that it has seen', async () => {
    const { sent } = await nudged(() => [ASLEEP]);
    expect(sent[1]).toEqual([
      'resetActivity',
      { namespace: 'default', execution: { workflowId: id, runId: 'run-1' }, id: 'await-status' },
    ]);
  });

  it('waits for no further poll of a workflow that has ended', async () => {
    const facts = (ms: number) => (ms < 3_000 ? {} : { status: 'COMPLETED' as const });
    const pending = (ms: number) => (ms < 3_000 ? [RUNNING] : []);
    expect(await nudged(pending, { facts })).toMatchObject({ isNudged: true, at: 3_000 });
    expect(await nudged(() => [], { facts })).toMatchObject({ isNudged: false });
  });

  it('ends with its signal', async () => {
    const late = new AbortController();
    setTimeout(() => late.abort(), 1_020);
    expect(await nudged(() => [RUNNING], { signal: late.signal })).toMatchObject({ at: 1_050 });
    expect((await nudged(() => [ASLEEP], { signal: AbortSignal.abort() })).sent).toEqual([]);
  });

  it('fails as the server does', async () => {
    const { client } = answering({ describeWorkflowExecution: () => Promise.reject(grpcError('NOT_FOUND')) });
    await expect(nudge(client, id)).rejects.toThrow('the server rejects it');
  });
});

describe('the read after a nudge', () => {
  /** Asleep since an attempt ended, as the server shows it: `scheduledTime` is that of the next attempt. */
  const endedAt = (seconds: number, type: string) => ({
    ...ASLEEP,
    lastAttemptCompleteTime: inSeconds(seconds),
    scheduledTime: inSeconds(seconds + 3_600),
    lastFailure: { applicationFailureInfo: { type } },
  });
  const SAME_AT_5 = endedAt(5, 'StatusUnchanged');
  const [NUDGED, SAME] = [endedAt(-60, 'StatusUnchanged'), endedAt(0, 'StatusUnchanged')];
  /** After the reset, before an attempt, and then while it reads. */
  const RESET = { ...NUDGED, attempt: 1, scheduledTime: inSeconds(0) };
  const READS = { ...RESET, state: STARTED };
  const FOLLOWER = { ...ASLEEP, attempt: 1, lastFailure: null, scheduledTime: inSeconds(0) };

  /** The result, when it came, and the number of looks. */
  async function read(
    pending: (passed: number) => readonly object[],
    status: Facts['status'] = 'RUNNING',
    nudged: object = NUDGED,
  ) {
    const { client, sent } = answering({
      describeWorkflowExecution: () => ({
        workflowExecutionInfo: execution({ status }),
        pendingActivities: pending(Date.now() - NOW),
      }),
    });
    const { signal } = new AbortController();
    const ended = readsChange(client.workflow.getHandle(id), nudged as unknown as Pending, signal).then(
      (isChange) => [isChange, Date.now() - NOW],
    );
    await vi.runAllTimersAsync();
    return [...(await ended), sent.length];
  }

  const until5s =
    (before: object, ...after: object[]) =>
    (ms: number) =>
      ms < 5_000 ? [before] : after;
  it.each<[string, boolean, number, number, ...Parameters<typeof read>]>([
    ['ends the poll, and the workflow continues', true, 500, 1, () => []],
    ['ends the poll, and with it the workflow', true, 500, 1, () => [], 'COMPLETED'],
    ['ends the poll, and the next one is not due', true, 500, 1, () => [endedAt(0, 'NotDue')]],
    ['ends the poll, and the next one begins late', true, 7_500, 4, until5s(FOLLOWER, endedAt(5, 'NotDue'))],
    ['does not happen, because the workflow was canceled', false, 500, 1, () => [], 'CANCELED'],
    ['does not happen, because the workflow was terminated', false, 500, 1, () => [], 'TERMINATED'],
    ['shows no change', false, 500, 1, () => [SAME]],
    ['fails', false, 500, 1, () => [endedAt(0, 'Unavailable')]],
    ['is the first one of its poll', false, 500, 1, () => [SAME], 'RUNNING', FOLLOWER],
    ['takes five seconds', true, 7_500, 4, until5s(READS)],
    ['takes five seconds, and shows no change', false, 7_500, 4, until5s(READS, SAME_AT_5)],
    ['begins late', true, 7_500, 4, until5s(RESET)],
    ['does not come within a minute', false, 63_500, 7, () => [RESET]],
  ])('%s', async (_, isChange, at, looks, ...callback) => {
    expect(await read(...callback)).toEqual([isChange, at, looks]);
  });

  it.each<[string, (passed: number) => readonly object[], isNudged: boolean, followed: number[]]>([
    ['the nudge has reset', () => [ASLEEP], true, [-3_600]],
    ['was due', () => [dueIn(1)], true, [-3_600]],
    // Reads that may have begun before the webhook arrived.
    ['began after the end of a running one', (ms) => (ms < 3_000 ? [RUNNING] : []), true, []],
    ['runs', () => [RUNNING], true, []],
    ['does not exist', () => [], false, []],
  ])('is that of a poll that %s', async (_, pending, isNudged, followed) => {
    expect(await nudged(pending)).toMatchObject({ isNudged, followed });
  });
});

describe('a retry of everything', () => {
  const step = (activityId: string, more: object = {}) => ({
    ...ASLEEP,
    activityId,
    activityType: { name: `step-${activityId}` },
    ...more,
  });

  /** A workflow with these activities, and what happened to them. */
  function workflow(pendingActivities: readonly object[], resetActivity = () => Promise.resolve({})) {
    const { client, sent } = answering({
      describeWorkflowExecution: () => ({ workflowExecutionInfo: execution({}), pendingActivities }),
      resetActivity,
    });
    const reset = () => sent.filter(([name]) => name === 'resetActivity').map(([, { id: its }]) => its);
    return { client, reset };
  }

  it('retries what is meant and waits, and leaves alone what runs or is due in a moment', async () => {
    const due = (id: string, seconds: number) => step(id, { nextAttemptScheduleTime: inSeconds(seconds) });
    const steps = [step('1'), step('2', { state: STARTED }), due('3', 1), step('4'), due('5', 2)];
    const { client, reset } = workflow(steps);
    const isMeant = async ({ activityId }: Pending) => activityId !== '4';
    expect(await retryNow(client, id, isMeant)).toEqual(['step-1', 'step-5']);
    expect(reset()).toEqual(['1', '5']);
    expect(await pendingActivities(client, id)).toHaveLength(5);
  });

  it('retries nothing of a workflow that does not exist', async () => {
    const { client } = answering({ describeWorkflowExecution: () => Promise.reject(grpcError('NOT_FOUND')) });
    expect(await retryNow(client, id, () => true)).toEqual([]);
    expect(await pendingActivities(client, id)).toEqual([]);
  });

  it('goes on when one of them has ended meanwhile, and fails for another reason', async () => {
    const failing = (code: 'NOT_FOUND' | 'UNAVAILABLE') => {
      let calls = 0;
      return workflow([step('1'), step('2'), step('3')], async () => {
        calls += 1;
        if (calls === 2) throw grpcError(code);
        return {};
      }).client;
    };
    expect(await retryNow(failing('NOT_FOUND'), id, () => true)).toEqual(['step-1', 'step-3']);
    await expect(retryNow(failing('UNAVAILABLE'), id, () => true)).rejects.toThrow('the server rejects it');
  });

  const queue = 'gangway-boarding';
  const at = (name: string, activityType: string, details?: object[]) =>
    ({
      activityType: { name: activityType },
      activityOptions: { taskQueue: { name } },
      ...(details && { heartbeatDetails: { payloads: details } }),
    }) as unknown as Pending;

  it.each([
    ['a read', at(queue, 'readStatus'), true],
    ['a write with an intent', at(queue, 'createMerchant', [{ data: new Uint8Array() }]), true],
    ['a write without an intent, which a reset would make uncertain', at(queue, 'createMerchant'), false],
    ['a write that may be repeated, without an intent', at(queue, 'correctHolder', []), false],
    ['a read at another partner', at('gangway-banking', 'readStatus'), false],
    ['a read in another account', at(`${queue}-acme`, 'readStatus'), false],
    ['an activity without a task queue', {} as Pending, false],
  ])('means %s: %s', (_, activity, isMeant) => {
    expect(isStepAt(queue)(activity)).toBe(isMeant);
  });
});
