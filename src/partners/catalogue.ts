import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { PartnerErrorKind } from './partner-error.js';

/**
 * What a repeated call does, which decides who may repeat it:
 * `read` changes nothing; `idempotent` leaves the same state however often it runs; `once` has no
 * idempotency key, so a second call may do it twice and only a person or a read may decide.
 */
export type Effect = 'read' | 'idempotent' | 'once';

/** `documented`: as printed in the partner's contract. `assumed`: named there without a shape, see docs/partner-apis.md. */
export type Provenance = 'documented' | 'assumed';

/**
 * One operation of a partner API. The catalogue is the single place that knows its address and its shapes: the
 * typed client, the sandbox's routes, the OpenAPI documents and the docs table are all made from it.
 */
export interface Operation<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType> {
  /** Heading in the partner's contract, such as `B3`, when it has one. */
  readonly reference?: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the partner's base URL; `{name}` stands for the request member of that name. */
  readonly path: string;
  /** Request members that travel in the query; all that is neither there nor in the path is the body. */
  readonly query?: readonly string[];
  /** The body's encoding: `json` unless said otherwise. In `multipart`, a {@link FilePart} becomes a file part. */
  readonly encoding?: 'json' | 'multipart';
  /** The partner wants a body even when no member is given: `{}`. */
  readonly sendsEmptyBody?: true;
  /** Headers that the contract prints for this operation. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Goes without credentials, as asking for a token does. */
  readonly anonymous?: true;
  /**
   * What comes back: `json` unless said otherwise. A `stream` is a file, and the method answers a {@link Download};
   * `none` is a 204.
   */
  readonly answer?: 'json' | 'stream' | 'none';
  /** Numbers that a double does not hold come as a `bigint`, to be sent back as they are. Default: as the text of their digits. */
  readonly exactNumbers?: true;
  /** The response is a credential of ours, which is masked in every other one. */
  readonly issuesCredential?: true;
  /** The longest response, in bytes: 1 MiB unless said otherwise. A stream is bounded by the client. */
  readonly maxBytes?: number;
  /** Statuses outside the 2xx that are answers and no failures, each with the payload it stands for. */
  readonly statusAnswers?: Readonly<Record<number, unknown>>;
  /** Statuses of failure that mean something of their own here. */
  readonly failures?: Readonly<Record<number, FailureMeaning>>;
  readonly effect: Effect;
  /** No other operation takes it back: money that moves, what is closed or deleted, an application that goes out. */
  readonly irreversible?: true;
  readonly provenance: Provenance;
  /** Present on deprecated operations: what to use instead. */
  readonly deprecated?: string;
  /** The request's fields as far as they are known. Others are sent as they are, with a warning that names them. */
  readonly knownFields?: readonly string[];
  /** Every rule of the contract; checked before sending, so that bad input costs no call. */
  readonly request: Request;
  /** The answer's payload without its envelope; tolerant of unknown members and values. */
  readonly response: Response;
}

/** What a status of failure means for one operation, where it does not speak for itself. */
export interface FailureMeaning {
  /** In words, for whoever reads the failure; it becomes the first of its fields. */
  readonly message: string;
  /** What the failure is, where that differs from what its status is elsewhere. */
  readonly kind?: PartnerErrorKind;
}

/** A file in a multipart request. */
export interface FilePart {
  readonly fileName: string;
  /** MIME type. */
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** A file as it comes from the partner, not kept in memory. Whoever asked for it reads it, or destroys `body`. */
export interface Download {
  /** MIME type as the partner gave it; '' when it gave none. */
  readonly contentType: string;
  /** Breaks off with a `PartnerError` when the partner does. */
  readonly body: Readable;
}

/** Whether an answer is a file. */
export function isDownload(answer: unknown): answer is Download {
  return typeof answer === 'object' && answer !== null && 'body' in answer && answer.body instanceof Readable;
}

/** Longest responses, in bytes, of operations whose responses are short, or may be long. */
export const RESPONSE_BYTES = {
  status: 64 * 1024,
  list: 2 * 1024 * 1024,
  everything: 8 * 1024 * 1024,
} as const;

export type Operations = Readonly<Record<string, Operation>>;

/** A catalogue key (`getStatus`) as people and ledgers spell it (`get-status`). */
export function operationName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Key and entry of the operation that people call `name`. */
export function operationOf(operations: Operations, name: string): [key: string, Operation] | undefined {
  return Object.entries(operations).find(([key]) => operationName(key) === name);
}

/** A warning that names the fields of a request that its operation does not know; undefined when it knows all. */
export function unknownFieldsWarning({ knownFields }: Operation, request: unknown): string | undefined {
  const unknown = Object.keys(request as object).filter((field) => knownFields?.includes(field) === false);
  return unknown.length > 0
    ? `fields that Gangway does not know are sent as they are: ${unknown.join(', ')}`
    : undefined;
}

/** The names in an operation's path template, in order. */
export function pathParameters(operation: Pick<Operation, 'path'>): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}
