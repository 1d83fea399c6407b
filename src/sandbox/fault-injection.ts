import type { FastifyReply, FastifyRequest } from 'fastify';
import { writeExactly } from '../partners/json.js';
import type { Called, FaultPlan, Faults } from './faults.js';

/** A partner's response to a call. */
export interface Answer {
  /** HTTP status; 0 cuts the connection. */
  readonly status: number;
  /** MIME type. Default: JSON. */
  readonly contentType?: string;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The effect of a plan on the merchant that a call is about. */
export type Meanwhile = NonNullable<FaultPlan['meanwhile']>;

/**
 * Serves calls of one operation, with the faults that are planned for it: before or after the call takes effect.
 *
 * @param perform lets the call take effect and returns the response
 * @param errorBody the body of a response that a fault makes up
 * @param move changes the thing that the call is about first, as a plan asks
 */
export function withFaults(
  faults: Faults,
  called: Called,
  {
    perform,
    errorBody,
    move,
  }: {
    readonly perform: (request: FastifyRequest) => Promise<Answer>;
    readonly errorBody: (status: number) => Answer['body'];
    readonly move: (request: FastifyRequest, meanwhile: Meanwhile) => Promise<void>;
  },
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const text = () => `${request.url} ${writeExactly(request.body)}`;
    const plan = faults.next(called, text);
    const answered = called.isWrite
      ? faults.requests.receive(called, request.url, text(), plan?.fault)
      : undefined;
    if (plan?.meanwhile) await move(request, plan.meanwhile);
    const answer = ({ status, contentType, body, headers = {} }: Answer) => {
      if (status === 0) return cut(reply);
      answered?.(status);
      reply.headers(headers);
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
        return cut(reply);
      case 'drop-after-delay':
        await faults.delay(plan);
        return cut(reply);
      case 'drop-after-commit':
        await perform(request);
        return cut(reply);
      case '500-before-commit':
        return answer({ status: 500, body: errorBody(500) });
      case '500-after-commit':
        await perform(request);
        return answer({ status: 500, body: errorBody(500) });
      case 'expired-token':
        return answer({ status: 401, body: errorBody(401) });
      case '400':
        return answer({ status: 400, body: errorBody(400) });
      case '429':
      case '503':
        reply.header('retry-after', Math.ceil(plan.milliseconds / 1_000));
        return answer({ status: Number(plan.fault), body: errorBody(Number(plan.fault)) });
    }
  };
}

function cut(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}
