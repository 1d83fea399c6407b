import { STATUS_CODES } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Operation, type Operations, operationName } from '../../partners/catalogue.js';
import { parseExactly } from '../../partners/json.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { fieldProblems } from '../../partners/schema-messages.js';
import { alternativesOf, type Shape, shapeOf } from '../../platform/schemas/shape.js';
import type { Answer } from './answer.js';
import { type Behavior, type Meanwhile, withFaults } from './faults.js';
import type { Fields } from './habits/habit.js';
import type { Ledger } from './ledger.js';
import type { Pace } from './scenario.js';

/** Merchants as other partners see them. No contract says how a banking profile is tied to one. */
export interface Merchants {
  idsNamed(businessName: string): readonly number[];
  /** Returns the merchant, or a later one of the same customer. */
  latestLike(merchantProfileId: number): number;
}

export interface World extends Behavior {
  readonly ledger: Ledger;
  readonly pace: () => Pace;
  readonly tokenLifetimeMs: number;
  /** The password of every user, or the key, for a partner with keys instead of users. Default: the name of each. */
  readonly password: string | undefined;
  readonly posNames: readonly string[];
  /** The emulated partner that has merchants puts them here. */
  merchants: Merchants;
}

/** One emulated partner. systems.ts lists them. */
export interface EmulatedPartner {
  /** Settings of the partner, besides its URL, that reach the sandbox: `{PLANT_STORE_TOKEN: 'sandbox'}`. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly scenarios: object;
  /** Serves its operations and, below `/sandbox`, the controls for tests and demos. */
  start(server: FastifyInstance, world: World): void;
}

/** An operation without a handler does nothing, and returns the smallest allowed response. */
export type Handlers<Ops extends Operations, Caller> = {
  readonly [Key in keyof Ops]?: (request: z.output<Ops[Key]['request']>, caller: Caller) => unknown;
};

/** An emulated partner: its operations, and the parts that differ between partners. */
export interface PartnerSystem<Ops extends Operations, Caller> {
  /** As in the ledger and in plans of faults: `boarding`. */
  readonly name: string;
  readonly operations: Ops;
  readonly handlers: Handlers<Ops, Caller>;
  /** The request that the partner accepts, where it differs from what our client accepts. Default: that of the catalogue. */
  readonly requests?: { readonly [Key in keyof Ops]?: z.ZodType<z.output<Ops[Key]['request']>> };
  admit(request: FastifyRequest, operation: Operation): Caller;
  /** Changes the thing that a request with these fields is about, as a planned fault asks. */
  move?(fields: Readonly<Record<string, unknown>>, meanwhile: Meanwhile): void;
  /** HTTP status of the response to an invalid request. Default: 400. */
  readonly invalidStatus?: number;
  envelope(operation: Operation, content: Content): object;
}

export interface Content {
  readonly status: number;
  readonly data: unknown;
  readonly error: string | null;
  readonly fields: readonly FieldProblem[];
}

export class FileResponse {
  constructor(
    readonly contentType: string,
    readonly content: Buffer | string,
  ) {}
}

/** `BadRequest` of 400. */
export function statusLabel(status: number): string | undefined {
  return STATUS_CODES[status]?.replaceAll(' ', '');
}

type Int64 = string | number | bigint;

/** On the wire an int64 is a number. Our own callers may write its digits as text. */
export function onTheWire(int64: z.ZodType<bigint, Int64>) {
  return z.custom<Int64>((value) => typeof value !== 'string', 'must be a number').pipe(int64);
}

/**
 * Whole numbers in requests keep their digits. A call without a body may have the content type of JSON, as E15 must.
 *
 * @param invalid the response to a body that is not JSON. Null: it counts as an object without fields
 */
export function readExactJson(server: FastifyInstance, invalid: Error | null): void {
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => {
    try {
      done(null, body === '' ? undefined : parseExactly(String(body)));
    } catch {
      done(invalid, undefined);
    }
  });
}

/** Serves every operation of a catalogue: admits the caller, checks the request, then calls the handler. */
export function partnerRoutes<Ops extends Operations, Caller>(
  server: FastifyInstance,
  world: World,
  system: PartnerSystem<Ops, Caller>,
): void {
  const { invalidStatus = 400 } = system;
  for (const [key, operation] of Object.entries(system.operations) as [keyof Ops & string, Operation][]) {
    const record = (id: number | string) =>
      world.ledger.record({ system: system.name, operation: operationName(key), id });
    const answerLeast = (request: Fields) => {
      if (operation.effect !== 'read') record(String(Object.values(request)[0]));
      return leastOf(shapeOf(operation.response));
    };
    const handle = (system.handlers[key] ?? answerLeast) as (request: unknown, caller: Caller) => unknown;
    const fields = fieldReader(operation);
    const schema: z.ZodType = system.requests?.[key] ?? operation.request;
    const failure = (status: number, error: string, fields: readonly FieldProblem[] = []) =>
      system.envelope(operation, { status, data: null, error, fields });
    const perform = async (request: FastifyRequest, fields: Fields): Promise<Answer> => {
      try {
        const caller = system.admit(request, operation);
        const checked = schema.safeParse(fields);
        if (!checked.success) {
          throw new Refusal(invalidStatus, 'Validation failed', fieldProblems(checked.error));
        }
        const data = await handle(checked.data, caller);
        if (data instanceof FileResponse) {
          return { status: 200, contentType: data.contentType, body: data.content };
        }
        if (operation.returns === 'none') return { status: 204, body: '' };
        const content = { status: 200, data, error: null, fields: [] };
        return { status: 200, body: system.envelope(operation, content) };
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal;
        const { status, message, fields, body } = refusal;
        return { status, body: body ?? failure(status, message, fields) };
      }
    };
    const errorBody = (status: number) => failure(status, statusLabel(status) ?? 'fault');
    const move = async (request: FastifyRequest, meanwhile: Meanwhile) =>
      system.move?.(await fields(request), meanwhile);
    const isWrite = operation.effect !== 'read' && !operation.anonymous;
    const called = { system: system.name, operation: operationName(key), isWrite };
    server.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: withFaults(world, called, { fields, perform, errorBody, move }),
    });
  }
}

/** Returns the smallest response of this shape. */
function leastOf({ types, forms, fields, values, mark, minimum = 0 }: Shape): unknown {
  if ([{ types }, ...forms].some((form) => form.types.includes('null'))) return null;
  if (forms[0]) return leastOf(forms[0]);
  if (types.includes('boolean')) return true;
  if (types.includes('array')) return [];
  if (types.includes('string')) return (mark.names ?? values)?.[0] ?? 'none';
  if (types.includes('integer') || types.includes('number')) return Math.max(0, minimum);
  return Object.fromEntries([...fields].map(([name, field]) => [name, leastOf(field)]));
}

function fieldReader(operation: Operation) {
  // Made at the first call: a JSON Schema for each of a hundred operations is most of what a start would cost.
  let fields: KnownFields | undefined;

  function fromText(texts: unknown): [string, unknown][] {
    return Object.entries(texts as Record<string, string | string[]>).map(([spelling, text]) => {
      fields ??= knownFields(operation);
      const name = fields.names.get(spelling.toLowerCase()) ?? spelling;
      return [name, typed(fields.types.get(name), text)];
    });
  }

  return async (request: FastifyRequest): Promise<Record<string, unknown>> => {
    const content = operation.encoding === 'multipart' ? await multipartFields(request) : request.body;
    const body = typeof content === 'object' ? content : {};
    return { ...body, ...Object.fromEntries([...fromText(request.query), ...fromText(request.params)]) };
  };
}

interface KnownFields {
  readonly types: ReadonlyMap<string, readonly string[]>;
  /** Names by their spelling in lower case: `ID` stands for `id` (docs/partner-apis.md#merchant-boarding-assumptions). */
  readonly names: ReadonlyMap<string, string>;
}

/** Returns the known fields; for a union, those of all alternatives. */
function knownFields({ request }: Operation): KnownFields {
  const fields = alternativesOf(shapeOf(request)).flatMap((form) => [...form.fields]);
  const types = new Map(fields.map(([name, { types }]) => [name, types]));
  return { types, names: new Map([...types.keys()].map((name) => [name.toLowerCase(), name])) };
}

/** The value that text in a query or path stands for. Text that does not fit stays text, which the schema rejects. */
function typed(types: readonly string[] = [], text: string | string[]): unknown {
  const type = types.length === 1 ? types[0] : undefined;
  if (type === 'array') return [text].flat();
  if (typeof text !== 'string') return text;
  if ((type === 'integer' || type === 'number') && /^-?\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

async function multipartFields(request: FastifyRequest): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  if (!request.isMultipart()) return fields;
  for await (const part of request.parts()) {
    if (part.type === 'field') fields[part.fieldname] = part.value;
    else {
      const content = new Uint8Array(await part.toBuffer());
      fields[part.fieldname] = { fileName: part.filename, contentType: part.mimetype, content };
    }
  }
  return fields;
}

/** A call that the sandbox rejects, as the partner's contract defines. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly status: number,
    message: string,
    readonly fields: readonly FieldProblem[] = [],
    /** The body of the response. Default: the partner's envelope with the other values. */
    readonly body?: object,
  ) {
    super(message);
  }
}

/** The refusal of a request that fits the schema but not the present state. */
export function invalidField(field: string, message: string): Refusal {
  return new Refusal(400, 'One or more fields are invalid', [{ field, message }]);
}

export function messagesByField(fields: readonly FieldProblem[]): Readonly<Record<string, string[]>> {
  const errors: Record<string, string[]> = {};
  for (const { field, message } of fields) errors[field] = [...(errors[field] ?? []), message];
  return errors;
}

/** Plain JSON: the payload itself, or problems by field. */
export function plainBody(_: Operation, { data, error, fields }: Content): object {
  return error === null ? (data as object) : { message: error, errors: messagesByField(fields) };
}

/** The key of a caller at a system that has keys in place of users. Default: the caller's name. */
export function isKey(name: string, key: string | undefined, password?: string): boolean {
  return key === (password ?? name);
}

/** Returns the token of an `Authorization` header; undefined if it is not a bearer token. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
}

/** The things of one kind that the sandbox's own controls show and change. */
interface Controlled<Thing, Change> {
  /** `merchant`; they are below `/sandbox/merchants`. */
  readonly kind: string;
  find(id: string): Thing | undefined;
  render?(thing: Thing): object;
  readonly change: z.ZodType<Change>;
  /** Makes the change, as the partner's staff would. @returns the response */
  apply(thing: Thing, change: Change): object;
}

/** `/sandbox/<kind>s/{id}` and `/sandbox/<kind>s/{id}/transition`. */
export function controlsOf<Thing, Change>(
  server: FastifyInstance,
  { kind, find, render, change, apply }: Controlled<Thing, Change>,
): void {
  const notFound = (reply: FastifyReply) => reply.code(404).send({ error: `no such ${kind}` });
  const path = `/sandbox/${kind}s/:id`;
  if (render) {
    server.get<{ Params: { id: string } }>(path, ({ params: { id } }, reply) => {
      const thing = find(id);
      return thing ? render(thing) : notFound(reply);
    });
  }
  server.post<{ Params: { id: string } }>(`${path}/transition`, ({ params: { id }, body }, reply) => {
    const thing = find(id);
    if (!thing) return notFound(reply);
    const wanted = change.safeParse(body);
    return wanted.success ? apply(thing, wanted.data) : invalidControl(reply, wanted.error);
  });
}

export function invalidControl(reply: FastifyReply, error: z.ZodError): FastifyReply {
  return reply.code(400).send({ error: 'invalid', fields: fieldProblems(error) });
}
