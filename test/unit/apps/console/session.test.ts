import type { FastifyReply, FastifyRequest } from 'fastify';
import { UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  randomToken,
  type SessionData,
  type SessionRules,
  Sessions,
} from '../../../../src/apps/console/session.js';
import { stoppedAt } from '../../../rigs/clock.js';

const NOON = '2026-01-31T12:00:00.000Z';
const at = (time: string) => vi.setSystemTime(new Date(time));

beforeEach(() => stoppedAt(NOON));

const RULES: SessionRules = { keys: ['one', 'two'], idleMs: 1_800_000, maxMs: 43_200_000, isSecure: true };

/** Since noon: at most until midnight. */
const ADA: SessionData = {
  actor: 'Ada (p-1)',
  name: 'Ada',
  role: 'operator',
  accounts: ['north'],
  csrf: 'c-1',
  since: Date.parse(NOON),
};

/** A browser that keeps the cookies of a reply, and sends them with the next request. */
function browser(cookies: Record<string, string> = {}) {
  const lines: [name: string, options: object | undefined][] = [];
  const reply = {
    setCookie: (name: string, value: string, options: object) => {
      cookies[name] = value;
      lines.push([name, options]);
    },
    clearCookie: (name: string, options: object) => {
      delete cookies[name];
      lines.push([name, options]);
    },
  } as unknown as FastifyReply;
  return { cookies, lines, reply, request: { cookies } as unknown as FastifyRequest };
}

describe('a session', () => {
  it.each<[last: string, now: string, isOpen: boolean]>([
    [NOON, '2026-01-31T12:29:59.999Z', true],
    [NOON, '2026-01-31T12:30:00.000Z', false],
    ['2026-01-31T23:29:00.000Z', '2026-01-31T23:58:59.999Z', true],
    // Its idle time ends before its longest time,
    ['2026-01-31T23:29:00.000Z', '2026-01-31T23:59:00.000Z', false],
    // in the same moment,
    ['2026-01-31T23:30:00.000Z', '2026-01-31T23:59:59.999Z', true],
    ['2026-01-31T23:30:00.000Z', '2026-02-01T00:00:00.000Z', false],
    // and after it.
    ['2026-01-31T23:59:59.000Z', '2026-01-31T23:59:59.999Z', true],
    ['2026-01-31T23:59:59.000Z', '2026-02-01T00:00:00.000Z', false],
  ])('since noon, last used at %s, is open at %s: %s', async (last, now, isOpen) => {
    const { request, reply } = browser();
    const sessions = new Sessions(RULES);
    at(last);
    await sessions.write(reply, ADA);
    at(now);
    expect(await sessions.read(request)).toEqual(isOpen ? ADA : undefined);
  });

  it.each([
    [NOON, 1_800],
    ['2026-01-31T23:30:00.000Z', 1_800],
    ['2026-01-31T23:45:00.000Z', 900],
    ['2026-01-31T23:59:58.500Z', 2],
  ])('that is used at %s is kept by the browser for %i seconds', async (now, maxAge) => {
    const { lines, reply } = browser();
    at(now);
    await new Sessions(RULES).write(reply, ADA);
    expect(lines).toEqual([
      ['__Host-gangway-session', { path: '/', httpOnly: true, sameSite: 'lax', secure: true, maxAge }],
    ]);
  });

  it('of a console without https has a name that browsers accept', async () => {
    const { lines, reply, request } = browser();
    const sessions = new Sessions({ ...RULES, isSecure: false });
    await sessions.write(reply, ADA);
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: false };
    sessions.forget(reply, 'session');
    expect(lines).toEqual([
      ['gangway-session', { ...options, maxAge: 1_800 }],
      ['gangway-session', options],
    ]);
    expect(await sessions.read(request)).toBeUndefined();
  });

  it.each<[isSecure: boolean, idToken: number, bytes: number]>([
    // One more character takes two more bytes.
    [true, 2_828, 4_095],
    [false, 2_834, 4_096],
  ])(
    'fits a cookie of 4,096 bytes (secure: %s), or else has no ID token',
    async (isSecure, length, bytes) => {
      const sessions = new Sessions({ ...RULES, isSecure });
      const stored = async (more: number) => {
        const { cookies, reply, request } = browser();
        await sessions.write(reply, { ...ADA, idToken: 'i'.repeat(length + more) });
        return [Object.entries(cookies).join('').length - 1, (await sessions.read(request))?.idToken?.length];
      };
      expect(await stored(0)).toEqual([bytes, length]);
      expect(await stored(1)).toEqual([expect.any(Number), undefined]);
    },
  );

  it('that is too long for a cookie even without the ID token is not stored', async () => {
    const { lines, reply } = browser();
    const writing = new Sessions(RULES).write(reply, { ...ADA, name: 'a'.repeat(4_096), idToken: 'i' });
    expect(await writing).toBe(false);
    expect(lines).toEqual([]);
  });

  it.each<[what: string, value: object]>([
    ['another role', { ...ADA, role: 'root' }],
    ['another field', { ...ADA, more: true }],
    ['accounts that are no list', { ...ADA, accounts: 'north' }],
    ['no token for forms', { ...ADA, csrf: undefined }],
    ['no beginning', { ...ADA, since: undefined }],
  ])('is invalid with %s', async (_, value) => {
    const { request, reply } = browser();
    const sessions = new Sessions(RULES);
    await sessions.keep(reply, 'session', ADA, 60_000);
    expect(await sessions.read(request)).toEqual(ADA);
    await sessions.keep(reply, 'session', value, 60_000);
    expect(await sessions.read(request)).toBeUndefined();
  });

  it('is encrypted with the first secret, and decrypted with each', async () => {
    const { request, reply } = browser();
    await new Sessions(RULES).write(reply, ADA);
    const readWith = (...keys: string[]) => new Sessions({ ...RULES, keys }).read(request);
    expect(await readWith('one')).toEqual(ADA);
    expect(await readWith('three', 'one')).toEqual(ADA);
    expect(await readWith('two')).toBeUndefined();
    expect(await readWith()).toBeUndefined();
  });

  it.each([
    '',
    '..',
    'a.b.c.d.e',
    'another cookie',
    encodeURIComponent(JSON.stringify(ADA)),
    new UnsecuredJWT({ value: ADA, at: Date.parse(NOON) }).setAudience('session').encode(),
  ])('is not in the cookie %j', async (value) => {
    const { request } = browser({ '__Host-gangway-session': value });
    expect(await new Sessions(RULES).read(request)).toBeUndefined();
    expect(await new Sessions(RULES).read(browser().request)).toBeUndefined();
  });
});

it('a session is nothing with one changed character of its cookie', async () => {
  const { cookies, request, reply } = browser();
  await new Sessions(RULES).write(reply, ADA);
  const [[name = '', cookie = ''] = []] = Object.entries(cookies);
  const middle = Math.floor(cookie.length / 2);
  const other = cookie[middle] === 'A' ? 'B' : 'A';
  cookies[name] = cookie.slice(0, middle) + other + cookie.slice(middle + 1);
  expect(await new Sessions(RULES).read(request)).toBeUndefined();
});

describe('a value that the browser keeps for a while', () => {
  it.each([
    ['2026-01-31T12:00:29.999Z', { text: 'done' }],
    ['2026-01-31T12:00:30.000Z', undefined],
  ])('for 30 seconds from noon is at %s %j', async (now, value) => {
    const { lines, reply, request } = browser();
    const sessions = new Sessions(RULES);
    await sessions.keep(reply, 'message', { text: 'done' }, 30_000);
    expect(lines).toMatchObject([['__Host-gangway-message', { maxAge: 30 }]]);
    at(now);
    expect(await sessions.readEntry(request, 'message', 30_000)).toEqual(value);
    expect(await sessions.readEntry(browser().request, 'message', 30_000)).toBeUndefined();
  });

  it('for one purpose is nothing for another one', async () => {
    const { cookies, reply, request } = browser();
    const sessions = new Sessions(RULES);
    await sessions.keep(reply, 'sign-in', ADA, 30_000);
    for (const other of ['session', 'message'])
      cookies[`__Host-gangway-${other}`] = cookies['__Host-gangway-sign-in'] ?? '';
    expect(await sessions.readEntry(request, 'message', 30_000)).toBeUndefined();
    expect(await sessions.read(request)).toBeUndefined();
    sessions.forget(reply, 'sign-in');
    expect(Object.keys(cookies)).toEqual(['__Host-gangway-session', '__Host-gangway-message']);
  });
});

it('what nobody guesses has 256 bits, and is another one each time', () => {
  expect(randomToken()).toMatch(/^[\w-]{43}$/);
  expect(randomToken()).not.toBe(randomToken());
});
