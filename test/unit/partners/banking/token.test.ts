import { performance } from 'node:perf_hooks';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BankingToken, type TokenSettings } from '../../../../src/partners/banking/token.js';
import type { Exchange, ExchangeEnd } from '../../../../src/partners/exchange-observers.js';
import { type HttpRequest, type HttpResponse, TransportError } from '../../../../src/partners/http.js';
import { PartnerError } from '../../../../src/partners/partner-error.js';
import { Pause } from '../../../../src/partners/pause.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { failureOf } from '../../../rigs/partners/failure.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Our clock, and by default the partner’s. */
const NOON = Date.UTC(2026, 2, 1, 12);
const SETTINGS = {
  username: 'ada',
  password: 's3cret',
  deviceToken: 'device-1',
  deviceName: 'Ada’s worker',
  form: 'user',
} as const;
const ASKED = { nickName: 'ada', password: 's3cret', tokenDevice: 'device-1', nameDevice: 'Ada’s worker' };

type SignIn = ReturnType<typeof signIn>;
type Reply = HttpResponse | Error | ((of: SignIn) => HttpResponse);
type Date_ = Parameters<typeof reply>[2];

/** @param date of the response; null: it has none */
function reply(status: number, body = '', date: number | string | null = NOON): HttpResponse {
  const header = typeof date === 'number' ? new Date(date).toUTCString() : date;
  return { status, headers: header === null ? {} : { date: header }, body: Buffer.from(body) };
}

/** A token as E1 prints it. Default: for ten minutes by the partner's clock. */
const issued = (token: string, expiration: string | null = '2026-03-01T12:10:00Z', date?: Date_) =>
  reply(200, JSON.stringify({ token, expiration, userId: 7 }), date);

const down = new TransportError('ECONNREFUSED', false);

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
    return typeof next === 'function' ? next(setup) : next;
  };
  const download = () => Promise.reject(new Error('no file'));
  const http = { send, download, maxRetryAfterMs: HOUR, pause: new Pause(() => at) };
  const token = new BankingToken('banking', { ...SETTINGS, now: () => at, ...settings }, http, headers);
  const setup = {
    token,
    requests,
    pass: (milliseconds: number) => {
      at += milliseconds;
    },
    /** The `Authorization` that a call gets. */
    get: async () => (await token.authorization())['authorization'],
    /** The requests for a token, by their names in the contract, each with its code if it has one. */
    lines: () =>
      requests.map(({ method, path, body }) => {
        const { smsCode, typeOperation } = JSON.parse(String(body ?? '{}'));
        return `${NAMES[`${method} ${path}`]}${smsCode ? ` ${smsCode} ${typeOperation}` : ''}`;
      }),
  };
  return setup;
}

const NAMES: Record<string, string> = { 'POST /api/auth/v2': 'E1', 'POST /api/auth/refresh': 'E2' };
const CODE = 'E1 654321 ShortMessageCode';

const ACTS: Record<string, (of: SignIn) => unknown> = {
  code: ({ token }) => token.useCode('654321'),
  forget: ({ token }) => token.forget(),
  'code-and-forget': (of) => [ACTS['code']?.(of), of.token.forget()],
  '111111': ({ token }) => token.useCode('111111'),
  legacy: ({ token }) => token.useCode('654321', 'LegacyTimeBasedCode'),
  /** A 401 on an operation that used the first token. */
  refused: ({ token }) => token.reauthorize({ authorization: 'Bearer first' }, 'get-profile'),
  'refused-later': (of) => [of.pass(15 * MINUTE), ACTS['refused']?.(of)].at(1),
};

/**
 * Each step is the seconds that pass, or an act; what a call then gets: a token, or the kind of its failure; and the requests
 * for a token that were made meanwhile.
 */
type Course = [title: string, replies: Reply[], steps: string[], settings?: Partial<TokenSettings>];

async function follow(of: SignIn, steps: readonly string[]): Promise<void> {
  const seen: string[] = [];
  for (const [before = ''] of steps.map((step) => step.split(' '))) {
    const { length } = of.lines();
    const act = ACTS[before];
    await (act ? act(of) : of.pass(Number(before) * SECOND));
    const gets = await of.get().catch((error: unknown) => {
      if (!(error instanceof PartnerError)) return String(error).replace(' ', '_');
      return [error.kind, error.status, error.details.needs].filter(Boolean).join('/');
    });
    seen.push([before, String(gets).replace('Bearer ', ''), ...of.lines().slice(length)].join(' '));
  }
  expect(seen).toEqual(steps);
}

beforeEach(() => stoppedAt(NOON));

const told = (_: string, replies: Reply[], steps: string[], settings?: Partial<TokenSettings>) =>
  follow(signIn(replies, settings), steps);

describe('a token', () => {
  const { nickName: NickName, password: Password, tokenDevice: TokenDevice, nameDevice: NameDevice } = ASKED;
  it.each([
    ['user', ASKED],
    ['partner', { NickName, Password, TokenDevice, NameDevice }],
  ] as const)('is requested once, without credentials, in the form of a %s', async (form, body) => {
    const { token, requests } = signIn([issued('t0k3n')], { form }, { 'x-partner-id': 'p-1' });
    const both = await Promise.all([token.authorization(), token.authorization()]);
    const credentials = { 'x-partner-id': 'p-1', authorization: 'Bearer t0k3n' };
    expect([...both, await token.authorization()]).toEqual([credentials, credentials, credentials]);
    expect(requests).toMatchObject([
      { method: 'POST', path: '/api/auth/v2', ownConnection: true, maxBytes: 65_536 },
    ]);
    expect(JSON.parse(String(requests[0]?.body))).toEqual(body);
    expect(requests[0]?.headers).toEqual({ accept: 'application/json', 'content-type': 'application/json' });
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
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await usedFor(issued('first', '2026-03-01T12:05:00'))).toBe(240);
  });

  it('is ten minutes without an expiration, as in version 1', async () => {
    expect(await usedFor(reply(200, '{"token":"first"}'))).toBe(480);
  });

  const slowly = (token: string) => (of: SignIn) => {
    of.pass(MINUTE);
    return issued(token);
  };
  const SLOW = [slowly('first'), slowly('second'), issued('third')];
  const STEPS = ['0 first E1', '419.999 first', '0.001 second E2', '419.999 second', '0.001 third E2'];
  it.each<Course>([['begins with the request, however long the response takes', SLOW, STEPS]])('%s', told);
});

describe('renewal', () => {
  it('calls E2 with the current token, once for all callers, when four fifths of its life are over', async () => {
    const of = signIn([issued('first'), issued('renewed')], {}, { a: 'b' });
    await follow(of, ['0 first E1', '479.999 first']);
    of.pass(1);
    expect(await Promise.all([of.get(), of.get()])).toEqual(['Bearer renewed', 'Bearer renewed']);
    expect(of.lines()).toEqual(['E1', 'E2']);
    expect(of.requests[1]?.headers).toMatchObject({ a: 'b', authorization: 'Bearer first' });
    expect(of.requests[1]?.body).toBeUndefined();
    expect(of.token.secrets()).toEqual(['s3cret', 'device-1', '', 'renewed']);
  });

  const [first, second, third, failed] = [issued('first'), issued('second'), issued('third'), reply(500)];
  const dropped = ({ token }: SignIn) => {
    token.forget();
    return failed;
  };
  const FAILS = ['0 first E1', '480 first E2 E1'];
  const RETRIED = [...FAILS, '9.999 first', '0.001 first E2 E1'];
  // The end of the token comes sooner than ten seconds after the latest attempt.
  const TO_ITS_END = [...FAILS, '119.999 first E2 E1', '0.001 Uncertain/500 E1'];
  const REFUSED = [...FAILS, '10 first E2'];
  const BY_A_PERSON = [`code first ${CODE}`, '1800 second E2', '1800 third E2'];
  it.each<Course>([
    ['falls back to E1 when E2 fails', [first, failed, second], ['0 first E1', '480 second E2 E1']],
    ['that fails is retried ten seconds later', [first, failed], RETRIED],
    ['that fails leaves the token in use until it expires', [first, failed], TO_ITS_END],
    ['of a token that expires at this moment is a sign-in', [first, second], ['0 first E1', '600 second E1']],
    ['of a token by the code of a person never is one while E2 works', [first, second, third], BY_A_PERSON],
    ['of a dropped token fails', [first, dropped, failed], ['0 first E1', '480 Uncertain/500 E2 E1']],
    ['that E1 refuses is remembered, and E2 tried again', [first, failed, reply(403), failed], REFUSED],
  ])('%s', told);
});

describe('a 401 on an operation', () => {
  const refused = { authorization: 'Bearer first' };
  it('leads to a sign-in, once for all callers that used the same token', async () => {
    const { token, get, lines } = signIn([issued('first'), issued('second'), issued('third')]);
    await get();
    const both = await Promise.all([
      token.reauthorize(refused, 'get-profile'),
      token.reauthorize(refused, 'get-profile'),
    ]);
    // Late, with a token that has been replaced already.
    const all = [...both, await token.reauthorize(refused, 'get-profile')];
    expect(all).toEqual(Array(3).fill({ authorization: 'Bearer second' }));
    expect(lines()).toEqual(['E1', 'E1']);
  });

  it('has all headers again, and the token after the next one as well', async () => {
    const headers = { 'x-app': 'gangway', 'x-partner': '7' };
    const of = signIn([issued('first'), issued('second'), issued('third')], {}, headers);
    expect(await of.token.authorization()).toEqual({ ...headers, authorization: 'Bearer first' });
    for (const [old, next] of [
      ['first', 'second'],
      ['second', 'third'],
    ] as const) {
      of.pass(MINUTE);
      const again = await of.token.reauthorize({ authorization: `Bearer ${old}` }, 'get-profile');
      expect(again).toEqual({ ...headers, authorization: `Bearer ${next}` });
      expect(await of.token.authorization()).toEqual(again);
    }
    expect(of.requests.map(({ body }) => JSON.parse(String(body)))).toEqual(Array(3).fill(ASKED));
  });

  it('leads to a sign-in if the token was dropped meanwhile', async () => {
    const { token, lines } = signIn([issued('new')]);
    expect(await token.reauthorize(refused, 'get-profile')).toEqual({ authorization: 'Bearer new' });
    expect(lines()).toEqual(['E1']);
  });
});

describe('no token', () => {
  /** The failure after this status of E1. */
  async function failed(status: number) {
    const of = signIn([reply(status, '{"message":"Not s3cret"}')]);
    const { details } = await failureOf(of.get());
    expect(details).toMatchObject({
      system: 'banking',
      operation: 'issue-token',
      status,
      reason: `HTTP ${status}`,
      fields: [{ field: '', message: 'Not [Redacted]' }],
    });
    return { ...of, details };
  }

  it.each([
    [400, 'Unauthorized', MINUTE],
    [401, 'Unauthorized', MINUTE],
    [403, 'Forbidden', 15 * MINUTE],
    [404, 'Unauthorized', MINUTE],
  ])(
    'after a %i of E1 is %s, in the words of the partner without secrets, and remembered for %i ms',
    async (status, kind, milliseconds) => {
      const { get, lines, pass, details } = await failed(status);
      pass(milliseconds - 1);
      expect((await failureOf(get())).details).toEqual(details);
      expect([details.kind, lines()]).toEqual([kind, ['E1']]);
      pass(1);
      await failureOf(get());
      expect(lines()).toEqual(['E1', 'E1']);
    },
  );

  it.each([
    [429, 'RateLimited'],
    [500, 'Uncertain'],
    [503, 'Uncertain'],
  ])('after a %i of E1 is %s, and not remembered for longer than a second', async (status, kind) => {
    const { get, lines, pass, details } = await failed(status);
    pass(SECOND);
    await failureOf(get());
    expect([details.kind, lines()]).toEqual([kind, ['E1', 'E1']]);
  });

  it('has the words of E1, if it responds with some instead of a token, as for a captcha', async () => {
    const { get, lines } = signIn([reply(200, '{"token":null,"message":"Solve the captcha first"}')]);
    const fields = [{ field: '', message: 'Solve the captcha first' }];
    for (const _ of [1, 2])
      expect((await failureOf(get())).details).toMatchObject({ kind: 'Unauthorized', fields });
    expect(lines()).toEqual(['E1']);
  });

  it.each<[string, Reply, string]>([
    ['without a word', reply(200, '{"token":null}'), 'Uncertain'],
    ['that is no JSON', reply(200, 'Sorry'), 'Uncertain'],
    ['with a token that no header can have', reply(200, '{"token":"two words"}'), 'Uncertain'],
    ['that never came', down, 'NotSent'],
  ])('after a response %s, and E1 is asked again', async (_, first, kind) => {
    const { get, lines } = signIn([first, issued('t0k3n')]);
    expect(await failureOf(get())).toMatchObject({ kind, details: { operation: 'issue-token' } });
    expect(await get()).toBe('Bearer t0k3n');
    expect(lines()).toEqual(['E1', 'E1']);
  });

  it.each<Course>([
    ['a refusal', [reply(403), issued('new')], ['0 Forbidden/403/one-time-code E1', 'forget new E1']],
    ['a token', [issued('first'), issued('new')], ['0 first E1', 'forget new E1']],
  ])('is due to %s once the client forgets it', told);
});

describe('the code of a person', () => {
  const NEEDED = 'one-time-code';
  it.each([
    ['may ask for it: 403 without a body', 403, '', NEEDED],
    ['asks for it: 403 about a factor', 403, '{"message":"Multi-factor authentication failed"}', NEEDED],
    ['asks for it: 401 about a factor', 401, '{"error":"MFA_REQUIRED"}', NEEDED],
    ['asks for it: 401 about a code', 401, '{"message":"Wrong code"}', NEEDED],
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

  const TOTP = { totpSecret: 'GEZDGNBVGY3TQOJQ' };
  const [first, second, refusal] = [issued('first'), issued('second'), reply(403)];
  const ASKED_FOR = 'Forbidden/403/one-time-code';
  const KEPT = [`code Error:_defect ${CODE}`, `0 first ${CODE}`];
  const NEXT = [`0 ${ASKED_FOR} E1`, `code first ${CODE}`, 'refused second E1'];
  it.each<Course>([
    ['is used for the next attempt, at once, and for no other', [refusal, first, second], NEXT],
    ['may be of another kind', [first], ['legacy first E1 654321 LegacyTimeBasedCode'], TOTP],
    ['is kept after an unexpected error', [new Error('defect'), first], KEPT],
    ['is dropped when the client forgets it', [first], ['code-and-forget first E1']],
  ])('%s', told);

  const CUT = new TransportError('UND_ERR_SOCKET', true);
  it.each<[string, Reply, gets: string, next: string]>([
    ['kept after a partner that limits the rate', reply(429), 'RateLimited/429', CODE],
    ['kept after a partner that is down', down, 'NotSent', CODE],
    ['used up after a cut connection', CUT, 'Uncertain', 'E1'],
    ['used up after a failing partner', reply(500), 'Uncertain/500', 'E1'],
    ['used up after an unreadable response', reply(200, 'Sorry'), 'Uncertain/200', 'E1'],
    ['used up after a wrong password', reply(401), 'Unauthorized/401', 'E1'],
    ['used up after a wrong code', reply(403), ASKED_FOR, 'E1'],
    ['used up after an invalid request', reply(400), 'Unauthorized/400', 'E1'],
  ])('is %s', (_, first, gets, next) =>
    follow(signIn([first, issued('t0k3n')]), [`code ${gets} ${CODE}`, `900 t0k3n ${next}`]),
  );

  const meanwhile = (outcome: HttpResponse) => (of: SignIn) => {
    of.token.useCode('222222');
    return outcome;
  };
  const [ONE, TWO] = ['E1 111111 ShortMessageCode', 'E1 222222 ShortMessageCode'];
  it.each<Course>([
    ['succeeds', [meanwhile(first), second], [`111111 first ${ONE}`, `refused-later second ${TWO}`]],
    ['fails', [meanwhile(refusal), second], [`111111 ${ASKED_FOR} ${ONE}`, `refused-later second ${TWO}`]],
  ])('that comes during an attempt is not used up by it, when that attempt %s', told);
});

describe('a time-based code', () => {
  // The key of RFC 6238, appendix B: "12345678901234567890", and the codes there, of which ours are the last six digits.
  const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const OURS = 1_234_567_890 * SECOND;
  const THEIRS = 1_111_111_111 * SECOND;
  const ours = 'E1 005924 TimeBasedCode';
  const theirs = 'E1 050471 TimeBasedCode';

  it('is sent with its kind', async () => {
    vi.setSystemTime(OURS);
    const { get, requests } = signIn([issued('t0k3n', null, OURS)], { totpSecret });
    await get();
    const body = { ...ASKED, smsCode: '005924', typeOperation: 'TimeBasedCode' };
    expect(JSON.parse(String(requests[0]?.body))).toEqual(body);
  });

  it('is sent again with all that the first request had, but another code', async () => {
    vi.setSystemTime(OURS);
    const { get, requests } = signIn([reply(401, '', THEIRS), issued('t0k3n', null, THEIRS)], { totpSecret });
    await get();
    const bodies = requests.map(({ body }) => JSON.parse(String(body)));
    const typeOperation = 'TimeBasedCode';
    expect(bodies).toEqual(['005924', '050471'].map((smsCode) => ({ ...ASKED, smsCode, typeOperation })));
  });

  it.each([
    'gezd gnbv gy3t qojq  gezd gnbv gy3t qojq',
    'GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ',
    `${totpSecret}====`,
  ])('has a secret that may be written %s', async (written) => {
    vi.setSystemTime(OURS);
    const of = signIn([issued('t0k3n', null, OURS)], { totpSecret: written });
    await follow(of, [`0 t0k3n ${ours}`]);
    expect(of.token.secrets()).toEqual(['s3cret', 'device-1', written, 't0k3n']);
  });

  it.each(['', 'not-base-32-1890', '1EZD', 'GEZ1', 'GE=ZD', '===='])(
    'cannot have the secret "%s", which the error does not show',
    (wrong) => {
      const error = new TypeError('the TOTP secret must be base32');
      expect(() => signIn([], { totpSecret: wrong })).toThrow(error);
    },
  );

  const theirToken = issued('t0k3n', null, THEIRS);
  const [by401, by403] = [reply(401, '', THEIRS), reply(403, '', THEIRS)];
  const LATER = `forget t0k3n ${theirs}`;
  const TOLD = [`0 t0k3n ${ours} ${theirs}`, LATER];
  const ONCE = [`0 Forbidden/403 ${ours} ${theirs}`, `forget Forbidden/403 ${theirs}`];
  it.each<Course>([
    ['uses the partner’s clock, once a refusal (401) has shown it', [by401, theirToken], TOLD],
    ['uses the partner’s clock, once a refusal (403) has shown it', [by403, theirToken], TOLD],
    ['uses the partner’s clock, once a token has shown it', [theirToken], [`0 t0k3n ${ours}`, LATER]],
    ['is sent again only once, and nobody is asked', [by403], ONCE],
    [
      'does not replace the code of a person, which is not sent again',
      [by401],
      [`code Unauthorized/401 ${CODE}`],
    ],
  ])('%s', (title, replies, steps) => {
    vi.setSystemTime(OURS);
    return told(title, replies, steps, { totpSecret });
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
    const { get, lines } = signIn([refusal], { totpSecret });
    await failureOf(get());
    expect(lines()).toHaveLength(times);
  });
});

it('secrets are the password, the device and the token; no password that equals the user name, as in the sandbox', async () => {
  const { token, get } = signIn([issued('t0k3n')]);
  expect(token.secrets()).toEqual(['s3cret', 'device-1', '', '']);
  await get();
  expect(token.secrets()).toEqual(['s3cret', 'device-1', '', 't0k3n']);
  expect(signIn([], { password: 'ada' }).token.secrets()).toEqual(['', 'device-1', '', '']);
});

it('the monotonic clock is that of the process unless another is given', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const { get, lines } = signIn([issued('first'), issued('second')], { now: undefined as never });
  await get();
  clock.mockReturnValue(8 * MINUTE);
  expect(await get()).toBe('Bearer second');
  expect(lines()).toEqual(['E1', 'E2']);
});

describe('a token that is refused right after it was issued', () => {
  const tokens = Array.from({ length: 20 }, (_, index) => issued(`t-${index}`));
  const ENDED =
    'HTTP 401 right after a sign-in that worked: another process or person ends our session, or this is not permitted';
  const again = async ({ token }: SignIn) => token.reauthorize(await token.authorization(), 'get-profile');

  it('is no wrong password: it is replaced once at once, and then after twice the time each, up to a minute', async () => {
    const setup = signIn(tokens);
    await again(setup);
    for (const seconds of [2, 4, 8, 16, 32, 60]) {
      const ms = seconds * SECOND;
      expect((await failureOf(again(setup))).details).toEqual({
        system: 'banking',
        operation: 'get-profile',
        kind: 'RateLimited',
        fields: [],
        reason: ENDED,
        unreadable: 'get-profile',
        retryAfterMs: ms,
      });
      setup.pass(ms - 1);
      expect((await failureOf(again(setup))).details).toMatchObject({ retryAfterMs: 1 });
      setup.pass(1);
      await again(setup);
    }
    // A token that lived for a minute was no victim.
    await again(setup);
    expect(setup.lines()).toHaveLength(9);
  });

  it('leaves two processes of one user a few sign-ins, where each ends the session of the other', async () => {
    let [current, signIns, refusals] = ['', 0, 0];
    const issue = () => {
      signIns += 1;
      current = `t-${signIns}`;
      return issued(current);
    };
    const processes = [signIn([issue]), signIn([issue])];
    // Each makes a call a second, for 35 seconds.
    for (let second = 0; second < 35; second++)
      for (const { token, pass } of processes) {
        pass(SECOND);
        const credentials = await token.authorization();
        if (credentials['authorization'] === `Bearer ${current}`) continue;
        refusals += 1;
        await token.reauthorize(credentials, 'get-profile').catch((error: PartnerError) => {
          expect(error.kind).toBe('RateLimited');
        });
      }
    expect(signIns).toBeLessThanOrEqual(14);
    expect(refusals).toBeGreaterThan(signIns);
  });

  it('may be tried again at once when a person says so', async () => {
    const setup = signIn(tokens);
    await again(setup);
    await failureOf(again(setup));
    setup.token.forget();
    await again(setup);
    expect(setup.lines()).toEqual(['E1', 'E1', 'E1', 'E1']);
  });
});
