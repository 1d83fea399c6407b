import { Readable } from 'node:stream';
import { z } from 'zod';
import type { PartnerErrorKind } from './partner-error.js';

/**
 * The effect of a repeated call, which decides who may repeat it. `read` changes nothing. `idempotent` leaves the same state
 * however often it runs. `once` has no idempotency key: a second call may do it twice, so only a person or a read decides.
 */
export type Effect = 'read' | 'idempotent' | 'once';

/**
 * The reason why a POST may be repeated. By HTTP, a GET reads, a PUT and a DELETE may be repeated, and a POST may not. A key is the
 * field of the request by which the partner recognizes a repetition.
 */
export type Repeatable = 'searches' | 'sets a value' | 'finds what exists' | 'has a key' | 'signs in';

/** `documented`: as printed in the partner's contract. `assumed`: named there without a shape, see docs/partner-apis.md. */
type Provenance = 'documented' | 'assumed';

/**
 * The source from which `gangway probe` gets a field of a request: its option `--merchant` or `--profile`, the response to another
 * read (a dotted name, of the first record that has it), or the catalogue itself.
 */
export type ProbeSource =
  | 'merchant'
  | 'profile'
  | {
      readonly operation: string;
      readonly field: string;
      /** The request takes a list. */
      readonly isList?: true;
    }
  | { readonly value: () => unknown };

export function from(operation: string, field: string) {
  return { operation, field } as const;
}

/**
 * An operation of a partner API. Its address and shapes are only here: the typed client, the routes of the sandbox, the OpenAPI
 * documents and docs/partner-apis.md are made from it.
 */
export interface Operation<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType> {
  /** Heading in the partner's contract, such as `B3`, when it has one. */
  readonly reference?: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the partner's base URL; `{name}` stands for the request field of that name. */
  readonly path: string;
  /** Request fields in the query. Fields that are neither there nor in the path are the body. */
  readonly query?: readonly string[];
  /** The body's encoding. Default: `json`. In `multipart`, a {@link FilePart} becomes a file part. */
  readonly encoding?: 'json' | 'multipart';
  /** The partner requires a body even when no field is given: `{}`. */
  readonly sendsEmptyBody?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly anonymous?: true;
  /**
   * The content of the response. Default: `json`. A `stream` is a file, and the method returns a {@link Download}; `none` is a 204.
   */
  readonly returns?: 'json' | 'stream' | 'none';
  /**
   * Numbers that a double cannot hold are read as `bigint`, so that they can be sent back unchanged. Default: the text
   * of their digits.
   */
  readonly exactNumbers?: true;
  /** The response holds our credential, which is masked in every other response. */
  readonly issuesCredential?: true;
  /** Fields of the response that name things of no customer, so that a recording keeps their texts. Default: none. */
  readonly openFields?: readonly string[];
  /** The longest response, in bytes. Default: 1 MiB. The client has a limit of its own for a stream. */
  readonly maxBytes?: number;
  /** Statuses outside the 2xx that are successes, each with its payload. */
  readonly statusPayloads?: Readonly<Record<number, unknown>>;
  readonly failures?: Readonly<Record<number, FailureMeaning>>;
  readonly effect: Effect;
  /** Only for a POST, and required there, unless its effect is `once`. */
  readonly repeats?: Repeatable;
  /** For a read whose request needs fields: the sources of each for a probe. The first source that has a value is used. */
  readonly probe?: Readonly<Record<string, readonly ProbeSource[]>>;
  /** No other operation undoes it: money moves, something is closed or deleted, an application is sent. */
  readonly irreversible?: true;
  /** Default: `documented` with a `reference`, otherwise `assumed`. */
  readonly provenance?: Provenance;
  /** The response field with the ID of the record that the operation creates. In a refusal, it shows that the partner saved it. */
  readonly makes?: string;
  /** The field of the response with the ID that the request has as `id`. Default: `id`. */
  readonly idInResponse?: string;
  /** A 404 means that there is no such thing, and not that the request is wrong. */
  readonly mayFindNothing?: true;
  /** A workflow calls it. A test compares these marks with the code. */
  readonly inWorkflows?: true;
  readonly deprecated?: string;
  /** The known fields of the request. Other fields are sent unchanged, with a warning that names them. */
  readonly knownFields?: readonly string[];
  /** Every rule of the contract, checked before sending so that invalid input costs no call. */
  readonly request: Request;
  /** The payload of the response without its envelope; tolerant of unknown fields and values. */
  readonly response: Response;
}

export interface FailureMeaning {
  /** For people who read the failure; it becomes the first of its fields. */
  readonly message: string;
  /** The kind of the failure, where that differs from the kind of its status. */
  readonly kind?: PartnerErrorKind;
}

export interface FilePart {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** A file from the partner, which is not kept in memory. The caller reads it, or destroys `body`. */
export interface Download {
  /** MIME type from the partner; '' if there is none. */
  readonly contentType: string;
  /** Ends with a `PartnerError` if the partner does not send all of it. */
  readonly body: Readable;
}

export function isDownload(response: unknown): response is Download {
  return (
    typeof response === 'object' &&
    response !== null &&
    'body' in response &&
    response.body instanceof Readable
  );
}

/** The longest response, in bytes, of operations whose responses are shorter or longer than usual. */
export const RESPONSE_BYTES = {
  status: 64 * 1024,
  list: 2 * 1024 * 1024,
  everything: 8 * 1024 * 1024,
} as const;

export type Operations = Readonly<Record<string, Operation>>;

/** A request without fields. */
export const nothing = z.strictObject({});

/** A response that may be empty, or whose shape the contract does not show: kept unchanged; an empty one reads as null. */
export const anyResponse = z.unknown().transform((response) => response ?? null);

const DEFAULTS = { request: nothing, response: anyResponse };

type Shapes = keyof typeof DEFAULTS;

/** The methods of each effect. */
interface Methods {
  readonly read: 'GET' | 'POST';
  readonly idempotent: 'POST' | 'PUT' | 'DELETE';
  readonly once: 'POST' | 'PUT' | 'DELETE';
}

type Repeats<Kind extends Effect, Method> = [Kind, Method] extends ['read' | 'idempotent', 'POST']
  ? { readonly repeats: Repeatable }
  : { readonly repeats?: never };

/**
 * The entry of an operation with this effect, from its route (`GET /api/v1/agentProfiles`) and its other facts. Default: a request
 * without fields, and any response.
 */
const entry =
  <Kind extends Effect>(effect: Kind) =>
  <
    const Method extends Methods[Kind],
    const Path extends string,
    const Facts extends Omit<Operation, 'method' | 'path' | 'effect' | Shapes> &
      Partial<Pick<Operation, Shapes>>,
  >(
    route: `${Method} ${Path}`,
    facts: Facts & Repeats<Kind, Method>,
  ) => {
    const [method, path] = route.split(' ') as [Method, Path];
    const provenance: Provenance = facts.reference === undefined ? 'assumed' : 'documented';
    const shapes = DEFAULTS as Omit<typeof DEFAULTS, keyof Facts>;
    return { provenance, ...shapes, ...facts, method, path, effect };
  };

export const read = entry('read');
export const idempotent = entry('idempotent');
export const once = entry('once');

/** A catalogue that differs between accounts, made once for each wording: its schemas take longer than many requests. */
export function madeOnce<Wording, Ops extends Operations>(
  make: (wording?: Wording) => Ops,
): (wording?: Wording) => Ops {
  const cache = new Map<string | undefined, Ops>();
  return (wording) => {
    const key = JSON.stringify(wording);
    const operations = cache.get(key) ?? make(wording);
    cache.set(key, operations);
    return operations;
  };
}

/** A catalogue key (`getStatus`) as people and the ledger spell it (`get-status`). */
export function operationName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function operationOf(operations: Operations, name: string): [key: string, Operation] | undefined {
  return Object.entries(operations).find(([key]) => operationName(key) === name);
}

/** A warning that names the unknown fields of a request; undefined if all are known. */
export function unknownFieldsWarning({ knownFields }: Operation, request: unknown): string | undefined {
  const unknown = Object.keys(request as object).filter((field) => knownFields?.includes(field) === false);
  return unknown.length > 0 ? `unknown fields are sent unchanged: ${unknown.join(', ')}` : undefined;
}

export function pathParameters(operation: Pick<Operation, 'path'>): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}
