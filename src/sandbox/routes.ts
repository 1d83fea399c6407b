import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Operation, type Operations, operationName } from '../partners/catalogue.js';
import { fieldProblems } from '../partners/client.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { type Answer, type Meanwhile, withFaults } from './fault-injection.js';
import type { Faults } from './faults.js';

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
export class FileResponse {
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
    const members = fieldReader(operation);
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
        if (data instanceof FileResponse) {
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

/** What reads a request's members from path, query and body, as the catalogue names and types them. */
export function fieldReader(operation: Operation) {
  // Made at the first call: a JSON Schema for each of a hundred operations is most of what a start would cost.
  let known: KnownMembers | undefined;

  function fromText(texts: unknown): [string, unknown][] {
    return Object.entries(texts as Record<string, string | string[]>).map(([spelling, text]) => {
      known ??= knownMembers(operation);
      const name = known.names.get(spelling.toLowerCase()) ?? spelling;
      return [name, typed(known.types.get(name), text)];
    });
  }

  return async (request: FastifyRequest): Promise<Record<string, unknown>> => {
    const content = operation.encoding === 'multipart' ? await multipartMembers(request) : request.body;
    const body = typeof content === 'object' ? content : {};
    return { ...body, ...Object.fromEntries([...fromText(request.query), ...fromText(request.params)]) };
  };
}

interface KnownMembers {
  /** JSON types by name. */
  readonly types: ReadonlyMap<string, string | undefined>;
  /** Names by their spelling in lower case: the real services take `ID` for `id` (apis/4). */
  readonly names: ReadonlyMap<string, string>;
}

function knownMembers({ request }: Operation): KnownMembers {
  const types = memberTypes(z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }));
  return { types, names: new Map([...types.keys()].map((name) => [name.toLowerCase(), name])) };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The JSON types of an object's members, by their names; of a union, those of all its forms. */
function memberTypes({ properties = {}, anyOf = [] }: JsonSchema): Map<string, string | undefined> {
  const own = Object.entries(properties).map(([name, member]): [string, string | undefined] => [
    name,
    typeof member === 'object' && typeof member.type === 'string' ? member.type : undefined,
  ]);
  const alternatives = anyOf.flatMap((form) => (typeof form === 'object' ? [...memberTypes(form)] : []));
  return new Map([...alternatives, ...own]);
}

/** What text in a query or path stands for. Text that does not fit stays text, for the schema to refuse. */
function typed(type: string | undefined, text: string | string[]): unknown {
  if (type === 'array') return [text].flat();
  if (typeof text !== 'string') return text;
  if ((type === 'integer' || type === 'number') && /^-?\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

async function multipartMembers(request: FastifyRequest): Promise<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  if (!request.isMultipart()) return members;
  for await (const part of request.parts()) {
    if (part.type === 'field') members[part.fieldname] = part.value;
    else {
      const content = new Uint8Array(await part.toBuffer());
      members[part.fieldname] = { fileName: part.filename, contentType: part.mimetype, content };
    }
  }
  return members;
}

/** A call that the sandbox refuses, as the partner's contract says. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    /** HTTP status. */
    readonly status: number,
    message: string,
    readonly fields: readonly FieldProblem[] = [],
  ) {
    super(message);
  }
}

/** What a caller is told whose request the schema lets pass, but not the state of things. */
export function invalid(field: string, message: string): Refusal {
  return new Refusal(400, 'One or more fields are invalid', [{ field, message }]);
}

/** What callers of a system show that has keys in place of users: the name is the key, unless one is set for all. */
export function isKey(name: string, shown: string | undefined, password?: string): boolean {
  return shown === (password ?? name);
}

/** The token of an `Authorization` header; undefined when it is no Bearer token. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
}

/** What the sandbox's own controls answer about a thing that is not there. */
export function notFound(reply: FastifyReply, thing: string): FastifyReply {
  return reply.code(404).send({ error: `no such ${thing}` });
}

/** What they answer to a body that does not fit. */
export function invalidControl(reply: FastifyReply, error: z.ZodError): FastifyReply {
  return reply.code(400).send({ error: 'invalid', fields: fieldProblems(error) });
}
