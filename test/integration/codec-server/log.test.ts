import { expect, it } from 'vitest';
import { CLEAR, ENCRYPTED, runCodecServer, TOKEN } from '../../rigs/codec-server/running-codec-server.js';

it('the log has method, path, status and number of payloads, and nothing of the payloads', async () => {
  const { call, log } = await runCodecServer();
  const secret = Buffer.from('"ada@example.com"').toString('base64');
  await call('POST /default/decode?secret=ada', `{"payloads":[${ENCRYPTED},${CLEAR}]}`);
  await call('POST /encode', `{"payloads":[{"data":"${secret}"}]}`);
  await call('POST /decode', `{"payloads":[{"data":"ada@example.com"}]}`);
  await call('POST /decode', '{"payloads":["ada@example.com');
  await call('POST /decode', `{"payloads":[${ENCRYPTED.replace('RwjAEc', 'AAAAAA')}]}`);
  await call('POST /decode', `{"payloads":[${ENCRYPTED}]}`, { authorization: `Bearer ${TOKEN}a` });
  const entries = log().split('\n').filter(Boolean);
  const completed = { level: 30, time: expect.any(String), msg: 'request completed', method: 'POST' };
  expect(entries.map((line) => JSON.parse(line))).toEqual([
    { ...completed, path: '/decode', status: 200, payloads: 2 },
    { ...completed, path: '/encode', status: 200, payloads: 1 },
    { ...completed, path: '/decode', status: 400 },
    { ...completed, path: '/decode', status: 400 },
    { ...completed, path: '/decode', status: 400, payloads: 1 },
    { ...completed, path: '/decode', status: 401 },
  ]);
  for (const hidden of ['ada', 'Ada', 'IkFkYSI', 'AAECAwQF', secret, TOKEN])
    expect(log()).not.toContain(hidden);
});

it('the log never contains a token from the path', async () => {
  const { call, log } = await runCodecServer({ tokenInPath: true });
  const body = `{"payloads":[${ENCRYPTED}]}`;
  const { status, text } = await call(`POST /${TOKEN}/decode`, body, {});
  expect([status, text]).toEqual([200, `{"payloads":[${CLEAR}]}`]);
  expect((await call(`POST /${TOKEN}x/decode`, body, {})).status).toBe(401);
  expect((await call('POST /decode', body, {})).status).toBe(401);
  await call(`GET /${TOKEN}`, undefined, {});
  await call(`GET /${TOKEN}/other`, undefined, {});
  expect(log()).toContain('"path":"/decode"');
  expect(log()).not.toContain(TOKEN);
});

it('a token in the path is rejected by default, and not logged either', async () => {
  const { call, log } = await runCodecServer();
  expect((await call(`POST /${TOKEN}/decode`, `{"payloads":[${ENCRYPTED}]}`, {})).status).toBe(401);
  await call(`POST /${TOKEN}/other`, `{"payloads":[${ENCRYPTED}]}`, {});
  await call(`GET /${TOKEN}`, undefined, {});
  expect(log()).not.toContain(TOKEN);
});
