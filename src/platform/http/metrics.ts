import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import { type ListenAddress, type Listening, listen, routeOf, serverWithin } from './server.js';

/** Counts requests by route and status, and measures how long they take, under these names. */
export function measureRequests(
  server: FastifyInstance,
  registry: Registry,
  names: { readonly total: string; readonly seconds: string },
): void {
  const registers = [registry];
  const requests = new Counter({
    name: names.total,
    help: 'Requests by route and HTTP status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: names.seconds,
    help: 'Duration of requests',
    labelNames: ['route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers,
  });
  server.addHook('onResponse', async (request, { statusCode: status, elapsedTime }) => {
    const route = routeOf(request);
    requests.inc({ method: request.method, route, status });
    seconds.observe({ route }, elapsedTime / 1_000);
  });
}

/**
 * Serves `/metrics` to Prometheus. It has its own address, because it requires no token and should not be as reachable as the
 * process.
 */
export async function serveMetrics(
  registry: Registry,
  address: ListenAddress | undefined,
): Promise<Partial<Listening> & Pick<Listening, 'close'>> {
  if (!address) return { close: async () => undefined };
  const server = serverWithin();
  server.get('/metrics', async (_, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  return listen(server, address);
}
