import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { beating, isRetryable } from '../../../src/activities/failures.js';
import { PartnerError, type PartnerErrorKind } from '../../../src/partners/partner-error.js';

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

describe('a read is retried', () => {
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
    // The credentials may be corrected; that is asked once for the whole account.
    ['Unauthorized', 401, 1, true],
    ['Forbidden', 403, 1, false],
  ])('%s with status %s at attempt %i: %s', (kind, status, attempt, expected) => {
    expect(isRetryable(failed(kind, status), attempt, true)).toBe(expected);
  });
});

describe('a read of a record that is not new is retried', () => {
  it.each<[PartnerErrorKind, number | undefined, boolean]>([
    ['Uncertain', 503, true],
    ['RateLimited', 429, true],
    ['Rejected', 404, false],
  ])('%s with status %s: %s', (kind, status, expected) => {
    expect(isRetryable(failed(kind, status), 1, false)).toBe(expected);
  });
});

it.each([
  [undefined, 3_000],
  [30_000, 3_000],
  [10_000, 3_000],
  [6_000, 2_000],
  [300, 100],
])(
  'with a heartbeat time-out of %s ms, a running call sends a heartbeat every %i ms',
  async (heartbeatTimeoutMs, every) => {
    const timer = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => timer.mockRestore());
    const info = heartbeatTimeoutMs === undefined ? {} : { heartbeatTimeoutMs };
    await new MockActivityEnvironment(info).run(() => beating(async () => undefined));
    expect(timer.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([every]);
  },
);
