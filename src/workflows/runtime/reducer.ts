/** The input and output of a workflow's rules. `until-decided.ts` applies the commands. */

import type { TimelineEvent } from '../../messages/codes.js';
import type { Requirement, RequirementKind } from '../../messages/requirements.js';
import type { PendingAnswer, PublishedFields, Question } from './state.js';

export type PublishedCommand =
  | { readonly record: TimelineEvent; readonly detail?: string }
  | { readonly set: Partial<PublishedFields> };

export type Command =
  | PublishedCommand
  | { readonly ask: Question }
  /** Closes an open requirement, or drops the answer of an answered one. */
  | { readonly close: string; readonly why: string }
  /** Removes a requirement whose answer is delivered. */
  | { readonly remove: string };

export interface Reduction<State, Each = Command> {
  readonly state: State;
  readonly commands: readonly Each[];
}

export interface End<Outcome> {
  readonly outcome: Outcome;
  readonly commands: readonly Command[];
}

export interface Plan<Seen, Pending, Outcome> {
  /** The actions that can begin now. At most one action of each `task` runs at a time. */
  readonly pending: readonly (Pending & { readonly task: string })[];
  /** The status to compare the next read with. Undefined to pause reading, because a write in flight would look like a change. */
  readonly baseline: Seen | undefined;
  /** When an action becomes pending without a status change, in milliseconds since 1970. */
  readonly wakeAt?: number | undefined;
  readonly end?: End<Outcome> | undefined;
}

export interface Rules<State, Context, Seen, Snapshot, Pending, Outcome> {
  /** Kinds of requirements that the rules raise. Abandoning one of them ends the workflow. */
  readonly kinds: readonly RequirementKind[];
  readonly plan: (state: State, context: Context) => Plan<Seen, Pending, Outcome>;
  /** Handles a read. The read may also end the workflow: see {@link plan}. */
  readonly reduce: (before: State, now: Snapshot, context: Context) => Reduction<State>;
}

export interface Questions {
  readonly open: readonly Requirement[];
  /** Undelivered answers. */
  readonly answered: readonly PendingAnswer[];
}

export function openOfKind({ open }: Pick<Questions, 'open'>, kind: RequirementKind): readonly Requirement[] {
  return open.filter((requirement) => requirement.kind === kind);
}

export function answeredOfKind(
  { answered }: Pick<Questions, 'answered'>,
  kind: RequirementKind,
): readonly PendingAnswer[] {
  return answered.filter(({ requirement }) => requirement.kind === kind);
}

export const PARTNER_MOVED_ON = 'the partner has moved on';

interface SupersedingRule {
  /** Reports whether the partner still asks the question. */
  readonly isCurrent: (requirement: Requirement) => boolean;
  /** Whether to drop the answer of a superseded requirement. Must be false while a write may be sending it. */
  readonly dropsAnswer: boolean;
  readonly why: (requirement: Requirement) => string;
}

/** Closes superseded requirements, then asks the question unless another one of its kind remains. */
export function askOnce(
  kind: RequirementKind,
  question: Question | undefined,
  requirements: Questions,
  rule: SupersedingRule,
): readonly Command[] {
  const { closed, remaining } = closeSuperseded(kind, requirements, rule);
  return question && remaining.length === 0 ? [...closed, { ask: question }] : closed;
}

/** Closes requirements that the partner no longer asks about. */
export function closeSuperseded(
  kind: RequirementKind,
  requirements: Questions,
  rule: SupersedingRule,
): { readonly closed: readonly Command[]; readonly remaining: readonly Requirement[] } {
  const open = openOfKind(requirements, kind);
  const answered = answeredOfKind(requirements, kind).map(({ requirement }) => requirement);
  const isSuperseded = (each: Requirement) =>
    !rule.isCurrent(each) && (rule.dropsAnswer || open.includes(each));
  const all = [...open, ...answered];
  const closed = all.filter(isSuperseded).map((each) => ({ close: each.id, why: rule.why(each) }));
  return { closed, remaining: all.filter((each) => !isSuperseded(each)) };
}

/** Some partners keep showing and hiding a question. After this many times, the question stays open. */
const MAX_TIMES = 4;

/** Reports whether a question has been raised too often, by the number in its ID. */
export function isAskedTooOften({ id, about = id }: Pick<Requirement, 'id' | 'about'>): boolean {
  return Number(id.slice(about.length + 1)) >= MAX_TIMES;
}

export function commandsIf(condition: boolean, ...commands: Command[]): readonly Command[] {
  return condition ? commands : [];
}

/** Delivered answers, by ID. The partner should no longer list the question at `until`. */
export type ExpiringRecords<Mark extends { readonly until?: number | undefined }> = Readonly<
  Record<string, Mark>
>;

/** Returns when the partner should no longer list each answered question, in milliseconds since 1970. */
export function deadlinesOf(
  records: ExpiringRecords<{ readonly until?: number | undefined }>,
): readonly number[] {
  return Object.values(records).flatMap(({ until }) => until ?? []);
}

export function nextTime(times: readonly number[], now: number): number | undefined {
  const later = times.filter((time) => time > now);
  return later.length > 0 ? Math.min(...later) : undefined;
}

/** Returns the records whose `until` is in the future. */
export function withoutExpired<Mark extends { readonly until?: number | undefined }>(
  records: ExpiringRecords<Mark>,
  now: number,
): ExpiringRecords<Mark> {
  return filterRecord(records, (_, { until = Number.POSITIVE_INFINITY }) => until > now);
}

export function filterRecord<Value>(
  record: Readonly<Record<string, Value>>,
  isKept: (name: string, value: Value) => boolean,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => isKept(name, value)));
}
