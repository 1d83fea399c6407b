import Fastify from 'fastify';

export interface HealthServer {
  /** Where it listens: `http://127.0.0.1:8081`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * `/healthz` answers 200 as long as the process lives; `/readyz` answers 200 only while the worker takes tasks.
 *
 * @param state the worker's own state, `RUNNING` when it takes tasks
 */
export async function serveHealth(
  address: { readonly host: string; readonly port: number },
  state: () => string,
): Promise<HealthServer> {
  const server = Fastify();
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/readyz', (_request, reply) => {
    const worker = state();
    return reply.code(worker === 'RUNNING' ? 200 : 503).send({ worker });
  });
  const url = await server.listen(address);
  return { url, close: () => server.close() };
}
