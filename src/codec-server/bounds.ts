import type { FastifyInstance, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { Refused } from '../http/refused.js';

/** Twice what Temporal takes in one message, as base64 makes it a third longer. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Signs that begin an object or a list, or divide what is in one. Base64 has none of them. */
const STRUCTURE = new Set(Buffer.from('{[,'));

/** More than a thousand payloads have, so that what is read costs no more than its bytes. */
const MAX_STRUCTURE = 32_000;

/** Requests that are read and answered at once, with 20 MB each for a body and its answer. */
const AT_ONCE = 8;

/** Requests that may wait for their turn; their bodies are not read meanwhile. */
const MAX_WAITING = 1_000;

/**
 * Bounds what requests may cost: the size of a body, how many values it holds, and how many requests are under way.
 * Those who come too late are refused with 503, those who send too much with 413, and those who do not read their answer are
 * cut off.
 *
 * @param idleMs how long a connection may stand still while an answer is sent, in milliseconds
 */
export function boundRequests(
  server: FastifyInstance,
  { isFree, idleMs }: { readonly isFree: (request: FastifyRequest) => boolean; readonly idleMs: number },
): void {
  const turns = pLimit(AT_ONCE);
  server.addHook('onRequest', (request, { raw }, done) => {
    if (isFree(request)) return done();
    if (turns.pendingCount >= MAX_WAITING) return done(new Refused(503, 'too many requests wait: try again'));
    void turns(() => {
      // The caller may have gone meanwhile, and then nothing tells again that it has.
      if (raw.closed) return undefined;
      done();
      return new Promise((resolve) => raw.once('close', resolve));
    });
  });
  server.addHook('onSend', async (_, { raw }) => void raw.setTimeout(idleMs, () => raw.destroy()));
  // What a page may send without a preflight is not among them.
  server.removeAllContentTypeParsers();
  const readJson = server.getDefaultJsonParser('error', 'error');
  const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const;
  server.addContentTypeParser('application/json', options, (request, body: Buffer, done) => {
    if (holdsTooMuch(body)) return done(new Refused(413, 'the body holds too much: send fewer payloads'));
    void readJson(request, body.toString(), done);
  });
}

function holdsTooMuch(body: Buffer): boolean {
  let structure = 0;
  for (const byte of body) if (STRUCTURE.has(byte)) structure += 1;
  return structure > MAX_STRUCTURE;
}
