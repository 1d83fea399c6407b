/** The values that the rules of a workflow take and return. `until-decided.ts` applies the decisions. */

import type { TimelineEvent } from '../../messages/codes.js';
import type { Requirement, RequirementKind } from '../../messages/requirements.js';
import type { Answered, Facts, Question } from './state.js';

export type PublishedChange =
  | { readonly record: TimelineEvent; readonly detail?: string }
  | { readonly know: Partial<Facts> };

export type Decision =
  | PublishedChange
  | { readonly ask: Question }
  /** Closes an open requirement, or drops its answer. */
  | { readonly close: string; readonly why: string }
  /** Removes the requirement whose answer the partner has. */
  | { readonly remove: string };

export interface Reaction<Remembered, Decided = Decision> {
  readonly remember: Remembered;
  readonly decisions: readonly Decided[];
}

export interface Ended<Outcome> {
  readonly outcome: Outcome;
  readonly decisions: readonly Decision[];
}

export interface Next<Seen, Due, Outcome> {
  /** The actions that can begin now. Two of the same task never run at the same time. */
  readonly due: readonly (Due & { readonly task: string })[];
  /** The values with which the next read is compared. Undefined to read nothing, while a write would look like a change. */
  readonly compared: Seen | undefined;
  /** The time at which an action begins without a change, in milliseconds since 1970. */
  readonly wakeAt?: number | undefined;
  readonly ended?: Ended<Outcome> | undefined;
}

export interface Rules<Remembered, Situation, Seen, Snapshot, Due, Outcome> {
  /** Kinds of requirements that the rules raise. Abandoning one of them ends the workflow. */
  readonly kinds: readonly RequirementKind[];
  readonly next: (remembered: Remembered, situation: Situation) => Next<Seen, Due, Outcome>;
  /** The consequences of a read. It may end the workflow: see {@link next}. */
  readonly onRead: (before: Remembered, now: Snapshot, situation: Situation) => Reaction<Remembered>;
}

export interface Asked {
  readonly open: readonly Requirement[];
  /** Answers that the partner does not have. */
  readonly answered: readonly Answered[];
}

export function openOf({ open }: Pick<Asked, 'open'>, kind: RequirementKind): readonly Requirement[] {
  return open.filter((requirement) => requirement.kind === kind);
}

export function answeredOf(
  { answered }: Pick<Asked, 'answered'>,
  kind: RequirementKind,
): readonly Answered[] {
  return answered.filter(({ requirement }) => requirement.kind === kind);
}

export const MOVED_ON = 'the partner has moved on';

/** Closes requirements that the partner no longer asks about. A caller drops no answers while a write may take them. */
export function closeMoot(
  kind: RequirementKind,
  asked: Asked,
  rule: {
    readonly isAsked: (requirement: Requirement) => boolean;
    readonly drops: boolean;
    readonly why: (requirement: Requirement) => string;
  },
): { readonly closed: readonly Decision[]; readonly kept: readonly Requirement[] } {
  const open = openOf(asked, kind);
  const answered = answeredOf(asked, kind).map(({ requirement }) => requirement);
  const isMoot = (each: Requirement) => !rule.isAsked(each) && (rule.drops || open.includes(each));
  const all = [...open, ...answered];
  const closed = all.filter(isMoot).map((each) => ({ close: each.id, why: rule.why(each) }));
  return { closed, kept: all.filter((each) => !isMoot(each)) };
}

/** A partner that shows and hides a question by turns no longer closes it when it is raised for this time. */
const MOST_TIMES = 4;

/** Reports whether a question has been raised that often, by the number in its ID. */
export function isRestless({ id, about = id }: Pick<Requirement, 'id' | 'about'>): boolean {
  return Number(id.slice(about.length + 1)) >= MOST_TIMES;
}

export function when(condition: boolean, ...decisions: Decision[]): readonly Decision[] {
  return condition ? decisions : [];
}

/** What people have answered, by id, with the time until which the partner may still list it. */
export type Marks<Mark extends { readonly until?: number | undefined }> = Readonly<Record<string, Mark>>;

/** The times, in milliseconds since 1970, by which the partner should no longer list what was answered. */
export function timesOf(marks: Marks<{ readonly until?: number | undefined }>): readonly number[] {
  return Object.values(marks).flatMap(({ until }) => until ?? []);
}

export function nextTime(times: readonly number[], now: number): number | undefined {
  const later = times.filter((time) => time > now);
  return later.length > 0 ? Math.min(...later) : undefined;
}

/** Those whose time is not over. */
export function notLate<Mark extends { readonly until?: number | undefined }>(
  marks: Marks<Mark>,
  now: number,
): Marks<Mark> {
  return only(marks, (_, { until = Number.POSITIVE_INFINITY }) => until > now);
}

export function only<Value>(
  record: Readonly<Record<string, Value>>,
  isKept: (name: string, value: Value) => boolean,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => isKept(name, value)));
}
