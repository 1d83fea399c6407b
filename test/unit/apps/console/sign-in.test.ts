import { describe, expect, it, vi } from 'vitest';
import { localPath, sessionOf, signInFor } from '../../../../src/apps/console/sign-in.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { clientOfCalls } from '../../../rigs/console/console-of-calls.js';
import { type ProviderOptions, runProvider } from '../../../rigs/console/provider.js';
import { nextOf, type Reply, runConsole, signIn, wayBack } from '../../../rigs/console/running-console.js';
import { shared } from '../../../rigs/shared.js';

const OIDC = {
  issuer: 'https://login.example.com',
  clientId: 'console',
  clientSecret: undefined,
  scope: 'openid',
  rolesClaim: 'roles',
  accountsClaim: 'accounts' as string | undefined,
};
const signedIn = (claims: object, subject = 'p-1') =>
  sessionOf({ claims: { roles: 'viewer', accounts: 'north', ...claims }, subject, idToken: undefined }, OIDC);

describe('who signs in', () => {
  it.each([
    ['viewer', 'viewer'],
    [['operator', 'viewer'], 'operator'],
    [['admin', 'approver', 'root'], 'admin'],
    [['Approver', 'viewer'], 'viewer'],
  ])('with the roles %j is %s: the highest counts', (roles, role) => {
    expect(signedIn({ roles }).role).toBe(role);
  });

  it.each([undefined, null, '', 'root', [], {}, 'viewer operator', [['admin']]])(
    'with the roles %j is nobody',
    (roles) => {
      expect(() => signedIn({ roles })).toThrow('You have no role in this console.');
    },
  );

  it.each([
    ['north', 'north'],
    [['north', 'default'], 'north,'],
    [['', 7, 'south'], 'south'],
  ])('with the accounts %j sees %s', (accounts, seen) => {
    expect(signedIn({ accounts }).accounts?.join()).toBe(seen);
  });

  it.each([undefined, null, '', [], [7], {}])(
    'with the accounts %j sees none, and does not get in',
    (accounts) => {
      expect(() => signedIn({ accounts, roles: 'admin' })).toThrow('You cannot see any partner account.');
    },
  );

  it('sees all accounts where no claim limits them', () => {
    const identity = { claims: { roles: 'admin' }, subject: 'p-1', idToken: 'i' };
    expect(sessionOf(identity, { ...OIDC, accountsClaim: undefined })).toEqual({
      actor: 'p-1',
      name: 'p-1',
      role: 'admin',
      idToken: 'i',
      csrf: expect.stringMatching(/^[\w-]{43}$/),
      since: expect.any(Number),
    });
  });

  it.each([
    [{ name: 'Ada Park' }, 'p-1', 'Ada Park (p-1)', 'Ada Park'],
    // Nobody takes the place of the subject by a name.
    [{ name: ' Ada\n Park (p-9)\u202e ' }, 'p-1', 'Ada Park (p-9) (p-1)', 'Ada Park (p-9)'],
    // Nor does a subject end as another one.
    [{ name: 'Bo' }, 'p-1)', 'Bo (p-1_)', 'Bo'],
    [{}, 'p-9 (p-1)', 'p-9 _p-1_', 'p-9 _p-1_'],
    [{ name: ' ' }, 'p-1', 'p-1', 'p-1'],
    [{ name: 7 }, ' p 1\t', 'p 1', 'p 1'],
    [{ name: 'a'.repeat(100) }, 'p-1', `${'a'.repeat(100)} (p-1)`, 'a'.repeat(100)],
  ])('as %j %j acts as %s', (claims, subject, actor, name) => {
    expect(signedIn(claims, subject)).toMatchObject({ actor, name });
    expect(signedIn({ name: 'a'.repeat(101) }).name).toHaveLength(100);
  });
});

describe('the page after the sign-in', () => {
  it.each([
    ['/onboardings?stage=waiting', '/onboardings?stage=waiting'],
    ['/a/../b#c', '/b'],
    ['/onboardings/merchant-boarding-1@acme', '/onboardings/merchant-boarding-1@acme'],
    ['/?text=%0d%0aset-cookie%3Aa%3Db', '/?text=%0d%0aset-cookie%3Aa%3Db'],
    [`/${'a'.repeat(999)}`, `/${'a'.repeat(999)}`],
    ['/%2f/evil.example', '/%2f/evil.example'],
    ['/%5cevil.example', '/%5cevil.example'],
    ['/%09/evil.example', '/%09/evil.example'],
    ['/onboardings/sign-in', '/onboardings/sign-in'],
    ['/?to=//evil.example', '/?to=//evil.example'],
  ])('is the one that the person wanted: %s', (value, path) => {
    expect(localPath(value)).toBe(path);
  });

  it.each([
    undefined,
    ['/x'],
    '',
    'x',
    'x/y',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/a\\b',
    '/\t/evil.example',
    '/.//evil.example',
    '/a\u0000',
    `/${'a'.repeat(1_000)}`,
    `/${'€'.repeat(200)}`,
    '/sign-in',
    '/sign-out',
    '/sign-in/return?code=1',
    '/signed-out',
    '///evil.example',
    '\\\\evil.example',
    '/\n/evil.example',
    '/a/..//evil.example',
    'javascript:alert(1)',
    'evil.example',
    '@evil.example',
    // The router reads these as pages of the sign-in, which would begin again.
    '/%73ign-in?to=/start',
    '/sign%2Din',
    '/sign-in%2Freturn?code=1',
    '/%73igned-out',
    '/a/../%73ign-out',
    '/%zz',
    'https:evil',
    'https:/evil.example',
    '/\u2028\\evil.example',
    '/\r/evil.example',
    '/\u0085//e',
  ])('is the inbox instead of %j', (value) => {
    expect(localPath(value)).toBe('/');
  });

  it.each([
    ['/', '/sign-in'],
    ['/start?a=b', '/sign-in?to=%2Fstart%3Fa%3Db'],
    ['//evil.example', '/sign-in'],
  ])('of %s is remembered as %s', (url, to) => {
    expect(signInFor({ url })).toBe(to);
  });
});

const expectPage = ({ status, text }: Pick<Reply, 'status' | 'text'>, expected: number, words: string) =>
  expect([status, text]).toEqual([expected, expect.stringContaining(words)]);

const temporal = () => ({ client: clientOfCalls({}).client, env: { DOCUMENT_DIR: '/dev/null/documents' } });

const running = shared((until) => runConsole(temporal(), {}, until));

/** The parameter of a sign-out that names the session. */
const ID_TOKEN = 'id_token_hint';

/** What the log has of sign-ins that failed. */
const failures = (log: string) =>
  log
    .split('\n')
    .filter((line) => line.includes('"sign-in failed"'))
    .map((line) => {
      const { level, time, msg, audit, actor, ...entry } = JSON.parse(line);
      expect([audit, actor]).toEqual([true, 'unknown']);
      return entry;
    });

const REFUSED = 'The identity provider did not sign you in. Sign in again.';

describe('a person who signs in', () => {
  it('comes back to the page that they wanted', async () => {
    const { provider, user, url } = running();
    provider.add({ sub: 'p-1', name: 'Ada Park', roles: 'viewer' });
    const browser = user();
    const wanted = '/?kind=ticket&text=a%20b';
    const first = await browser.open(wanted);
    const location = `/sign-in?to=${encodeURIComponent(wanted)}`;
    expect([first.status, first.headers.get('location')]).toEqual([303, location]);
    const page = await signIn(browser, 'p-1', wanted);
    expect([page.status, page.url]).toEqual([200, url + wanted]);
    expect(page.text).toContain('Ada Park, viewer');
  });

  const MANY = Array.from({ length: 500 }, (_, i) => `account-${i}`);
  it.each([
    ['no role', { roles: ['root'] }, 'Your claim roles at the identity provider must have one of viewer, '],
    ['no account', { roles: 'admin', accounts: [] }, 'Your claim accounts at the'],
    // It would sign in without end.
    [
      'more accounts than a cookie holds',
      { accounts: MANY },
      'Your claim accounts is too long for a session.',
    ],
  ])('with %s does not get in, and learns why', async (_, claims, words) => {
    const env = { OIDC_ACCOUNTS_CLAIM: 'accounts' };
    const { provider, user } = await runConsole(temporal(), { provider: running().provider, env });
    provider.add({ sub: 'p-none', roles: 'viewer', accounts: ['north'], ...claims });
    const browser = user();
    expectPage(await signIn(browser, 'p-none'), 403, words);
    expect(browser.cookies.has('gangway-session')).toBe(false);
  });

  it.each([true, false])(
    'has a role by a claim of the userinfo endpoint, if need be: %j',
    async (isAsked) => {
      const provider = await runProvider({ claimsInUserInfo: isAsked });
      const { signedIn } = await runConsole(temporal(), { provider });
      const ada = await signedIn({ role: 'approver' });
      expect((await ada.open('/')).text).toContain('Ada Park, approver');
      expect(provider.requested.includes('/me')).toBe(isAsked);
    },
  );

  it.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'gets in where the console shows who it is by %s',
    async (auth) => {
      const { signedIn } = await runConsole(temporal(), { provider: await runProvider({ auth }) });
      expect((await (await signedIn()).open('/')).status).toBe(200);
    },
  );
});

describe('a sign-in is refused', () => {
  const start = async () => {
    const { provider, user } = running();
    provider.add({ sub: 'p-1', roles: 'admin' });
    const browser = user();
    return { browser, back: await wayBack(browser, 'p-1') };
  };
  const expectRefused = async (browser: ReturnType<ReturnType<typeof running>['user']>, back: URL) => {
    const page = await browser.open(back.href);
    expectPage(page, 403, REFUSED);
    expect(browser.cookies.has('gangway-session')).toBe(false);
  };

  it.each<[string, (query: URLSearchParams) => Promise<void> | void]>([
    ['another state', (query) => query.set('state', 'another-state-of-somebody-else')],
    ['no state', (query) => query.delete('state')],
    // Whose verifier it does not have.
    [
      'the code of another',
      async (query) => query.set('code', (await start()).back.searchParams.get('code') ?? ''),
    ],
  ])('with %s', async (_, change) => {
    const { browser, back } = await start();
    await change(back.searchParams);
    await expectRefused(browser, back);
  });

  it('with another nonce', async () => {
    const { provider, user } = running();
    provider.add({ sub: 'p-1', roles: 'admin' });
    const browser = user();
    const atProvider = new URL(nextOf(await browser.open('/sign-in')) ?? '');
    atProvider.searchParams.set('nonce', 'another-nonce');
    await expectRefused(browser, await wayBack(browser, 'p-1', atProvider.href));
  });

  it('with a code that was used before', async () => {
    const { browser, back } = await start();
    const transaction = browser.cookies.get('gangway-sign-in') ?? '';
    expect((await browser.open(back.href)).status).toBe(303);
    expect(browser.cookies.has('gangway-sign-in')).toBe(false);
    const other = running().user();
    other.cookies.set('gangway-sign-in', transaction);
    await expectRefused(other, back);
  });

  it('in a browser that did not begin it', async () => {
    const { back } = await start();
    const { user, audited } = running();
    const page = await user().open(back.href);
    expectPage(page, 403, 'This sign-in did not start in this browser, or took too long.');
    expect(audited().at(-1)).toEqual({ actor: 'unknown', msg: 'sign-in refused' });
  });

  it('with a cookie of another purpose', async () => {
    const { browser, back } = await start();
    const { cookies } = await running().signedIn();
    browser.cookies.set('gangway-sign-in', cookies.get('gangway-session') ?? '');
    expect((await browser.open(back.href)).status).toBe(403);
  });

  it('when the provider refuses', async () => {
    const page = await signIn(running().user(), 'somebody-who-is-unknown-there');
    expectPage(page, 403, REFUSED);
  });
});

it('while the provider is unavailable, the console runs, and people can sign in later', async () => {
  const { provider, user } = await runConsole(temporal());
  provider.isUnavailable = true;
  expect((await user().open('/healthz')).status).toBe(200);
  const page = await user().open('/sign-in');
  expectPage(page, 503, 'The identity provider (OIDC_ISSUER) does not respond correctly.');
  const ada = await running().signedIn();
  const form = { csrf: await ada.csrf() };
  const stranger = user();
  for (const [name, value] of ada.cookies) stranger.cookies.set(name, value);
  expect((await stranger.open('/sign-out', { form })).headers.get('location')).toBe('/signed-out');
  provider.isUnavailable = false;
  provider.add({ sub: 'p-1', roles: 'viewer' });
  expect((await signIn(user(), 'p-1')).status).toBe(200);
});

it.each([
  ['client_secret_basic', { kind: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE: object' }],
  ['client_secret_post', { kind: 'OAUTH_RESPONSE_BODY_ERROR: object', reason: 'invalid_client' }],
] as const)('with a wrong %s, the page names the setting', async (auth, logged) => {
  const provider = await runProvider({ auth, clientSecret: 'not-the-secret-of-the-console' });
  const { user, log } = await runConsole(temporal(), { provider });
  provider.add({ sub: 'p-1', roles: 'viewer' });
  const page = await signIn(user(), 'p-1');
  expectPage(page, 503, '(OIDC_CLIENT_ID)');
  expect(failures(log())).toEqual([logged]);
});

it('with a provider that has a defect, the page asks for patience', async () => {
  const { provider, user, log } = await runConsole(temporal());
  const person = {
    sub: 'p-1',
    get roles() {
      throw new Error('a defect');
    },
  };
  provider.add(person);
  const page = await signIn(user(), 'p-1');
  expectPage(page, 503, 'Try again in a moment.');
  expect(failures(log())).toEqual([{ kind: 'OAUTH_RESPONSE_IS_NOT_CONFORM: object' }]);
});

it('the way back by a link from another site leads to a page of this console only', async () => {
  const { provider, user } = running();
  provider.add({ sub: 'p-1', roles: 'viewer' });
  const browser = user();
  const link = `/sign-in?to=${encodeURIComponent('//evil.example/%0d%0aset-cookie:a=b')}`;
  const end = await browser.open((await wayBack(browser, 'p-1', link)).href);
  expect([end.status, end.headers.get('location')]).toEqual([303, '/']);
  expect(end.headers.get('set-cookie')).not.toContain('a=b');
});

it('a provider that refuses puts none of its words into the page', async () => {
  const { provider, user } = running();
  provider.add({ sub: 'p-1', roles: 'viewer' });
  const script = '"><script>alert(1)</script>';
  for (const error of ['access_denied', script]) {
    const browser = user();
    const { searchParams } = await wayBack(browser, 'p-1');
    const query = new URLSearchParams({
      error,
      error_description: script,
      error_uri: 'https://evil.example',
    });
    for (const name of ['state', 'iss']) query.set(name, searchParams.get(name) ?? '');
    const page = await browser.open(`/sign-in/return?${query}`);
    expectPage(page, 403, REFUSED);
    expect(page.text).not.toMatch(/alert\(1\)|evil|access_denied/);
  }
});

it('a session that somebody put into a browser before is not the one after the sign-in', async () => {
  const { signedIn, provider, user } = running();
  const eve = await signedIn({ name: 'Eve', role: 'viewer' });
  provider.add({ sub: 'p-victim', name: 'Victim', roles: 'admin' });
  const browser = user();
  const value = eve.cookies.get('gangway-session') ?? '';
  for (const name of ['session', 'account'])
    browser.cookies.set(`gangway-${name}`, eve.cookies.get(`gangway-${name}`) ?? '');
  expect((await signIn(browser, 'p-victim')).text).toContain('Victim, admin');
  expect(browser.cookies.get('gangway-session')).not.toBe(value);
  // Whoever kept a copy is still who they were, and has no token of the new session.
  expect((await eve.open('/')).text).toContain('Eve, viewer');
  const own = /name="csrf" value="([^"]+)"/.exec((await browser.open('/')).text)?.[1] ?? '';
  expect((await eve.open('/sign-out', { form: { csrf: own } })).status).toBe(403);
});

describe('the account of a session', () => {
  const MINUTE = 60_000;
  const NOON = Date.parse('2026-01-31T12:00:00.000Z');
  const minutesLater = (minutes: number) => vi.setSystemTime(NOON + minutes * MINUTE);
  const ADA = { sub: 'p-changed', name: 'Ada Park', roles: 'operator' };
  const ways: [string, ProviderOptions][] = [
    ['a refresh token', {}],
    ['the userinfo endpoint', { hasRefresh: false, claimsInUserInfo: true }],
  ];
  const signedInBy = async (options: ProviderOptions) => {
    stoppedAt(NOON);
    const provider = await runProvider(options);
    const console = await runConsole(temporal(), { provider });
    provider.add(ADA);
    const browser = console.user();
    await signIn(browser, ADA.sub);
    return { ...console, provider, browser };
  };

  it.each(ways)('is checked again after 14 minutes, by %s, and the session continues', async (_, options) => {
    const { provider, browser, log } = await signedInBy(options);
    for (const minutes of [13, 14, 28, 42]) {
      provider.requested.length = 0;
      minutesLater(minutes);
      expect((await browser.open('/')).text).toContain('Ada Park, operator');
      expect([minutes, provider.requested.length > 0]).toEqual([minutes, minutes !== 13]);
    }
    expect(log()).not.toContain('session ended');
  });

  it.each(ways)(
    'that has ended at the provider ends the session within 15 minutes, by %s',
    async (_, options) => {
      const { provider, browser, audited, user } = await signedInBy(options);
      const copied = new Map(browser.cookies);
      provider.remove(ADA.sub);
      minutesLater(13);
      expect((await browser.open('/')).status).toBe(200);
      minutesLater(15);
      const { status, headers } = await browser.open('/');
      expect([status, headers.get('location')]).toEqual([303, '/sign-in']);
      const thief = user();
      for (const [name, value] of copied) thief.cookies.set(name, value);
      expect((await thief.open('/inbox/part')).status).toBe(401);
      expect(audited()).toContainEqual({
        actor: 'Ada Park (p-changed)',
        msg: 'session ended by the identity provider',
      });
    },
  );

  it.each(ways)('with another role there needs a new sign-in, by %s', async (_, options) => {
    const { provider, browser } = await signedInBy(options);
    provider.add({ ...ADA, roles: 'viewer' });
    minutesLater(15);
    expect((await browser.open('/')).status).toBe(303);
    expect((await signIn(browser, ADA.sub)).text).toContain('Ada Park, viewer');
    expect((await browser.open('/start')).status).toBe(403);
    provider.add({ ...ADA, roles: [] });
    minutesLater(30);
    expect((await browser.open('/')).status).toBe(303);
  });

  it('is checked by a new sign-in where the provider has neither', async () => {
    const { browser } = await signedInBy({ hasRefresh: false, hasUserInfo: false });
    minutesLater(13);
    expect((await browser.open('/')).status).toBe(200);
    minutesLater(15);
    expect((await browser.open('/')).status).toBe(303);
    browser.cookies.delete('gangway-account');
    expect((await browser.open('/')).status).toBe(303);
  });

  it('of another session does not count', async () => {
    const { browser, signedIn } = await signedInBy({});
    const bo = await signedIn({ name: 'Bo' });
    browser.cookies.set('gangway-account', bo.cookies.get('gangway-account') ?? '');
    expect((await browser.open('/')).status).toBe(303);
  });

  it('is asked about once for requests that come together, because the token works once', async () => {
    const { provider, browser } = await signedInBy({});
    minutesLater(15);
    provider.requested.length = 0;
    const all = await Promise.all(['/', '/inbox/part', '/'].map((path) => browser.open(path)));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(provider.requested.filter((path) => path === '/token')).toHaveLength(1);
  });

  it('is not believed while the provider is unavailable, and the session continues later', async () => {
    const { provider, browser } = await signedInBy({});
    minutesLater(15);
    provider.isUnavailable = true;
    expectPage(await browser.open('/'), 503, '(OIDC_ISSUER) does not respond correctly.');
    provider.isUnavailable = false;
    expect((await browser.open('/')).status).toBe(200);
  });

  it('that signs out at the provider ends each of its sessions here, and not those of others', async () => {
    const { provider, browser, signedIn, user, audited } = await signedInBy({});
    const bo = await signedIn({ name: 'Bo' });
    const form = { logout_token: await provider.logoutToken(ADA.sub) };
    expect((await user().open('/sign-out/back-channel', { form })).status).toBe(200);
    expect([(await browser.open('/')).status, (await bo.open('/')).status]).toEqual([303, 200]);
    expect(audited()).toContainEqual({ actor: 'p-changed', msg: 'sessions ended at the provider' });
    minutesLater(1);
    expect((await signIn(browser, ADA.sub)).status).toBe(200);
  });

  it.each([
    ['another audience', { aud: 'another' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['no event', { events: {} }],
    ['no events', { events: undefined }],
    ['events that are a text', { events: 'x' }],
    ['the nonce of an ID token', { nonce: 'n' }],
    ['no subject', { sub: undefined }],
    ['an age of an hour', { iat: NOON / 1_000 - 3_600 }],
  ])('is not signed out by a token with %s', async (_, claims) => {
    const { provider, browser, user } = await signedInBy({});
    const form = { logout_token: await provider.logoutToken(ADA.sub, claims) };
    expect((await user().open('/sign-out/back-channel', { form })).status).toBe(400);
    expect((await browser.open('/')).status).toBe(200);
  });

  it('is not signed out by a token that another key has signed', async () => {
    const { browser, user } = await signedInBy({});
    const form = { logout_token: await (await runProvider()).logoutToken(ADA.sub) };
    expect((await user().open('/sign-out/back-channel', { form })).status).toBe(400);
    expect((await user().open('/sign-out/back-channel', { form: {} })).status).toBe(400);
    expect((await browser.open('/')).status).toBe(200);
  });

  it('is signed out by the token that the provider sends again after its keys could not be fetched', async () => {
    const { provider, browser, user, audited } = await signedInBy({});
    const form = { logout_token: await provider.logoutToken(ADA.sub) };
    const sent = async () => (await user().open('/sign-out/back-channel', { form })).status;
    provider.isUnavailable = true;
    expect(await sent()).toBe(503);
    provider.isUnavailable = false;
    expect([await sent(), (await browser.open('/')).status]).toEqual([200, 303]);
    const other = { logout_token: await provider.logoutToken(ADA.sub, { aud: 'another' }) };
    await user().open('/sign-out/back-channel', { form: other });
    expect(audited().at(-1)).toEqual({
      actor: 'unknown',
      kind: 'ERR_JWT_CLAIM_VALIDATION_FAILED: object',
      msg: 'logout token refused',
    });
  });

  it('with the same partner accounts in another order has not changed', async () => {
    stoppedAt(NOON);
    const provider = await runProvider({ claimsInUserInfo: true });
    const env = { OIDC_ACCOUNTS_CLAIM: 'accounts' };
    const { user } = await runConsole(temporal(), { provider, env });
    const browser = user();
    provider.add({ ...ADA, accounts: ['north', 'south'] });
    await signIn(browser, ADA.sub);
    provider.add({ ...ADA, accounts: ['south', 'north'] });
    minutesLater(15);
    expect((await browser.open('/')).status).toBe(200);
    provider.add({ ...ADA, accounts: ['north'] });
    minutesLater(30);
    expect((await browser.open('/')).status).toBe(303);
  });

  it('without a role is in the audit log by its name', async () => {
    const { provider, user, audited } = await signedInBy({});
    provider.add({ ...ADA, sub: 'p-none', roles: 'root' });
    expect((await signIn(user(), 'p-none')).status).toBe(403);
    expect(audited()).toContainEqual({ actor: 'Ada Park (p-none)', msg: 'sign-in refused' });
  });
});

describe('a person who signs out', () => {
  it('has no session, and is led to the sign-out of the provider', async () => {
    const { signedIn, user, provider, url } = running();
    const ada = await signedIn();
    const copied = new Map(ada.cookies);
    const page = await ada.open('/sign-out', { form: {} });
    const next = new URL(nextOf(page) ?? '');
    expect([page.status, next.origin, next.pathname]).toEqual([200, provider.oidc.issuer, '/session/end']);
    expect(next.searchParams.get('post_logout_redirect_uri')).toBe(`${url}/signed-out`);
    expect(next.searchParams.get(ID_TOKEN)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect((await ada.open('/')).status).toBe(303);
    const thief = user();
    for (const [name, value] of copied) thief.cookies.set(name, value);
    expect((await thief.open('/')).status).toBe(303);
    const question = await ada.open(next.href);
    expectPage(question, 200, 'op.logoutForm');
  });

  it('signs out of the console alone where the provider has no sign-out', async () => {
    const provider = await runProvider({ hasSignOut: false });
    const ada = await (await runConsole(temporal(), { provider })).signedIn();
    const end = await ada.open('/sign-out', { form: {} });
    expect([end.status, end.headers.get('location')]).toEqual([303, '/signed-out']);
    const ended = await ada.open('/signed-out');
    expectPage(ended, 200, 'You have signed out.');
    expect(ended.text).toMatch(/<title>Signed out\b/);
    expect(ended.text).not.toContain('There is no sign-in');
    expect(ada.cookies.has('gangway-session')).toBe(false);
    expect((await ada.open('/')).status).toBe(303);
  });

  it('must send the form of a page of the session, which need not last until then', async () => {
    const ended = await running().user().open('/sign-out', { form: {} });
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/signed-out']);
    const ada = await running().signedIn();
    expect((await ada.open('/sign-out', { form: { csrf: 'wrong' } })).status).toBe(403);
    expect((await ada.open('/')).status).toBe(200);
  });
});

it('the ID token is left out of a cookie that would be too long, and the sign-out works without it', async () => {
  const { signedIn, provider } = running();
  const ada = await signedIn({ accounts: Array.from({ length: 300 }, (_, i) => `account-${i}`) });
  const cookie = ada.cookies.get('gangway-session') ?? '';
  expect(cookie.length).toBeLessThan(4_096 - 'gangway-session'.length);
  const next = new URL(nextOf(await ada.open('/sign-out', { form: {} })) ?? '');
  expect([next.origin, next.searchParams.has(ID_TOKEN)]).toEqual([provider.oidc.issuer, false]);
  expect(next.searchParams.get('client_id')).toBe('gangway-console');
});

it('the log has no token, code, state or cookie, and who signed in and out', async () => {
  const { signedIn, log, audited, provider, user } = running();
  provider.add({ sub: 'p-1', roles: 'viewer' });
  const browser = user();
  const back = await wayBack(browser, 'p-1');
  const transaction = browser.cookies.get('gangway-sign-in') ?? '';
  await browser.open(back.href);
  await user().open(back.href);
  const ada = await signedIn();
  const session = ada.cookies.get('gangway-session') ?? '';
  const csrf = await ada.csrf();
  const idToken = new URL(nextOf(await ada.open('/sign-out', { form: {} })) ?? '').searchParams.get(ID_TOKEN);
  const ofWayBack = [back.searchParams.get('code'), back.searchParams.get('state')];
  for (const secret of [...ofWayBack, transaction, session, csrf, idToken, provider.oidc.clientSecret]) {
    expect(secret?.length).toBeGreaterThan(20);
    expect(log()).not.toContain(secret);
  }
  expect(audited()).toContainEqual({ actor: ada.actor, role: 'operator', msg: 'sign in' });
  expect(audited()).toContainEqual({ actor: ada.actor, msg: 'sign out' });
});
