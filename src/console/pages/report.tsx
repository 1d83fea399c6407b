import { defined } from '../../messages/objects.js';
import { SYSTEM_NAMES } from '../../partners/systems.js';
import { recordOf } from '../../reports/gather.js';
import type { ExportedRecord } from '../../reports/record.js';
import { RecordBody } from '../../reports/record-page.js';
import { COLUMNS, numbersOf, type Report, reportOf } from '../../reports/report.js';
import { ReportFigures } from '../../reports/report-page.js';
import { csvOf } from '../../texts/csv.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { PAST_TIME_RULE, timeBefore } from '../../texts/time.js';
import { openOnboarding } from '../onboarding-view.js';
import { address, pathOf } from '../query.js';
import { NotShown, type Route, type Shown, type Visit } from '../route.js';
import { SharedReads } from '../sharing.js';
import { documentsOf } from '../uploads.js';
import { Field } from './field.js';
import { AccountChoice, Choice, Filters, listedAccounts, SystemChoice } from './filters.js';

const GROUPS = ['agent', 'account'] as const;

function givenIn({ fields }: Visit) {
  const text = (name: string) => fields.text(name).trim();
  return {
    ...{ since: text('since'), account: text('account'), agent: text('agent') },
    ...{ system: fields.oneOf('system', SYSTEM_NAMES), by: fields.oneOf('by', GROUPS) },
  };
}

type Given = ReturnType<typeof givenIn>;

/** A report reads the list of all workflows, so people who open the same one within seconds share it. */
const REPORTS = new SharedReads<Report>(5_000);

/** @throws {NotShown} for an account that this person may not see @throws {InvalidInput} */
function reportFor({ client, visitor }: Visit, given: Given): Promise<Report> {
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

async function showReport(visit: Visit): Promise<Shown> {
  const given = givenIn(visit);
  const report = await reportFor(visit, given);
  const query = address('', given);
  const page = (
    <>
      <h1>Report</h1>
      <Filters label="Filter the report" action="/report" isFiltered={query !== ''}>
        <Field label="Since, such as 7d" name="since" value={given.since} />
        <SystemChoice chosen={given.system} />
        <AccountChoice chosen={given.account} />
        <Field label="Agent profile" name="agent" value={given.agent} inputMode="numeric" />
        <Choice name="by" label="Compare" none="nothing" chosen={given.by} choices={GROUPS} />
      </Filters>
      <p>
        <a href={`/report.json${query}`}>Download as JSON</a>, <a href={`/report.csv${query}`}>as CSV</a>
      </p>
      <ReportFigures report={report} times={visit.times} pathOf={pathOf} />
    </>
  );
  return { title: 'Report', page };
}

async function reportJson(visit: Visit): Promise<Shown> {
  const report = await reportFor(visit, givenIn(visit));
  return { file: JSON.stringify(report), fileName: 'report.json', contentType: 'application/json' };
}

async function reportCsv(visit: Visit): Promise<Shown> {
  const report = await reportFor(visit, givenIn(visit));
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

async function showRecord(visit: Visit): Promise<Shown> {
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

async function recordJson(visit: Visit): Promise<Shown> {
  const record = await recordFor(visit);
  const fileName = `${record.onboarding.workflowId}.json`;
  return { file: JSON.stringify(record), fileName, contentType: 'application/json' };
}

export const REPORT_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/report', role: 'viewer', show: showReport },
  { method: 'GET', path: '/report.json', role: 'viewer', show: reportJson },
  { method: 'GET', path: '/report.csv', role: 'viewer', show: reportCsv },
  { method: 'GET', path: '/onboardings/:id/export', role: 'approver', show: showRecord },
  { method: 'GET', path: '/onboardings/:id/export.json', role: 'approver', show: recordJson },
];
