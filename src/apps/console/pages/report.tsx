import { omitUndefined } from '../../../messages/objects.js';
import { EACH_ONBOARDING } from '../../../messages/workflow-types.js';
import type { ExportedRecord } from '../../../services/reports/exported-record.js';
import { readRecord } from '../../../services/reports/read-record.js';
import { RecordBody } from '../../../services/reports/record-page.js';
import { COLUMNS, numbersOf, type Report, reportOf } from '../../../services/reports/report.js';
import { type Counted, ReportFigures } from '../../../services/reports/report-page.js';
import { csvOf } from '../../../services/texts/csv.js';
import { timeBefore } from '../../../services/texts/time.js';
import { SharedReads } from '../../../temporal/shared-reads.js';
import { openOnboarding } from '../onboarding-view.js';
import { address, pathOf } from '../query.js';
import { PageError, type RequestContext, type RouteResponse } from '../route.js';
import { openDocumentStore } from '../uploads.js';
import { ACCOUNT, AGENT, choice, filterOf, listedAccounts, Presets, SINCE, SYSTEM } from './filters.js';
import { Icon } from './pieces.js';

const FILTER = filterOf('Filter the report', '/report', {
  since: SINCE,
  system: SYSTEM,
  account: ACCOUNT,
  agent: AGENT,
  by: choice('Compare', 'Compare nothing', { agent: 'by agent', account: 'by account' }),
});

/** Reports read the list of all workflows, so people who open the same report within seconds share it. */
const REPORTS = new SharedReads<Report>(5_000);

/** Returns the report of a filter. @throws {PageError} if this person may not see the account */
function reportFor(
  { client, user }: RequestContext,
  filter: ReturnType<typeof FILTER.read>,
): Promise<Report> {
  const { since, system, account, agent, by } = filter;
  const partnerAccounts = listedAccounts(user, account);
  if (partnerAccounts?.length === 0) throw new PageError(404, 'There is no such account.');
  const from = timeBefore(since);
  const which = { ...omitUndefined({ since: from, system, by, agent: agent || undefined }), partnerAccounts };
  // The key has the filter, not the start time, because the start of `7d` changes all the time.
  return REPORTS.get(client, JSON.stringify([filter, user.accounts]), () => reportOf(client, which));
}

export async function showReport(context: RequestContext): Promise<RouteResponse> {
  const filter = FILTER.read(context.fields);
  const report = await reportFor(context, filter);
  const query = address('', filter);
  const page = (
    <>
      <div class="head">
        <h1>Report</h1>
        <span>
          <Icon name="download" /> <a href={`/report.json${query}`}>Download as JSON</a>,{' '}
          <a href={`/report.csv${query}`}>as CSV</a>
        </span>
        <FILTER.Form chosen={filter}>
          <Presets path="/report" chosen={filter} />
        </FILTER.Form>
      </div>
      <ReportFigures
        report={report}
        times={context.times}
        links={{ pathOf, rowsOf: rowsFor(filter, report) }}
      />
    </>
  );
  return { title: 'Report', page };
}

/** Returns the address of the list with exactly the rows that a number counts, if any. The inbox cannot filter by agent. */
const rowsFor =
  ({ system, account, agent }: ReturnType<typeof FILTER.read>, { since }: Report) =>
  ({ of, subject, stage, kind }: Counted): string | undefined => {
    if (kind !== undefined)
      return agent === '' ? address('/', { kind, system, account, due: of === 'open' ? '' : of }) : undefined;
    const [type = 'part'] = EACH_ONBOARDING.flatMap(([each, { nouns }]) =>
      nouns[0] === subject ? [each] : [],
    );
    return address('/onboardings', {
      type,
      stage,
      system,
      account,
      agent,
      ...LISTED[of],
      ...(of === 'ended' && { since }),
    });
  };

/** The filter of the list of onboardings, by the number that links to it. */
const LISTED: Readonly<Record<Counted['of'], Readonly<Record<string, string>>>> = {
  running: { state: 'running' },
  waiting: { state: 'waiting' },
  waitingOverADay: { state: 'waiting', over: '1d' },
  overADay: { state: 'running', inStage: '1d' },
  ended: { state: 'ended' },
  open: {},
  overdue: {},
};

export async function reportJson(context: RequestContext): Promise<RouteResponse> {
  FILTER.require(context.fields, 'There is no such report');
  const report = await reportFor(context, FILTER.read(context.fields));
  return { file: JSON.stringify(report), fileName: 'report.json', contentType: 'application/json' };
}

export async function reportCsv(context: RequestContext): Promise<RouteResponse> {
  FILTER.require(context.fields, 'There is no such report');
  const report = await reportFor(context, FILTER.read(context.fields));
  const file = csvOf(numbersOf(report), COLUMNS);
  return { file, fileName: 'report.csv', contentType: 'text/csv; charset=utf-8' };
}

/** Returns an onboarding's record for auditors, with private values masked. */
async function recordFor(context: RequestContext): Promise<ExportedRecord> {
  const { client, settings, user, audit } = context;
  const description = await openOnboarding(context);
  const documents = await openDocumentStore(settings);
  audit(user, { what: 'export', workflowId: description.workflowId });
  return readRecord(client, documents, description, { actor: user.actor });
}

export async function showRecord(context: RequestContext): Promise<RouteResponse> {
  const record = await recordFor(context);
  const { workflowId } = record.onboarding;
  const page = (
    <>
      <p>
        <a href={pathOf(workflowId)}>Back to the onboarding</a>,{' '}
        <a href={pathOf(workflowId, 'export.json')}>download as JSON</a>
      </p>
      <RecordBody record={record} times={context.times} />
    </>
  );
  return { title: `Record of ${workflowId}`, page };
}

export async function recordJson(context: RequestContext): Promise<RouteResponse> {
  const record = await recordFor(context);
  const fileName = `${record.onboarding.workflowId}.json`;
  return { file: JSON.stringify(record), fileName, contentType: 'application/json' };
}
