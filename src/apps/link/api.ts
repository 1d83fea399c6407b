import type { Logger } from 'pino';
import { z } from 'zod';
import { Deadline, retryAfterMs } from '../../platform/http/deadline.js';
import { fetchThroughProxy } from '../../platform/http/proxy.js';
import { errorKind } from '../../platform/http/server.js';
import { isTimeZone } from '../../services/texts/time.js';
import { type Language, languageIn } from './texts.js';

/** The HTTP API's calls for a link. This process can do nothing else. */

const language = z.string().transform((code): Language => languageIn(code));
const texts = z.record(z.string(), z.string());

const document = z.object({ id: z.int(), fileName: z.string(), at: z.iso.datetime({ offset: true }) });

const question = z.object({
  state: z.enum(['open', 'received', 'sent-back']),
  language,
  zone: z.string().refine(isTimeZone).optional().catch(undefined),
  dba: z.string().optional(),
  text: z.string(),
  wants: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text') }),
    z.object({ kind: z.literal('documents'), names: z.array(z.string()) }),
    z.object({
      kind: z.literal('fields'),
      fields: z.array(z.object({ name: z.string(), label: z.string() })),
    }),
  ]),
  expiresAt: z.iso.datetime({ offset: true }),
  documents: z.array(document),
  began: z.boolean(),
  revision: z.int(),
  answer: z
    .object({ text: z.string(), values: texts, documents: z.array(z.int()), remark: z.string() })
    .partial()
    .optional(),
  message: z.string().optional(),
});

const link = z.discriminatedUnion('state', [
  question,
  z.object({ state: z.literal('code'), language, attemptsLeft: z.number() }),
  z.object({
    state: z.literal('closed'),
    language,
    why: z.enum(['answered', 'received', 'handled', 'over', 'expired', 'revoked', 'locked']),
  }),
]);

/** A field's name: `city` for `answer.values.city`. */
const field = z.string().transform((path) => path.replace(/^answer\.(?:values\.)?/, ''));
const problem = z.object({
  type: z.string().default(''),
  errors: z.array(z.object({ field, message: z.string() })).default([]),
});

export type Question = z.output<typeof question>;
export type Link = z.output<typeof link>;
export type FieldErrors = z.output<typeof problem>['errors'];

/** A merchant's answer: one of the first three fields, as requested, and a remark. */
export type Filled = NonNullable<Question['answer']>;

/** The visitor: the parts of a link's address, and of a cookie. */
export interface Key {
  readonly name: string;
  readonly token: string;
  readonly session?: string | undefined;
}

/** Thrown to respond with the page for an HTTP status. */
export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly status: number,
    /** The request may have taken effect. */
    readonly isUnsure = false,
    readonly errors: FieldErrors = [],
    readonly retryAfterS = 10,
  ) {
    super(`${status}`);
  }
}

/** Refusals of a merchant's request. All others are our errors, or temporary. */
const FOR_MERCHANTS = [404, 409, 413, 415, 422];

const CALL_MS = 15_000;
const LONGEST_RETRY_S = 600;

/** @throws {Failure} from each method */
export class LinkApi {
  constructor(
    private readonly at: { readonly url: string; readonly token: string },
    private readonly logger: Logger,
  ) {}

  read(key: Key): Promise<Link> {
    return this.#post(key, 'read', link);
  }

  enter(key: Key, code: string) {
    return this.#post(key, 'enter', z.object({ state: z.string() }), { code });
  }

  begin(key: Key) {
    return this.#post(key, 'begin', z.unknown());
  }

  propose(key: Key, { text, documents, values, remark }: Filled) {
    const answer = documents
      ? { kind: 'documents', documents }
      : values
        ? { kind: 'fields', values }
        : { kind: 'text', text };
    return this.#post(key, 'propose', z.unknown(), { answer, ...(remark && { remark }) });
  }

  /** Streams a file. */
  upload({ name, token, session }: Key, fileName: string, file: AsyncIterable<Buffer>, ms: number) {
    const boundary = `link-${crypto.randomUUID()}`;
    const headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'link-token': token,
      ...(session && { 'link-session': session }),
    };
    const body = oneFile(boundary, fileName, file);
    return this.#call(name, 'documents', document, { headers, body, duplex: 'half' }, ms);
  }

  #post<Shape extends z.ZodType>({ name, ...key }: Key, action: string, shape: Shape, more: object = {}) {
    const headers = { 'content-type': 'application/json' };
    return this.#call(name, action, shape, { headers, body: JSON.stringify({ ...key, ...more }) });
  }

  async #call<Shape extends z.ZodType>(
    name: string,
    action: string,
    shape: Shape,
    { headers, ...rest }: { readonly headers: object; readonly body: unknown; readonly duplex?: 'half' },
    ms = CALL_MS,
  ): Promise<z.output<Shape>> {
    const isWrite = action !== 'read';
    const deadline = new Deadline({ ms });
    try {
      const response = await fetchThroughProxy(`${this.at.url}/v1/links/${name}/${action}`, {
        method: 'POST',
        redirect: 'error',
        signal: deadline.signal,
        ...rest,
        headers: { ...headers, authorization: `Bearer ${this.at.token}` },
      });
      const json: unknown = await response.json();
      if (response.ok) return shape.parse(json);
      const { data } = problem.safeParse(json);
      const retryS = Math.ceil((retryAfterMs(response.headers.get('retry-after')) ?? 10_000) / 1_000);
      const isOurs = !FOR_MERCHANTS.includes(response.status);
      if (isOurs) this.logger.error({ action, status: response.status }, 'the API refused a request');
      throw new Failure(
        isOurs ? 503 : response.status,
        // Any other refusal comes before anything is stored or sent.
        isWrite && response.status >= 500 && !data?.type.endsWith(':documents-unavailable'),
        data?.errors,
        Math.min(retryS, LONGEST_RETRY_S),
      );
    } catch (error) {
      if (error instanceof Failure) throw error;
      this.logger.warn({ action, kind: errorKind(error) }, 'the API did not respond as it should');
      throw new Failure(503, isWrite);
    } finally {
      deadline.release();
    }
  }
}

/** Yields a form with one file. Encodes its name like browsers, so it cannot end the header. Keeps the end, which has the type. */
async function* oneFile(boundary: string, fileName: string, file: AsyncIterable<Buffer>) {
  const name = fileName.slice(-200).replace(/["\r\n]/g, encodeURIComponent);
  const disposition = `form-data; name="file"; filename="${name}"`;
  const type = 'content-type: application/octet-stream';
  yield Buffer.from(`--${boundary}\r\ncontent-disposition: ${disposition}\r\n${type}\r\n\r\n`);
  yield* file;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}
