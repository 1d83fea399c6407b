import { createHash } from 'node:crypto';
import { EncryptJWT, UnsecuredJWT } from 'jose';
import { h } from 'preact';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Route } from '../../../src/console/route.js';
import { OTHER_SESSION_KEY, runConsole, SESSION_KEY, signIn } from '../../rigs/console/running-console.js';
import { shared } from '../../rigs/shared.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

const running = shared((until) => runConsole(rig, {}, until));

/** A cookie that a console with this secret accepts, if its content is right. */
function sealed(value: object, { key = SESSION_KEY, purpose = 'session', at = Date.now() } = {}) {
  return new EncryptJWT({ value, at })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setAudience(purpose)
    .encrypt(createHash('sha256').update(key).digest());
}

const ADMIN = { actor: 'a', name: 'a', role: 'admin', csrf: 'c', since: Date.now() };

describe('a cookie is a session only', () => {
  const statusWith = async (cookie: string) => {
    const browser = running().visitor();
    browser.cookies.set('gangway-session', cookie);
    return (await browser.open('/')).status;
  };

  it('when the console made it', async () => {
    expect(await statusWith(await sealed(ADMIN))).toBe(200);
  });

  it.each([
    ['with another secret', () => sealed(ADMIN, { key: OTHER_SESSION_KEY })],
    ['for another purpose', () => sealed(ADMIN, { purpose: 'sign-in' })],
    ['with another role', () => sealed({ ...ADMIN, role: 'root' })],
    ['with another field', () => sealed({ ...ADMIN, more: true })],
    ['without a content', () => sealed({})],
    ['half an hour ago', () => sealed(ADMIN, { at: Date.now() - 31 * 60_000 })],
    ['of a session of yesterday', () => sealed({ ...ADMIN, since: Date.now() - 13 * 3_600_000 })],
    [
      'without encryption',
      () => new UnsecuredJWT({ value: ADMIN, at: Date.now() }).setAudience('session').encode(),
    ],
    ['as plain JSON', () => encodeURIComponent(JSON.stringify(ADMIN))],
    ['as nothing', () => '..'],
  ])('not when it was made %s', async (_, cookie) => {
    expect(await statusWith(await cookie())).toBe(303);
  });

  it('not with one changed character', async () => {
    const cookie = await sealed(ADMIN);
    const middle = Math.floor(cookie.length / 2);
    const other = cookie[middle] === 'A' ? 'B' : 'A';
    expect(await statusWith(cookie.slice(0, middle) + other + cookie.slice(middle + 1))).toBe(303);
  });
});

/** A page, and a part of one that a script polls. */
const PAGES: readonly Route[] = [
  {
    ...{ method: 'GET', path: '/page', role: 'viewer' },
    show: async () => ({ page: h('p', null, 'page'), title: 'Page' }),
  },
  {
    ...{ method: 'GET', path: '/polled', role: 'viewer', part: true },
    show: async () => ({ part: h('p', null, 'part') }),
  },
];

describe('a session ends', () => {
  /** Somebody signs in. @returns the status of a path after so many minutes more */
  const sessionWith = async (env: Readonly<Record<string, string>>) => {
    const { signedIn } = await runConsole(rig, { env, routes: PAGES, provider: running().provider });
    const ada = await signedIn();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    return async (minutes: number, path = '/page') => {
      vi.advanceTimersByTime(minutes * 60_000);
      return (await ada.open(path)).status;
    };
  };

  it('without requests for the idle time, to the millisecond, and not while there are some', async () => {
    const statusAfter = await sessionWith({ CONSOLE_IDLE: '30m' });
    expect([await statusAfter(29), await statusAfter(29), await statusAfter(30 - 1 / 60_000)]).toEqual([
      200, 200, 200,
    ]);
    expect(await statusAfter(30)).toBe(303);
  });

  it('without requests of a person, while a script polls', async () => {
    const statusAfter = await sessionWith({ CONSOLE_IDLE: '30m' });
    expect([await statusAfter(15, '/polled'), await statusAfter(14, '/polled')]).toEqual([200, 200]);
    expect(await statusAfter(1, '/polled')).toBe(401);
  });

  it('after its longest time, whatever the person does', async () => {
    const statusAfter = await sessionWith({ CONSOLE_IDLE: '30m', CONSOLE_SESSION_MAX: '1h' });
    expect([await statusAfter(20), await statusAfter(20), await statusAfter(19)]).toEqual([200, 200, 200]);
    expect(await statusAfter(1)).toBe(303);
  });
});

describe('secrets rotate', () => {
  it('without an end of sessions, as long as the old one is in the list', async () => {
    const { provider } = running();
    const withKeys = async (keys: string) => {
      const { visitor } = await runConsole(rig, { provider, env: { CONSOLE_SESSION_KEYS: keys } });
      return visitor();
    };
    provider.add({ sub: 'p-1', roles: 'viewer' });
    const old = await withKeys(SESSION_KEY);
    await signIn(old, 'p-1');
    const both = await withKeys(`${OTHER_SESSION_KEY},${SESSION_KEY}`);
    both.cookies.set('gangway-session', old.cookies.get('gangway-session') ?? '');
    expect((await both.open('/')).status).toBe(200);
    // The next response has encrypted it with the first one.
    const renewed = await withKeys(OTHER_SESSION_KEY);
    renewed.cookies.set('gangway-session', both.cookies.get('gangway-session') ?? '');
    expect((await renewed.open('/')).status).toBe(200);
    renewed.cookies.set('gangway-session', old.cookies.get('gangway-session') ?? '');
    expect((await renewed.open('/')).status).toBe(303);
  });
});

describe('cookies', () => {
  it('are for this host and http only, and on https for https only', async () => {
    const host = { headers: { host: 'console.example.com' } };
    const env = { CONSOLE_URL: 'https://console.example.com' };
    const secure = await runConsole(rig, { env });
    const lines = (await secure.visitor().open('/sign-in', host)).headers.getSetCookie();
    expect(lines).toEqual([
      expect.stringMatching(
        /^__Host-gangway-sign-in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const plain = (await running().visitor().open('/sign-in')).headers.getSetCookie();
    expect(plain).toEqual([
      expect.stringMatching(/^gangway-sign-in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('hold nothing that can be read', async () => {
    const { cookies } = await running().signedIn({ name: 'Readable Name' });
    const parts = (cookies.get('gangway-session') ?? '').split('.');
    expect(parts).toHaveLength(5);
    const text = parts.map((part) => Buffer.from(part, 'base64url').toString('latin1')).join('\n');
    expect(text).not.toMatch(/Readable|operator|csrf/);
  });
});

it('without a provider, the user of this machine is an admin, and each page warns of it', async () => {
  const { visitor } = await runConsole(rig, { provider: null });
  const page = await visitor().open('/');
  expect([page.status, page.text]).toEqual([
    200,
    expect.stringContaining('Nobody signs in here, because no identity provider is set.'),
  ]);
  expect(page.headers.getSetCookie()).toEqual([]);
  expect((await visitor().open('/sign-in')).status).toBe(404);
});
