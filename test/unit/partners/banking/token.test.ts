import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BankingToken, type TokenSettings } from '../../../../src/partners/banking/token.js';
import type { HttpRequest, HttpResponse } from '../../../../src/partners/http.js';
import { TransportError } from '../../../../src/partners/http.js';
import type { Exchange, ExchangeEnd } from '../../../../src/partners/observers.js';
import { Pause } from '../../../../src/partners/pause.js';
import { failureOf } from '../../../rigs/partners/failure.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Our clock, and by default the partner’s. */
const NOON = Date.UTC(2026, 2, 1, 12);
const SETTINGS = {
  ...{ username: 'ada', password: 's3cret', deviceToken: 'device-1', deviceName: 'Ada’s worker' },
  form: 'user',
} as const;
const ASKED = { nickName: 'ada', password: 's3cret', tokenDevice: 'device-1', nameDevice: 'Ada’s worker' };

type Reply = HttpResponse | Error | (() => Promise<HttpResponse>);
type Date_ = Parameters<typeof reply>[2];

/** @param date of the response; null: it has none */
function reply(status: number, body: string, date: number | string | null = NOON): HttpResponse {
  const header = typeof date === 'number' ? new Date(date).toUTCString() : date;
  return { status, headers: header === null ? {} : { date: header }, body: Buffer.from(body) };
}

/** A token as E1 prints it. Default: for ten minutes by the partner's clock. */
const issued = (token: string, expiration: string | null = '2026-03-01T12:10:00Z', date?: Date_) =>
  reply(200, JSON.stringify({ token, expiration, userId: 7 }), date);

const down = () => new TransportError('ECONNREFUSED', false);

/**
 * A token whose requests get the replies, in their order; the last one again and again. `pass` moves the monotonic clock,
 * which nothing else does.
 */
function signIn(replies: readonly Reply[], settings: Partial<TokenSettings> = {}, headers = {}) {
  let at = 0;
  const requests: HttpRequest[] = [];
  const send = async (request: HttpRequest) => {
    requests.push(request);
    const next = replies[Math.min(requests.length, replies.length) - 1];
    if (next instanceof Error) throw next;
    if (next === undefined) throw new Error('no reply');
    return typeof next === 'function' ? next() : next;
  };
  const download = () => Promise.reject(new Error('no file'));
  const http = { send, download, maxRetryAfterMs: HOUR, pause: new Pause(() => at) };
  const token = new BankingToken('banking', { ...SETTINGS, now: () => at, ...settings }, http, headers);
  return {
    token,
    requests,
    pass: (milliseconds: number) => {
      at += milliseconds;
    },
    /** The `Authorization` that a call gets. */
    get: async () => (await token.authorization())['authorization'],
    lines: () => requests.map(({ method, path }) => `${method} ${path}`),
    /** The code in each request for a token. */
    codes: () =>
      requests.map(({ body }) => {
        const { smsCode, typeOperation } = JSON.parse(String(body));
        return smsCode && `${smsCode} ${typeOperation}`;
      }),
  };
}

const E1 = 'POST /api/auth/v2';
const E2 = 'POST /api/auth/refresh';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOON }));
afterEach(() => void vi.useRealTimers());

describe('a token', () => {
  it.each([
    ['user', {}, E1, ASKED],
    [
      'partner',
      { form: 'partner' } as const,
      E1,
      { NickName: 'ada', Password: 's3cret', TokenDevice: 'device-1', NameDevice: 'Ada’s worker' },
    ],
  ])('is requested once, without credentials, in the form of a %s', async (_, settings, line, body) => {
    const { token, requests, lines } = signIn([issued('t0k3n')], settings, { 'x-partner-id': 'p-1' });
    const both = await Promise.all([token.authorization(), token.authorization()]);
    const credentials = { 'x-partner-id': 'p-1', authorization: 'Bearer t0k3n' };
    expect(both).toEqual([credentials, credentials]);
    expect(await token.authorization()).toEqual(credentials);
    expect(lines()).toEqual([line]);
    expect(JSON.parse(String(requests[0]?.body))).toEqual(body);
    expect(requests[0]?.headers).toEqual({ accept: 'application/json', 'content-type': 'application/json' });
    expect(requests[0]).toMatchObject({ ownConnection: true, maxBytes: 65_536 });
  });

  it('reports its requests and responses to whoever observes or inspects them', async () => {
    const exchanges: (Exchange | ExchangeEnd)[] = [];
    const inspected: unknown[] = [];
    const { get } = signIn([issued('t0k3n')], {
      observe: (exchange) => {
        exchanges.push(exchange);
        return (end) => void exchanges.push(end);
      },
      inspect: ({ system, name, status }) => void inspected.push({ system, name, status }),
    });
    await get();
    expect(exchanges).toEqual([
      { system: 'banking', operation: 'issue-token', method: 'POST' },
      { status: 200, date: 'Sun, 01 Mar 2026 12:00:00 GMT' },
    ]);
    expect(inspected).toEqual([{ system: 'banking', name: 'issue-token', status: 200 }]);
  });

  it('throws an error that is not the partner’s as it is, and keeps the code of a person', async () => {
    const { token, get, codes } = signIn([new TypeError('a defect'), issued('t0k3n')]);
    token.useCode('654321');
    await expect(get()).rejects.toThrow(new TypeError('a defect'));
    await get();
    expect(codes()).toEqual(['654321 ShortMessageCode', '654321 ShortMessageCode']);
  });
});

describe('the life of a token', () => {
  /** How long a token is used, in whole seconds. */
  async function usedFor(response: HttpResponse): Promise<number> {
    const { get, requests, pass } = signIn([response, issued('next')]);
    await get();
    const since = Date.now();
    for (; requests.length === 1; vi.setSystemTime(Date.now() + SECOND)) {
      pass(SECOND);
      await get();
    }
    return (Date.now() - since) / SECOND;
  }

  it.each([
    ['in UTC', '2026-03-01T12:05:00Z', 240],
    ['in UTC, in lower case', '2026-03-01t12:05:00z', 240],
    ['with an offset', '2026-03-01T14:05:00+02:00', 240],
    ['with an offset west', '2026-03-01T07:05:00-05:00', 240],
    ['with an offset without a colon', '2026-03-01T14:05:00+0200', 240],
    ['with a fraction', '2026-03-01T12:05:00.500Z', 241],
    ['of the longest life, 24 hours', '2026-03-02T12:00:00Z', 69_120],
    ['of more than 24 hours: ten minutes', '2026-03-02T12:00:01Z', 480],
    ['in the same second: ten minutes', '2026-03-01T12:00:00Z', 480],
    ['in the past: ten minutes', '2026-03-01T11:00:00Z', 480],
    ['of one second', '2026-03-01T12:00:01Z', 1],
    ['that cannot be read: ten minutes', 'soon', 480],
    ['that is absent: ten minutes', null, 480],
    ['five hours behind, as the partner’s clock is', '2026-03-01T07:05:00Z', 240, NOON - 5 * HOUR],
    ['five hours ahead, as the partner’s clock is', '2026-03-01T17:05:00Z', 240, NOON + 5 * HOUR],
    ['in a response without a date: ten minutes', '2026-03-01T12:05:00Z', 480, null],
    ['in a response with the date of a word: ten minutes', '2026-03-01T12:05:00Z', 480, 'yesterday'],
  ] as const)(
    'is four fifths of the time until an expiration %s',
    async (_, expiration, seconds, ...date) => {
      expect(await usedFor(issued('first', expiration, ...date))).toBe(seconds);
    },
  );

  it('is in UTC where the expiration has no offset, whatever our time zone is', async () => {
    vi.stubEnv('TZ', 'America/New_York');
    try {
      expect(await usedFor(issued('first', '2026-03-01T12:05:00'))).toBe(240);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('is ten minutes without an expiration, as in version 1', async () => {
    expect(await usedFor(reply(200, '{"token":"first"}'))).toBe(480);
  });

  it('begins with the request, however long the response takes', async () => {
    const slowly = (token: string) => async () => {
      pass(MINUTE);
      return issued(token);
    };
    const { get, pass } = signIn([slowly('first'), slowly('second'), issued('third')]);
    await get();
    pass(7 * MINUTE - 1);
    expect(await get()).toBe('Bearer first');
    pass(1);
    expect(await get()).toBe('Bearer second');
    pass(7 * MINUTE - 1);
    expect(await get()).toBe('Bearer second');
    pass(1);
    expect(await get()).toBe('Bearer third');
  });
});

describe('renewal', () => {
  it('calls E2 with the current token, once for all callers, when four fifths of its life are over', async () => {
    const { token, get, lines, requests, pass } = signIn(
      [issued('first'), issued('renewed')],
      {},
      { a: 'b' },
    );
    await get();
    pass(8 * MINUTE - 1);
    expect(await get()).toBe('Bearer first');
    expect(lines()).toEqual([E1]);
    pass(1);
    expect(await Promise.all([get(), get()])).toEqual(['Bearer renewed', 'Bearer renewed']);
    expect(lines()).toEqual([E1, E2]);
    expect(requests[1]?.headers).toMatchObject({ a: 'b', authorization: 'Bearer first' });
    expect(requests[1]?.body).toBeUndefined();
    expect(token.secrets()).toEqual(['s3cret', 'device-1', '', 'renewed']);
  });

  it('falls back to E1 when E2 fails', async () => {
    const { get, lines, pass } = signIn([issued('first'), reply(500, ''), issued('second')]);
    await get();
    pass(8 * MINUTE);
    expect(await get()).toBe('Bearer second');
    expect(lines()).toEqual([E1, E2, E1]);
  });

  it('that fails leaves the token in use until it expires, and is retried ten seconds later', async () => {
    const { get, lines, pass } = signIn([issued('first'), reply(500, '')]);
    await get();
    pass(8 * MINUTE);
    expect(await get()).toBe('Bearer first');
    expect(lines()).toEqual([E1, E2, E1]);
    pass(10 * SECOND - 1);
    expect(await get()).toBe('Bearer first');
    expect(lines()).toHaveLength(3);
    pass(1);
    expect(await get()).toBe('Bearer first');
    expect(lines()).toEqual([E1, E2, E1, E2, E1]);
    pass(2 * MINUTE - 10 * SECOND - 1);
    expect(await get()).toBe('Bearer first');
    // Its end comes sooner than ten seconds after the latest attempt.
    pass(1);
    await failureOf(get());
    expect(lines().slice(5)).toEqual([E2, E1, E1]);
  });

  it('of a token that expires at this moment is a sign-in', async () => {
    const { get, lines, pass } = signIn([issued('first'), issued('second')]);
    await get();
    pass(10 * MINUTE);
    expect(await get()).toBe('Bearer second');
    expect(lines()).toEqual([E1, E1]);
  });

  it('of a token for which a person gave a code is never a sign-in while E2 works, even after its end', async () => {
    const { token, get, lines, codes, pass } = signIn([issued('first'), issued('second'), issued('third')]);
    token.useCode('654321');
    await get();
    expect(codes()).toEqual(['654321 ShortMessageCode']);
    pass(30 * MINUTE);
    expect(await get()).toBe('Bearer second');
    pass(30 * MINUTE);
    expect(await get()).toBe('Bearer third');
    expect(lines()).toEqual([E1, E2, E2]);
  });

  it('of a token that was dropped meanwhile fails without it', async () => {
    const { token, get, pass } = signIn([
      issued('first'),
      async () => {
        token.forget();
        return reply(500, '');
      },
      reply(500, ''),
    ]);
    await get();
    pass(8 * MINUTE);
    expect(await failureOf(get())).toMatchObject({ kind: 'Uncertain', status: 500 });
  });

  it('that E1 refuses is remembered while the token lives on, and E2 is tried again', async () => {
    const { get, lines, pass } = signIn([issued('first'), reply(500, ''), reply(403, ''), reply(500, '')]);
    await get();
    pass(8 * MINUTE);
    expect(await get()).toBe('Bearer first');
    pass(10 * SECOND);
    expect(await get()).toBe('Bearer first');
    expect(lines()).toEqual([E1, E2, E1, E2]);
  });
});

describe('a 401 on an operation', () => {
  it('leads to a sign-in, once for all callers that used the same token', async () => {
    const { token, get, lines } = signIn([issued('first'), issued('second'), issued('third')]);
    const refused = { authorization: (await get()) ?? '' };
    const both = await Promise.all([token.reauthorize(refused), token.reauthorize(refused)]);
    expect(both).toEqual([{ authorization: 'Bearer second' }, { authorization: 'Bearer second' }]);
    // Late, with a token that has been replaced already.
    expect(await token.reauthorize(refused)).toEqual({ authorization: 'Bearer second' });
    expect(lines()).toEqual([E1, E1]);
  });

  it('leads to a sign-in if the token was dropped meanwhile', async () => {
    const { token, lines } = signIn([issued('first')]);
    expect(await token.reauthorize({ authorization: 'Bearer old' })).toEqual({
      authorization: 'Bearer first',
    });
    expect(lines()).toEqual([E1]);
  });
});

describe('no token', () => {
  it.each([
    [400, 'Unauthorized'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'Unauthorized'],
    [429, 'RateLimited'],
    [500, 'Uncertain'],
  ])('after a %i of E1 is %s, in the words of the partner without secrets', async (status, kind) => {
    const { get } = signIn([reply(status, '{"message":"Not s3cret"}')]);
    expect((await failureOf(get())).details).toMatchObject({
      ...{ system: 'banking', operation: 'issue-token', kind, status, reason: `HTTP ${status}` },
      fields: [{ field: '', message: 'Not [Redacted]' }],
    });
  });

  it('has the words of E1, if it responds with some instead of a token, as for a captcha', async () => {
    const captcha = reply(200, '{"token":null,"message":"Solve the captcha first"}');
    const { get, lines } = signIn([captcha]);
    const fields = [{ field: '', message: 'Solve the captcha first' }];
    expect((await failureOf(get())).details).toMatchObject({ kind: 'Unauthorized', fields });
    expect((await failureOf(get())).details).toMatchObject({ kind: 'Unauthorized', fields });
    expect(lines()).toEqual([E1]);
  });

  it.each<[string, Reply, string]>([
    ['without a word', reply(200, '{"token":null}'), 'Uncertain'],
    ['that is no JSON', reply(200, 'Sorry'), 'Uncertain'],
    ['with a token that no header can have', reply(200, '{"token":"two words"}'), 'Uncertain'],
    ['that never came', down(), 'NotSent'],
  ])('after a response %s, and E1 is asked again', async (_, first, kind) => {
    const { get, lines } = signIn([first, issued('t0k3n')]);
    expect(await failureOf(get())).toMatchObject({ kind, operation: 'issue-token' });
    expect(await get()).toBe('Bearer t0k3n');
    expect(lines()).toEqual([E1, E1]);
  });
});

describe('a refusal is remembered', () => {
  it.each([
    ['a locked account', 403, 'Forbidden', 15 * MINUTE],
    ['a wrong password', 401, 'Unauthorized', MINUTE],
    ['an invalid request', 400, 'Unauthorized', MINUTE],
    ['an unknown user', 404, 'Unauthorized', MINUTE],
  ])('%s (%i, %s) for %i ms', async (_, status, kind, milliseconds) => {
    const { get, lines, pass } = signIn([reply(status, '{"message":"Locked"}')]);
    const first = await failureOf(get());
    pass(milliseconds - 1);
    const second = await failureOf(get());
    expect(second.details).toEqual(first.details);
    expect(second.kind).toBe(kind);
    expect(lines()).toHaveLength(1);
    pass(1);
    await failureOf(get());
    expect(lines()).toHaveLength(2);
  });

  it.each([
    ['it', reply(403, '')],
    ['the token of before', issued('first')],
  ])('until the client forgets %s', async (_, first) => {
    const { token, get, lines } = signIn([first, issued('t0k3n')]);
    await get().catch(() => undefined);
    token.forget();
    expect(await get()).toBe('Bearer t0k3n');
    expect(lines()).toEqual([E1, E1]);
  });

  it.each([
    ['is down', down()],
    ['fails', reply(503, '')],
    ['limits the rate', reply(429, '')],
  ])('but a partner that %s is called again', async (_, failing) => {
    const { get, lines, pass } = signIn([failing]);
    await failureOf(get());
    pass(1_000);
    await failureOf(get());
    expect(lines()).toEqual([E1, E1]);
  });
});

describe('the code of a person', () => {
  const CODE = 'one-time-code';
  it.each([
    ['may ask for it: 403 without a body', 403, '', CODE],
    ['asks for it: 403 about a factor', 403, '{"message":"Multi-factor authentication failed"}', CODE],
    ['asks for it: 401 about a factor', 401, '{"error":"MFA_REQUIRED"}', CODE],
    ['asks for it: 401 about a code', 401, '{"message":"Wrong code"}', CODE],
    ['does not ask: 401 without a body', 401, '', undefined],
    ['does not ask: 401 with a numeric code', 401, '{"code":401,"message":"Wrong password"}', undefined],
    ['does not ask: 403 about a lock', 403, '{"message":"Account is locked after codes"}', undefined],
    ['does not ask: 403 about a suspension', 403, '{"error":"suspended"}', undefined],
    ['does not ask: 404', 404, '{"message":"no such code"}', undefined],
    ['does not ask: 400', 400, '{"message":"Wrong code"}', undefined],
  ])('is needed when a refusal %s', async (_, status, body, needs) => {
    const { get } = signIn([reply(status, body)]);
    expect((await failureOf(get())).details.needs).toBe(needs);
    expect((await failureOf(get())).details.needs).toBe(needs);
  });

  it('is used for the next attempt, which is allowed at once, and for no other', async () => {
    const { token, get, codes } = signIn([reply(403, ''), issued('first'), issued('second')]);
    await failureOf(get());
    token.useCode('654321');
    expect(await get()).toBe('Bearer first');
    expect(await token.reauthorize({ authorization: 'Bearer first' })).toEqual({
      authorization: 'Bearer second',
    });
    expect(codes()).toEqual([undefined, '654321 ShortMessageCode', undefined]);
  });

  it('may be of another kind', async () => {
    const { token, get, codes } = signIn([issued('first')], { totpSecret: 'GEZDGNBVGY3TQOJQ' });
    token.useCode('654321', 'LegacyTimeBasedCode');
    await get();
    expect(codes()).toEqual(['654321 LegacyTimeBasedCode']);
  });

  it.each<['kept' | 'used up', string, Reply]>([
    ['kept', 'a partner that limits the rate', reply(429, '')],
    ['kept', 'a partner that is down', down()],
    ['used up', 'a cut connection', new TransportError('UND_ERR_SOCKET', true)],
    ['used up', 'a failing partner', reply(500, '')],
    ['used up', 'an unreadable response', reply(200, 'Sorry')],
    ['used up', 'a wrong password', reply(401, '')],
    ['used up', 'a wrong code', reply(403, '')],
    ['used up', 'an invalid request', reply(400, '')],
  ])('is %s after %s', async (end, _, first) => {
    const { token, get, codes, pass } = signIn([first, issued('t0k3n')]);
    token.useCode('654321');
    await failureOf(get());
    pass(15 * MINUTE);
    await get();
    expect(codes()[1]).toBe(end === 'kept' ? '654321 ShortMessageCode' : undefined);
  });

  it('is dropped when the client forgets it', async () => {
    const { token, get, codes } = signIn([issued('t0k3n')]);
    token.useCode('654321');
    token.forget();
    await get();
    expect(codes()).toEqual([undefined]);
  });

  it.each([
    ['succeeds', issued('first')],
    ['fails', reply(403, '')],
  ])('that comes during an attempt is not used up by it, when that attempt %s', async (_, outcome) => {
    const { token, get, codes, pass } = signIn([
      async () => {
        token.useCode('222222');
        return outcome;
      },
      issued('second'),
    ]);
    token.useCode('111111');
    await get().catch(() => undefined);
    pass(15 * MINUTE);
    await token.reauthorize({ authorization: 'Bearer first' });
    expect(codes()).toEqual(['111111 ShortMessageCode', '222222 ShortMessageCode']);
  });
});

describe('a time-based code', () => {
  // The key of RFC 6238, appendix B: "12345678901234567890", and the codes there, of which ours are the last six digits.
  const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const VECTORS: readonly [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ];
  const OURS = 1_234_567_890 * SECOND;
  const THEIRS = 1_111_111_111 * SECOND;
  const ours = '005924 TimeBasedCode';
  const theirs = '050471 TimeBasedCode';

  it.each(VECTORS)('at second %i is %s', async (second, code) => {
    vi.setSystemTime(second * SECOND);
    const { get, requests } = signIn([issued('t0k3n', null, second * SECOND)], { totpSecret });
    await get();
    const body = { ...ASKED, smsCode: code, typeOperation: 'TimeBasedCode' };
    expect(JSON.parse(String(requests[0]?.body))).toEqual(body);
  });

  it.each([
    'gezd gnbv gy3t qojq  gezd gnbv gy3t qojq',
    'GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ',
    `${totpSecret}====`,
  ])('has a secret that may be written %s', async (written) => {
    vi.setSystemTime(OURS);
    const { token, get, codes } = signIn([issued('t0k3n', null, OURS)], { totpSecret: written });
    await get();
    expect(codes()).toEqual([ours]);
    expect(token.secrets()).toEqual(['s3cret', 'device-1', written, 't0k3n']);
  });

  it.each(['', 'not-base-32-1890', '1EZD', 'GEZ1', 'GE=ZD', '===='])(
    'cannot have the secret "%s", which the error does not show',
    (wrong) => {
      const error = new TypeError('the TOTP secret must be base32');
      expect(() => signIn([], { totpSecret: wrong })).toThrow(error);
    },
  );

  it.each([
    ['a refusal (401)', [reply(401, '', THEIRS)], [ours, theirs, theirs]],
    ['a refusal (403)', [reply(403, '', THEIRS)], [ours, theirs, theirs]],
    ['a token', [], [ours, theirs]],
  ])('uses the partner’s clock, once %s has shown it', async (_, refusals, sent) => {
    vi.setSystemTime(OURS);
    const { token, get, codes } = signIn([...refusals, issued('t0k3n', null, THEIRS)], { totpSecret });
    expect(await get()).toBe('Bearer t0k3n');
    token.forget();
    await get();
    expect(codes()).toEqual(sent);
  });

  it('is sent again only once, and nobody is asked', async () => {
    vi.setSystemTime(OURS);
    const { token, get, codes } = signIn([reply(403, '', THEIRS)], { totpSecret });
    expect((await failureOf(get())).details).not.toHaveProperty('needs');
    expect(codes()).toEqual([ours, theirs]);
    token.forget();
    await failureOf(get());
    expect(codes()).toEqual([ours, theirs, theirs]);
  });

  it.each<[string, Reply, number]>([
    ['half a minute ahead', reply(401, '', OURS + 30 * SECOND), 2],
    ['half a minute behind', reply(401, '', OURS - 30 * SECOND), 2],
    ['29 seconds ahead', reply(401, '', OURS + 29 * SECOND), 1],
    ['29 seconds behind', reply(401, '', OURS - 29 * SECOND), 1],
    ['unknown', reply(401, '', null), 1],
    ['hours ahead, of an invalid request', reply(400, '', OURS + HOUR), 1],
    ['hours ahead, of a failure', reply(500, '', OURS + HOUR), 1],
  ])('is sent again after a refusal by a clock that is %s', async (_, refusal, times) => {
    vi.setSystemTime(OURS);
    const { get, codes } = signIn([refusal], { totpSecret });
    await failureOf(get());
    expect(codes()).toHaveLength(times);
  });

  it('does not replace the code of a person, whose refusal is not sent again', async () => {
    vi.setSystemTime(OURS);
    const { token, get, codes } = signIn([reply(401, '', THEIRS)], { totpSecret });
    token.useCode('654321');
    await failureOf(get());
    expect(codes()).toEqual(['654321 ShortMessageCode']);
  });
});

describe('secrets', () => {
  it('are the password, the device and the token', async () => {
    const { token, get } = signIn([issued('t0k3n')]);
    expect(token.secrets()).toEqual(['s3cret', 'device-1', '', '']);
    await get();
    expect(token.secrets()).toEqual(['s3cret', 'device-1', '', 't0k3n']);
  });

  it('are without a password that equals the user name, as in the sandbox', () => {
    expect(signIn([], { password: 'ada' }).token.secrets()).toEqual(['', 'device-1', '', '']);
  });
});

it('the monotonic clock is that of the process unless another is given', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const { get, lines } = signIn([issued('first'), issued('second')], { now: undefined as never });
  await get();
  clock.mockReturnValue(8 * MINUTE);
  expect(await get()).toBe('Bearer second');
  expect(lines()).toEqual([E1, E2]);
});
