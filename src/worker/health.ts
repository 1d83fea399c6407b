import Fastify from 'fastify';

export interface HealthServer {
  /** Where it listens: `http://127.0.0.1:8081`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface Vitals {
  /** The worker's own state: `RUNNING` when it takes tasks, `FAILED` when a part of it has broken. */
  readonly worker: () => string;
  /** Whether Temporal answers; in bounded time. */
  readonly temporal: () => Promise<boolean>;
}

/**
 * `/healthz` answers 200 as long as the process lives and no part of the worker has failed: otherwise it should be started
 * anew. `/readyz` answers 200 only while the worker takes tasks and reaches Temporal. Neither looks at the partners, for a
 * worker that waits for one does its work.
 */
export async function serveHealth(
  address: { readonly host: string; readonly port: number },
  { worker, temporal }: Vitals,
): Promise<HealthServer> {
  const server = Fastify();
  server.get('/healthz', (_, reply) => {
    const hasFailed = worker() === 'FAILED';
    return reply.code(hasFailed ? 503 : 200).send({ status: hasFailed ? 'failed' : 'ok' });
  });
  server.get('/readyz', async (_, reply) => {
    const [state, answers] = [worker(), await temporal()];
    const isReady = state === 'RUNNING' && answers;
    return reply.code(isReady ? 200 : 503).send({ worker: state, temporal: answers ? 'ready' : 'away' });
  });
  const url = await server.listen(address);
  return { url, close: () => server.close() };
}
