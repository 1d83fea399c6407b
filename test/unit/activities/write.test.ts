import { CompleteAsyncError } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { sendOnce, sendOnceThenRead, sendRepeatably } from '../../../src/activities/write.js';
import { PartnerError, type PartnerErrorKind } from '../../../src/partners/partner-error.js';
import {
  attemptOf,
  NOW,
  notSending,
  type Options,
  onVirtualTime,
  SENT_AT,
  sending,
} from '../../rigs/activities/attempts.js';

onVirtualTime();

const senders = { sendOnce, sendOnceThenRead, sendRepeatably };
type Course = Parameters<typeof attemptOf>[2];
const attempt = (call: Parameters<typeof attemptOf>[1], course?: Course) => attemptOf(senders, call, course);

function failed(kind: PartnerErrorKind, more: object = {}): PartnerError {
  return new PartnerError({ system: 'boarding', operation: 'create', kind, fields: [], reason: '', ...more });
}

const retryable = (kind: string) => ({ type: 'PartnerError', nonRetryable: false, details: [{ kind }] });

describe('a write to a partner', () => {
  it.each<[PartnerErrorKind, number | undefined, object?]>([
    ['NotSent', undefined],
    ['RateLimited', 30_000, { retryAfterMs: 30_000 }],
    ['Unauthorized', 60_000],
    // After a 401, the new sign-in needs a one-time code.
    ['Forbidden', 60_000, { atSignIn: true, needs: 'one-time-code' }],
    ['Forbidden', 60_000, { status: 403, needs: 'one-time-code' }],
  ])(
    'that had no effect (%s) withdraws its intent, and is retried after %s ms',
    async (kind, nextRetryDelay, more) => {
      const { log, outcome } = await attempt(sending(failed(kind, more)));
      expect(log).toEqual(['intent', 'withdraw']);
      expect(outcome).toMatchObject({ ...retryable(kind), nextRetryDelay });
    },
  );

  it('that an onboarding is not permitted withdraws its intent, and is sent again a minute later', async () => {
    const info = { workflowType: 'merchantBoarding' };
    const { log, outcome } = await attempt(sending(failed('Forbidden', { status: 403 })), { info });
    expect(log).toEqual(['intent', 'withdraw']);
    expect(outcome).toMatchObject({ ...retryable('Forbidden'), nextRetryDelay: 60_000 });
  });

  it.each<[PartnerErrorKind, string]>([
    ['Uncertain', `fail Uncertain for good at ${NOW}`],
    ['Rejected', 'fail Rejected for good'],
    ['Forbidden', 'fail Forbidden for good'],
  ])('that was sent and failed as %s is not retried', async (kind, report) => {
    const { log, outcome } = await attempt(sending(failed(kind)));
    expect(log).toEqual(['intent', report]);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it.each([
    [new TypeError('ada@example.com'), 'TypeError'],
    ['ada@example.com', 'unknown'],
  ])('that was sent and met %s is uncertain, and does not show its message', async (thrown, reason) => {
    const reported: unknown[] = [];
    const throwing = async ({ beforeSending }: Options) => {
      await beforeSending();
      throw thrown;
    };
    const { log } = await attempt(throwing, { info: { activityType: 'createMerchant' }, reported });
    expect(log).toEqual(['intent', `fail Uncertain for good at ${NOW}`]);
    const message = `gangway createMerchant: Uncertain, ${reason}`;
    expect(reported).toMatchObject([{ message, details: [{ reason, sentAt: NOW }] }]);
  });

  it.each<[PartnerErrorKind, object, boolean]>([
    ['NotSent', {}, false],
    // The read before it got no clear response.
    ['Uncertain', {}, false],
    ['Unauthorized', { status: 401 }, false],
    ['Forbidden', { status: 403, atSignIn: true }, false],
    ['Forbidden', { status: 403 }, true],
    // What is read before a write exists.
    ['Rejected', { status: 404 }, false],
    ['Rejected', { status: 400 }, true],
    ['Rejected', {}, true],
  ])('that failed before it was sent (%s %j) is final: %s', async (kind, more, nonRetryable) => {
    const { log, outcome } = await attempt(notSending(failed(kind, more)));
    // What is retried leaves a withdrawn intent: without it, an attempt after a reset has no information.
    expect(log).toEqual(nonRetryable ? [] : ['withdraw']);
    expect(outcome).toMatchObject({ ...retryable(kind), nonRetryable });
  });

  it.each<[PartnerErrorKind, number]>([
    ['Rejected', 400],
    ['Forbidden', 403],
  ])(
    'that was not sent because a read was %s (%i) names that read, and no field of it',
    async (kind, status) => {
      const ofId = { field: 'id', message: 'is unknown' };
      const fields = [{ field: '', message: 'no such resource' }, ofId];
      const more = { operation: 'list-agent-profiles', status, fields };
      const { outcome } = await attempt(notSending(failed(kind, more)), { info: { attempt: 6 } });
      const why = `not sent, because the preceding list-agent-profiles failed (HTTP ${status})`;
      const named = [why, 'no such resource', 'id: is unknown'].map((message) => ({ field: '', message }));
      expect(outcome).toMatchObject({ details: [{ operation: 'list-agent-profiles', fields: named }] });
      // With it, the question would say that the partner may have saved what was never sent.
      expect(JSON.stringify(outcome)).not.toContain('"status"');
    },
  );

  it('that our own check rejects keeps its fields', async () => {
    const fields = [{ field: 'merchant.email', message: 'must be an e-mail address' }];
    const { outcome } = await attempt(notSending(failed('Rejected', { fields })));
    expect(outcome).toMatchObject({ nonRetryable: true, details: [{ fields }] });
  });

  it('that a dead attempt may have sent is our own failure, and is not retried', async () => {
    const info = {
      attempt: 2,
      activityType: 'createMerchant',
      heartbeatDetails: { sending: true, sentAt: SENT_AT },
    };
    const { outcome } = await attempt(sending(), { info });
    const reason = 'its worker stopped before the response was recorded';
    const details = { system: 'gangway', operation: 'createMerchant', kind: 'Uncertain', fields: [], reason };
    const lost = { type: 'PartnerError', nonRetryable: true, details: [{ ...details, sentAt: SENT_AT }] };
    expect(outcome).toMatchObject(lost);
  });

  // Alone catches an error of our own code that a workflow gets as an outcome for which no step has a rule.
  it('that may be repeated is retried after an uncertain outcome, and after a bug', async () => {
    const uncertain = await attempt(sending(failed('Uncertain')), { mayRepeat: true });
    expect(uncertain.log).toEqual(['intent', `fail Uncertain at ${NOW}`]);
    const bug = await attempt(sending(new TypeError('a bug')), { mayRepeat: true });
    expect(bug.log).toEqual(['intent', 'fail TypeError']);
  });
});
