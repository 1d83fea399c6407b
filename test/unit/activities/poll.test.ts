import type { Info } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { awaitChange, nudgeOwnPoll } from '../../../src/activities/poll.js';
import type { Pace } from '../../../src/messages/onboarding-state.js';
import { PartnerError } from '../../../src/partners/partner-error.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const bounds = { minMs: MINUTE, maxMs: HOUR };

/** One attempt of a poll that reads `read`; what it heartbeats, and what it asks of `isChange`. */
async function attempt<T>(read: () => Promise<T>, isChange: boolean, info = {}, pace?: Pace) {
  const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
  const heartbeats: unknown[] = [];
  const asked: unknown[] = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  const poll = () =>
    awaitChange(bounds, pace, read, (now) => {
      asked.push(now);
      return isChange;
    });
  const outcome = await environment.run(poll).catch((error: unknown) => error);
  return { outcome, heartbeats, asked };
}

describe('a status poll', () => {
  it.each([
    ['at once', { attempt: 1 }, 1],
    ['by the attempts', { attempt: 7, heartbeatDetails: { polls: 1, attempt: 1 } }, 7],
    ['where a nudge began them again', { attempt: 1, heartbeatDetails: { polls: 41, attempt: 31 } }, 42],
    ['and goes on from there', { attempt: 5, heartbeatDetails: { polls: 42, attempt: 1 } }, 46],
  ])('ends with a change, and counts its reads: %s', async (_, info, polls) => {
    const { outcome, asked, heartbeats } = await attempt(async () => 'now', true, info);
    expect(outcome).toEqual({ snapshot: 'now', polls });
    expect(heartbeats).toEqual([]);
    expect(asked).toEqual(['now']);
  });

  it('sends its count of reads with the attempts 1, 4, 16 and 64', async () => {
    const sent: unknown[] = [];
    let heartbeatDetails: unknown;
    for (let number = 1; number <= 100; number++) {
      const { heartbeats } = await attempt(async () => 'now', false, { attempt: number, heartbeatDetails });
      [heartbeatDetails] = [...heartbeats, heartbeatDetails];
      sent.push(...heartbeats);
    }
    expect(sent).toEqual([1, 4, 16, 64].map((number) => ({ polls: number, attempt: number })));
  });

  it.each([
    ['the first read', {}, MINUTE, 1.25 * MINUTE],
    [
      'a state of five hours',
      { scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 5 * HOUR },
      26.4 * MINUTE,
      33 * MINUTE,
    ],
  ])('continues without a change: after %s', async (_, info, atLeast, atMost) => {
    const { outcome, heartbeats } = await attempt(async () => 'now', false, info);
    expect(outcome).toMatchObject({
      type: 'StatusUnchanged',
      category: ApplicationFailureCategory.BENIGN,
      nonRetryable: false,
    });
    const { nextRetryDelay } = outcome as { nextRetryDelay: number };
    expect(nextRetryDelay).toBeGreaterThanOrEqual(atLeast);
    expect(nextRetryDelay).toBeLessThanOrEqual(atMost);
    expect(heartbeats).toEqual([{ polls: 1, attempt: 1 }]);
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
    const { outcome, asked, heartbeats } = await attempt(read, true, scheduled, pace);
    expect(outcome).toMatchObject({ type: 'NotDue', category: ApplicationFailureCategory.BENIGN });
    const { nextRetryDelay } = outcome as { nextRetryDelay: number };
    expect(nextRetryDelay).toBeGreaterThanOrEqual(least - 5_000);
    expect(nextRetryDelay).toBeLessThanOrEqual(most - 5_000 + 1);
    expect(asked).toEqual([]);
    const [heartbeatDetails] = heartbeats;
    const then = { ...scheduled, attempt: 2, heartbeatDetails };
    expect((await attempt(read, true, then, pace)).outcome).toEqual({ snapshot: 'now', polls: 1 });
    const nudged = { ...scheduled, heartbeatDetails, currentAttemptScheduledTimestampMs: 11 * MINUTE };
    expect((await attempt(read, true, nudged, pace)).outcome).toEqual({ snapshot: 'now', polls: 1 });
  });

  it('begins at once when the last read was long ago', async () => {
    const pace = { readAt: 9 * MINUTE, changes: 1 };
    const { outcome } = await attempt(async () => 'now', true, scheduled, pace);
    expect(outcome).toEqual({ snapshot: 'now', polls: 1 });
  });

  const failing = (details: object) => async () => {
    const what = { system: 'banking', operation: 'get-profile', fields: [], reason: '' };
    throw new PartnerError({ ...what, kind: 'Rejected', ...details });
  };

  it.each([
    ['nothing answers', { kind: 'NotSent' }, 1, true],
    ['it is too much for the partner', { kind: 'RateLimited', retryAfterMs: 2 * HOUR }, 1, true],
    ['the partner does not find it yet', { status: 404 }, 1, true],
    ['the partner does not find it any more', { status: 404 }, 6, false],
    ['we may not', { kind: 'Forbidden' }, 1, false],
  ])('continues when %s: %o', async (_, details, number, goesOn) => {
    const { outcome, asked } = await attempt(failing(details), true, { attempt: number });
    expect(outcome).toMatchObject({ type: 'PartnerError', nonRetryable: !goesOn });
    const { nextRetryDelay } = outcome as { nextRetryDelay?: number };
    if ('retryAfterMs' in details) expect(nextRetryDelay).toBe(2 * HOUR);
    else if (goesOn) expect(nextRetryDelay).toBeGreaterThanOrEqual(MINUTE);
    expect(asked).toEqual([]);
  });

  it.each([
    ['a minute after a nudge', 1, MINUTE, MINUTE],
    ['two minutes after that', 2, 2 * MINUTE, 2 * MINUTE],
    ['at its own pace in the end', 20, 48 * MINUTE, HOUR],
  ])('repeats a read that failed %s', async (_, number, atLeast, atMost) => {
    const times = { scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 7 * 24 * HOUR };
    const { outcome } = await attempt(failing({ kind: 'NotSent' }), true, { attempt: number, ...times });
    const { nextRetryDelay } = outcome as { nextRetryDelay: number };
    expect(nextRetryDelay).toBeGreaterThanOrEqual(atLeast);
    expect(nextRetryDelay).toBeLessThanOrEqual(atMost);
  });
});

describe('a nudge of the workflow’s own poll', () => {
  it.each<[string, Partial<Info>]>([
    ['outside of a worker', {}],
    ['without a workflow', { inWorkflow: false }],
  ])('does no harm %s', async (_, info) => {
    await new MockActivityEnvironment(info).run(async () => nudgeOwnPoll());
  });
});
