import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BearerRules, bearerCheck } from './bearer.js';

export interface CallerRules {
  readonly bearer: BearerRules;
  /** Of one caller; those who have no valid token are told apart by their addresses. */
  readonly requestsPerMinute: number;
  /** What stands for the header `Authorization`: the header itself unless given. */
  readonly authorizationOf?: (request: FastifyRequest) => string | undefined;
  /** What an address asks for that is counted by itself; one and the same unless given. */
  readonly purposeOf?: (request: FastifyRequest) => string;
  /** Whether a request is never turned away; none is unless given. */
  readonly isFree?: (request: FastifyRequest) => boolean;
}

/**
 * Counts the requests of each caller before any is turned away, so that guessing is slowed too.
 *
 * @returns the requests that came with a valid token
 */
export async function countCallers(
  server: FastifyInstance,
  {
    bearer,
    requestsPerMinute,
    authorizationOf = ({ headers }) => headers.authorization,
    purposeOf = () => '',
    isFree = () => false,
  }: CallerRules,
): Promise<{ has(request: FastifyRequest): boolean }> {
  const authenticate = bearerCheck(bearer);
  const callers = new WeakMap<FastifyRequest, string>();
  server.addHook('onRequest', async (request) => {
    const caller = await authenticate(authorizationOf(request));
    if (caller !== undefined) callers.set(request, caller);
  });
  await server.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => callers.get(request) ?? `${purposeOf(request)}address ${request.ip}`,
    allowList: isFree,
  });
  server.addHook('onRequest', server.rateLimit());
  return callers;
}
