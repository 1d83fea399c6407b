import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { measureRequests, serveMetrics } from '../../../../src/platform/http/metrics.js';
import { serverWithin } from '../../../../src/platform/http/server.js';
import { testEnds } from '../../../rigs/shared.js';

it('metrics are served at their own address, and nothing else is', async () => {
  const registry = new Registry();
  new Counter({ name: 'seen_total', help: 'Seen', registers: [registry] }).inc();
  const { url, close } = await serveMetrics(registry, { host: '127.0.0.1', port: 0 });
  testEnds(close);
  const reply = await fetch(`${url}/metrics`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(await reply.text()).toBe('# HELP seen_total Seen\n# TYPE seen_total counter\nseen_total 1\n');
  expect((await fetch(`${url}/`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
});

it('without an address nothing listens', async () => {
  expect((await serveMetrics(new Registry(), undefined)).url).toBeUndefined();
});

it('each request counts by its method, route and status, and for its duration in seconds', async () => {
  const registry = new Registry();
  const server = serverWithin();
  testEnds(() => server.close());
  measureRequests(server, registry, { total: 'requests_total', seconds: 'request_seconds' });
  server.get('/items/:id', async (request, reply) =>
    reply.code(request.url.endsWith('1') ? 200 : 503).send(),
  );
  server.post('/items', async (_, reply) => reply.code(201).send());
  for (const path of ['/items/1', '/items/2', '/items/1', '/nowhere']) await server.inject({ url: path });
  for (let posts = 0; posts < 2; posts += 1) await server.inject({ method: 'POST', url: '/items' });
  const values = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? [];
  const counted = (await values('requests_total')).map(({ labels, value }) =>
    [...Object.values(labels), value].join(' '),
  );
  expect(counted.slice(0, 2)).toEqual(['GET /items/:id 200 2', 'GET /items/:id 503 1']);
  expect(counted).toContain('POST /items 201 2');
  const durations = (await values('request_seconds')) as {
    metricName?: string;
    labels: object;
    value: number;
  }[];
  const of = (name: string) => durations.filter(({ metricName }) => metricName === `request_seconds_${name}`);
  expect(of('count').find(({ labels }) => JSON.stringify(labels).includes(':id'))?.value).toBe(3);
  // In milliseconds, a request would take longer than a second.
  for (const { value } of of('sum')) expect(value).toBeLessThan(0.5);
});
