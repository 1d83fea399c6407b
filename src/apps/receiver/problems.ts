import { type Client, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { FieldProblem } from '../../partners/partner-error.js';
import { StoreFailure } from '../../platform/documents/file-store.js';
import { errorKind, Refused, refusesUnreadable } from '../../platform/http/server.js';
import { NO_EFFECT, Refusal } from '../../temporal/program-requests.js';
import { isDenied, isUnavailable } from '../../temporal/unavailable.js';
import { OBSTACLES, UnreadableOnboarding } from '../../temporal/unreadable.js';

/** All problems, with HTTP status and title. */
export const PROBLEMS = {
  unreadable: [400, 'The request cannot be read'],
  'bad-signature': [401, 'The signature is missing or wrong'],
  'bad-token': [401, 'The bearer token is missing or wrong'],
  'bad-sender': [401, 'The webhook is not authenticated'],
  forbidden: [403, 'This client may not do this'],
  'partner-off': [404, 'Webhooks of this partner are off'],
  'unknown-onboarding': [404, 'There is no such onboarding'],
  'unknown-requirement': [404, 'There is no such open requirement'],
  'unknown-link': [404, 'There is no such link'],
  'unknown-path': [404, 'The path is unknown'],
  'wrong-method': [405, 'The method is not allowed'],
  'too-slow': [408, 'The request took too long to arrive'],
  'ambiguous-id': [409, 'Several onboardings have this externalId'],
  'other-input': [409, 'The onboarding was started with another input'],
  'not-open': [409, 'The requirement is not open'],
  'not-first': [409, 'Somebody else was first'],
  'link-closed': [409, 'The link takes nothing now'],
  'too-large': [413, 'The body is too large'],
  'unsupported-media-type': [415, 'The content type is not supported'],
  'unknown-event-type': [422, 'The event type is unknown'],
  invalid: [422, 'Fields are missing or wrong'],
  'too-many-requests': [429, 'Too many requests'],
  'headers-too-large': [431, 'The headers are too large'],
  'internal-error': [500, 'The receiver has an internal error'],
  'clients-unreadable': [503, 'The list of clients cannot be used'],
  'issuer-unavailable': [503, 'The issuer of the token does not respond'],
  'not-applied': [503, 'It is not known whether the request took effect'],
  'documents-unavailable': [503, 'The document store is unavailable'],
  'unreadable-onboarding': [503, 'The onboarding cannot be read now'],
  'temporal-unavailable': [503, 'Temporal is unavailable'],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type ProblemKind = keyof typeof PROBLEMS;

interface ProblemOptions extends ErrorOptions {
  /** Every invalid field with its rule, never with its value. */
  readonly errors?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Fails a request with a problem. The detail is for the caller, and never repeats input. */
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

  /** The problem in a response (RFC 9457), or for one event in the response to a batch. */
  toJSON() {
    const [status, title] = PROBLEMS[this.kind];
    const { errors, more } = this.options;
    const type = `urn:gangway:problem:${this.kind}`;
    return { type, title, status, detail: this.message, ...(errors && { errors }), ...more };
  }
}

export function invalidRequest(errors: readonly FieldProblem[]): Problem {
  return new Problem('invalid', NO_EFFECT, { errors });
}

/** Messages for Fastify's errors, by HTTP status. Fastify's own may quote the request. */
const FASTIFY_ERRORS: Readonly<Record<number, readonly [ProblemKind, string]>> = {
  400: ['unreadable', 'the request is malformed'],
  408: ['too-slow', 'send headers and body without pauses'],
  413: ['too-large', 'send a smaller body'],
  415: ['unsupported-media-type', 'the content type is missing, or this path does not accept it'],
  429: ['too-many-requests', 'wait for the seconds in Retry-After'],
  431: ['headers-too-large', 'send fewer or shorter headers'],
};

/** Responds to every error with problem+json. Logs only internal errors, by kind. */
export function handleProblems(server: FastifyInstance, logger: Logger, count: (problem: Problem) => void) {
  server.setErrorHandler((error, _, reply) => {
    const problem = problemFrom(error);
    count(problem);
    if (problem.status >= 500) logger.error({ kind: errorKind(error) }, PROBLEMS[problem.kind][1]);
    return sendProblem(reply, problem);
  });
}

export function sendProblem(reply: FastifyReply, problem: Problem) {
  return (
    reply
      .code(problem.status)
      .headers(problem.headers)
      .header('content-type', 'application/problem+json')
      // Fastify would add a charset to a text, and this media type has none.
      .send(Buffer.from(JSON.stringify(problem)))
  );
}

export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Refusal) {
    const { kind, message, errors } = error;
    return new Problem(kind, message, errors.length > 0 ? { errors } : {});
  }
  if (error instanceof StoreFailure) return later('documents-unavailable', error, NOTHING_STORED);
  // Only the token check fails like this.
  if (error instanceof Refused) return later('issuer-unavailable', error);
  const { statusCode = 500 } = error as { statusCode?: number };
  const [kind, detail] = FASTIFY_ERRORS[statusCode] ?? ['internal-error', 'see the log of the receiver'];
  return new Problem(kind, detail, { cause: error });
}

/** Responds to requests that never reach Fastify. */
export const handleClientError = refusesUnreadable((statusCode) => {
  const problem = problemFrom({ statusCode });
  const [, title] = PROBLEMS[problem.kind];
  return { title, contentType: 'application/problem+json', body: JSON.stringify(problem) };
});

/** The time limit of Temporal for each event, in milliseconds. After that, the sender must try again. */
export const DEADLINE_MS = 5_000;

/**
 * Calls Temporal within a deadline.
 *
 * @throws {Problem} `temporal-unavailable` if Temporal does not respond in time, `not-applied` if no worker applies an answer in time,
 *   `unreadable-onboarding` if an onboarding cannot be read. The call may have taken effect.
 */
export async function callTemporal<Result>(
  client: Client,
  call: () => Promise<Result>,
  timeoutMs = DEADLINE_MS,
): Promise<Result> {
  try {
    return await client.connection.withDeadline(Date.now() + timeoutMs, call);
  } catch (error) {
    if (error instanceof UnreadableOnboarding) {
      const detail = `${OBSTACLES[error.obstacle]}; nothing is lost. "gangway status" shows an operator more`;
      throw later('unreadable-onboarding', error, detail);
    }
    // Temporal is available, because it has just found the workflow.
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) throw later('not-applied', error);
    throw isUnavailable(error) || isDenied(error) ? unavailable(error) : error;
  }
}

export function unavailable(cause?: unknown): Problem {
  return later('temporal-unavailable', cause);
}

const SEND_AGAIN =
  'send the same request again after Retry-After seconds: nothing is lost, and nothing happens twice';

const NOTHING_STORED = 'nothing was stored or sent: send the same request again after Retry-After seconds';

export function later(kind: ProblemKind, cause: unknown, detail = SEND_AGAIN): Problem {
  return new Problem(kind, detail, { cause, headers: { 'retry-after': '5' } });
}
