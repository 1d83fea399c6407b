import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { CLEAR, ENCRYPTED, KEY, TOKEN } from '../../rigs/codec-server/running-codec-server.js';
import { run } from '../../rigs/processes.js';

/** From the sources, so that these tests need no build. */
const COMMAND = ['--import', 'tsx', 'src/codec-server.ts'];

const { PATH = '' } = process.env;
const SETTINGS = { PATH, PAYLOAD_KEYS: `k1:${KEY}`, CODEC_TOKENS: TOKEN, CODEC_ADDRESS: '127.0.0.1:0' };

it.each(['SIGTERM', 'SIGINT'] as const)('serves until %s, and says where', async (signal) => {
  const server = spawn(process.execPath, COMMAND, { env: SETTINGS, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(server, 'exit');
  onTestFinished(() => void server.kill('SIGKILL'));
  let log = '';
  server.stderr.on('data', (chunk) => {
    log += chunk;
  });
  await expect.poll(() => log, { timeout: 20_000 }).toContain('codec server is ready');
  const ready = JSON.parse(log);
  expect(ready).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), keys: ['k1'] });

  const response = await fetch(`${ready.url}/decode`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: `{"payloads":[${ENCRYPTED}]}`,
  });
  expect(await response.text()).toBe(`{"payloads":[${CLEAR}]}`);
  server.kill(signal);
  expect(await exited).toEqual([0, null]);
  expect(log).toContain('codec server has stopped');
  for (const secret of [KEY, TOKEN]) expect(log).not.toContain(secret);
});

it.each([
  ['PAYLOAD_KEYS: is not set', { PAYLOAD_KEYS: '' }],
  ['CODEC_TOKENS: is not set', { CODEC_TOKENS: '' }],
  ['CODEC_ADDRESS: must be a loopback address', { CODEC_ADDRESS: '0.0.0.0:0' }],
  ['CODEC_ADDRESS: options.port should be', { CODEC_ADDRESS: '127.0.0.1:99999' }],
])('does not start, and says why: %s', async (message, settings) => {
  const { code, stdout, stderr } = await run(process.execPath, COMMAND, { ...SETTINGS, ...settings });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')).toEqual([expect.stringContaining(message), '']);
});
