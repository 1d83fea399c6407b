import { csvOf } from '../../operators/csv.js';
import { InvalidInput } from '../../operators/invalid-input.js';
import { type ReportOf, reportOf } from '../../operators/report/counted.js';
import { recordOf } from '../../operators/report/gather.js';
import { COLUMNS, numbersOf, type Report } from '../../operators/report/numbers.js';
import type { ExportedRecord } from '../../operators/report/record.js';
import { RecordBody } from '../../operators/report/record-page.js';
import { ReportFigures } from '../../operators/report/report-page.js';
import { PAST_TIME_RULE, timeBefore } from '../../operators/time.js';
import { SYSTEM_NAMES } from '../../partners/systems.js';
import { openOnboarding } from '../onboarding-access.js';
import { pathOf } from '../query.js';
import { NotShown, type Route, type Shown, type Visit } from '../route.js';
import { SharedReads } from '../sharing.js';
import { documentsOf } from '../uploads.js';
import { maySee } from '../visitor.js';

const GROUPS = ['agent', 'account'] as const;

/** What a report covers, as the address has it. */
const FILTERS = ['since', 'system', 'account', 'agent', 'by'] as const;

type Given = Readonly<Record<(typeof FILTERS)[number], string>>;

function givenIn({ request }: Visit): Given {
  const query = request.query as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof query[name] === 'string' ? query[name].trim() : '');
  return Object.fromEntries(FILTERS.map((name) => [name, text(name)])) as Given;
}

/** A report reads the list of all workflows, so people who open the same one within seconds share it. */
const REPORTS = new SharedReads<Report>(5_000);

/** @throws {NotShown} for an account that this person may not see @throws {InvalidInput} */
function reportFor({ client, visitor }: Visit, given: Given): Promise<Report> {
  const { since, system, account, agent, by } = given;
  if (account !== '' && !maySee(visitor, account)) throw new NotShown(404, 'There is no such account.');
  const from = since === '' ? undefined : timeBefore(since);
  const partner = SYSTEM_NAMES.find((name) => name === system);
  const group = GROUPS.find((name) => name === by);
  const problems = [
    ...(since !== '' && !from ? [{ field: 'since', message: PAST_TIME_RULE }] : []),
    ...(system !== '' && !partner
      ? [{ field: 'system', message: `must be one of ${SYSTEM_NAMES.join(', ')}` }]
      : []),
    ...(by !== '' && !group ? [{ field: 'by', message: `must be one of ${GROUPS.join(', ')}` }] : []),
  ];
  if (problems.length > 0) throw new InvalidInput('There is no such report', problems);
  const which: ReportOf = {
    ...(from && { since: from }),
    ...(partner && { system: partner }),
    ...(group && { by: group }),
    ...(account !== '' && { partnerAccount: account }),
    ...(agent !== '' && { agent }),
    ...(visitor.accounts && { partnerAccounts: visitor.accounts }),
  };
  // The time of `since` moves on.
  return REPORTS.get(client, JSON.stringify([given, visitor.accounts]), () => reportOf(client, which));
}

async function showReport(visit: Visit): Promise<Shown> {
  const given = givenIn(visit);
  const report = await reportFor(visit, given);
  const accounts = Object.keys(visit.settings.accounts).filter((name) => maySee(visit.visitor, name));
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
  const page = (
    <>
      <h1>Report</h1>
      <form method="get" action="/report" class="filters">
        <div class="field">
          <label for="since">Since, such as 30d</label>
          <input id="since" name="since" value={given.since} />
        </div>
        <Choice name="system" label="Partner" values={SYSTEM_NAMES} given={given.system} />
        {accounts.length > 0 && (
          <Choice name="account" label="Account" values={accounts} given={given.account} />
        )}
        <div class="field">
          <label for="agent">Agent profile</label>
          <input id="agent" name="agent" value={given.agent} inputMode="numeric" />
        </div>
        <Choice name="by" label="Compare" values={GROUPS} given={given.by} none="nothing" />
        <div class="actions">
          <button type="submit">Show</button>
        </div>
      </form>
      <p>
        <a href={`/report.json?${query}`}>Download as JSON</a>, <a href={`/report.csv?${query}`}>as CSV</a>
      </p>
      <ReportFigures report={report} times={visit.times} />
    </>
  );
  return { title: 'Report', page };
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  readonly given: string;
  /** The choice of none. */
  readonly none?: string;
}

function Choice({ name, label, values, given, none = 'all' }: ChoiceProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        <option value="">{none}</option>
        {values.map((value) => (
          <option value={value} selected={value === given}>
            {value}
          </option>
        ))}
      </select>
    </div>
  );
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
  const { client, settings, visitor, audit, request } = visit;
  const { id = '' } = request.params as { readonly id?: string };
  const description = await openOnboarding(visit, id);
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
