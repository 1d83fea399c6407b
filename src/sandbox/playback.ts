import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEUTRAL_SEGMENT } from '../partners/banking/operations.js';
import { type Operation, operationName, pathParameters } from '../partners/catalogue.js';
import { har, type ReadEntry } from '../partners/har.js';
import { parseExactly, writeExactly } from '../partners/json.js';
import { catalogue, type SystemName } from '../partners/systems.js';
import { REMOVED } from '../privacy/placeholders.js';
import { BadSetting } from '../settings/settings.js';
import type { Answer } from './fault-injection.js';
import type { Called } from './faults.js';

/** One recorded exchange. */
interface Played {
  readonly system: SystemName;
  readonly name: string;
  readonly operation: Operation;
  readonly about: string;
  /** Everything in it that may hold an id: address, request and response. */
  readonly text: string;
  readonly request: unknown;
  readonly answer: Answer;
  /** A sign-in that succeeded. A recording has no token, so the emulated partner issues one. */
  readonly isEmulated: boolean;
  isPlayed: boolean;
}

/** The exchanges of one operation about one thing, in the order in which they were recorded. */
interface Sequence {
  readonly exchanges: readonly Played[];
  /** Of a read: the writes that come before each exchange and may have changed what it returns. */
  readonly writes: readonly Played[];
  readonly writesBefore: readonly number[];
  /** The latest that was played; -1 before the first. */
  at: number;
}

/** What the sandbox does in place of an emulated partner: it responds, or it lacks a response. Or the emulated one responds. */
export type Response = { readonly answer: Answer } | { readonly missing: string } | 'emulated';

/**
 * A recording (src/partners/recording.ts) as a scenario. Operations that it has are responded to from it alone, and the others
 * are emulated.
 *
 * The exchanges of an operation about the same ids are played in their order. A read repeats its latest response until the next
 * one is due, and never passes a write that the caller has not sent yet. So the caller may read as often as it likes before that
 * write. A write that must not be repeated is played as often as it was recorded.
 */
export class Playback {
  readonly #exchanges: readonly Played[];
  readonly #sequences = new Map<string, Sequence>();
  readonly #missing = new Set<string>();
  /** What the caller sent, by the placeholder in its place. */
  readonly #sent = new Map<string, unknown>();

  constructor(entries: readonly ReadEntry[]) {
    const byTime = entries.toSorted((one, other) => timeOf(one) - timeOf(other));
    this.#exchanges = byTime.filter(({ response }) => response._sent !== false).map(playedOf);
    for (const exchange of this.#exchanges) {
      const key = keyOf(exchange.system, exchange.name, exchange.about);
      if (!this.#sequences.has(key)) this.#sequences.set(key, this.#sequenceLike(exchange));
    }
  }

  /** Whether the recording has the operation, about anything. */
  has({ system, operation }: Called): boolean {
    return this.#exchanges.some((one) => one.system === system && one.name === operation);
  }

  /** @param fields of the request, by the names of the catalogue */
  respond(called: Called, operation: Operation, fields: Readonly<Record<string, unknown>>): Response {
    const about = aboutOf(operation, fields);
    const title = titleOf(called.system, called.operation, about);
    const sequence = this.#sequences.get(keyOf(called.system, called.operation, about));
    const next =
      sequence && (operation.effect === 'read' ? nextRead(sequence) : nextWrite(sequence, operation));
    if (next === undefined) {
      this.#missing.add(title);
      return { missing: `the recording has no ${sequence ? 'further ' : ''}response to ${title}` };
    }
    next.isPlayed = true;
    if (next.isEmulated) return 'emulated';
    this.#learn(next.request, fields);
    return { answer: this.#asSent(next.answer) };
  }

  /** What was asked for in vain, and the exchanges that nobody has asked for, as `boarding get-status id=1001`. */
  get report(): { readonly missing: readonly string[]; readonly left: readonly string[] } {
    const left = [...this.#sequences.values()].flatMap(({ exchanges }) =>
      exchanges.filter((one) => !one.isPlayed),
    );
    return {
      missing: [...this.#missing],
      left: left.map(({ system, name, about }) => titleOf(system, name, about)),
    };
  }

  #sequenceLike({ system, name, about, operation }: Played): Sequence {
    const all = this.#exchanges.map((exchange, index) => ({ exchange, index }));
    const like = this.#exchanges.filter((one) => one.system === system && one.name === name);
    const others = new Set(like.filter((one) => one.about !== about).flatMap((one) => idsOf(one.about)));
    const mayChange = ({ system: of, operation: { effect, ...operation }, text }: Played) => {
      if (of !== system || effect === 'read' || isSignIn(operation)) return false;
      // A write of another id of the same kind is about that one. The ids of tickets and the like say nothing.
      const mentions = (id: string) => hasWord(text, id);
      return idsOf(about).some(mentions) || ![...others].some(mentions);
    };
    const writes = all.filter(({ exchange }) => mayChange(exchange));
    const own = all
      .filter(
        ({ exchange }) => exchange.system === system && exchange.name === name && exchange.about === about,
      )
      .map(({ exchange, index }) => ({
        exchange,
        before: writes.filter((write) => write.index < index).length,
      }));
    // A poll that found nothing new need not be repeated as often as it was recorded.
    const distinct = own.filter(({ exchange, before }, index) => {
      const last = own[index - 1];
      const isRead = operation.effect === 'read';
      return !isRead || last?.before !== before || essence(last.exchange.answer) !== essence(exchange.answer);
    });
    return {
      exchanges: distinct.map(({ exchange }) => exchange),
      writes: writes.map(({ exchange }) => exchange),
      writesBefore: distinct.map(({ before }) => before),
      at: -1,
    };
  }

  /** Whatever differs between the recorded request and this one is the caller's own value for a placeholder. */
  #learn(recorded: unknown, sent: unknown): void {
    if (typeof recorded === 'string') {
      if (recorded.length > 4 && recorded !== REMOVED && sent !== undefined) this.#sent.set(recorded, sent);
    } else if (
      typeof recorded === 'object' &&
      recorded !== null &&
      typeof sent === 'object' &&
      sent !== null
    ) {
      for (const [name, inside] of Object.entries(recorded)) {
        this.#learn(inside, (sent as Record<string, unknown>)[name]);
      }
    }
  }

  #asSent(answer: Answer): Answer {
    if (typeof answer.body !== 'object' || Buffer.isBuffer(answer.body)) return answer;
    return { ...answer, body: this.#withSent(answer.body) as object };
  }

  #withSent(value: unknown): unknown {
    if (typeof value === 'string') return this.#sent.get(value) ?? value;
    if (Array.isArray(value)) return value.map((item) => this.#withSent(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, this.#withSent(inside)]));
  }
}

/**
 * Reads every HAR file of a folder.
 *
 * @throws {BadSetting} that names the file which is no recording, or the request that is no operation of a partner
 */
export function readRecording(folder: string, setting = 'SANDBOX_RECORDING'): Playback {
  const reject = (rule: string): never => {
    throw new BadSetting(setting, rule);
  };
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.har'));
  } catch (error) {
    return reject(`${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (names.length === 0) reject(`${folder} has no .har file`);
  const entries = names.sort().flatMap((name) => {
    const read = har.safeParse(jsonIn(readFileSync(join(folder, name), 'utf8')));
    if (!read.success)
      return reject(`${name} is no HAR file: ${read.error.issues[0]?.path.join('.') || 'no JSON'}`);
    const stranger = read.data.log.entries.find(({ request }) => operationOf(request) === undefined);
    if (stranger)
      reject(`${name}: ${stranger.request.method} ${pathOf(stranger.request)} is no operation of a partner`);
    return read.data.log.entries;
  });
  return new Playback(entries);
}

function nextRead(sequence: Sequence): Played | undefined {
  const { exchanges, writes, writesBefore } = sequence;
  const sent = writes.filter(({ isPlayed }) => isPlayed).length;
  const due = writesBefore.filter((count) => count <= sent);
  const latest = due.at(-1);
  // What the partner showed before the latest write is over.
  const first = latest === undefined ? 0 : writesBefore.indexOf(latest);
  sequence.at = Math.min(Math.max(first, sequence.at + 1), Math.max(0, due.length - 1));
  return exchanges[sequence.at];
}

function nextWrite(sequence: Sequence, { effect }: Operation): Played | undefined {
  const last = sequence.exchanges.length - 1;
  if (sequence.at === last && effect === 'once') return undefined;
  sequence.at = Math.min(sequence.at + 1, last);
  return sequence.exchanges[sequence.at];
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}

function isSignIn({
  anonymous,
  issuesCredential,
}: Pick<Operation, 'anonymous' | 'issuesCredential'>): boolean {
  return anonymous === true || issuesCredential === true;
}

function playedOf({ request, response }: ReadEntry): Played {
  const found = operationOf(request);
  if (!found) throw new Error('no operation');
  const { system, name, operation, parameters } = found;
  const { search } = new URL(request.url);
  const sentText = request.postData?.text ?? '';
  const fields = { ...parameters, ...Object.fromEntries(new URLSearchParams(search)) };
  const received = contentOf(response);
  return {
    ...{ system, name, operation },
    about: aboutOf(operation, fields),
    text: [request.url, sentText, Buffer.isBuffer(received) ? '' : writeExactly(received)].join('\n'),
    request: jsonIn(sentText),
    answer: {
      status: response.status,
      contentType: response.content.mimeType || 'application/json',
      headers: Object.fromEntries(
        response.headers
          .filter(({ name }) => /^retry-after$/i.test(name))
          .map(({ name, value }) => [name, value]),
      ),
      body: received,
    },
    isEmulated: isSignIn(operation) && response.status >= 200 && response.status <= 299,
    isPlayed: false,
  };
}

/** JSON, or bytes: those that are there, or as many blanks as there were. */
function contentOf({ content: { text, encoding, size = 0 } }: ReadEntry['response']): object {
  if (text === undefined) return Buffer.alloc(Math.max(0, size), ' ');
  const bytes = Buffer.from(text, encoding ?? 'utf8');
  const json = jsonIn(bytes.toString('utf8'));
  return typeof json === 'object' && json !== null ? json : bytes;
}

function jsonIn(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** The address of a request below the base URL of its partner matches its operation at the end. */
function operationOf(request: ReadEntry['request']) {
  const path = pathOf(request);
  const matches = OPERATIONS.flatMap(({ system, name, operation, pattern }) => {
    const values = operation.method === request.method ? pattern.exec(path)?.slice(1) : undefined;
    if (values === undefined) return [];
    const names = pathParameters(operation);
    const given = names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]);
    return [{ system, name, operation, parameters: Object.fromEntries(given) }];
  });
  // Of `/plants/{id}` and `/plants/search`, the one with fewer variable parts; of two, the longer one.
  return matches.sort((one, other) => likeness(other.operation) - likeness(one.operation))[0];
}

function likeness(operation: Operation): number {
  return operation.path.split('/').length - 2 * pathParameters(operation).length;
}

const OPERATIONS = Object.entries(catalogue()).flatMap(([system, operations]) =>
  Object.entries(operations).map(([key, operation]) => ({
    system: system as SystemName,
    name: operationName(key),
    operation,
    pattern: patternOf(operation),
  })),
);

function patternOf({ path }: Operation): RegExp {
  const segments = path.split('/').map((segment) => {
    if (/^\{\w+\}$/.test(segment)) return '([^/]+)';
    return segment === NEUTRAL_SEGMENT ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`${segments.join('/')}$`);
}

function pathOf({ url }: ReadEntry['request']): string {
  return new URL(url).pathname;
}

function timeOf({ startedDateTime }: ReadEntry): number {
  return Date.parse(startedDateTime);
}

/** The ids in the address of a request: `id=1001`. */
function aboutOf(operation: Operation, fields: Readonly<Record<string, unknown>>): string {
  const names = [...pathParameters(operation), ...(operation.query ?? [])].filter((name) =>
    /(?:^|_|[a-z])id$/i.test(name),
  );
  const byName = Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value] as const);
  const given = new Map(byName);
  return names
    .filter((name) => given.get(name.toLowerCase()) !== undefined)
    .map((name) => `${name}=${given.get(name.toLowerCase())}`)
    .sort()
    .join(' ');
}

function idsOf(about: string): string[] {
  return about
    .split(' ')
    .filter(Boolean)
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
}

function keyOf(system: string, name: string, about: string): string {
  return `${system} ${name} ${about}`;
}

function titleOf(system: string, name: string, about: string): string {
  return keyOf(system, name, about).trim();
}

/** What makes two responses of a poll the same: all but the number that the partner gives each of them. */
function essence({ status, body }: Answer): string {
  const { requestId: _, ...rest } = body as { requestId?: unknown };
  return `${status} ${Buffer.isBuffer(body) ? body.toString('base64') : writeExactly(rest)}`;
}
