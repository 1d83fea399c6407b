import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Context, Placeholders } from '../platform/privacy/placeholders.js';
import { BadSetting } from '../platform/settings/settings.js';
import type { FilePart, Operation } from './catalogue.js';
import { encode, isFilePart } from './encoding.js';
import type { Exchange, ExchangeEnd, ObservedCall, PartnerObserver } from './exchange-observers.js';
import type { HttpResponse } from './http.js';
import { writeExactly } from './json.js';
import { parseJsonBody } from './responses.js';

export const recordSettings = z.object({
  GANGWAY_RECORD: z.string().optional().meta({
    description: 'Folder for a [recording](commands.md#recordings) of the exchanges with partners.',
    format: 'folder',
    unset: 'no recording',
  }),
});

const KEPT_HEADERS = ['accept', 'content-type', 'date', 'retry-after'];

/** The longest plain-text message that a recording keeps, in bytes. Drops the content of longer texts, which are pages. */
const MESSAGE_BYTES = 500;

/** The content of a response. A file has no text: its comment has the length and a keyed hash. */
interface Content {
  readonly text?: string;
  readonly comment?: string;
}

/** HAR fields that are the same in every request and response. */
const MESSAGE = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };

/** One observer for each folder, so that a value has the same placeholder in all recordings of this process. */
const recordings = new Map<string, PartnerObserver>();

/**
 * Records exchanges in a folder, each in a HAR file that is complete as soon as it exists. So a killed process leaves no torn file,
 * and several processes can share a folder. A failed recording becomes a process warning.
 *
 * @throws {BadSetting} if the folder cannot be created
 */
export function recordingIn(folder: string): PartnerObserver {
  const entry = recordings.get(folder);
  if (entry) return entry;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new BadSetting(
      'GANGWAY_RECORD',
      `${folder} cannot be made (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  const recording = new Recording(folder);
  const observer: PartnerObserver = (exchange, call) => recording.begin(exchange, call);
  recordings.set(folder, observer);
  return observer;
}

class Recording {
  readonly #placeholders = new Placeholders();
  /** Distinguishes the files of this process from those of others. */
  readonly #mark = randomBytes(4).toString('hex');
  #exchanges = 0;

  constructor(private readonly folder: string) {}

  begin({ system, operation: name }: Exchange, call: ObservedCall): ReturnType<PartnerObserver> {
    const started = new Date().toISOString();
    const since = performance.now();
    // Mask the request first, because texts in the response may repeat it.
    const request = this.#request(system, call);
    const keep = (response: object) => {
      const time = Math.round(performance.now() - since);
      this.#write(`${system}-${name}`, started, {
        startedDateTime: started,
        time,
        request,
        response,
        cache: {},
        timings: { send: 0, wait: time, receive: 0 },
        comment: `${system} ${name}`,
      });
    };
    return (end, response) => {
      if ('failure' in end) return keep(responseOf({ status: 0, headers: {} }, 0, {}, end));
      if (!response) return;
      if ('body' in response)
        return keep(responseOf(response, response.body.byteLength, this.#content(response, call)));
      let bytes = 0;
      const hash = this.#placeholders.hash();
      response.eachChunk((chunk) => {
        if (chunk) {
          bytes += chunk.byteLength;
          hash.update(chunk);
        } else keep(responseOf(response, bytes, { comment: fileComment(bytes, hash.digest('hex')) }));
      });
    };
  }

  #request(system: string, { operation, request, secrets }: ObservedCall): object {
    const context = { ...contextOf(operation), secrets: secrets() };
    const fields = Object.entries(request as Record<string, unknown>);
    const files = fields.filter((field): field is [string, FilePart] => isFilePart(field[1]));
    const others = fields.filter(([, value]) => !isFilePart(value));
    const left = this.#placeholders.replaced(Object.fromEntries(others), context) as Record<string, unknown>;
    const wire = encode(operation, left);
    const body = 'body' in wire ? wire.body : undefined;
    const url = new URL(`https://${system}.invalid${wire.path}`);
    const common = {
      method: operation.method,
      url: url.href,
      ...MESSAGE,
      headers: keptHeaders(wire.headers),
      queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
    };
    if (typeof body === 'string') {
      const postData = { mimeType: 'application/json', text: body };
      return { ...common, postData, bodySize: Buffer.byteLength(body) };
    }
    if (body === undefined) return { ...common, bodySize: 0 };
    const texts = [...body].flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []));
    const params = [...files.map(([name, file]) => this.#part(name, file)), ...texts];
    return { ...common, postData: { mimeType: 'multipart/form-data', params }, bodySize: -1 };
  }

  #part(name: string, { fileName, contentType, content }: FilePart): object {
    const ending = /\.\w{1,8}$/.exec(fileName)?.[0] ?? '';
    const comment = fileComment(content.byteLength, this.#placeholders.digest(content));
    return { name, fileName: this.#placeholders.placeholder(fileName) + ending, contentType, comment };
  }

  #content({ status, headers, body }: HttpResponse, { operation, secrets }: ObservedCall): Content {
    const text = body.toString('utf8');
    if (text === '') return { text };
    const context = { ...contextOf(operation), isResponse: true, secrets: secrets() };
    const json = parseJsonBody(body, { exactNumbers: true });
    if (json !== undefined) return { text: writeExactly(this.#placeholders.replaced(json, context)) };
    const type = typeOf(headers);
    const isMessage = status >= 400 && type.startsWith('text/plain') && body.byteLength <= MESSAGE_BYTES;
    if (isMessage) return { text: String(this.#placeholders.replaced(text, context, '', true)) };
    return { comment: fileComment(body.byteLength, this.#placeholders.digest(body)) };
  }

  /**
   * Writes a HAR 1.2 file (http://www.softwareishard.com/blog/har-12-spec/). The creator's version is the version of our masking
   * rules.
   */
  #write(name: string, started: string, entry: object): void {
    this.#exchanges += 1;
    const number = String(this.#exchanges).padStart(6, '0');
    const file = join(this.folder, `${started.replace(/[-:]/g, '')}-${this.#mark}-${number}-${name}.har`);
    const har = { log: { version: '1.2', creator: { name: 'gangway', version: '1' }, entries: [entry] } };
    try {
      writeFileSync(`${file}.part`, `${JSON.stringify(har, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(`${file}.part`, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      process.emitWarning(`an exchange is not recorded: ${this.folder} cannot be written (${code})`);
    }
  }
}

function contextOf({ anonymous, issuesCredential, openFields }: Operation): Context {
  return { isSignIn: (anonymous ?? issuesCredential) === true, ...(openFields && { openFields }) };
}

function fileComment(bytes: number, hash: string): string {
  return `${bytes} bytes, keyed hash ${hash}`;
}

function keptHeaders(headers: HttpResponse['headers']) {
  return Object.entries(headers).flatMap(([name, value]) =>
    KEPT_HEADERS.includes(name.toLowerCase()) && value !== undefined ? [{ name, value: String(value) }] : [],
  );
}

function typeOf(headers: HttpResponse['headers']): string {
  return String(headers['content-type'] ?? '');
}

/** `_sent` is false if certainly no byte of the request was sent. */
function responseOf(
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  size: number,
  content: Content,
  failed?: Extract<ExchangeEnd, { readonly failure: unknown }>,
): object {
  return {
    status,
    statusText: '',
    ...MESSAGE,
    headers: keptHeaders(headers),
    content: { size, mimeType: typeOf(headers), ...content },
    redirectURL: '',
    bodySize: size,
    ...(failed && { _error: failed.code, _sent: failed.failure === 'Uncertain' }),
  };
}
