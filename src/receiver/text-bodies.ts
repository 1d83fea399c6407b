import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { holdPrivate } from '../in-flight.js';
import { Problem } from './problems.js';

/**
 * Hands bodies of these media types to the routes as the text that came: a signature is over each of its bytes. All
 * others are refused, and so is what is compressed.
 */
export function textBodies(server: FastifyInstance, mediaTypes: readonly string[]): void {
  server.addHook('onRequest', async ({ headers }) => {
    const { 'content-encoding': encoding = 'identity' } = headers;
    if (encoding !== 'identity') throw unsupported('the body must not be compressed');
    if (/;\s*charset=(?!"?utf-8"?\s*(?:;|$))/i.test(headers['content-type'] ?? '')) {
      throw unsupported('the body must be in UTF-8');
    }
  });
  server.addContentTypeParser([...mediaTypes], { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    } catch {
      throw new Problem('unreadable', 'the body must be in UTF-8');
    }
  });
}

/** @throws {Problem} when there is no body, for then nobody has looked at its type */
export function textOf({ body }: Pick<FastifyRequest, 'body'>, mediaTypes: readonly string[]): string {
  if (typeof body === 'string') return body;
  throw unsupported(`it takes ${mediaTypes.join(', ')}`);
}

/** Keeps the private values of a request's body out of the log until it is answered. */
export function holdUntilAnswered<Body>(body: Body, { raw }: FastifyReply): Body {
  const release = holdPrivate(body);
  raw.once('close', release);
  return body;
}

function unsupported(detail: string): Problem {
  return new Problem('unsupported-media-type', detail);
}
