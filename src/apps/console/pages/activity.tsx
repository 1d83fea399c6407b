import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { ONBOARDINGS } from '../../../messages/kinds.js';
import type { TimelineEntry } from '../../../messages/onboarding-state.js';
import {
  ACTIVITY_COLUMNS,
  activityRows,
  changesByEntry,
  correctionsIn,
  entriesIn,
  isCorrection,
} from '../../../services/reports/activity.js';
import { Name, Table } from '../../../services/reports/page.js';
import type { ExportedCorrection } from '../../../services/reports/record.js';
import { MASKED, type Mask } from '../../../services/reports/record-parts.js';
import { csvOf } from '../../../services/texts/csv.js';
import { cursorOf, placeOf } from '../../../services/texts/cursors.js';
import { nameOf } from '../../../services/texts/names.js';
import { timeBefore } from '../../../services/texts/time.js';
import { isUnreadablePayload } from '../../../temporal/payload-codec.js';
import { compareField, either, IS_RUNNING } from '../../../temporal/query.js';
import { type Listed, pageBy, typesOf } from '../../../temporal/search.js';
import { SharedReads } from '../../../temporal/sharing.js';
import { ifFound, isNotFound } from '../../../temporal/unavailable.js';
import { readState } from '../onboarding-view.js';
import { address, pathOf } from '../query.js';
import { PageError, type RequestContext, type RouteResponse } from '../route.js';
import {
  ACCOUNT,
  choice,
  FIND,
  filterOf,
  listedAccounts,
  Presets,
  SINCE,
  text,
  withoutPrivate,
} from './filters.js';
import { pathLabel, valueText } from './input-fields.js';
import { Empty, When } from './parts.js';
import { Icon } from './pieces.js';
import { Author, EntryText } from './timeline.js';

/** The onboardings whose timelines a page reads: those that started last, or after those of the page before. */
const MOST_READ = 100;

/** The number of concurrent reads: a query may replay a workflow that its worker no longer has in memory. */
const AT_ONCE = 8;

/** No further onboarding is read after this time: without a worker, each read takes 15 s. */
const READING_MS = 10_000;

/** As many rows as a page of 60 kB has. */
const PAGE_SIZE = 50;

const DEFAULT_SINCE = '7d';

const FILTER = filterOf('Filter the activity', '/activity', {
  find: FIND,
  person: text('Person', { maxLength: 100 }),
  kind: choice('What', 'Everything', {
    ...{
      start: 'starts',
      answer: 'answers',
      correction: 'corrections',
      assignment: 'claims and assignments',
    },
    ...{ remark: 'remarks', question: 'questions', partner: 'partners and Gangway' },
  }),
  account: ACCOUNT,
  since: SINCE,
});

type Chosen = ReturnType<typeof FILTER.read>;

interface Row {
  readonly listed: Listed;
  readonly entry: TimelineEntry;
}

export async function showActivity(context: RequestContext): Promise<RouteResponse> {
  const { fields } = context;
  const chosen = FILTER.read(fields);
  const instead = withoutPrivate(fields, '/activity', chosen);
  if (instead) return instead;
  const from = fields.text('from');
  const { rows, next, unread, read } = await activityOf(context, chosen, from);
  const page = fields.page('page');
  const pageRows = rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const changes = await changesOf(context, pageRows);
  const isMore = rows.length > page * PAGE_SIZE;
  const to = address('/activity', { ...chosen, from, page: page + 1 });
  const older = address('/activity', { ...chosen, from: next });
  const query = address('', { ...chosen, from });
  return {
    title: 'Activity',
    page: (
      <>
        <div class="head">
          <h1>Activity</h1>
          <span>
            <Icon name="download" /> <a href={`/activity.csv${query}`}>Download as CSV</a>
            {(from || next) && `, of these ${read} onboardings only`}
          </span>
          <FILTER.Form chosen={chosen}>
            <Presets path="/activity" chosen={chosen} />
          </FILTER.Form>
        </div>
        {unread.length > 0 && <p class="notes">{unread.length} of them cannot be read now.</p>}
        {pageRows.length === 0 ? (
          <Empty title="Nothing happened.">{read} onboardings were read.</Empty>
        ) : (
          <Table
            caption={`The newest first, in ${read} onboardings${from || next ? ': those that started last come first' : ''}.`}
            rows={pageRows}
            inLines
            groupOf={({ entry }) => dayOf(context.times.day(entry.at))}
            columns={[
              { title: 'When', at: 'first-end', cell: ({ entry }) => <When time={entry.at} /> },
              { title: 'Business', at: 'first', cell: BusinessLink },
              {
                title: 'What happened',
                at: 'wide',
                cell: ({ entry, listed }) => (
                  <div class="entry">
                    <Author entry={entry} />
                    <div>
                      <EntryText entry={entry} workflowId={listed.workflowId} />
                    </div>
                  </div>
                ),
              },
              {
                title: 'Changed',
                at: 'wide',
                cell: ({ entry }) => <Corrected changes={changes.get(entry) ?? []} />,
              },
            ]}
          />
        )}
        <nav class="pages" aria-label="Pages">
          {isMore && (
            <a href={to} rel="next">
              Next
            </a>
          )}
          {!isMore && next !== undefined && <a href={older}>In onboardings that started before</a>}
        </nav>
      </>
    ),
  };
}

export async function activityCsv(context: RequestContext): Promise<RouteResponse> {
  FILTER.require(context.fields, 'There is no such activity');
  const { rows, unread } = await activityOf(
    context,
    FILTER.read(context.fields),
    context.fields.text('from'),
  );
  const changes = await changesOf(context, rows);
  const records = rows.flatMap(({ listed, entry }) => activityRows(listed, entry, changes.get(entry) ?? []));
  // The file would not show what it lacks.
  const gaps = unread.map(({ workflowId, dba }) => ({ workflowId, dba, detail: 'cannot be read now' }));
  const file = csvOf([...records, ...gaps], ACTIVITY_COLUMNS);
  return { file, fileName: 'activity.csv', contentType: 'text/csv; charset=utf-8' };
}

/** @param from the cursor of the page before, or ''. @throws {PageError} for another one */
async function activityOf(context: RequestContext, chosen: Chosen, from: string) {
  const { client, user } = context;
  const { find, person, kind, account } = chosen;
  const since = timeBefore(chosen.since || DEFAULT_SINCE) as Date;
  const token = from === '' ? '' : placeOf(from);
  if (typeof token !== 'string') throw new PageError(400, OTHER_PAGE);
  const query = either(IS_RUNNING, compareField('CloseTime', '>=', since));
  const partnerAccounts = listedAccounts(user, account);
  const filter = { types: typesOf(ONBOARDINGS), find, partnerAccounts, query };
  const { found: onboardings, next } = await pageBy(client, filter, MOST_READ, token);
  const end = Date.now() + READING_MS;
  const states = await pLimit(AT_ONCE).map(onboardings, async ({ workflowId }) =>
    Date.now() < end ? (await ifFound(readState(client, workflowId)))?.state : undefined,
  );
  const rows = onboardings.flatMap((listed, at) =>
    entriesIn(states[at]?.timeline ?? [], { since, kind, person }).map((entry): Row => ({ listed, entry })),
  );
  return {
    rows: rows.sort((one, other) => other.entry.at.localeCompare(one.entry.at)),
    next: cursorOf(next),
    unread: onboardings.filter((_, at) => !states[at]),
    read: onboardings.length,
  };
}

const OTHER_PAGE =
  'This address was changed or cut off: it leads to no page of the activity. Open Activity again.';

const corrections = new SharedReads<readonly ExportedCorrection[]>(60_000);

/** The corrections of an onboarding, which do not change while its timeline does not; none if they cannot be read. */
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

/** What the corrections among these rows changed. */
async function changesOf({ client }: RequestContext, rows: readonly Row[]) {
  const corrected = rows.filter(({ entry }) => isCorrection(entry));
  const onboardings = [...new Set(corrected.map(({ listed }) => listed))];
  const changes = await pLimit(AT_ONCE).map(onboardings, async (listed) => {
    const { timeline = [] } = (await ifFound(readState(client, listed.workflowId)))?.state ?? {};
    const changed = changesByEntry(timeline, await correctionsFor(client, listed, timeline));
    // Entries of another read are other objects.
    const byTime = new Map([...changed].map(([entry, its]) => [`${entry.at} ${entry.detail}`, its]));
    return corrected
      .filter((row) => row.listed === listed)
      .map(({ entry }) => [entry, byTime.get(`${entry.at} ${entry.detail}`) ?? []] as const);
  });
  return new Map(changes.flat());
}

/** `Today`, in the zone of the person. */
function dayOf(day: string) {
  return { key: day, heading: day };
}

function BusinessLink({ listed }: Row) {
  return (
    <a href={pathOf(listed.workflowId)}>
      <Name name={nameOf(listed)} />
    </a>
  );
}

/** Each field with its value before and after. */
export function Corrected({ changes }: { readonly changes: readonly ExportedCorrection[] }) {
  if (changes.length === 0) return null;
  return (
    <ul class="answered">
      {changes.map(({ field, old, new: value, takenBack }) => (
        <li>
          <strong>{pathLabel(field)}</strong>: <del>{valueText(field, old, 'nothing')}</del>{' '}
          <ins>{valueText(field, value, 'nothing')}</ins>
          {takenBack && ' (taken back)'}
        </li>
      ))}
    </ul>
  );
}
