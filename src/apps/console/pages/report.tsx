import { defined } from '../../../messages/objects.js';
import { recordOf } from '../../../services/reports/gather.js';
import type { ExportedRecord } from '../../../services/reports/record.js';
import { RecordBody } from '../../../services/reports/record-page.js';
import { COLUMNS, numbersOf, type Report, reportOf } from '../../../services/reports/report.js';
import { ReportFigures } from '../../../services/reports/report-page.js';
import { csvOf } from '../../../services/texts/csv.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { PAST_TIME_RULE, timeBefore } from '../../../services/texts/time.js';
import { openOnboarding } from '../onboarding-view.js';
import { address, pathOf } from '../query.js';
import { NotShown, type Shown, type Visit } from '../route.js';
import { SharedReads } from '../sharing.js';
import { documentsOf } from '../uploads.js';
import { ACCOUNT, AGENT, choice, filterOf, listedAccounts, SYSTEM, text } from './filters.js';

const FILTER = filterOf('Filter the report', '/report', {
  since: text('Since, such as 7d'),
  system: SYSTEM,
  account: ACCOUNT,
  agent: AGENT,
  by: choice('Compare', 'nothing', ['agent', 'account']),
});

/** A report reads the list of all workflows, so people who open the same one within seconds share it. */
const REPORTS = new SharedReads<Report>(5_000);

/** @throws {NotShown} for an account that this person may not see @throws {InvalidInput} */
function reportFor({ client, visitor }: Visit, given: ReturnType<typeof FILTER.read>): Promise<Report> {
  const { since, system, account, agent, by } = given;
  const partnerAccounts = listedAccounts(visitor, account);
  if (partnerAccounts?.length === 0) throw new NotShown(404, 'There is no such account.');
  const from = timeBefore(since);
  if (since !== '' && !from)
    throw new InvalidInput('There is no such report', [{ field: 'since', message: PAST_TIME_RULE }]);
  const which = { ...defined({ since: from, system, by, agent: agent || undefined }), partnerAccounts };
  // The time of `since` moves on.
  return REPORTS.get(client, JSON.stringify([given, visitor.accounts]), () => reportOf(client, which));
}

export async function showReport(visit: Visit): Promise<Shown> {
  const given = FILTER.read(visit.fields);
  const report = await reportFor(visit, given);
  const query = address('', given);
  const page = (
    <>
      <h1>Report</h1>
      <FILTER.Form chosen={given} isFiltered={query !== ''} />
      <p>
        <a href={`/report.json${query}`}>Download as JSON</a>, <a href={`/report.csv${query}`}>as CSV</a>
      </p>
      <ReportFigures report={report} times={visit.times} pathOf={pathOf} />
    </>
  );
  return { title: 'Report', page };
}

export async function reportJson(visit: Visit): Promise<Shown> {
  const report = await reportFor(visit, FILTER.read(visit.fields));
  return { file: JSON.stringify(report), fileName: 'report.json', contentType: 'application/json' };
}

export async function reportCsv(visit: Visit): Promise<Shown> {
  const report = await reportFor(visit, FILTER.read(visit.fields));
  const file = csvOf(numbersOf(report), COLUMNS);
  return { file, fileName: 'report.csv', contentType: 'text/csv; charset=utf-8' };
}

/** The auditor's record of an onboarding, with private values masked. */
async function recordFor(visit: Visit): Promise<ExportedRecord> {
  const { client, settings, visitor, audit } = visit;
  const description = await openOnboarding(visit);
  const documents = await documentsOf(settings);
  audit(visitor, { what: 'export', workflowId: description.workflowId });
  return recordOf(client, documents, description, { actor: visitor.actor });
}

export async function showRecord(visit: Visit): Promise<Shown> {
  const record = await recordFor(visit);
  const { workflowId } = record.onboarding;
  const page = (
    <>
      <p>
        <a href={pathOf(workflowId)}>Back to the onboarding</a>,{' '}
        <a href={pathOf(workflowId, 'export.json')}>download as JSON</a>
      </p>
      <RecordBody record={record} times={visit.times} />
    </>
  );
  return { title: `Record of ${workflowId}`, page };
}

export async function recordJson(visit: Visit): Promise<Shown> {
  const record = await recordFor(visit);
  const fileName = `${record.onboarding.workflowId}.json`;
  return { file: JSON.stringify(record), fileName, contentType: 'application/json' };
}
