/** What people and partners did, from the timelines of onboardings; and what corrections changed, from their histories. */
import type { Client } from '@temporalio/client';
import { folded } from '../../messages/actors.js';
import type { TimelineEvent } from '../../messages/codes.js';
import { omitUndefined } from '../../messages/objects.js';
import type { TimelineEntry } from '../../messages/onboarding-state.js';
import { answersIn, argumentsOf, runsOf } from '../../temporal/history.js';
import { saidOf } from '../texts/timeline-entries.js';
import type { ExportedCorrection } from './record.js';
import { correctionsOf, MASKED, type Mask } from './record-parts.js';

/** What a correction changed, oldest first. Needs no worker. @throws {UnreadablePayload} without a key */
export async function correctionsIn(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  mask: Mask = MASKED,
): Promise<readonly ExportedCorrection[]> {
  const { runs } = await runsOf(client, workflowId, runId);
  const answers = await Promise.all(runs.map((run) => answersIn(client, run)));
  const [input] = await argumentsOf(client, runs[0]);
  return correctionsOf(Object(input), answers.flat(), mask);
}

/** Kinds of activity, by the events of each. A partner's are those without a person, besides questions. */
export const ACTIVITIES = {
  start: ['started'],
  answer: [
    ...(['requirement-resolved', 'answer-proposed', 'proposal-withdrawn', 'answer-taken-back'] as const),
    'answer-dropped',
  ],
  correction: ['requirement-resolved'],
  assignment: [
    ...(['requirement-claimed', 'requirement-assigned', 'requirement-released'] as const),
    'requirement-taken-over',
  ],
  remark: ['remark-added'],
  question: [
    ...(['requirement-raised', 'requirement-closed', 'requirement-overdue'] as const),
    'requirement-unclaimed',
  ],
  partner: [],
} as const satisfies Readonly<Record<string, readonly TimelineEvent[]>>;

export type ActivityKind = keyof typeof ACTIVITIES;

export interface ActivityFilter {
  readonly since: Date;
  readonly kind?: ActivityKind | undefined;
  /** A part of the name or the ID of a person. */
  readonly person?: string | undefined;
}

export function isCorrection({ event, ...entry }: TimelineEntry): boolean {
  return event === 'requirement-resolved' && saidOf({ event, ...entry }).startsWith('correction');
}

/** The entries of a timeline that fit a filter, in the order of the timeline. */
export function entriesIn(
  timeline: readonly TimelineEntry[],
  filter: ActivityFilter,
): readonly TimelineEntry[] {
  const { since, kind, person = '' } = filter;
  const wanted = folded(person);
  const isOfKind = (entry: TimelineEntry) => {
    if (kind === undefined) return true;
    if (kind === 'partner') return entry.actor === undefined && !entry.event.startsWith('requirement-');
    if (kind === 'correction') return isCorrection(entry);
    return (ACTIVITIES[kind] as readonly TimelineEvent[]).includes(entry.event);
  };
  return timeline.filter(
    (entry) =>
      Date.parse(entry.at) >= since.getTime() &&
      isOfKind(entry) &&
      (wanted === '' || folded(entry.actor ?? '').includes(wanted)),
  );
}

/**
 * The changes that each correction in a timeline made. Times in a history and in a timeline differ, so the corrections of a requirement
 * are matched in order. If the history lacks some of them, because Temporal no longer has an earlier run, no entry of that requirement
 * gets any.
 */
export function changesByEntry(
  timeline: readonly TimelineEntry[],
  corrections: readonly ExportedCorrection[],
): ReadonlyMap<TimelineEntry, readonly ExportedCorrection[]> {
  const answers = Map.groupBy(corrections, ({ requirementId, at }) => `${requirementId} ${at}`);
  const byRequirement = Map.groupBy(answers.values(), ([first]) => first?.requirementId ?? '');
  const entries = Map.groupBy(
    timeline.filter(isCorrection),
    ({ detail = '' }) => detail.split(': ')[0] ?? '',
  );
  const matched = [...entries].flatMap(([id, own]) => {
    const changes = byRequirement.get(id) ?? [];
    return own.map((entry, at) => [entry, (changes.length === own.length && changes[at]) || []] as const);
  });
  return new Map(matched);
}

/** The CSV rows of a timeline entry. A correction has one row for each field. */
export function activityRows(
  about: { readonly workflowId: string; readonly dba: string | undefined },
  { at, event, actor, detail, reason }: TimelineEntry,
  changes: readonly ExportedCorrection[],
) {
  const row = {
    at,
    workflowId: about.workflowId,
    ...omitUndefined({ dba: about.dba, event, actor, detail, reason }),
  };
  if (changes.length === 0) return [row];
  return changes.map(({ field, old, new: value }) => ({
    ...row,
    ...omitUndefined({ field, old, new: value }),
  }));
}

export const ACTIVITY_COLUMNS = [
  ...['at', 'workflowId', 'dba', 'event', 'actor', 'detail', 'reason', 'field', 'old', 'new'],
];
