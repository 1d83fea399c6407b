import { type Part as CustomerPart, PARTS } from '../../messages/onboardings.js';
import type { Answer } from '../../messages/requirements.js';
import type { Times } from '../cli/time.js';
import { type Html, html, type Part } from './html.js';
import { type Column, factsWith, notesWith, pageOf, tableWith, timeOf } from './page.js';
import type {
  ExportedCall,
  ExportedCorrection,
  ExportedDocument,
  ExportedOnboarding,
  ExportedRecord,
} from './record.js';

/** The record of an onboarding as a page for reading and printing. */
export function recordPage(record: ExportedRecord, times: Times): Html {
  const { onboarding, parts, exportedAt, exportedBy, privateValues, reason, namespace } = record;
  const name = onboarding.facts.dba ?? onboarding.externalId ?? onboarding.workflowId;
  const masking =
    privateValues === 'masked'
      ? 'Private values are masked.'
      : `Private values are shown, because: ${reason}`;
  return pageOf(
    `Record of ${name}`,
    html`<h1>Record of ${name}</h1>
<p class="faint">Exported ${timeOf(times, exportedAt)} by ${exportedBy} from namespace ${namespace}. ${masking}</p>
${onboardingOf(onboarding, times)}
${parts.map((part) => html`<h2>${titleOf(part)}: ${part.workflowId}</h2>\n${onboardingOf(part, times)}`)}`,
  );
}

const TITLES: Readonly<Record<CustomerPart, string>> = {
  boarding: 'Merchant',
  business: 'Business',
  terminal: 'Terminal',
};

function titleOf({ workflowType }: ExportedOnboarding): string {
  const part = (Object.keys(PARTS) as CustomerPart[]).find((each) => PARTS[each] === workflowType);
  return part === undefined ? workflowType : TITLES[part];
}

function onboardingOf(onboarding: ExportedOnboarding, times: Times): Html {
  const { notes, timeline, requirements, corrections, documents, input, outcome } = onboarding;
  return html`${notesWith(notes)}
${factsOf(onboarding, times)}
<h3>Timeline</h3>
${tableWith('What happened, who did it, and why', timeline, timelineColumns(times), { isWide: true })}
<h3>Requirements</h3>
${tableWith('What was asked of people', requirements, requirementsColumns(times), { isWide: true })}
<h3>Answers</h3>
${answersOf(onboarding, times)}
<h3>Corrections</h3>
${tableWith('Fields that answers changed', corrections, correctionsColumns(times), { isWide: true })}
<h3>Documents</h3>
${tableWith('Documents, and the SHA-256 of what the store has', documents, DOCUMENTS, { isWide: true })}
<h3>Calls to partners</h3>
${callsOf(onboarding, times)}
<h3>Input and outcome</h3>
${inFull('Input at the start', input)}
${outcome !== undefined && inFull('Outcome', outcome)}
`;
}

function factsOf(onboarding: ExportedOnboarding, times: Times): Html {
  const { facts, status, startedAt, startedBy, endedAt, partnerAccount, runIds, source } = onboarding;
  return factsWith({
    Name: facts.dba,
    Stage: facts.stage,
    'Partner status': facts.partnerStatus,
    Merchant: facts.merchantProfileId,
    mid: facts.mid,
    'Banking profile': facts.profileId,
    'Financial account': facts.financialAccountId,
    'Payments account': facts.paymentsAccountId,
    Terminal: facts.terminalId,
    'External ID': onboarding.externalId,
    'Partner account': partnerAccount,
    Workflow: html`<code>${onboarding.workflowId}</code>, ${status}`,
    Runs: html`<code>${runIds.join(', ')}</code>`,
    Started: html`${timeOf(times, startedAt)}${startedBy !== undefined && ` by process ${startedBy}`}`,
    Ended: timeOf(times, endedAt),
    Source: source === 'worker' ? 'the workflow and its history' : 'its history',
  });
}

const timelineColumns = (times: Times): readonly Column<ExportedOnboarding['timeline'][number]>[] => [
  { title: 'At', cell: ({ at }) => timeOf(times, at) },
  { title: 'Event', cell: ({ event }) => event },
  { title: 'Detail', cell: ({ detail }) => detail },
  { title: 'Who', cell: ({ actor }) => actor },
  { title: 'Why', cell: ({ reason }) => reason },
];

const requirementsColumns = (times: Times): readonly Column<ExportedOnboarding['requirements'][number]>[] => [
  { title: 'Requirement', cell: ({ id }) => html`<code>${id}</code>` },
  { title: 'Asked', cell: ({ title, detail }) => [title, detail !== undefined && html`<br>${detail}`] },
  { title: 'Raised', cell: ({ raisedAt }) => timeOf(times, raisedAt) },
  {
    title: 'End',
    cell: ({ status, endedAt, closedBecause, overdueAt, dueAt }) => [
      html`${status} ${timeOf(times, endedAt)}`,
      dueAt !== undefined && html`<br>due ${timeOf(times, dueAt)}`,
      closedBecause !== undefined && html`<br>${closedBecause}`,
      overdueAt !== undefined && html`<br>overdue since ${timeOf(times, overdueAt)}`,
    ],
  },
];

function answersOf({ answers }: ExportedOnboarding, times: Times): Html {
  return tableWith(
    'Who answered what, when, and why',
    answers,
    [
      { title: 'At', cell: ({ at }) => timeOf(times, at) },
      { title: 'Requirement', cell: ({ requirementId }) => html`<code>${requirementId}</code>` },
      { title: 'Who', cell: ({ actor }) => actor },
      { title: 'Why', cell: ({ reason }) => reason },
      { title: 'Answer', cell: ({ answer }) => answerOf(answer as Answer) },
    ],
    { isWide: true },
  );
}

/** In words where it has some. */
function answerOf(answer: Answer): Part {
  if (answer.kind === 'text') return answer.text;
  if (answer.kind === 'documents') return answer.documents.map(({ fileName }) => fileName).join(', ');
  const { kind, ...more } = answer;
  return [kind, Object.keys(more).length > 0 && html`<pre>${JSON.stringify(more, null, 1)}</pre>`];
}

const correctionsColumns = (times: Times): readonly Column<ExportedCorrection>[] => [
  { title: 'At', cell: ({ at }) => timeOf(times, at) },
  { title: 'Field', cell: ({ field }) => html`<code>${field}</code>` },
  { title: 'Old', cell: (correction) => oldOrNew(correction, 'old') },
  { title: 'New', cell: (correction) => oldOrNew(correction, 'new') },
  { title: 'Who', cell: ({ actor }) => actor },
  {
    title: 'Why',
    cell: ({ reason, takenBack }) => reason + (takenBack ? ' (taken back before it was sent)' : ''),
  },
];

function oldOrNew(correction: ExportedCorrection, name: 'old' | 'new'): Html | string {
  if (!(name in correction)) return '(none)';
  const { [name]: value } = correction;
  return typeof value === 'string' ? value : html`<code>${JSON.stringify(value)}</code>`;
}

const DOCUMENTS: readonly Column<ExportedDocument>[] = [
  {
    title: 'Document',
    cell: ({ fileName, contentType }) => html`${fileName}<br><span class="faint">${contentType}</span>`,
  },
  { title: 'SHA-256', cell: ({ sha256, problem }) => (sha256 ? html`<code>${sha256}</code>` : problem) },
  { title: 'Bytes', cell: ({ bytes }) => bytes, isNumber: true },
  { title: 'Answers', cell: ({ answered }) => answered.join(', ') },
  { title: 'Sent by call', cell: ({ sentBy }) => sentBy.join(', ') },
];

const callsColumns = (times: Times): readonly Column<ExportedCall>[] => [
  { title: '#', cell: ({ number }) => number, isNumber: true },
  {
    title: 'Call',
    cell: ({ summary, operation }) => html`${summary ?? operation}<br><code>${operation}</code>`,
  },
  { title: 'System', cell: ({ system }) => system },
  { title: 'Scheduled', cell: ({ scheduledAt }) => timeOf(times, scheduledAt) },
  { title: 'Ended', cell: ({ endedAt }) => timeOf(times, endedAt) },
  { title: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
  {
    title: 'Result',
    cell: ({ result, problem, requestId }) => [
      result,
      problem !== undefined && html`<br>${problem}`,
      requestId !== undefined && html`<br>request <code>${requestId}</code>`,
    ],
  },
];

function callsOf({ calls }: ExportedOnboarding, times: Times): Html {
  const full = calls.map(({ number, summary, operation, scheduledAt, request, response }) =>
    inFull(`${number} ${summary ?? operation}, ${times.atSecond(scheduledAt)}`, { request, response }),
  );
  return html`${tableWith('Each call, with the attempts that it took', calls, callsColumns(times), { isWide: true })}
${full}`;
}

/** A JSON value that is folded away on a screen and open on paper. */
function inFull(title: string, value: unknown): Html {
  return html`<details><summary>${title}</summary><pre>${JSON.stringify(value, null, 2)}</pre></details>\n`;
}
