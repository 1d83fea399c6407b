import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { beating, isWorthRepeating, once } from '../../../src/activities/failures.js';
import { PartnerError, type PartnerErrorKind } from '../../../src/partners/partner-error.js';

/** Attempts that fail by design are not reported. */
const QUIET = new DefaultLogger('ERROR');

function failed(kind: PartnerErrorKind, status?: number): PartnerError {
  const answered = status === undefined ? {} : { status };
  return new PartnerError({
    system: 'boarding',
    operation: 'get-status',
    kind,
    fields: [],
    reason: '',
    ...answered,
  });
}

describe('a read is worth repeating by itself', () => {
  it.each<[PartnerErrorKind, number | undefined, number, boolean]>([
    ['NotSent', undefined, 1, true],
    ['NotSent', undefined, 1_000, true],
    ['RateLimited', 429, 1, true],
    ['RateLimited', 429, 1_000, true],
    ['Uncertain', undefined, 1, true],
    ['Uncertain', 500, 1, true],
    ['Uncertain', 503, 1_000, true],
    ['Uncertain', 200, 1, true],
    // Right after a create the partner may not find its own merchant yet.
    ['Rejected', 404, 1, true],
    ['Rejected', 404, 5, true],
    ['Rejected', 404, 6, false],
    ['Rejected', 404, 1_000, false],
    ['Rejected', 400, 1, false],
    ['Rejected', 200, 1, false],
    ['Rejected', undefined, 1, false],
    ['Unauthorized', 401, 1, false],
    ['Forbidden', 403, 1, false],
  ])('%s with status %s at attempt %i: %s', (kind, status, attempt, expected) => {
    expect(isWorthRepeating(failed(kind, status), attempt, true)).toBe(expected);
  });
});

describe('where nothing may be new, a read is worth repeating by itself', () => {
  it.each<[PartnerErrorKind, number | undefined, boolean]>([
    ['Uncertain', 503, true],
    ['RateLimited', 429, true],
    ['Rejected', 404, false],
  ])('%s with status %s: %s', (kind, status, expected) => {
    expect(isWorthRepeating(failed(kind, status), 1, false)).toBe(expected);
  });
});

describe('a write without an idempotency key', () => {
  /** Whether an attempt that the server describes like this made the call, and what it failed with. */
  async function attempt(info: ConstructorParameters<typeof MockActivityEnvironment>[0]) {
    let calls = 0;
    const write = () =>
      once(async () => {
        calls += 1;
      });
    const failure: unknown = await new MockActivityEnvironment(info, { logger: QUIET })
      .run(write)
      .catch((error) => error);
    return { calls, failure };
  }

  it('is made by the first attempt', async () => {
    expect(await attempt({ attempt: 1 })).toEqual({ calls: 1, failure: undefined });
  });

  it.each([
    ['a second attempt', { attempt: 2 }],
    [
      'an attempt after a reset, which numbers the attempts anew',
      { attempt: 1, scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 1_001 },
    ],
  ])('is not made by %s', async (_, info) => {
    const { calls, failure } = await attempt(info);
    expect(calls).toBe(0);
    expect(failure).toMatchObject({
      type: 'PartnerError',
      nonRetryable: true,
      details: [{ kind: 'Uncertain', reason: 'the activity was tried again' }],
    });
  });
});

it.each([
  [undefined, 3_000],
  [30_000, 3_000],
  [10_000, 3_000],
  [6_000, 2_000],
  [300, 100],
])(
  'with a heartbeat time-out of %s ms, a running call says every %i ms that its worker lives',
  async (heartbeatTimeoutMs, every) => {
    const timer = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => timer.mockRestore());
    const info = heartbeatTimeoutMs === undefined ? {} : { heartbeatTimeoutMs };
    await new MockActivityEnvironment(info).run(() => beating(async () => undefined));
    expect(timer.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([every]);
  },
);
