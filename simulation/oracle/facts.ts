import type { Payload } from '@temporalio/common';
import type { Event } from '../../src/temporal/history.js';
import { decoded } from '../runtime.js';

/** An event, as far as two services can agree on it. */
export interface Fact {
  readonly kind: string;
  /** What it is about: itself, or what a command has begun. */
  readonly of: string;
  /** Its attributes, in JSON. */
  readonly what: string;
}

/** The events of a run. */
export interface History {
  readonly name: string;
  readonly facts: readonly Fact[];
}

type Json = Record<string, unknown>;

/** The attributes that say what a workflow asked for, or was told. All others belong to one server, worker or client. */
const TOLD = [
  'workflowType',
  'activityType',
  'taskQueue',
  'input',
  'header',
  'memo',
  'result',
  'attempt',
  'signalName',
  'startToFireTimeout',
  'startToCloseTimeout',
  'heartbeatTimeout',
  'scheduleToCloseTimeout',
  'failure',
  'acceptedRequest',
  'outcome',
  'searchAttributes',
  'upsertedMemo',
  'workflowId',
  'workflowExecution',
];

/** Within these: what a worker, a client or a run has of its own. */
const OWN = [
  'meta',
  'identity',
  'requestId',
  'runId',
  'kind',
  'stackTrace',
  'source',
  'namespace',
  'scheduledEventId',
  'startedEventId',
];

const EMPTY: readonly unknown[] = [undefined, 'null', '"0 s"', '{}', '[]'];

/** Values as people read them: payloads decoded, and without what each run has of its own. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string')
    return value
      .replace(/\d{4}-\d\d-\d\d([T ][\d:.]+)?( UTC|Z|[+-]\d\d:\d\d)?|\/Date\(\d+\)\//g, '<time>')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.\d+\.[0-9a-f]{8})?/g, '<id>');
  if (typeof value === 'number') return value > 1e12 ? '<time>' : value;
  if (typeof value !== 'object' || value === null) return value;
  if ('metadata' in value) return plain(decoded(value as Payload));
  const { low, seconds, nanos } = value as Json;
  if (low !== undefined) return Number(String(value));
  if (seconds !== undefined) return `${seconds}${nanos ? `.${nanos}` : ''} s`;
  const fields = Object.entries(value)
    .filter(([name]) => !OWN.includes(name))
    .map(([name, each]) => [name, plain(each)] as const)
    .filter(([, each]) => !EMPTY.includes(JSON.stringify(each)));
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function factsOf(events: readonly Event[]): Fact[] {
  const names = new Map<number, string>();
  const counts = new Map<string, number>();
  return events.map((event) => {
    const [key = '', input] =
      Object.entries(event).find(([name, value]) => name.endsWith('Attributes') && value) ?? [];
    const attributes = input as Json;
    const kind = key.replace('EventAttributes', '');
    const { scheduledEventId, startedEventId, initiatedEventId } = attributes;
    const origin = names.get(Number(scheduledEventId ?? initiatedEventId ?? startedEventId));
    const { activityType, workflowType, signalName } = attributes as { readonly [Key in string]?: Json };
    const own = String(activityType?.['name'] ?? workflowType?.['name'] ?? signalName ?? kind);
    counts.set(own, (counts.get(own) ?? 0) + 1);
    const of = origin ?? `${own} ${counts.get(own)}`;
    names.set(Number(event.eventId), of);
    const told = Object.fromEntries(TOLD.map((name) => [name, attributes[name]]));
    return { kind, of, what: JSON.stringify(plain(told)) };
  });
}
