import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { serveMetrics } from '../../../src/http/metrics.js';
import { testEnds } from '../../rigs/shared.js';

it('metrics are served at their own address, and nothing else is', async () => {
  const registry = new Registry();
  new Counter({ name: 'seen_total', help: 'Seen', registers: [registry] }).inc();
  const { url, close } = await serveMetrics(registry, { host: '127.0.0.1', port: 0 });
  testEnds(close);
  const reply = await fetch(`${url}/metrics`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([
    ...[200, 'text/plain; version=0.0.4; charset=utf-8'],
  ]);
  expect(await reply.text()).toBe('# HELP seen_total Seen\n# TYPE seen_total counter\nseen_total 1\n');
  expect((await fetch(`${url}/`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
});

it('without an address nothing listens', async () => {
  expect((await serveMetrics(new Registry(), undefined)).url).toBeUndefined();
});
