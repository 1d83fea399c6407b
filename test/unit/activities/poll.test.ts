import type { Client } from '@temporalio/client';
import { ApplicationFailureCategory } from '@temporalio/common';
import proto from '@temporalio/proto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { awaitChange, pollDelay, readNow } from '../../../src/activities/poll.js';
import type { Pace } from '../../../src/messages/onboarding-state.js';
import { PartnerError } from '../../../src/partners/partner-error.js';
import { counter } from '../../rigs/activities/counter.js';
import { takesIntents } from '../../rigs/activities/takes-intents.js';
import { stoppedAt } from '../../rigs/clock.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-01-01T10:00:00Z');
const bounds = { minMs: MINUTE, maxMs: HOUR };
const between = (least: number, most: number) => expect.toSatisfy((ms) => ms >= least && ms <= most);

/** One attempt of a poll that reads `read`; what it heartbeats, and what it asks of `isChange`. */
async function attempt<T>(
  read: () => Promise<T>,
  isChange: boolean,
  info = {},
  pace?: Pace,
  isExplained?: () => Promise<boolean>,
) {
  const { counts, labels, metricMeter } = counter();
  const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR'), metricMeter });
  const heartbeats: unknown[] = [];
  const questions: unknown[] = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  const isAsked = (now: T) => {
    questions.push(now);
    return isChange;
  };
  const poll = () => awaitChange(bounds, pace, read, isAsked, isExplained);
  const outcome = await environment.run(poll).catch((error: unknown) => error);
  return { outcome, heartbeats, questions, counts, labels };
}

// Proves W7.
describe('a status poll', () => {
  const READ = { hasRead: true };
  it.each([
    ['its first read', { attempt: 1, heartbeatDetails: null }, true],
    ['its first, which a nudge began again', { attempt: 1, heartbeatDetails: { hasRead: false } }, true],
    ['a later one, after details of another kind', { attempt: 3, heartbeatDetails: { passes: 2 } }, false],
    ['a later one', { attempt: 7, heartbeatDetails: READ }, false],
    ['a later one, where a nudge began the attempts again', { attempt: 1, heartbeatDetails: READ }, false],
  ])('ends with a change, and knows whether that is %s', async (_, info, isFirst) => {
    const { outcome, questions, heartbeats, counts } = await attempt(async () => 'now', true, info);
    expect(outcome).toEqual({ snapshot: 'now', isFirst });
    expect(counts).toEqual(['gangway_polls_total changed 1']);
    expect(heartbeats).toEqual([]);
    expect(questions).toEqual(['now']);
  });

  it.each([
    ['merchant-boarding-m-1', 'merchantBoarding', 'boarding', ''],
    ['business-onboarding-b-1@acme', 'businessOnboarding', 'banking', 'acme'],
    ['partner-account-banking@acme', 'partnerAccount', 'banking', 'acme'],
  ])('counts for the partner and the account of %s', async (workflowId, workflowType, system, account) => {
    const { labels } = await attempt(async () => 'now', true, {
      workflowExecution: { workflowId, runId: 'run-1' },
    });
    const byTheSdk = { namespace: 'test', taskQueue: 'test', activityType: 'unknown' };
    expect(labels).toEqual([{ ...byTheSdk, workflowType, system, account }]);
  });

  it.each([
    ['that show no change', async () => 'now', 'unchanged', {}],
    ['that fail', () => Promise.reject(new Error('a bug')), 'failed', { failing: { since: START } }],
  ])('sends one heartbeat %s, however many they are', async (_, read, result, more) => {
    stoppedAt(START);
    const sent: unknown[] = [];
    let heartbeatDetails: unknown;
    for (let number = 1; number <= 100; number++) {
      const { heartbeats, counts } = await attempt(read, false, { attempt: number, heartbeatDetails });
      expect(counts).toEqual([`gangway_polls_total ${result} 1`]);
      [heartbeatDetails] = [...heartbeats, heartbeatDetails];
      sent.push(...heartbeats);
    }
    expect(sent).toEqual([{ ...READ, ...more }]);
  });

  const LATER = { scheduledTimestampMs: HOUR, currentAttemptScheduledTimestampMs: 6 * HOUR };
  it.each([
    ['the first read', {}, MINUTE, 1.25 * MINUTE],
    ['a state of five hours', LATER, 26.4 * MINUTE, 33 * MINUTE],
  ])('continues without a change: after %s', async (_, info, atLeast, atMost) => {
    const { outcome, heartbeats } = await attempt(async () => 'now', false, info);
    expect(outcome).toMatchObject({
      type: 'StatusUnchanged',
      category: ApplicationFailureCategory.BENIGN,
      nonRetryable: false,
      nextRetryDelay: between(atLeast, atMost),
    });
    expect(heartbeats).toEqual([READ]);
  });

  const scheduled = { scheduledTimestampMs: 10 * MINUTE, currentAttemptScheduledTimestampMs: 10 * MINUTE };

  it.each([
    ['a calm partner', 1, MINUTE, 1.25 * MINUTE],
    ['four changes in a row', 4, MINUTE, 1.25 * MINUTE],
    ['six', 6, 3.2 * MINUTE, 4 * MINUTE],
    ['a hundred', 100, 48 * MINUTE, HOUR],
  ])('begins no sooner after the last read than %s allow', async (_, changes, least, most) => {
    const pace = { readAt: 10 * MINUTE - 5_000, changes };
    const read = async () => 'now';
    const { outcome, questions, heartbeats } = await attempt(read, true, scheduled, pace);
    const nextRetryDelay = between(least - 5_000, most - 5_000 + 1);
    const notDue = { type: 'NotDue', category: ApplicationFailureCategory.BENIGN, nextRetryDelay };
    expect(outcome).toMatchObject(notDue);
    expect(questions).toEqual([]);
    expect(heartbeats).toEqual([{ hasRead: false }]);
    const [heartbeatDetails] = heartbeats;
    const then = { ...scheduled, attempt: 2, heartbeatDetails };
    expect((await attempt(read, true, then, pace)).outcome).toEqual({ snapshot: 'now', isFirst: true });
    const nudged = { ...scheduled, currentAttemptScheduledTimestampMs: 11 * MINUTE };
    for (const info of [nudged, { ...nudged, heartbeatDetails }])
      expect((await attempt(read, true, info, pace)).outcome).toEqual({ snapshot: 'now', isFirst: true });
  });

  it('begins at once when the least time since the last read has passed, and not a millisecond before', async () => {
    const start = (readAt: number) => attempt(async () => 'now', true, scheduled, { readAt, changes: 1 });
    expect((await start(9 * MINUTE)).outcome).toEqual({ snapshot: 'now', isFirst: true });
    expect((await start(9 * MINUTE + 1)).outcome).toMatchObject({ type: 'NotDue' });
  });

  // Alone catches a decision about a status that is made before the next poll runs: its nudge reaches nobody.
  it('begins at once when a person has decided meanwhile what the status means', async () => {
    const pace = { readAt: 10 * MINUTE - 1, changes: 1 };
    const start = (isExplained: boolean) =>
      attempt(
        async () => 'now',
        true,
        scheduled,
        pace,
        async () => isExplained,
      );
    expect((await start(true)).outcome).toEqual({ snapshot: 'now', isFirst: true });
    expect((await start(false)).outcome).toMatchObject({ type: 'NotDue' });
  });

  it('shortens what it reads before it compares it', async () => {
    const { outcome, questions } = await attempt(async () => ({ comment: 'x'.repeat(2_001) }), true);
    const comment = expect.stringMatching(/^x+… \(shortened, 2001 characters\)$/);
    expect([outcome, questions]).toEqual([{ snapshot: { comment }, isFirst: true }, [{ comment }]]);
  });

  const failing = (details: object) => async () => {
    const what = { system: 'banking', operation: 'get-profile', fields: [], reason: '' };
    throw new PartnerError({ ...what, kind: 'Rejected', ...details });
  };

  const [ATTEMPT, PAUSE] = [between(MINUTE, HOUR), 2 * HOUR].map((nextRetryDelay) => ({ nextRetryDelay }));
  it.each([
    ['nothing answers', { kind: 'NotSent' }, 1, true, ATTEMPT],
    ['it is too much for the partner', { kind: 'RateLimited', retryAfterMs: 2 * HOUR }, 1, true, PAUSE],
    ['the partner does not find it yet', { status: 404 }, 1, true, ATTEMPT],
    ['the partner does not find it any more', { status: 404 }, 6, true, ATTEMPT],
    ['the partner rejects the read', { status: 400 }, 1, false, {}],
    ['we may not', { kind: 'Forbidden' }, 1, false, {}],
  ])('continues when %s: %o', async (_, details, number, goesOn, delay) => {
    const { outcome, questions } = await attempt(failing(details), true, { attempt: number });
    expect(outcome).toMatchObject({ type: 'PartnerError', nonRetryable: !goesOn, ...delay });
    expect(questions).toEqual([]);
  });

  it('records since when its reads fail and its responses are unreadable, because another worker may read next', async () => {
    stoppedAt(START);
    const down = failing({ kind: 'NotSent' });
    const unreadable = failing({ kind: 'Uncertain', unreadable: 'get-profile' });
    let heartbeatDetails: unknown = READ;
    const recorded: unknown[] = [];
    for (const read of [down, unreadable, unreadable, down, down, async () => 'now', async () => 'now']) {
      const info = { attempt: 5 + recorded.length, heartbeatDetails };
      const { heartbeats } = await attempt(read, false, info);
      recorded.push(heartbeats.map((each) => (each as { failing?: unknown }).failing));
      [heartbeatDetails] = [...heartbeats, heartbeatDetails];
      vi.advanceTimersByTime(MINUTE);
    }
    const since = START;
    const both = { since, unreadableSince: START + MINUTE };
    // Another failure in between does not end the time of unreadable responses.
    expect(recorded).toEqual([[{ since }], [both], [], [], [], [undefined], []]);
  });

  const records = [{}, { failing: { since: START } }];
  it.each(records)('keeps its record during a long read: %j', async (record) => {
    stoppedAt(START, ['setInterval', 'clearInterval']);
    const heartbeatDetails = { ...READ, ...record };
    const read = async () => vi.advanceTimersByTime(3_000);
    const { heartbeats } = await attempt(read, true, { attempt: 7, heartbeatDetails });
    expect(heartbeats).toEqual([heartbeatDetails]);
  });

  it.each([
    ['a minute after a nudge', 1, MINUTE, MINUTE],
    ['two minutes after that', 2, 2 * MINUTE, 2 * MINUTE],
    ['at its own pace in the end', 20, 48 * MINUTE, HOUR],
  ])('repeats a read that failed %s', async (_, number, atLeast, atMost) => {
    const times = { scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 7 * 24 * HOUR };
    const { outcome } = await attempt(failing({ kind: 'NotSent' }), true, { attempt: number, ...times });
    expect(outcome).toHaveProperty('nextRetryDelay', between(atLeast, atMost));
  });
});

describe('a nudge of the workflow’s own poll', () => {
  const { PENDING_ACTIVITY_STATE_SCHEDULED: state } = proto.temporal.api.enums.v1.PendingActivityState;
  const waiting = { activityId: 'await-status', state, attempt: 2 };

  /** What is counted once an activity of a workflow has nudged, and which workflows had their poll reset. */
  async function nudgeIn(info: object, describe: () => Promise<object>) {
    const { counts, metricMeter } = counter();
    const questions: string[] = [];
    const getHandle = (workflowId: string) => {
      questions.push(workflowId);
      return { describe };
    };
    const client = { ...takesIntents, workflow: { getHandle } } as unknown as Client;
    await new MockActivityEnvironment(info, { client, metricMeter }).run(() => readNow(async () => 'now'));
    // The activity does not wait for it.
    await vi.waitFor(() => expect(counts).toHaveLength('inWorkflow' in info ? 0 : 1));
    return { counts, questions };
  }

  it.each<[string, () => Promise<object>]>([
    ['nudged', async () => ({ raw: { pendingActivities: [waiting] } })],
    ['nobody', async () => ({ raw: {} })],
    ['failed', () => Promise.reject(new Error('Temporal is down'))],
  ])('is counted as %s, and does no harm', async (result, describe) => {
    const workflowExecution = { workflowId: 'm-1', runId: 'r' };
    const { counts, questions } = await nudgeIn({ workflowExecution }, describe);
    expect([counts, questions]).toEqual([[`gangway_nudges_total ${result} 1`], ['m-1']]);
  });

  it('is left out without a workflow', async () => {
    const { questions } = await nudgeIn(
      { inWorkflow: false, workflowExecution: undefined },
      async () => ({}),
    );
    expect(questions).toEqual([]);
  });
});

describe('the wait before the next read', () => {
  /** From a state just seen to one of a year. */
  const elapsed = fc.integer({ min: 0, max: 365 * 24 * HOUR });
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  const anyBounds = fc
    .tuple(fc.integer({ min: 1, max: 24 * HOUR }), fc.integer({ min: 0, max: 24 * HOUR }))
    .map(([minMs, more]) => ({ minMs, maxMs: minMs + more }));

  it.each([
    ['since the clock was set back', -HOUR, 60, 75],
    ['for ten minutes', 10 * MINUTE, 60, 75],
    ['for an hour', HOUR, 5.28 * 60, 6.6 * 60],
    ['for five hours', 5 * HOUR, 26.4 * 60, 33 * 60],
    ['for ten hours', 10 * HOUR, 48 * 60, 60 * 60],
  ])('of a status that lasted %s', (_, lasted, shortest, longest) => {
    expect(pollDelay(lasted, bounds, 0) / 1_000).toBeCloseTo(shortest, 2);
    expect(pollDelay(lasted, bounds, 1) / 1_000).toBeCloseTo(longest, 2);
  });

  it.each([
    ['at the maximum', 7 * 24 * HOUR, 48 * MINUTE, HOUR],
    ['at the minimum', 0, MINUTE, 1.25 * MINUTE],
    ['where the bounds are close', 7 * 24 * HOUR, 54 * MINUTE, HOUR, { minMs: 54 * MINUTE, maxMs: HOUR }],
  ])('is spread evenly %s', (_, lasted, shortest, longest, limits = bounds) => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let sample = 0; sample < 10_000; sample++) {
      const delay = pollDelay(lasted, limits, (sample + 0.5) / 10_000);
      const tenth = Math.floor((10 * (delay - 0.5 - shortest)) / (longest - shortest));
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(tenths).toHaveLength(10);
    // Delays are whole milliseconds.
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThanOrEqual(1);
  });

  it('stays within its bounds, in whole milliseconds', () => {
    fc.assert(
      fc.property(elapsed, anyBounds, random, (lasted, { minMs, maxMs }, chance) => {
        const delay = pollDelay(lasted, { minMs, maxMs }, chance);
        expect(delay).toEqual(between(minMs, maxMs));
        expect(Number.isInteger(delay)).toBe(true);
      }),
    );
  });

  it('never shrinks while a status lasts', () => {
    fc.assert(
      fc.property(elapsed, elapsed, anyBounds, random, (one, other, limits, chance) => {
        const [shorter, longer] = one < other ? [one, other] : [other, one];
        expect(pollDelay(longer, limits, chance)).toBeGreaterThanOrEqual(pollDelay(shorter, limits, chance));
      }),
    );
  });
});
