import { expect, it } from 'vitest';
import { CLEAR, ENCRYPTED, KEY, TOKEN } from '../../rigs/codec-server/running-codec-server.js';
import { launchNode, run } from '../../rigs/processes.js';

const COMMAND = ['dist/codec-server.js'];

const SETTINGS = { PAYLOAD_KEYS: `k1:${KEY}`, CODEC_TOKENS: TOKEN, CODEC_ADDRESS: '127.0.0.1:0' };

it('serves, logs its URL, and logs no secret', async () => {
  const { child, exit, stderr } = await launchNode(COMMAND, SETTINGS, 'codec server is ready');
  const ready = JSON.parse(stderr());
  expect(ready).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), keys: ['k1'] });

  const response = await fetch(`${ready.url}/decode`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'x-namespace': 'default',
    },
    body: `{"payloads":[${ENCRYPTED}]}`,
  });
  expect(await response.text()).toBe(`{"payloads":[${CLEAR}]}`);
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(stderr()).toContain('codec server has stopped');
  for (const secret of [KEY, TOKEN]) expect(stderr()).not.toContain(secret);
});

it.concurrent.each([
  ['PAYLOAD_KEYS: is not set', { PAYLOAD_KEYS: '' }],
  ['CODEC_ADDRESS: options.port should be', { CODEC_ADDRESS: '127.0.0.1:99999' }],
])('does not start, and prints why: %s', async (message, settings) => {
  const { code, stdout, stderr } = await run(process.execPath, COMMAND, { ...SETTINGS, ...settings });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')).toEqual([expect.stringContaining(message), '']);
});
