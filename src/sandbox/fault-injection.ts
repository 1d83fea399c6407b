import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Called, Faults } from './faults.js';

/** What a partner answers to a call. */
export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** MIME type: JSON unless said otherwise. */
  readonly contentType?: string;
  readonly body: object | string;
}

/**
 * Serves calls of one operation, with the faults that are planned for it: before or after the call takes effect.
 *
 * @param perform lets the call take effect and says what to answer
 * @param errorBody the body of an answer that a fault makes up
 */
export function withFaults(
  faults: Faults,
  called: Called,
  errorBody: (status: number) => Answer['body'],
  perform: (request: FastifyRequest) => Promise<Answer>,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const plan = faults.next(called, () => `${request.url} ${JSON.stringify(request.body)}`);
    const answer = ({ status, contentType, body }: Answer) => {
      if (contentType !== undefined) reply.type(contentType);
      return reply.code(status).send(body);
    };
    switch (plan?.fault) {
      case undefined:
      case 'refuse':
      case 'duplicate-webhooks':
      case 'reorder-webhooks':
        return answer(await perform(request));
      case 'delay':
        await faults.delay(plan);
        return answer(await perform(request));
      case 'delay-after-commit': {
        const late = await perform(request);
        await faults.delay(plan);
        return answer(late);
      }
      case 'drop-before-commit':
        return cut(request, reply);
      case 'drop-after-commit':
        await perform(request);
        return cut(request, reply);
      case '500-before-commit':
        return answer({ status: 500, body: errorBody(500) });
      case '500-after-commit':
        await perform(request);
        return answer({ status: 500, body: errorBody(500) });
      case 'expired-token':
        return answer({ status: 401, body: errorBody(401) });
      case '429':
        reply.header('retry-after', Math.ceil(plan.milliseconds / 1_000));
        return answer({ status: 429, body: errorBody(429) });
    }
  };
}

function cut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}
