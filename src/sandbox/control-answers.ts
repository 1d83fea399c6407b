import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { fieldProblems } from '../partners/client.js';

/** What the sandbox's own controls answer about a thing that is not there. */
export function notFound(reply: FastifyReply, thing: string): FastifyReply {
  return reply.code(404).send({ error: `no such ${thing}` });
}

/** What they answer to a body that does not fit. */
export function invalidControl(reply: FastifyReply, error: z.ZodError): FastifyReply {
  return reply.code(400).send({ error: 'invalid', fields: fieldProblems(error) });
}
