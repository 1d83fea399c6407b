import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import {
  type RunningBanking,
  runBanking,
  signInOf,
} from '../../../../rigs/sandbox/banking/running-banking.js';
import { shared } from '../../../../rigs/shared.js';

interface Token {
  readonly token: string;
  readonly expiration: string;
  readonly userId: number;
}

const ANY_READ = 'GET /api/tickets';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const TEN_MINUTES = 10 * 60_000;

describe('a token', () => {
  it('lives ten minutes by the clock of the response', async () => {
    const banking = await runBanking({ now: () => Date.parse('2026-01-31T10:00:00.250Z') });
    const reply = await banking.signIn(signInOf('sandbox'));
    const expiration = '2026-01-31T10:10:00.250Z';
    expect(reply.json()).toEqual({ token: expect.any(String), expiration, userId: 11 });
    expect(reply.headers.get('date')).toBe('Sat, 31 Jan 2026 10:00:00 GMT');
  });

  it.each([
    ['ten minutes', {}, TEN_MINUTES],
    ['the lifetime of a setting', { tokenLifetimeMs: 700 }, 700],
  ])('is refused once it is too old: after %s', async (_, options, lifetimeMs) => {
    const clock = { now: Date.now() };
    const banking = await runBanking({ ...options, now: () => clock.now });
    const bearer = await banking.signIn(signInOf('sandbox'));
    clock.now += lifetimeMs - 1;
    expect((await banking.call(ANY_READ, undefined, bearer)).status).toBe(200);
    clock.now += 1;
    expect((await banking.call(ANY_READ, undefined, bearer)).status).toBe(401);
    expect((await banking.call('POST /api/auth/refresh', undefined, bearer)).status).toBe(401);
  });

  it('is exchanged for a fresh one before that', async () => {
    const clock = { now: Date.now() };
    const banking = await runBanking({ now: () => clock.now });
    const old = await banking.signIn(signInOf('partner'));
    clock.now += 0.6 * TEN_MINUTES;
    const fresh = (await banking.call('POST /api/auth/refresh', undefined, old)).json<Token>();
    expect(fresh).toMatchObject({ expiration: expect.stringMatching(ISO), userId: 12 });
    expect(old.authorization).not.toContain(fresh.token);
    clock.now += 0.6 * TEN_MINUTES;
    const authorization = `Bearer ${fresh.token}`;
    expect((await banking.call(ANY_READ, undefined, old)).status).toBe(401);
    expect((await banking.call(ANY_READ, undefined, { authorization })).status).toBe(200);
  });

  it('in the format of version 1 does not contain the user', async () => {
    const banking = await runBanking();
    const { text } = await banking.call('POST /api/auth/v2?likev1=true', signInOf('sandbox'));
    expect(Object.keys(JSON.parse(text))).toEqual(['token', 'expiration']);
  });

  const code = (digits: string, kind: string) => `,"smsCode":"${digits}","typeOperation":"${kind}"`;
  it.each([
    ['without a code', 'sandbox', '', 400],
    ['with a wrong code', 'mfa', code('123456', 'ShortMessageCode'), 403],
    ['with a wrong code, of a user who needs none', 'sandbox', code('1', 'TimeBasedCode'), 403],
    ['with the code', 'mfa', code('000000', 'ShortMessageCode'), 200],
  ])('is issued by the second factor itself: %s', async (_, user, more, status) => {
    const banking = await runBanking();
    const anonymous = { authorization: undefined };
    const reply = await banking.call('POST /api/auth/v2/2Fac', signInOf(user, more), anonymous);
    expect(reply.status).toBe(status);
    const bearer = { authorization: `Bearer ${/"token":"([^"]+)"/.exec(reply.text)?.[1]}` };
    const isSignedIn = (await banking.call(ANY_READ, undefined, bearer)).status === 200;
    expect(isSignedIn).toBe(status === 200);
  });

  it('can be refused once although it is valid', async () => {
    const banking = await runBanking();
    const bearer = await banking.signIn(signInOf('sandbox'));
    await banking.control('POST /sandbox/faults', '{"fault":"expired-token","operation":"list-tickets"}');
    const other = await banking.call('GET /api/tickets/new', undefined, bearer);
    const first = await banking.call(ANY_READ, undefined, bearer);
    const second = await banking.call(ANY_READ, undefined, bearer);
    expect([other.status, first.status, second.status]).toEqual([200, 401, 200]);
  });
});

describe('the second factor', () => {
  const running = shared((until) => runBanking({}, until));

  const withCode = (banking: RunningBanking, code: string, kind: string) =>
    banking.signIn(signInOf('mfa', `,"smsCode":"${code}","typeOperation":"${kind}"`));

  async function totp(banking: RunningBanking): Promise<TOTP> {
    const listed = await banking.control<{ oneTimeCodes: { totpSecret: string } }>('GET /sandbox/scenarios');
    return new TOTP({ secret: Secret.fromBase32(listed.oneTimeCodes.totpSecret) });
  }

  it.each([
    [200, '000000', 'ShortMessageCode'],
    [403, '111111', 'ShortMessageCode'],
    [403, '000000', 'TimeBasedCode'],
    [403, 'abc', 'LegacyTimeBasedCode'],
  ])('%i for %s as %s', async (expected, code, kind) => {
    const banking = running();
    expect((await withCode(banking, code, kind)).status).toBe(expected);
  });

  it.each(['TimeBasedCode', 'LegacyTimeBasedCode'])('takes a %s of the listed secret', async (kind) => {
    const banking = running();
    expect((await withCode(banking, (await totp(banking)).generate(), kind)).status).toBe(200);
  });

  it('uses the clock of the partner', async () => {
    const now = () => Date.now() + 3_600_000;
    const banking = await runBanking({ now });
    const codes = await totp(banking);
    const right = codes.generate({ timestamp: now() });
    expect((await withCode(banking, codes.generate(), 'TimeBasedCode')).status).toBe(403);
    expect((await withCode(banking, right, 'TimeBasedCode')).status).toBe(200);
  });

  it('has an error about the code, and a locked account one about the lock', async () => {
    const banking = running();
    const replies = [await banking.signIn(signInOf('mfa')), await banking.signIn(signInOf('locked'))];
    expect(replies.map(({ text }) => text)).toEqual([
      '{"message":"The multi-factor code is missing or wrong","errors":{}}',
      '{"message":"The account is locked","errors":{}}',
    ]);
  });
});

it('every listed user signs in with its name, or is locked or needs a code', async () => {
  const banking = await runBanking();
  const { bankingUsers } = await banking.control<{ bankingUsers: { username: string }[] }>(
    'GET /sandbox/scenarios',
  );
  const seen = await Promise.all(
    bankingUsers.map(
      async ({ username }) => `${username} ${(await banking.signIn(signInOf(username))).status}`,
    ),
  );
  expect(seen).toEqual([
    'sandbox 200',
    'partner 200',
    'mfa 403',
    'locked 403',
    'read-only 200',
    'no-access 200',
    'client 200',
    'without-profile 200',
    'other-partner 200',
  ]);
});
