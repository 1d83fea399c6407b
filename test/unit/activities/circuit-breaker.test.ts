import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CircuitBreaker } from '../../../src/activities/circuit-breaker.js';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A breaker that opened now. */
function opened(): CircuitBreaker<string> {
  const breaker = new CircuitBreaker<string>();
  breaker.recordFailure('first');
  return breaker;
}

const stateOf = ({ failure, openMs }: CircuitBreaker<string>) => [failure, openMs];

describe('a circuit breaker', () => {
  it('is closed at first, and after a success', () => {
    expect(stateOf(new CircuitBreaker<string>())).toEqual([undefined, 0]);
    const breaker = opened();
    breaker.recordSuccess();
    expect(stateOf(breaker)).toEqual([undefined, 0]);
  });

  it('is open for a minute after a failure, and then half open for as long as nobody tries', () => {
    const breaker = opened();
    expect(stateOf(breaker)).toEqual(['first', MINUTE]);
    vi.advanceTimersByTime(MINUTE - 1);
    expect(stateOf(breaker)).toEqual(['first', 1]);
    vi.advanceTimersByTime(90 * MINUTE);
    expect(stateOf(breaker)).toEqual(['first', 0]);
  });

  it('is open for another minute after each failure, with the last one', () => {
    const breaker = opened();
    vi.advanceTimersByTime(MINUTE);
    breaker.recordFailure('second');
    expect(stateOf(breaker)).toEqual(['second', MINUTE]);
  });

  it('is half open early where somebody says so, until the next failure', () => {
    const breaker = opened();
    breaker.halfOpen();
    expect(stateOf(breaker)).toEqual(['first', 0]);
    breaker.recordFailure('second');
    expect(stateOf(breaker)).toEqual(['second', MINUTE]);
  });

  // A clock that is set back would hold up every call of an account, for hours.
  it('does not follow a clock that is set back', () => {
    const breaker = opened();
    vi.setSystemTime(Date.now() - 360 * MINUTE);
    vi.advanceTimersByTime(MINUTE);
    expect(stateOf(breaker)).toEqual(['first', 0]);
  });
});
