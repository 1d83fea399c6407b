import { REDACTED } from '../../../platform/privacy/masked.js';
import {
  ACTIVITY_COLUMNS,
  type ActivityRow,
  activityOf,
  activityRecords,
  changesIn,
} from '../../../services/reports/activity.js';
import type { ExportedCorrection } from '../../../services/reports/exported-record.js';
import { Name, Table } from '../../../services/reports/page.js';
import { lackSince } from '../../../services/reports/report.js';
import { csvOf } from '../../../services/texts/csv.js';
import { cursorOf, parseCursor } from '../../../services/texts/cursors.js';
import { displayName } from '../../../services/texts/display-names.js';
import { timeBefore } from '../../../services/texts/time.js';
import { undefinedIfMissing } from '../../../temporal/unavailable.js';
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
  redirectWithoutSearchText,
  SINCE,
  textFilter,
} from './filters.js';
import { pathLabel, valueText } from './input-fields.js';
import { Empty, When } from './parts.js';
import { Icon } from './pieces.js';
import { Author, EntryText } from './timeline.js';

/** The number of rows that fit a page of 60 kB. */
const PAGE_SIZE = 50;

const DEFAULT_SINCE = '7d';

const FILTER = filterOf('Filter the activity', '/activity', {
  find: FIND,
  person: textFilter('Person', { maxLength: 100 }),
  kind: choice('What', 'Everything', {
    start: 'starts',
    answer: 'answers',
    correction: 'corrections',
    assignment: 'claims and assignments',
    remark: 'remarks',
    question: 'questions',
    person: 'what people did',
    partner: 'partners and Gangway',
  }),
  account: ACCOUNT,
  since: SINCE,
});

type Chosen = ReturnType<typeof FILTER.read>;

const sinceOf = ({ since }: Chosen) => timeBefore(since || DEFAULT_SINCE) as Date;

export async function showActivity(context: RequestContext): Promise<RouteResponse> {
  const { fields } = context;
  const chosen = FILTER.read(fields);
  const instead = redirectWithoutSearchText(fields, '/activity', chosen);
  if (instead) return instead;
  const from = fields.text('from');
  const { rows, next, unread, read } = await chosenActivity(context, chosen, from);
  const page = fields.page('page');
  const pageRows = rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const changes = await changesIn(context.client, pageRows);
  const lack = await lackSince(context.client, sinceOf(chosen));
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
        {lack && <p class="notes">{lack}</p>}
        {unread.length > 0 && <p class="notes">{unread.length} of them cannot be read now.</p>}
        {pageRows.length === 0 ? (
          <Empty title="Nothing happened.">{read} onboardings were read.</Empty>
        ) : (
          <Table
            caption={`The newest first, in ${read} ${read === 1 ? 'onboarding' : 'onboardings'}${from || next ? ': those that started last come first' : ''}.`}
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
  const { client, fields } = context;
  const { rows, unread } = await chosenActivity(context, FILTER.read(fields), fields.text('from'));
  const file = csvOf(await activityRecords(client, rows, unread), ACTIVITY_COLUMNS);
  return { file, fileName: 'activity.csv', contentType: 'text/csv; charset=utf-8' };
}

/** @param from the cursor from the previous page, or ''. @throws {PageError} if it is invalid */
async function chosenActivity({ client, user }: RequestContext, chosen: Chosen, from: string) {
  const { account, ...filter } = chosen;
  const token = from === '' ? '' : parseCursor(from);
  if (typeof token !== 'string') throw new PageError(400, OTHER_PAGE);
  const wanted = {
    ...filter,
    partnerAccounts: listedAccounts(user, account),
    since: sinceOf(chosen),
  };
  const read = async (workflowId: string) => (await undefinedIfMissing(readState(client, workflowId)))?.state;
  const { next, ...activity } = await activityOf(client, wanted, read, { token });
  return { ...activity, next: cursorOf(next) };
}

const OTHER_PAGE =
  'This address was changed or cut off: it leads to no page of the activity. Open Activity again.';

/** Returns the name of a day in the person's time zone, such as `Today`. */
function dayOf(day: string) {
  return { key: day, heading: day };
}

function BusinessLink({ listed }: ActivityRow) {
  return (
    <a href={pathOf(listed.workflowId)}>
      <Name name={displayName(listed)} />
    </a>
  );
}

/** Lists the corrected fields, with their values before and after. */
export function Corrected({ changes }: { readonly changes: readonly ExportedCorrection[] }) {
  if (changes.length === 0) return null;
  return (
    <ul class="answered">
      {changes.map(({ field, old, new: value, takenBack }) => (
        <li>
          <strong>{pathLabel(field)}: </strong>
          {old === REDACTED && value === REDACTED
            ? 'changed, hidden'
            : [
                <del>{valueText(field, old, 'nothing')}</del>,
                ' ',
                <ins>{valueText(field, value, 'nothing')}</ins>,
              ]}
          {takenBack && ' (taken back)'}
        </li>
      ))}
    </ul>
  );
}
