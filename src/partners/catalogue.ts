import { Readable } from 'node:stream';
import { z } from 'zod';
import type { PartnerErrorKind } from './partner-error.js';

/**
 * The effect of a call, which decides who may repeat it. `read` changes nothing. `idempotent` leaves the same state however often
 * it runs. `once` has no idempotency key, so a second call may take effect twice: only a person or evidence decides about a repeat.
 */
export type Effect = 'read' | 'idempotent' | 'once';

/**
 * Why a POST may be repeated, although HTTP allows that only for GET, PUT and DELETE. A key is the request field by which the
 * partner recognizes a repeat.
 */
export type Repeatable = 'searches' | 'sets a value' | 'finds what exists' | 'has a key' | 'signs in';

/**
 * `documented`: the partner's contract has the shape. `assumed`: the contract only names the operation, see docs/partner-apis.md.
 */
type Provenance = 'documented' | 'assumed';

/**
 * Where `gangway probe` gets a request field: its option `--merchant` or `--profile`, the response to another read (a dotted name,
 * in the first record that has it), or the catalogue.
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
 * An operation of a partner API. The typed client, the sandbox's routes, the OpenAPI documents and docs/partner-apis.md derive from
 * it.
 */
export interface Operation<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType> {
  /** Heading in the partner's contract, such as `B3`, if any. */
  readonly reference?: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the partner's base URL. `{name}` is replaced by the request field of that name. */
  readonly path: string;
  /** Request fields in the query. All other fields that are not in the path form the body. */
  readonly query?: readonly string[];
  /** The body's encoding. Default: `json`. In `multipart`, a {@link FilePart} becomes a file part. */
  readonly encoding?: 'json' | 'multipart';
  /** The partner requires a body even without fields: `{}`. */
  readonly sendsEmptyBody?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly anonymous?: true;
  /**
   * The content of the response. Default: `json`. A `stream` is a file, and the method returns a {@link Download}; `none` is a 204.
   */
  readonly returns?: 'json' | 'stream' | 'none';
  /** Reads numbers that a double cannot hold as `bigint`, so they can be sent back unchanged. Default: a string of digits. */
  readonly exactNumbers?: true;
  /** The response contains our credential, which is masked in every other response. */
  readonly issuesCredential?: true;
  /** Response fields without customer data, whose texts a recording keeps. Default: none. */
  readonly openFields?: readonly string[];
  /** The maximum size of a response, in bytes. Default: 1 MiB. A stream has the client's own limit. */
  readonly maxBytes?: number;
  /** Successful statuses outside 2xx, each with its payload. */
  readonly statusPayloads?: Readonly<Record<number, unknown>>;
  readonly failures?: Readonly<Record<number, FailureMeaning>>;
  readonly effect: Effect;
  /** Only for a POST, where it is required unless the effect is `once`. */
  readonly repeats?: Repeatable;
  /** For a read with required fields: where a probe gets each. The first source with a value is used. */
  readonly probe?: Readonly<Record<string, readonly ProbeSource[]>>;
  /** No operation undoes it: it moves money, closes or deletes something, or sends an application. */
  readonly irreversible?: true;
  /** Default: `documented` with a `reference`, otherwise `assumed`. */
  readonly provenance?: Provenance;
  /** The response field with the ID of the created record. In a refusal, it shows that the partner saved the record. */
  readonly makes?: string;
  /** The response field that repeats the request's `id`. Default: `id`. */
  readonly idInResponse?: string;
  /** A 404 means that there is no such record, not that the request is wrong. */
  readonly mayFindNothing?: true;
  /** A workflow calls it. A test compares these marks with the code. */
  readonly inWorkflows?: true;
  readonly deprecated?: string;
  /** The known fields of the request. Other fields are sent unchanged, with a warning that names them. */
  readonly knownFields?: readonly string[];
  /** Every rule of the contract, checked before sending, so invalid input costs no call. */
  readonly request: Request;
  /** The payload of the response without its envelope. Tolerates unknown fields and values. */
  readonly response: Response;
}

export interface FailureMeaning {
  /** For people. It becomes the first problem of the failure. */
  readonly message: string;
  /** The kind of the failure, if it differs from the kind of its status. */
  readonly kind?: PartnerErrorKind;
}

export interface FilePart {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** A file from the partner, streamed. The caller must read or destroy `body`. */
export interface Download {
  /** MIME type from the partner; '' if there is none. */
  readonly contentType: string;
  /** Ends with a `PartnerError` if the file is incomplete. */
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

/** The maximum response size, in bytes, of operations whose responses are unusually short or long. */
export const RESPONSE_BYTES = {
  status: 64 * 1024,
  list: 2 * 1024 * 1024,
  everything: 8 * 1024 * 1024,
} as const;

export type Operations = Readonly<Record<string, Operation>>;

/** A request without fields. */
export const nothing = z.strictObject({});

/** A response that may be empty, or whose shape the contract does not show. It is kept unchanged; an empty one reads as null. */
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
 * Builds the entry of an operation from its route (`GET /api/v1/agentProfiles`) and its other facts. Default: a request without
 * fields, and any response.
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

/** Caches a catalogue that differs between accounts, by wording, because building its schemas takes longer than many requests. */
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

/** Returns a catalogue key (`getStatus`) as people and the ledger spell it (`get-status`). */
export function operationName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function operationOf(operations: Operations, name: string): [key: string, Operation] | undefined {
  return Object.entries(operations).find(([key]) => operationName(key) === name);
}

/** Returns a warning that names the unknown fields of a request; undefined if all are known. */
export function unknownFieldsWarning({ knownFields }: Operation, request: unknown): string | undefined {
  const unknown = Object.keys(request as object).filter((field) => knownFields?.includes(field) === false);
  return unknown.length > 0 ? `unknown fields are sent unchanged: ${unknown.join(', ')}` : undefined;
}

export function pathParameters(operation: Pick<Operation, 'path'>): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}
