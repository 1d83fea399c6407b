import { beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/apps/receiver/problems.js';
import { signatureCheck } from '../../../../src/apps/receiver/settings.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { OTHER_SECRET, SECRET, signed } from '../../../rigs/receiver/running-receiver.js';

/** Seconds since 1970. */
const NOW = 1_793_000_000;
const at = (seconds: number) => ({ at: `${NOW + seconds}` });

const BODY = '{"specversion":"1.0","type":"merchant.boarding.requested.v1"}';

/** The problem of a body with these headers. Undefined when it is valid. */
function problem(headers: Record<string, string>, secrets: readonly string[] = [SECRET]): string | undefined {
  try {
    signatureCheck(secrets)(headers, BODY);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.kind).toBe('bad-signature');
    return error.message;
  }
}

beforeEach(() => stoppedAt(NOW * 1_000));

it('the signatures of these tests are those of the standard', () => {
  const body = '{"test": 2432232314}';
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  expect(signed(body, { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: '1614265330', secret })).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

const right = () => signed(BODY);
const wrong = () => signed(BODY, { secret: OTHER_SECRET });
const signature = 'webhook-signature';
const among = () => ({ ...right(), [signature]: `v1a,abc ${wrong()[signature]} ${right()[signature]}` });

describe('a signature is judged', () => {
  const UNFIT = 'no signature is valid, or the timestamp is more than five minutes off';
  const NO_ID = 'webhook-id is not an id';
  const NO_TIME = 'webhook-timestamp is not in seconds';

  it.each<[string, problem: string | undefined, () => Record<string, string>, secrets?: string[]]>([
    ['of the only secret', undefined, right],
    ['of the first of two', undefined, right, [SECRET, OTHER_SECRET]],
    ['of the second of two', undefined, right, [OTHER_SECRET, SECRET]],
    ['among several, of which it alone is valid', undefined, among],
    ['five minutes old', undefined, () => signed(BODY, at(-300))],
    ['five minutes ahead', undefined, () => signed(BODY, at(300))],
    ['of the longest id', undefined, () => signed(BODY, { id: 'm'.repeat(256) })],
    ['that is missing', 'missing: webhook-id, webhook-timestamp, webhook-signature', () => ({})],
    ['that is empty', 'missing: webhook-signature', () => ({ ...right(), [signature]: '' })],
    ['without a time', 'missing: webhook-timestamp', () => ({ ...right(), 'webhook-timestamp': '' })],
    ['of another secret', UNFIT, wrong],
    ['of another body', UNFIT, () => signed(`${BODY} `)],
    ['of another id', UNFIT, () => ({ ...right(), 'webhook-id': 'msg_2' })],
    ['of another time', UNFIT, () => ({ ...right(), 'webhook-timestamp': `${NOW - 1}` })],
    ['more than five minutes old', UNFIT, () => signed(BODY, at(-301))],
    ['more than five minutes ahead', UNFIT, () => signed(BODY, at(301))],
    ['at a time that only begins as one', NO_TIME, () => signed(BODY, { at: `${NOW}.5` })],
    ['at a time in words', NO_TIME, () => signed(BODY, { at: '2026-11-21T10:00:00Z' })],
    ['of an id with a space', NO_ID, () => signed(BODY, { id: 'msg 1' })],
    ['of an id that is too long', NO_ID, () => signed(BODY, { id: 'm'.repeat(257) })],
    ['without a version', UNFIT, () => ({ ...right(), [signature]: right()[signature]?.slice(3) ?? '' })],
    ['that is nothing but its version', UNFIT, () => ({ ...right(), [signature]: 'v1' })],
    ['with a hash for no secret', UNFIT, () => ({ ...right(), [signature]: 'v1,' })],
    ['without any secret', UNFIT, right, []],
  ])('%s: %s', (_, detail, headers, secrets) => {
    expect(problem(headers(), secrets)).toBe(detail);
  });
});
