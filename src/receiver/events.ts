import type { IncomingHttpHeaders } from 'node:http';
import { CloudEvent, HTTP } from 'cloudevents';
import { MAX_NESTING, withoutDepth } from '../messages/nesting.js';
import { parseExactly } from '../partners/exact-json.js';
import { invalid, Problem } from './problems.js';

export const STRUCTURED = 'application/cloudevents+json';
export const BATCHED = 'application/cloudevents-batch+json';
/** The attributes are headers (`ce-id`), the body is the data. */
export const BINARY = 'application/json';

/** How many events may come at once. */
const MAX_EVENTS = 100;

/** Context attributes and data by name, as its sender gave them. */
export type GivenEvent = Readonly<Record<string, unknown>>;

export interface Delivery {
  readonly events: readonly GivenEvent[];
  readonly isBatch: boolean;
}

/** What the package makes up or rounds when it is missing or wrong, and must be seen as it was given. */
const AS_GIVEN = ['id', 'time', 'specversion'];

/**
 * Reads a CloudEvents 1.0 request in any of the three modes.
 *
 * @throws {Problem} when it is none
 */
export function eventsFrom(headers: IncomingHttpHeaders, body: string): Delivery {
  const json = parse(body);
  switch (mediaTypeOf(headers)) {
    case STRUCTURED:
      return { events: [structured(json)], isBatch: false };
    case BATCHED:
      return { events: batched(json), isBatch: true };
    default:
      return { events: [binary(headers, json)], isBatch: false };
  }
}

/** `application/json`, without parameters. */
export function mediaTypeOf({ 'content-type': type = '' }: IncomingHttpHeaders): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/** The deepest event of a batch, and one level more, which shows that an event is too deep. */
const LEVELS_READ = 1 + MAX_NESTING + 1;

/** Leaves out what is nested too deep to be taken by any path. @throws {Problem} `unreadable` */
export function parse(body: string): unknown {
  try {
    return parseExactly(withoutDepth(body, LEVELS_READ));
  } catch {
    throw unreadable('the body must be JSON');
  }
}

function batched(json: unknown): GivenEvent[] {
  if (!Array.isArray(json)) throw unreadable('a batch must be an array of events');
  if (json.length > MAX_EVENTS) throw new Problem('too-large', `a batch takes ${MAX_EVENTS} events at most`);
  return json.map(structured);
}

function structured(json: unknown): GivenEvent {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw unreadable('an event must be an object');
  }
  return read({ 'content-type': STRUCTURED }, json, json as GivenEvent);
}

function binary(headers: IncomingHttpHeaders, data: unknown): GivenEvent {
  const attributes = Object.entries(headers)
    .filter(([name]) => name.startsWith('ce-'))
    .map(([name, value]) => [attributeName(name), decoded(String(value))] as const);
  const named = attributes.map(([name, value]) => [`ce-${name}`, value]);
  return read({ ...Object.fromEntries(named), 'content-type': BINARY }, data, Object.fromEntries(attributes));
}

/** A header that does not name an attribute could stand in for the data, which is signed where headers are not. */
function attributeName(header: string): string {
  const name = header.slice('ce-'.length);
  if (!/^[a-z0-9]+$/.test(name)) throw unreadable('names of attributes have letters and digits only');
  return name;
}

/** Values of headers are percent-encoded (HTTP protocol binding, 3.1.3.2). */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw unreadable('the values of ce- headers must be percent-encoded UTF-8');
  }
}

function read(headers: Readonly<Record<string, string>>, body: unknown, given: GivenEvent): GivenEvent {
  const event = attempt(() => HTTP.toEvent({ headers, body }), 'this is not a CloudEvent');
  const attributes = Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined));
  for (const name of AS_GIVEN) {
    if (given[name] === undefined) delete attributes[name];
    else attributes[name] = given[name];
  }
  return withoutBase64(attributes);
}

/** JSON may come as base64 as well; what stands in its place in the event is of no use to us. */
function withoutBase64({ data_base64: base64, ...event }: Record<string, unknown>): GivenEvent {
  if (base64 === undefined) return event;
  try {
    return { ...event, data: parse(Buffer.from(String(base64), 'base64').toString()) };
  } catch {
    throw invalid([{ field: 'data_base64', message: 'must be JSON in base64' }]);
  }
}

/**
 * The package's own check, of what no schema of ours looks at.
 *
 * @throws {Problem} `unreadable`
 */
export function checkConformance(event: GivenEvent): void {
  attempt(() => new CloudEvent({ ...event }, true), 'this is not a CloudEvent 1.0');
}

function attempt<Result>(action: () => Result, otherwise: string): Result {
  try {
    return action();
  } catch {
    // The package's own messages quote the event.
    throw unreadable(otherwise);
  }
}

function unreadable(detail: string): Problem {
  return new Problem('unreadable', detail);
}
