import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { kindOf } from '../http/error-kind.js';
import { Refused } from '../http/refused.js';
import { UnreadablePayload } from '../temporal/payload-codec.js';

/** What the framework refuses. Its own messages are not shown: some quote what they are about. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'the body must be JSON',
  413: 'the body is too large: send fewer payloads',
  415: 'the content type must be application/json',
  429: 'too many requests: wait as long as Retry-After says, in seconds',
};

/** Answers whatever goes wrong with `{"message": "..."}`, and logs only what is our own fault: its kind. */
export function answerErrors(server: FastifyInstance, logger: Logger): void {
  server.setErrorHandler((error, _, reply) => {
    const { status, message } = answerTo(error);
    if (status >= 500) logger.error({ kind: kindOf(error) }, message);
    return reply.code(status).send({ message });
  });
  server.setNotFoundHandler((request, reply) => {
    if (!/^\/(?:en|de)code(?:\?|$)/.test(request.url)) {
      return reply.code(404).send({ message: 'there are only /encode and /decode' });
    }
    return reply.code(405).header('allow', 'POST').send({ message: 'must be called with POST' });
  });
}

function answerTo(error: unknown): { status: number; message: string } {
  if (error instanceof Refused) return error;
  if (error instanceof UnreadablePayload) return { status: 400, message: error.message };
  const { statusCode: status = 500 } = error as { statusCode?: number };
  const message = REFUSALS[status];
  return message === undefined
    ? { status: 500, message: 'something is wrong with the server' }
    : { status, message };
}
