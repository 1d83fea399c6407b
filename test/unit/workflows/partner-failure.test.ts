import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { AT_MOST_ONCE } from '../../../src/at-most-once/workflow.js';
import { ANSWER, POLL, REPEATABLE, WAIT } from '../../../src/workflows/runtime/activity-proxies.js';
import { partnerFailureOf } from '../../../src/workflows/runtime/step.js';

const activityFailed = (cause: Error) =>
  new ActivityFailure('failed', 'createMerchant', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', cause);

const SENT_AT = '2026-01-31T12:00:00.000Z';
const REJECTED = {
  system: 'boarding',
  operation: 'create-merchant',
  kind: 'Rejected',
  reason: 'HTTP 400',
  fields: [{ field: 'merchant.email', message: 'is missing' }],
};
const reported = activityFailed(ApplicationFailure.create({ type: 'PartnerError', details: [REJECTED] }));

it('only a once-only write has no heartbeat timeout, and whatever a cancellation has to know runs to its end', () => {
  const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' };
  const cancellationType = 'WAIT_CANCELLATION_COMPLETED';
  const once = { startToCloseTimeout: 120_000, retry, cancellationType };
  const beating = { startToCloseTimeout: '5m', heartbeatTimeout: '10s', cancellationType };
  const wait = { ...beating, retry: { initialInterval: '1s', backoffCoefficient: 1 } };
  expect({ REPEATABLE, AT_MOST_ONCE, ANSWER, WAIT, POLL }).toEqual({
    REPEATABLE: { startToCloseTimeout: '2m', heartbeatTimeout: '10s', retry },
    AT_MOST_ONCE: once,
    ANSWER: { ...once, priority: { priorityKey: 2 } },
    WAIT: wait,
    POLL: { ...wait, activityId: 'await-status' },
  });
});

describe('the failed call in the failure of an activity', () => {
  const own = { system: 'gangway', operation: 'createMerchant', fields: [] };
  const timedOut = (intent?: object) =>
    activityFailed(new TimeoutFailure('timed out', intent, TimeoutType.START_TO_CLOSE));
  const unsent = (type: string) => activityFailed(ApplicationFailure.retryable('nothing was sent', type));
  const NOTHING = { ...own, kind: 'NotSent', reason: 'nothing was sent' };
  const INTENT = { sending: true, sentAt: SENT_AT, baseline: [3] };
  const LATE = { ...own, kind: 'NotSent', reason: 'the attempt timed out' };

  const LOST = { ...LATE, kind: 'Uncertain', sentAt: SENT_AT, baseline: [3] };

  it.each<[string, Error, object]>([
    ['is the one that the client reported', reported, REJECTED],
    ['was not sent when the attempt ended before', unsent('NotSent'), NOTHING],
    ['was not sent when the server had given up on the attempt', unsent('GivenUp'), NOTHING],
    ['is unknown when an attempt timed out after its intent', timedOut({ ...INTENT, response: {} }), LOST],
    ['was not sent when an attempt withdrew its intent', timedOut({ sending: false, sentAt: SENT_AT }), LATE],
    ['was not sent when an attempt timed out before its intent', timedOut(), LATE],
  ])('%s', (_, error, details) => {
    expect(partnerFailureOf(error)).toEqual(expect.objectContaining(details));
    expect(Object.keys(partnerFailureOf(error))).not.toContain('response');
    expect(Object.keys(partnerFailureOf(error))).not.toContain('sending');
  });

  it.each<[string, Error]>([
    ['a cancellation', new CancelledFailure('cancelled')],
    ['a canceled activity', activityFailed(new CancelledFailure('cancelled'))],
    ['a bug of the workflow', new Error('a bug')],
    ['a bug of the activity', activityFailed(ApplicationFailure.nonRetryable('a bug', 'TypeError'))],
    ['another failure', activityFailed(new Error('a bug'))],
  ])('does not exist in %s, which is thrown on', (_, error) => {
    expect(() => partnerFailureOf(error)).toThrow(error);
  });
});
