import type { FastifyReply, FastifyRequest } from 'fastify';
import { writeExactly } from '../partners/json.js';
import type { Called, FaultPlan, Faults } from './faults.js';

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

/** One operation, as its partner serves it. */
interface Served {
  /** Lets the call take effect and returns the response. */
  perform(request: FastifyRequest): Promise<Answer>;
  /** The body of a response that a fault makes up. */
  errorBody(status: number): Answer['body'];
  /** Changes the thing that the call is about first, as a plan asks. */
  move(request: FastifyRequest, meanwhile: Meanwhile): Promise<void>;
}

/** Serves calls of one operation, with the faults that are planned for it: before or after the call takes effect. */
export function withFaults(faults: Faults, called: Called, served: Served) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const text = () => `${request.url} ${writeExactly(request.body)}`;
    const plan = faults.next(called, text);
    const answered = called.isWrite
      ? faults.requests.receive(called, request.url, text(), plan?.fault)
      : undefined;
    if (plan?.meanwhile) await served.move(request, plan.meanwhile);
    const answer = await outcome(faults, plan, request, served);
    if (!answer || answer.status === 0) return cut(reply);
    const { status, contentType, body, headers = {} } = answer;
    answered?.(status);
    reply.headers(headers);
    if (contentType !== undefined) reply.type(contentType);
    return reply.code(status).send(body);
  };
}

/** The response to a call with a planned fault; undefined when its connection is cut. */
async function outcome(
  faults: Faults,
  plan: FaultPlan | undefined,
  request: FastifyRequest,
  { perform, errorBody }: Served,
): Promise<Answer | undefined> {
  const failure = (status: number): Answer => ({ status, body: errorBody(status) });
  switch (plan?.fault) {
    case undefined:
    case 'refuse':
    case 'duplicate-webhooks':
    case 'reorder-webhooks':
      return perform(request);
    case 'delay':
      await faults.delay(plan);
      return perform(request);
    case 'delay-after-commit': {
      const late = await perform(request);
      await faults.delay(plan);
      return late;
    }
    case 'drop-before-commit':
      return undefined;
    case 'drop-after-delay':
      await faults.delay(plan);
      return undefined;
    case 'drop-after-commit':
      await perform(request);
      return undefined;
    case '500-before-commit':
      return failure(500);
    case '500-after-commit':
      await perform(request);
      return failure(500);
    case 'expired-token':
      return failure(401);
    case '400':
      return failure(400);
    case '429':
    case '503': {
      const headers = { 'retry-after': String(Math.ceil(plan.milliseconds / 1_000)) };
      return { ...failure(Number(plan.fault)), headers };
    }
  }
}

function cut(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}
