import { userInfo } from 'node:os';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runProvider } from '../../rigs/console/provider.js';
import { SESSION_KEY, signIn, visitorOf, wayBack } from '../../rigs/console/running-console.js';
import { launch, run } from '../../rigs/processes.js';

const KEY = 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const SETTINGS = {
  PAYLOAD_KEYS: KEY,
  CONSOLE_ADDRESS: '127.0.0.1:0',
  GANGWAY_TASK_QUEUE: 'without-workers',
};

async function start(settings: Readonly<Record<string, string>>) {
  const { child, exit, stderr } = await launch('console', { ...SETTINGS, ...settings }, 'console is ready');
  onTestFinished(() => void child.kill('SIGKILL'));
  const ready = stderr()
    .split('\n')
    .find((line) => line.includes('console is ready'));
  const { url } = JSON.parse(ready ?? '{}') as { readonly url: string };
  return { child, exit, log: stderr, url, visitor: () => visitorOf(url) };
}

it('serves people who have signed in, ends with 0 after SIGTERM, and logs no secret', async () => {
  const provider = await runProvider();
  provider.add({ sub: 'p-1', name: 'Ada Park', roles: ['operator'] });
  const { child, exit, log, url, visitor } = await start({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    ...provider.env,
    CONSOLE_SESSION_KEYS: SESSION_KEY,
  });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const browser = visitor();
  const back = await wayBack(browser, 'p-1');
  const page = await signIn(browser, 'p-1');
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('Ada Park, operator')]);
  const assets = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)];
  expect(assets).toHaveLength(3);
  for (const [, path = ''] of assets) {
    const { status, headers } = await browser.open(path);
    expect([path, status, headers.get('cache-control')]).toEqual([
      path,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
  const session = browser.cookies.get('gangway-session') ?? '';
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(log()).toContain('console has stopped');
  const secrets = [KEY, SESSION_KEY, provider.env['OIDC_CLIENT_SECRET'] ?? '', session];
  for (const secret of [...secrets, back.searchParams.get('code') ?? '']) {
    expect(secret).not.toBe('');
    expect(log()).not.toContain(secret);
  }
  expect(log()).not.toContain('everybody on this machine');
});

it('without a provider, warns that everybody on this machine may use it, and takes the user’s name', async () => {
  const { log, visitor } = await start({ TEMPORAL_ADDRESS: inject('temporalAddress') });
  expect(log()).toContain('OIDC_ISSUER is not set: anyone on this machine can use the console');
  expect((await visitor().open('/')).text).toContain(`${userInfo().username}, admin`);
});

it.concurrent.each([
  ['CONSOLE_ADDRESS: options.port should be', { CONSOLE_ADDRESS: '127.0.0.1:99999' }],
  ['PAYLOAD_KEYS: is not set', { PAYLOAD_KEYS: '', TEMPORAL_ADDRESS: 'temporal.example.com:7233' }],
])('does not start, and prints why: %s', async (message, settings) => {
  const { code, stdout, stderr } = await run(process.execPath, ['dist/console.js'], {
    ...SETTINGS,
    ...settings,
  });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')).toEqual([expect.stringContaining(message), '']);
});
