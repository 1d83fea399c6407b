/** Reports what people and partners did, from timelines, and what corrections changed, from histories. */
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { folded } from '../../messages/actors.js';
import { ACTIVITIES, type ActivityKind, type TimelineEvent } from '../../messages/codes.js';
import { omitUndefined } from '../../messages/objects.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import { ONBOARDINGS } from '../../messages/workflow-types.js';
import { answersIn, argumentsOf, runsOf } from '../../temporal/history.js';
import { isUnreadablePayload } from '../../temporal/payload-codec.js';
import { all, compareField, either, IS_RUNNING } from '../../temporal/query.js';
import { type Filter, type Listed, pageBy, typesOf } from '../../temporal/search.js';
import { SharedReads } from '../../temporal/shared-reads.js';
import { isNotFound } from '../../temporal/unavailable.js';
import { saidOf } from '../texts/timeline-entries.js';
import type { ExportedCorrection } from './exported-record.js';
import { correctionsOf, MASKED, type Mask } from './record-parts.js';

/** Returns the changes of each correction, oldest first. Needs no worker. @throws {UnreadablePayload} without a key */
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

export interface ActivityFilter extends Pick<Filter, 'find' | 'partnerAccounts'> {
  readonly since: Date;
  /** Selects entries before this time. Default: no limit. */
  readonly until?: Date | undefined;
  readonly kind?: ActivityKind | undefined;
  /** A part of a person's name or ID. */
  readonly person?: string | undefined;
}

export function isCorrection({ event, ...entry }: TimelineEntry): boolean {
  return event === 'requirement-resolved' && saidOf({ event, ...entry }).startsWith('correction');
}

/** Returns the entries of a timeline that match a filter, in order. */
export function entriesIn(
  timeline: readonly TimelineEntry[],
  filter: Pick<ActivityFilter, 'since' | 'until' | 'kind' | 'person'>,
): readonly TimelineEntry[] {
  const { since, until, kind, person = '' } = filter;
  const wanted = folded(person);
  const isOfKind = (entry: TimelineEntry) => {
    if (kind === undefined) return true;
    if (kind === 'partner') return entry.actor === undefined && !entry.event.startsWith('requirement-');
    if (kind === 'person') return entry.actor !== undefined;
    if (kind === 'correction') return isCorrection(entry);
    return (ACTIVITIES[kind] as readonly TimelineEvent[]).includes(entry.event);
  };
  return timeline.filter(
    (entry) =>
      Date.parse(entry.at) >= since.getTime() &&
      (until === undefined || Date.parse(entry.at) < until.getTime()) &&
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

/** A row of CSV or JSON. */
export interface ActivityRecord
  extends Partial<TimelineEntry>,
    Partial<Pick<ExportedCorrection, 'field' | 'old' | 'new'>> {
  readonly workflowId: string;
  readonly dba?: string | undefined;
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
  'at',
  'workflowId',
  'dba',
  'event',
  'actor',
  'detail',
  'reason',
  'field',
  'old',
  'new',
];

/** The number of onboardings to read for one page, newest start first. */
const MAX_READ = 100;

/** The number of concurrent reads, because a query may replay a workflow that is no longer cached. */
const AT_ONCE = 8;

/** Without a worker, each read takes 15 s. */
const READING_MS = 10_000;

export interface ActivityRow {
  readonly listed: Listed;
  readonly entry: TimelineEntry;
  /** All entries of the onboarding. */
  readonly timeline: readonly TimelineEntry[];
}

/**
 * Returns activity, newest first, for one page of onboardings.
 *
 * @param read returns the state of an onboarding; undefined if it cannot be read
 * @param page token: of the page before. most: how many onboardings are read. ms: no further one is read after this time
 */
export async function activityOf(
  client: Client,
  { find, partnerAccounts, ...filter }: ActivityFilter,
  read: (workflowId: string) => Promise<OnboardingState | undefined>,
  { token = '', most = MAX_READ, ms = READING_MS }: { token?: string; most?: number; ms?: number } = {},
) {
  const ended = either(IS_RUNNING, compareField('CloseTime', '>=', filter.since));
  const query = filter.until ? all(ended, compareField('StartTime', '<', filter.until)) : ended;
  const wanted = { types: typesOf(ONBOARDINGS), find, partnerAccounts, query };
  const { found: onboardings, next } = await pageBy(client, wanted, most, token);
  const end = Date.now() + ms;
  const states = await pLimit(AT_ONCE).map(onboardings, async ({ workflowId }) =>
    Date.now() < end ? read(workflowId) : undefined,
  );
  const rows = onboardings.flatMap((listed, at) => {
    const { timeline = [] } = states[at] ?? {};
    return entriesIn(timeline, filter).map((entry): ActivityRow => ({ listed, entry, timeline }));
  });
  return {
    rows: newestFirst(rows),
    next,
    unread: onboardings.filter((_, at) => !states[at]),
    read: onboardings.length,
  };
}

/** Puts the last entry of a timeline first, even among entries of one millisecond, because a stable sort keeps their order. */
export function newestFirst<Row extends Pick<ActivityRow, 'entry'>>(rows: readonly Row[]): readonly Row[] {
  return rows.toReversed().sort((one, other) => other.entry.at.localeCompare(one.entry.at));
}

const corrections = new SharedReads<readonly ExportedCorrection[]>(60_000);

/** Returns an onboarding's corrections, which change only with its timeline; none if unreadable. */
export async function correctionsFor(
  client: Client,
  { workflowId, runId }: Pick<Listed, 'workflowId' | 'runId'>,
  timeline: readonly TimelineEntry[],
  mask: Mask = MASKED,
): Promise<readonly ExportedCorrection[]> {
  const times = timeline.filter(isCorrection).length;
  if (times === 0) return [];
  const read = () => correctionsIn(client, { workflowId, runId }, mask);
  try {
    return await (mask === MASKED
      ? corrections.get(client, `${workflowId} ${runId} ${times}`, read)
      : read());
  } catch (error) {
    if (isUnreadablePayload(error) || isNotFound(error)) return [];
    throw error;
  }
}

/** Returns the changes of the corrections among these rows, by entry. */
export async function changesIn(client: Client, rows: readonly ActivityRow[]) {
  const corrected = rows.filter(({ entry }) => isCorrection(entry));
  const onboardings = new Map(corrected.map(({ listed, timeline }) => [listed, timeline]));
  const changes = await pLimit(AT_ONCE).map(onboardings, async ([listed, timeline]) => [
    ...changesByEntry(timeline, await correctionsFor(client, listed, timeline)),
  ]);
  return new Map(changes.flat());
}

/** Returns the records for CSV and JSON, and the unreadable onboardings, because a file would not show what it lacks. */
export async function activityRecords(
  client: Client,
  rows: readonly ActivityRow[],
  unread: readonly Listed[],
): Promise<readonly ActivityRecord[]> {
  const changes = await changesIn(client, rows);
  const gaps = unread.map(({ workflowId, dba }) => ({ workflowId, dba, detail: 'cannot be read now' }));
  return [
    ...rows.flatMap(({ listed, entry }) => activityRows(listed, entry, changes.get(entry) ?? [])),
    ...gaps,
  ];
}
