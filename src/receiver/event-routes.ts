import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  BATCHED,
  BINARY,
  eventsFrom,
  type GivenEvent,
  holdUntilAnswered,
  inEventSpan,
  mediaTypeOf,
  STRUCTURED,
  textBodies,
  textOf,
} from './cloud-events.js';
import { type CarryOut, type Desk, type EventTypes, prepareAll } from './event-types.js';
import { ask, away, PROBLEMS, Problem, problemFrom } from './problems.js';
import type { CheckSignature } from './settings.js';

/** How long a whole batch may take, in milliseconds. */
const BATCH_DEADLINE_MS = 20_000;

const MEDIA_TYPES = [STRUCTURED, BATCHED, BINARY];

interface EventRoutes {
  readonly types: EventTypes;
  readonly desk: Desk;
  /** Left out to take unsigned events. */
  readonly checkSignature: CheckSignature | undefined;
  readonly requestsPerMinute: number;
}

/** How one event of a batch ended. */
type EventAnswer = { readonly status: 202; readonly workflowId: string } | Problem;

/** `POST /events`, and the handshake that senders of CloudEvents begin with. */
export function eventRoutes({ types, desk, checkSignature, requestsPerMinute }: EventRoutes) {
  return async (server: FastifyInstance): Promise<void> => {
    textBodies(server, MEDIA_TYPES);
    server.post('/events', async (request, reply) => {
      const body = textOf(request, MEDIA_TYPES);
      checkSignature?.(request.headers, body);
      const { events, isBatch } = eventsFrom(request.headers, body);
      holdUntilAnswered(events, reply);
      if (checkSignature && !isBatch) requireSignedId(request.headers, events);
      const prepared = prepareAll(types, events, isBatch).map(
        (carryOut, position): CarryOut =>
          (desk) =>
            inEventSpan(events[position] ?? {}, () => carryOut(desk)),
      );
      if (isBatch) return answerBatch(reply, await carryOutAll(desk, prepared));
      const [carryOut] = prepared;
      if (!carryOut) throw new Error('unreachable');
      return reply.code(202).send({ workflowId: await ask(desk.client, () => carryOut(desk)) });
    });
    server.options('/events', (request, reply) => {
      const granted = handshake(request.headers, requestsPerMinute);
      return reply.headers({ allow: 'OPTIONS, POST', ...granted }).send();
    });
  };
}

/**
 * A signature covers the body and `webhook-id`; in binary mode the attributes are in other headers. The id is bound by
 * being the same. The type is by the body, which fits the data of no other type. A changed source would make an answer
 * another one, but a requirement that is answered does not open again. The other attributes are not looked at.
 */
function requireSignedId(headers: IncomingHttpHeaders, [event]: readonly GivenEvent[]): void {
  if (mediaTypeOf(headers) !== BINARY || event?.['id'] === headers['webhook-id']) return;
  throw new Problem('bad-signature', 'in binary mode ce-id must be the webhook-id, for that is signed');
}

/** One after the other, for one may need what the one before it started. */
async function carryOutAll(desk: Desk, prepared: readonly CarryOut[]): Promise<EventAnswer[]> {
  const latest = Date.now() + BATCH_DEADLINE_MS;
  const answers: EventAnswer[] = [];
  for (const carryOut of prepared) answers.push(await answerOf(desk, carryOut, latest));
  return answers;
}

async function answerOf(desk: Desk, carryOut: CarryOut, latest: number): Promise<EventAnswer> {
  if (Date.now() > latest) return away();
  try {
    return { status: 202, workflowId: await ask(desk.client, () => carryOut(desk), latest) };
  } catch (error) {
    return problemFrom(error);
  }
}

/**
 * 202 when all were accepted. A sender takes any 2xx as the end of it, so one event that must come again makes it 503,
 * where the accepted ones do no harm; 207 is for those that would be refused again.
 */
function answerBatch(reply: FastifyReply, answers: readonly EventAnswer[]) {
  const statuses = answers.map(({ status }) => status);
  if (statuses.every((status) => status === 202)) return reply.code(202).send(answers);
  if (statuses.every((status) => status < 500)) return reply.code(207).send(answers);
  const kind = statuses.includes(PROBLEMS['temporal-away'][0]) ? 'temporal-away' : 'our-fault';
  const detail = 'not all of the batch was accepted: send the same again';
  const cause = answers.find(({ status }) => status >= 500);
  throw new Problem(kind, detail, { cause, headers: away().headers, more: { events: answers } });
}

/**
 * Whoever asks may send (HTTP webhooks for CloudEvents, 4): what is not signed is refused anyway.
 *
 * @throws {Problem} when the origin or the rate cannot be read
 */
function handshake(headers: IncomingHttpHeaders, requestsPerMinute: number): Record<string, string> {
  const { 'webhook-request-origin': origin, 'webhook-request-rate': rate } = headers;
  if (origin === undefined) return {};
  if (typeof origin !== 'string' || !/^[\w.:/-]{1,255}$/.test(origin)) {
    throw new Problem('unreadable', 'WebHook-Request-Origin must be a host name');
  }
  if (rate !== undefined && !/^(?:[1-9]\d{0,8}|\*)$/.test(String(rate))) {
    throw new Problem('unreadable', 'WebHook-Request-Rate must be a number of requests per minute, or *');
  }
  const wanted = rate === undefined || rate === '*' ? requestsPerMinute : Number(rate);
  const allowedRate = Math.min(wanted, requestsPerMinute);
  return { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': `${allowedRate}` };
}
