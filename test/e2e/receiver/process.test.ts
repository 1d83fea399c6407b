import { expect, inject, it, onTestFinished } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { launch, run } from '../../rigs/processes.js';
import { event, SECRET, STRUCTURED, signed, TOKEN } from '../../rigs/receiver/running-receiver.js';

const KEY = 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const SETTINGS = {
  PAYLOAD_KEYS: KEY,
  RECEIVER_SECRETS: SECRET,
  RECEIVER_TOKENS: TOKEN,
  RECEIVER_BANKING_AUTH: `path:${TOKEN}`,
  RECEIVER_ADDRESS: '127.0.0.1:0',
  GANGWAY_TASK_QUEUE: 'without-workers',
};

async function receive(settings: Readonly<Record<string, string>>) {
  const { child, exit, stderr } = await launch('receiver', { ...SETTINGS, ...settings }, 'receiver is ready');
  onTestFinished(() => void child.kill('SIGKILL'));
  const ready = stderr()
    .split('\n')
    .find((line) => line.includes('receiver is ready'));
  return { child, exit, log: stderr, url: JSON.parse(ready ?? '{}').url as string };
}

it('serves, logs its URL, and logs no secret', async () => {
  const { child, exit, log, url } = await receive({ TEMPORAL_ADDRESS: inject('temporalAddress') });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const input = merchant();
  const body = JSON.stringify(event('merchant.boarding.requested.v1', input));
  const response = await fetch(`${url}/events`, {
    method: 'POST',
    headers: { 'content-type': STRUCTURED, ...signed(body) },
    body,
  });
  expect([response.status, await response.json()]).toEqual([
    202,
    { workflowId: `merchant-boarding-${input.externalId}` },
  ]);
  const webhook = await fetch(`${url}/webhooks/banking/${TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"profileId": 3001}',
  });
  expect([webhook.status, await webhook.text()]).toEqual([202, '{"workflows":0}']);
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(log()).toContain('receiver has stopped');
  for (const secret of [KEY, SECRET, TOKEN, 'Ada']) expect(log()).not.toContain(secret);
  expect(log()).toContain('"webhooks":["banking"]');
  expect(log()).not.toMatch(/unsigned events are accepted|from anyone/);
});

it('starts without Temporal, alive and not ready, and warns that it accepts requests from anyone', async () => {
  const { log, url } = await receive({
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    RECEIVER_SECRETS: '',
    RECEIVER_BANKING_AUTH: 'none',
  });
  expect(log()).toContain('RECEIVER_SECRETS is not set: unsigned events are accepted');
  expect(log()).toContain('RECEIVER_BANKING_AUTH is none: webhooks from anyone are accepted');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { temporal: 'unavailable' }]);
});

it.concurrent.each([
  ['PAYLOAD_KEYS: is not set', { PAYLOAD_KEYS: '', TEMPORAL_ADDRESS: 'temporal.example.com:7233' }],
  ['RECEIVER_ADDRESS: options.port should be', { RECEIVER_ADDRESS: '127.0.0.1:99999' }],
])('does not start, and prints why: %s', async (message, settings) => {
  const { code, stdout, stderr } = await run(process.execPath, ['dist/receiver.js'], {
    ...SETTINGS,
    ...settings,
  });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')).toEqual([expect.stringContaining(message), '']);
});
