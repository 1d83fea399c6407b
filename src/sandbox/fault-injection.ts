import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Faults } from './faults.js';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Lets a planned fault hit a call of `operation`, before or after the call takes effect. */
export function withFaults(
  faults: Faults,
  operation: string,
  errorBody: (status: number) => object,
  handle: Handler,
): Handler {
  return async (request, reply) => {
    const plan = faults.next(operation);
    switch (plan?.fault) {
      case undefined:
      case 'refuse':
        return handle(request, reply);
      case 'delay':
        await sleep(plan.milliseconds);
        return handle(request, reply);
      case 'drop-before-commit':
        return cut(request, reply);
      case '500-before-commit':
        return reply.code(500).send(errorBody(500));
      case '429':
        return reply
          .code(429)
          .header('retry-after', Math.ceil(plan.milliseconds / 1_000))
          .send(errorBody(429));
      case 'drop-after-commit':
        await handle(request, silenced(reply));
        return cut(request, reply);
      case '500-after-commit':
        await handle(request, silenced(reply));
        return reply.code(500).send(errorBody(500));
    }
  };
}

function cut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

/** A reply that says nothing: the call takes effect, its answer is lost. */
function silenced(reply: FastifyReply): FastifyReply {
  return new Proxy(reply, {
    get: (target, member, receiver) =>
      member === 'send' || member === 'code' ? () => receiver : Reflect.get(target, member),
  });
}
