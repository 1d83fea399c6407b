import { describe, expect, it } from 'vitest';
import { runConsole } from '../../rigs/console/running-console.js';
import { shared } from '../../rigs/shared.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

const running = shared((until) => runConsole(rig, {}, until));

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
});
