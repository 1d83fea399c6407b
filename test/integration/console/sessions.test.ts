import { h } from 'preact';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Route } from '../../../src/console/route.js';
import { runConsole } from '../../rigs/console/running-console.js';
import { shared } from '../../rigs/shared.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

const running = shared((until) => runConsole(rig, {}, until));

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

it('a session ends after its idle time while only a script polls, and after its longest time', async () => {
  const times = { idleMs: 30 * 60_000, sessionMaxMs: 3_600_000 };
  const { signedIn } = await runConsole(rig, { times, routes: PAGES, provider: running().provider });
  const [ada, bo] = [await signedIn(), await signedIn()];
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const statusesAfter = async (minutes: number, adas = '/page') => {
    vi.advanceTimersByTime(minutes * 60_000);
    return [(await ada.open(adas)).status, (await bo.open('/page')).status];
  };
  expect(await statusesAfter(20)).toEqual([200, 200]);
  expect(await statusesAfter(29, '/polled')).toEqual([200, 200]);
  expect(await statusesAfter(1, '/polled')).toEqual([401, 200]);
  expect(await statusesAfter(10)).toEqual([303, 303]);
});

it('a session that was ended at one console has ended at all of them, and after a restart', async () => {
  const [here, there] = [running(), await runConsole(rig, { provider: running().provider })];
  const [ada, bo] = [await here.signedIn(), await here.signedIn()];
  const copied = ada.cookies.get('gangway-session') ?? '';
  const copyAt = (console: typeof here, cookie = copied) => {
    const visitor = console.visitor();
    visitor.cookies.set('gangway-session', cookie);
    return visitor;
  };
  expect((await copyAt(there).open('/')).status).toBe(200);
  await ada.open('/sign-out', { form: {} });
  const restarted = await runConsole(rig, { provider: running().provider });
  for (const console of [here, there, restarted]) {
    const thief = copyAt(console);
    expect((await thief.open('/')).status).toBe(303);
    expect((await thief.open('/inbox/part')).status).toBe(401);
    expect((await copyAt(console, bo.cookies.get('gangway-session')).open('/')).status).toBe(200);
  }
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
