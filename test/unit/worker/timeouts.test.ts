import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';
import { describe, expect, it } from 'vitest';
import { SHARE_OF_ATTEMPT } from '../../../src/at-most-once/activity.js';
import { REQUEST_MS } from '../../../src/at-most-once/record.js';
import { ATTEMPT_MS } from '../../../src/at-most-once/workflow.js';
import { DEFAULT_HTTP_LIMITS } from '../../../src/partners/http.js';
import { SHUTDOWN_FORCE, SHUTDOWN_GRACE } from '../../../src/worker/tuning.js';
import { POLL, REPEATABLE } from '../../../src/workflows/runtime/activity-proxies.js';

const EXCHANGE_MS = DEFAULT_HTTP_LIMITS.totalTimeoutMs;
const ms = (duration: Duration = 0) => msToNumber(duration);
const callsOfWriteMs = ATTEMPT_MS * SHARE_OF_ATTEMPT;

describe('the timeouts of the worker', () => {
  it('let a read and a status poll make an HTTP exchange in one attempt', () => {
    for (const { startToCloseTimeout } of [REPEATABLE, POLL])
      expect(ms(startToCloseTimeout)).toBeGreaterThan(EXCHANGE_MS);
  });

  it('let a write make a read and a request in one attempt, and report the response twice', () => {
    expect(callsOfWriteMs).toBeGreaterThanOrEqual(2 * EXCHANGE_MS);
    expect(ATTEMPT_MS - callsOfWriteMs).toBeGreaterThan(2 * REQUEST_MS);
  });

  it('let a worker that stops wait for the response to a request, and report it', () => {
    expect(ms(SHUTDOWN_GRACE)).toBeGreaterThan(EXCHANGE_MS);
    expect(ms(SHUTDOWN_FORCE)).toBeGreaterThan(EXCHANGE_MS + 2 * REQUEST_MS);
    expect(ms(SHUTDOWN_FORCE)).toBeGreaterThan(ms(SHUTDOWN_GRACE));
  });

  it('cut off a call with a sign-in and a replay when the worker stops, as its comment states', () => {
    expect(ms(SHUTDOWN_FORCE)).toBeLessThan(3 * EXCHANGE_MS);
  });
});
