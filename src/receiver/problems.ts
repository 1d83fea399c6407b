import type { Socket } from 'node:net';
import { type Client, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { kindOf } from '../http/refused.js';
import { fieldProblems } from '../partners/client.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { isDenied, isUnavailable } from '../temporal/unavailable.js';
import { OBSTACLES, UnreadableOnboarding } from '../temporal/unreadable.js';

/** All that can go wrong, with the HTTP status and the title that tell it. */
export const PROBLEMS = {
  unreadable: [400, 'The request cannot be read'],
  'bad-signature': [401, 'The signature is missing or wrong'],
  'bad-token': [401, 'The bearer token is missing or wrong'],
  'bad-sender': [401, 'The delivery does not show that it is the partner’s'],
  'partner-off': [404, 'Webhooks of this partner are off'],
  'unknown-onboarding': [404, 'There is no such onboarding'],
  'unknown-path': [404, 'There is nothing at this path'],
  'wrong-method': [405, 'This path takes other methods'],
  'too-slow': [408, 'The request took too long to arrive'],
  'ambiguous-id': [409, 'Several onboardings have this externalId'],
  'other-input': [409, 'The onboarding was started with another input'],
  'not-open': [409, 'The requirement is not open'],
  'too-large': [413, 'The body is too large'],
  'unsupported-media-type': [415, 'The content type is not supported'],
  'unknown-event-type': [422, 'The type of the event is not known'],
  invalid: [422, 'Fields are missing or wrong'],
  'too-many-requests': [429, 'Too many requests'],
  'headers-too-large': [431, 'The headers are too large'],
  'our-fault': [500, 'Something is wrong with the receiver'],
  'not-applied': [503, 'The answer is accepted, and not yet applied'],
  'unreadable-onboarding': [503, 'The onboarding cannot be read now'],
  'temporal-away': [503, 'Temporal does not answer now'],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type ProblemKind = keyof typeof PROBLEMS;

/** A problem as it is answered (RFC 9457), and as it stands in the answer to a batch. */
export interface ProblemDetails {
  /** `urn:gangway:problem:invalid`. */
  readonly type: string;
  readonly title: string;
  /** HTTP status. */
  readonly status: number;
  readonly detail: string;
  /** Every field that is wrong, with its rule; never with its value. */
  readonly errors?: readonly FieldProblem[];
}

interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Members beyond those of {@link ProblemDetails}. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A request that is answered with a problem. The detail is for the caller, and never repeats what was sent. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    readonly kind: ProblemKind,
    detail: string,
    private readonly options: ProblemOptions = {},
  ) {
    super(detail, options);
  }

  get status(): number {
    return PROBLEMS[this.kind][0];
  }

  get headers(): Readonly<Record<string, string>> {
    return this.options.headers ?? {};
  }

  toJSON(): ProblemDetails {
    const [status, title] = PROBLEMS[this.kind];
    const { errors, more } = this.options;
    const type = `urn:gangway:problem:${this.kind}`;
    return { type, title, status, detail: this.message, ...(errors && { errors }), ...more };
  }
}

/** Fields of a request that break their rules. */
export function invalid(errors: readonly FieldProblem[], detail = 'nothing was started'): Problem {
  return new Problem('invalid', detail, { errors });
}

/** Zod's findings as fields and rules; a field is a dotted path, below `prefix` where one is given. */
export function wrongFields(error: z.ZodError, prefix?: string): FieldProblem[] {
  const unmatched = error.issues
    .filter((issue) => issue.code === 'invalid_union' && issue.errors.length === 0)
    .map(({ path }) => ({ field: path.join('.'), message: 'is none of the known ones' }));
  return [...fieldProblems(error), ...unmatched].map(({ field, message }) => ({
    field: [prefix, field].filter(Boolean).join('.'),
    message,
  }));
}

/** What the framework refuses. Its own messages are not shown: some quote what they are about. */
const REFUSALS: Readonly<Record<number, readonly [ProblemKind, string]>> = {
  400: ['unreadable', 'the request is not well formed'],
  408: ['too-slow', 'send headers and body without pauses'],
  413: ['too-large', 'send fewer events at once'],
  415: ['unsupported-media-type', 'the content type is missing, or none that this path takes'],
  429: ['too-many-requests', 'wait as long as Retry-After says, in seconds'],
  431: ['headers-too-large', 'send fewer or shorter headers'],
};

/**
 * Answers whatever goes wrong as problem+json, and logs only what is our own fault: its kind.
 *
 * @param count is told of each
 */
export function answerProblems(
  server: FastifyInstance,
  logger: Logger,
  count: (problem: Problem) => void,
): void {
  server.setErrorHandler((error, _, reply) => {
    const problem = problemFrom(error);
    count(problem);
    if (problem.status >= 500) logger.error({ kind: kindOf(error) }, PROBLEMS[problem.kind][1]);
    return sendProblem(reply, problem);
  });
}

export function sendProblem(reply: FastifyReply, problem: Problem) {
  return (
    reply
      .code(problem.status)
      .headers(problem.headers)
      .header('content-type', 'application/problem+json')
      // The framework would add a charset to a text, which this type does not have.
      .send(Buffer.from(JSON.stringify(problem)))
  );
}

export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { statusCode = 500 } = error as { statusCode?: number };
  const [kind, detail] = REFUSALS[statusCode] ?? ['our-fault', 'it is in the log of the receiver'];
  return new Problem(kind, detail, { cause: error });
}

/** Answers what is not even a request: too slow, too large a header, not HTTP. */
export function answerClientError(
  this: { log: FastifyBaseLogger },
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const statuses: Readonly<Record<string, number>> = {
    ERR_HTTP_REQUEST_TIMEOUT: 408,
    HPE_HEADER_OVERFLOW: 431,
  };
  const problem = problemFrom({ statusCode: statuses[error.code ?? ''] ?? 400 });
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${PROBLEMS[problem.kind][1]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

/** How long Temporal may take over one event before the sender is told to try again. */
export const DEADLINE_MS = 5_000;

/** When a sender should try again, in seconds. */
const RETRY_AFTER = '5';

/**
 * Asks something of Temporal.
 *
 * @param latest when to give up at the latest, in epoch milliseconds
 * @throws {Problem} `temporal-away` when it does not answer in time, `not-applied` when an onboarding does not take an answer
 *   in time, `unreadable-onboarding` when one cannot be read. What was asked may have happened all the same.
 */
export async function ask<Answer>(
  client: Client,
  question: () => Promise<Answer>,
  latest = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  try {
    return await client.connection.withDeadline(Math.min(Date.now() + DEADLINE_MS, latest), question);
  } catch (error) {
    if (error instanceof UnreadableOnboarding) throw unreadable(error);
    // Temporal was there a moment ago, to find the workflow.
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) throw notApplied(error);
    throw isUnavailable(error) || isDenied(error) ? away(error) : error;
  }
}

export function away(cause?: unknown): Problem {
  return new Problem('temporal-away', SEND_AGAIN, { cause, headers: { 'retry-after': RETRY_AFTER } });
}

const SEND_AGAIN =
  'send the same again after Retry-After seconds: nothing is lost, and nothing happens twice';

function notApplied(cause: unknown): Problem {
  return new Problem('not-applied', SEND_AGAIN, { cause, headers: { 'retry-after': RETRY_AFTER } });
}

/** Without the detail, which is for operators: `gangway status` shows it. */
function unreadable(error: UnreadableOnboarding): Problem {
  const detail = `${OBSTACLES[error.obstacle]}; nothing is lost, and "gangway status" shows an operator more`;
  return new Problem('unreadable-onboarding', detail, {
    cause: error,
    headers: { 'retry-after': RETRY_AFTER },
  });
}
