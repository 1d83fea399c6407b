import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Operation, type Operations, operationName } from '../partners/catalogue.js';
import { fieldProblems } from '../partners/client.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { type Answer, type Meanwhile, withFaults } from './fault-injection.js';
import type { Faults } from './faults.js';
import { memberReader } from './member-values.js';
import { Refusal } from './refusal.js';

/** What each operation of a catalogue does with a valid request, and the payload it answers. */
export type Handlers<Ops extends Operations, Caller> = {
  readonly [Key in keyof Ops]: (request: z.output<Ops[Key]['request']>, caller: Caller) => unknown;
};

/** An emulated partner: what its operations do, and what differs from partner to partner. */
export interface PartnerSystem<Ops extends Operations, Caller> {
  /** As in the ledger and in plans of faults: `boarding`. */
  readonly name: string;
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Caller>;
  /** What the partner takes, where it is not what our client lets pass: in place of the catalogue's request. */
  readonly requests?: { readonly [Key in keyof Ops]?: z.ZodType<z.output<Ops[Key]['request']>> };
  /** Who calls; or what one is answered who may not. */
  admit(request: FastifyRequest, operation: Operation): { caller: Caller } | { refused: Answer };
  /** Lets the thing that a request with these members is about change, as a planned fault says. */
  move?(members: Readonly<Record<string, unknown>>, meanwhile: Meanwhile): void;
  /** HTTP status of the answer to a request that does not fit: 400 unless said otherwise. */
  readonly invalidStatus?: number;
  /** Wraps an answer of `operation` into the partner's envelope. */
  envelope(operation: Operation, content: Content): object;
}

/** What an envelope is made from. */
export interface Content {
  /** HTTP status. */
  readonly status: number;
  readonly data: unknown;
  readonly error: string | null;
  readonly fields: readonly FieldProblem[];
}

/** An answer that is a file and comes without an envelope. */
export class FileAnswer {
  constructor(
    /** MIME type. */
    readonly contentType: string,
    readonly content: Buffer | string,
  ) {}
}

/** Words for HTTP statuses, as partners use them. */
export const STATUS_LABELS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};

type Int64 = string | number | bigint;

/** On the wire an int64 is a number, where our own callers may write its digits as text. */
export function onTheWire(int64: z.ZodType<bigint, Int64>) {
  return z.custom<Int64>((value) => typeof value !== 'string', 'must be a number').pipe(int64);
}

/** Serves every operation of a catalogue: who calls is admitted, what is asked is checked, then the handler decides. */
export function partnerRoutes<Ops extends Operations, Caller>(
  server: FastifyInstance,
  faults: Faults,
  system: PartnerSystem<Ops, Caller>,
): void {
  const { invalidStatus = 400 } = system;
  for (const [key, operation] of Object.entries(system.operations) as [keyof Ops & string, Operation][]) {
    const handle = system.handlers[key] as (request: unknown, caller: Caller) => unknown;
    const members = memberReader(operation);
    const schema: z.ZodType = system.requests?.[key] ?? operation.request;
    const failure = (status: number, error: string, fields: readonly FieldProblem[] = []): Answer => ({
      status,
      body: system.envelope(operation, { status, data: null, error, fields }),
    });
    const perform = async (request: FastifyRequest): Promise<Answer> => {
      const admission = system.admit(request, operation);
      if ('refused' in admission) return admission.refused;
      const checked = schema.safeParse(await members(request));
      if (!checked.success) {
        return failure(invalidStatus, 'Validation failed', fieldProblems(checked.error));
      }
      try {
        const data = await handle(checked.data, admission.caller);
        if (data instanceof FileAnswer) {
          return { status: 200, contentType: data.contentType, body: data.content };
        }
        if (operation.answer === 'none') return { status: 204, body: '' };
        return {
          status: 200,
          body: system.envelope(operation, { status: 200, data, error: null, fields: [] }),
        };
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal;
        return failure(refusal.status, refusal.message, refusal.fields);
      }
    };
    const errorBody = (status: number) => failure(status, STATUS_LABELS[status] ?? 'fault').body;
    const move = async (request: FastifyRequest, meanwhile: Meanwhile) =>
      system.move?.(await members(request), meanwhile);
    const isWrite = operation.effect !== 'read' && !operation.anonymous;
    const called = { system: system.name, operation: operationName(key), isWrite };
    server.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: withFaults(faults, called, { perform, errorBody, move }),
    });
  }
}
