import { ActivityNotFoundError, ServiceError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { boundOutcomes } from '../../../src/activities/interceptors.js';
import { pollAgain } from '../../../src/activities/poll.js';
import { softwareErrors } from '../../../src/activities/software-errors.js';
import { StalledCallReporter } from '../../../src/activities/stalled-calls.js';
import type { PartnerErrorDetails } from '../../../src/partners/partner-error.js';
import { StoreFailure } from '../../../src/platform/documents/file-store.js';
import { environment } from '../../rigs/activities/environment.js';
import { stoppedAt } from '../../rigs/clock.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = '2026-01-01T10:00:00.000Z';

beforeEach(() => stoppedAt(START));

function failed(more: Partial<PartnerErrorDetails> = {}, nonRetryable = false): ApplicationFailure {
  const details = [{ kind: 'RateLimited', fields: [], reason: 'HTTP 429', ...more }];
  return ApplicationFailure.create({ type: 'PartnerError', message: 'too busy', details, nonRetryable });
}

/** A process in which a step may wait ten minutes before people learn of it, and responses be unreadable for an hour. */
function process() {
  const temporal = { isUp: true };
  const reports: unknown[] = [];
  const take = async (report: unknown) => {
    if (!temporal.isUp) throw new Error('Temporal is down');
    reports.push(report);
  };
  const workflow = {
    getHandle: (workflowId: string) => ({
      signal: (_: unknown, wait: object) => take({ to: workflowId, ...wait }),
    }),
    signalWithStart: (_: string, start: { workflowId: string; signalArgs: object[] }) =>
      take({ to: start.workflowId, ...start.signalArgs[0] }),
  };
  const place = { fourEyes: [], system: 'boarding', account: undefined, taskQueue: 'gangway' } as const;
  const { interceptors } = new StalledCallReporter(place, { stepMs: 10 * MINUTE, unreadableMs: HOUR });

  /** One attempt of a step that began at the start, and how many reports there are after it. */
  async function attempt(outcome: unknown, info: object = {}) {
    const scheduledTimestampMs = Date.parse(START);
    const ofStep = { workflowType: 'merchantBoarding', activityId: '5', scheduledTimestampMs };
    const around = { client: { workflow }, interceptors: [interceptors] };
    const end = environment({ ...ofStep, ...info }, around).run(async () => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
    // However the report goes, the server learns how the attempt ended.
    expect(await end.catch((error: unknown) => error)).toBe(outcome);
    return reports.length;
  }
  return { attempt, temporal, reports };
}

const later = (ms: number) => void vi.advanceTimersByTime(ms);
const workflow = (workflowId: string) => ({ workflowExecution: { workflowId, runId: 'r' } });

describe('a long wait that a partner asked for', () => {
  it('is reported with its attempts 1, 8 and 64', async () => {
    const { attempt, reports } = process();
    for (let number = 1; number <= 100; number++)
      await attempt(failed({ retryAfterMs: MINUTE }), { attempt: number });
    const wait = { since: START, until: '2026-01-01T10:01:00.000Z', reason: 'too busy', isStalled: false };
    expect(reports).toEqual(Array(3).fill({ to: 'test', ...wait }));
  });

  it.each([
    ['shorter than a minute', failed({ retryAfterMs: MINUTE - 1 }), {}],
    ['of a failure that is not retried', failed({ retryAfterMs: HOUR }, true), {}],
    ['of a status poll', failed({ retryAfterMs: HOUR }), { activityId: 'await-status' }],
    ['of a poll for tickets', failed({ retryAfterMs: HOUR }), { heartbeatDetails: { hasRead: true } }],
    ['without a workflow', failed({ retryAfterMs: HOUR }), { inWorkflow: false }],
  ])('is not reported: %s', async (_, error, info) => {
    expect(await process().attempt(error, info)).toBe(0);
  });
});

// Proves W6.
describe('a step that waits for too long', () => {
  it('is reported once, even when the partner asked for more', async () => {
    const { attempt, reports } = process();
    later(10 * MINUTE - 1);
    expect(await attempt(new Error('a bug'), { attempt: 2 })).toBe(0);
    later(1);
    await attempt(new Error('a bug'), { attempt: 3 });
    expect(await attempt(failed(), { attempt: 4 })).toBe(1);
    await attempt(failed({ retryAfterMs: HOUR }), { attempt: 8 });
    const until = '2026-01-01T11:10:00.000Z';
    expect(reports).toEqual([
      { to: 'test', since: START, reason: 'a bug', isStalled: true },
      { to: 'test', since: START, until, reason: 'too busy', isStalled: false },
    ]);
  });

  it.each([
    ['it succeeded', 'done'],
    ['it was only waiting', pollAgain('NotYet', 'not yet', MINUTE)],
  ])('is reported again once %s meanwhile', async (_, meanwhile) => {
    const { attempt } = process();
    later(10 * MINUTE);
    await attempt(failed(), { attempt: 2 });
    await attempt(meanwhile, { attempt: 3 });
    expect(await attempt(failed(), { attempt: 4 })).toBe(2);
  });

  it('is reported for each step, and again by the next attempt when Temporal does not take the report', async () => {
    const { attempt, temporal } = process();
    later(10 * MINUTE);
    temporal.isUp = false;
    expect(await attempt(failed(), { attempt: 2 })).toBe(0);
    temporal.isUp = true;
    expect(await attempt(failed(), { attempt: 3 })).toBe(1);
    expect(await attempt(failed(), { attempt: 3, activityId: '6' })).toBe(2);
    expect(await attempt(failed(), { attempt: 3, ...workflow('m-2') })).toBe(3);
  });
});

describe('a status poll', () => {
  const poll = (since?: string) => ({
    activityId: 'await-status',
    heartbeatDetails: { hasRead: true, ...(since && { failing: { since: Date.parse(since) } }) },
  });
  const good = pollAgain('StatusUnchanged', 'unchanged', MINUTE);

  it('is late once all its reads have failed for too long, however long it has polled', async () => {
    const { attempt, reports } = process();
    later(5 * HOUR);
    expect(await attempt(failed(), poll())).toBe(0);
    const since = '2026-01-01T15:00:00.000Z';
    later(10 * MINUTE - 1);
    expect(await attempt(failed(), poll(since))).toBe(0);
    later(1);
    await attempt(failed(), poll(since));
    await attempt(failed(), poll(since));
    expect(reports).toEqual([{ to: 'test', since, reason: 'too busy', isStalled: true, isPoll: true }]);
  });

  it('is reported to be over when it reads again, and late again after that', async () => {
    const { attempt, reports } = process();
    later(10 * MINUTE - 1);
    expect(await attempt(good, poll(START)), 'it was not late').toBe(0);
    later(1);
    await attempt(failed(), poll(START));
    await attempt(good, poll(START));
    await attempt(good, poll());
    const over = { to: 'test', since: START, reason: '', isStalled: false, isPoll: true, isOver: true };
    expect(reports.slice(1)).toEqual([over]);
    await attempt(failed(), poll(START));
    expect(reports).toHaveLength(3);
  });

  it('is late although the one before it, in the same run, was', async () => {
    const { attempt } = process();
    later(10 * MINUTE);
    await attempt(failed(), poll(START));
    const scheduledTimestampMs = Date.parse(START) + 1;
    expect(await attempt(failed(), { ...poll(START), scheduledTimestampMs })).toBe(2);
  });
});

describe('responses that cannot be read', () => {
  const badStatus = { field: 'status', message: 'is ada@example.com' };
  const unreadable = failed({
    unreadable: 'get-status',
    fields: [badStatus, { field: '', message: 'no JSON' }],
  });
  const first = { activityId: 'await-status' };
  const poll = (unreadableSince = Date.parse(START)) => ({
    ...first,
    heartbeatDetails: { hasRead: true, failing: { since: 0, unreadableSince } },
  });
  // Here only the reports to the account count.
  const ofAccount = (reports: readonly unknown[]) =>
    reports.filter((report) => (report as { to: string }).to === 'partner-account-boarding');

  it('are reported to the account after an hour, without private values, once an hour for an operation', async () => {
    const { attempt, reports } = process();
    const reported = async (error: unknown) => {
      await attempt(error, poll());
      return ofAccount(reports).length;
    };
    later(HOUR - 1);
    expect(await reported(unreadable)).toBe(0);
    later(1);
    expect(await reported(unreadable)).toBe(1);
    const what = 'status: is [Redacted]; no JSON';
    const report = { operation: 'get-status', since: START, what, workflowId: 'test' };
    expect(ofAccount(reports)).toEqual([{ to: 'partner-account-boarding', ...report }]);
    expect(await reported(unreadable)).toBe(1);
    expect(await reported(failed({ unreadable: 'get-fees' }))).toBe(2);
    later(HOUR - 1);
    expect(await reported(unreadable)).toBe(2);
    later(1);
    // In the second hour as well.
    for (const _ of [1, 2]) expect(await reported(unreadable)).toBe(3);
  });

  it('count for a poll from the first of them in a row', async () => {
    const { attempt, reports } = process();
    later(5 * HOUR);
    await attempt(unreadable, first);
    await attempt(unreadable, poll(Date.parse(START) + 4 * HOUR + 1));
    expect(ofAccount(reports)).toEqual([]);
    await attempt(unreadable, poll(Date.parse(START) + 4 * HOUR));
    expect(ofAccount(reports)).toHaveLength(1);
  });

  it('count for a step from its beginning, and are reported again when Temporal did not take the report', async () => {
    const { attempt, temporal, reports } = process();
    later(HOUR);
    temporal.isUp = false;
    await attempt(unreadable, { attempt: 2 });
    temporal.isUp = true;
    await attempt(unreadable, { attempt: 3 });
    expect(reports).toMatchObject([{ operation: 'get-status', since: START }]);
  });

  it('are asked about by the account alone, however late the step is', async () => {
    const { attempt, reports } = process();
    later(20 * HOUR);
    for (const number of [2, 8, 64]) await attempt(unreadable, { attempt: number });
    expect(reports).toMatchObject([{ to: 'partner-account-boarding' }]);
  });
});

describe('a missing permission', () => {
  const fields = [{ field: '', message: 'ask ada@example.com' }];
  const denied = (more: object = {}) =>
    failed({ kind: 'Forbidden', operation: 'get-status', status: 403, fields, ...more });

  it('is reported to the account at once, without private values, once an hour for an operation', async () => {
    const { attempt, reports } = process();
    await attempt(denied(), { attempt: 1 });
    await attempt(denied(), { attempt: 2, ...workflow('m-2') });
    later(HOUR);
    await attempt(denied({ status: 401 }), { attempt: 3 });
    const report = { to: 'partner-account-boarding', operation: 'get-status', workflowId: 'test' };
    const what = 'ask [Redacted]';
    const since = START;
    expect(reports).toEqual([
      { ...report, since, what, forbidden: 403 },
      { ...report, since, what, forbidden: 401 },
    ]);
  });

  it('is no more lasting than a redirect, which is reported at once and names its target', async () => {
    const { attempt, reports } = process();
    const reason = 'HTTP 308 to https://new.example.com/submit';
    await attempt(failed({ kind: 'NotSent', status: 308, unreadable: 'submit-merchant', reason }));
    expect(reports).toMatchObject([
      { to: 'partner-account-boarding', operation: 'submit-merchant', what: reason },
    ]);
  });

  it.each([{ atSignIn: true }, { needs: 'one-time-code' }] as const)(
    'is not what the account reports itself: %j',
    async (more) => {
      expect(await process().attempt(denied(more))).toBe(0);
    },
  );
});

describe('an error of our own code', () => {
  const info = { activityType: 'createMerchant' };
  const bug = new TypeError('cannot read ada@example.com');

  /** The result of one attempt at a worker of build b-2. */
  function build() {
    const counted: unknown[] = [];
    const metricMeter = {
      createCounter: (name: string) => ({ add: (...of: unknown[]) => counted.push([name, ...of]) }),
    };
    const interceptor = softwareErrors('boarding', 'b-2');
    const attempt = (outcome: Error, more: object = {}): Promise<ApplicationFailure> =>
      environment({ ...info, ...more }, { interceptors: [interceptor], metricMeter })
        .run(async () => {
          throw outcome;
        })
        .catch((error: unknown) => error) as Promise<ApplicationFailure>;
    return { attempt, counted };
  }

  it('becomes a failure that says so since when, without private values, and is counted by build', async () => {
    const { attempt, counted } = build();
    // Each attempt says since when the first one of them failed.
    for (const _ of [1, 2]) {
      await attempt(bug);
      later(5 * MINUTE);
    }
    const failure = await attempt(bug, { attempt: 4 });
    expect(failure).toMatchObject({
      type: 'SoftwareError',
      nonRetryable: false,
      nextRetryDelay: 8_000,
      message:
        'our software fails: createMerchant: TypeError: cannot read [Redacted], since 2026-01-01 10:00 UTC',
      details: [
        {
          system: 'boarding',
          build: 'b-2',
          operation: 'createMerchant',
          since: START,
          reason: 'TypeError: cannot read [Redacted]',
        },
      ],
    });
    expect(failure.stack).not.toContain('ada@');
    expect(counted).toEqual(
      Array(3).fill([
        'gangway_software_errors_total',
        1,
        expect.objectContaining({ activityType: 'createMerchant', build: 'b-2' }),
      ]),
    );
  });

  it('is retried after two minutes at most, however often a poll has read before', async () => {
    expect(await build().attempt(bug, { attempt: 2_000 })).toMatchObject({ nextRetryDelay: 120_000 });
  });

  it('counts its time from its first attempt after one that did not fail like this', async () => {
    const { attempt } = build();
    await attempt(bug);
    later(MINUTE);
    await attempt(failed());
    later(MINUTE);
    const failure = await attempt(bug);
    expect(failure.details).toMatchObject([{ since: '2026-01-01T10:02:00.000Z' }]);
  });

  it.each<[string, Error]>([
    ['of a partner', failed()],
    ['of a poll that waits', pollAgain('NotYet', 'not yet', MINUTE)],
    ['of Temporal', new ServiceError('unavailable')],
    ['of a heartbeat that Temporal rejects', new ActivityNotFoundError('gone')],
    ['of a cancellation', new CancelledFailure('cancelled')],
    ['of an aborted call', new DOMException('aborted', 'AbortError')],
    ['of the document store', new StoreFailure('/files', 'unavailable', 'ECONNREFUSED')],
  ])('is none of these: %s', async (_, error) => {
    const { attempt, counted } = build();
    expect(await attempt(error)).toBe(error);
    expect(counted).toEqual([]);
  });

  it('is reported to the account after a minute, once for the build, and to no onboarding', async () => {
    const { attempt, reports } = process();
    const failing = (since: string) =>
      ApplicationFailure.create({
        type: 'SoftwareError',
        message: 'our software fails',
        details: [
          {
            system: 'boarding',
            operation: 'createMerchant',
            build: 'b-2',
            since,
            kind: 'Uncertain',
            fields: [],
            reason: 'TypeError: no street',
          },
        ],
      });
    later(MINUTE - 1);
    expect(await attempt(failing(START), { attempt: 6 })).toBe(0);
    later(1);
    await attempt(failing(START), { attempt: 7 });
    await attempt(failing(START), { attempt: 7, ...workflow('m-2') });
    later(20 * MINUTE);
    await attempt(failing(START), { attempt: 8, ...workflow('m-2') });
    expect(reports).toEqual([
      {
        to: 'partner-account-boarding',
        operation: 'build b-2',
        failing: 'createMerchant',
        since: START,
        what: 'TypeError: no street',
        workflowId: 'test',
      },
    ]);
  });
});

it.each([
  [true, 2_000],
  [false, 3_000],
])('the result of an activity (in a workflow: %s) has texts of %i characters', async (inWorkflow, length) => {
  const activity = async () => ({ comment: 'x'.repeat(3_000) });
  const result = await environment({ inWorkflow }, { interceptors: [boundOutcomes] }).run(activity);
  expect(result).toHaveProperty('comment.length', length);
});
