import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { CLEAR, ENCRYPTED, runCodecServer, TOKEN } from '../../../rigs/codec-server/running-codec-server.js';
import { scraped } from '../../../rigs/scrape.js';

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

it('the metrics count requests, and those whose key is missing, and have nothing of them', async () => {
  const registry = new Registry();
  const { call } = await runCodecServer({ registry });
  expect(scraped(await registry.metrics())('gangway_codec_missing_keys_total')).toBe(0);
  const unknownKey = Buffer.from('of-ada').toString('base64');
  await call('POST /ada/decode', `{"payloads":[${ENCRYPTED}]}`);
  await call('POST /decode', `{"payloads":[${ENCRYPTED.replace('azE=', unknownKey)}]}`);
  await call('POST /decode', `{"payloads":[${ENCRYPTED}]}`, { authorization: `Bearer ${TOKEN}a` });
  await call('GET /ada');
  const counted = scraped(await registry.metrics());
  const total = (labels: Record<string, string>) => counted('gangway_codec_requests_total', labels);
  expect({
    missing: counted('gangway_codec_missing_keys_total'),
    decoded: total({ method: 'POST', route: '/decode', status: '200' }),
    unreadable: total({ method: 'POST', route: '/decode', status: '400' }),
    strangers: total({ method: 'POST', route: '/decode', status: '401' }),
    unknown: total({ route: 'unknown', status: '404' }),
    timed: counted('gangway_codec_request_duration_seconds_count', { route: '/decode' }),
  }).toEqual({ missing: 1, decoded: 1, unreadable: 1, strangers: 1, unknown: 1, timed: 3 });
  const page = await registry.metrics();
  for (const hidden of ['ada', 'of-', TOKEN]) expect(page).not.toContain(hidden);
});
