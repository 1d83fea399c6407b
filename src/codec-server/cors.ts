import type { FastifyInstance } from 'fastify';

/** What the Temporal Web UI sends; the extras are the ID token of its user. */
const HEADERS = 'Authorization, Authorization-Extras, Content-Type, X-Namespace';

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = '600';

/** Lets pages of this origin call, with credentials. To pages of any other the browser shows nothing. */
export function allowOrigin(server: FastifyInstance, origin: string): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('vary', 'Origin');
    if (request.headers.origin !== origin) return;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-allow-credentials', 'true');
    if (!isPreflight(request.method, request.headers)) return;
    reply.header('access-control-allow-methods', 'POST');
    reply.header('access-control-allow-headers', HEADERS);
    reply.header('access-control-max-age', MAX_AGE);
    return reply.code(204).send();
  });
}

function isPreflight(method: string, headers: Readonly<Record<string, unknown>>): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
