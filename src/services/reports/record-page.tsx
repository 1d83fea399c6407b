import type { ComponentChildren } from 'preact';
import { type Part as CustomerPart, PARTS } from '../../messages/onboardings.js';
import type { Answer } from '../../messages/requirements.js';
import type { Times } from '../texts/time.js';
import { inZone } from '../texts/timeline-entries.js';
import type {
  ExportedCall,
  ExportedCorrection,
  ExportedDocument,
  ExportedOnboarding,
  ExportedRecord,
} from './exported-record.js';
import { type Column, Facts, Notes, renderReportPage, Table, Time } from './page.js';

export function recordPage(record: ExportedRecord, times: Times): string {
  return renderReportPage(`Record of ${nameOf(record)}`, <RecordBody record={record} times={times} />);
}

function nameOf({ onboarding: { facts, externalId, workflowId } }: ExportedRecord): string {
  return facts.dba ?? externalId ?? workflowId;
}

export function RecordBody({ record, times }: { readonly record: ExportedRecord; readonly times: Times }) {
  const { onboarding, parts, exportedAt, exportedBy, privateValues, reason, namespace } = record;
  const masking =
    privateValues === 'masked'
      ? 'Private values are masked.'
      : `Private values are shown, because: ${reason}`;
  return (
    <>
      <h1>Record of {nameOf(record)}</h1>
      <p class="faint">
        Exported <Time times={times} at={exportedAt} /> by {exportedBy} from namespace {namespace}. {masking}
      </p>
      {onboardingOf(onboarding, times, 'h2')}
      {parts.map((part) => (
        <>
          <h2>
            {titleOf(part)}: {part.workflowId}
          </h2>
          {onboardingOf(part, times, 'h3')}
        </>
      ))}
    </>
  );
}

export const PART_NAMES: Readonly<Record<CustomerPart, string>> = {
  boarding: 'Merchant',
  business: 'Business',
};

function titleOf({ workflowType }: ExportedOnboarding): string {
  const part = (Object.keys(PARTS) as CustomerPart[]).find((each) => PARTS[each] === workflowType);
  return part === undefined ? workflowType : PART_NAMES[part];
}

/** @param Heading the heading of its sections */
function onboardingOf(onboarding: ExportedOnboarding, times: Times, Heading: 'h2' | 'h3') {
  const { notes, timeline, requirements, answers, corrections, documents, calls, input, outcome } =
    onboarding;
  const section = <Row,>(
    title: string,
    caption: string,
    rows: readonly Row[],
    columns: readonly Column<Row>[],
  ) => (
    <>
      <Heading>{title}</Heading>
      <Table caption={caption} rows={rows} columns={columns} isWide />
    </>
  );
  return (
    <>
      <Notes notes={notes} />
      {factsOf(onboarding, times)}
      {section('Timeline', 'What happened, who did it, and why', timeline, timelineColumns(times))}
      {section('Requirements', 'What was asked of people', requirements, requirementsColumns(times))}
      {section('Answers', 'Who answered what, when, and why', answers, answersColumns(times))}
      {section('Corrections', 'Fields that answers changed', corrections, correctionsColumns(times))}
      {section('Documents', 'Documents, and the SHA-256 of what the store has', documents, DOCUMENTS)}
      {section('Calls to partners', 'Each call, with the attempts that it took', calls, callsColumns(times))}
      {calls.map(({ number, summary, operation, scheduledAt, request, response }) => (
        <InFull
          title={`${number} ${summary ?? operation}, ${times.atSecond(scheduledAt)}`}
          value={{ request, response }}
        />
      ))}
      <Heading>Input and outcome</Heading>
      <InFull title="Input at the start" value={input} />
      {outcome !== undefined && <InFull title="Outcome" value={outcome} />}
    </>
  );
}

function factsOf(onboarding: ExportedOnboarding, times: Times) {
  const { facts, status, startedAt, startedBy, endedAt, partnerAccount, runIds, source } = onboarding;
  const entry = {
    Name: facts.dba,
    Stage: facts.stage,
    'Partner status': facts.partnerStatus,
    Merchant: facts.merchantProfileId,
    mid: facts.mid,
    'Banking profile': facts.profileId,
    'Financial account': facts.financialAccountId,
    'External ID': onboarding.externalId,
    'Partner account': partnerAccount,
    Workflow: (
      <>
        <code>{onboarding.workflowId}</code>, {status}
      </>
    ),
    Runs: <code>{runIds.join(', ')}</code>,
    Started: (
      <>
        <Time times={times} at={startedAt} />
        {startedBy !== undefined && ` by process ${startedBy}`}
      </>
    ),
    Ended: endedAt && <Time times={times} at={endedAt} />,
    Source: source === 'worker' ? 'the workflow and its history' : 'its history',
  };
  return <Facts facts={entry} />;
}

const timelineColumns = (times: Times): readonly Column<ExportedOnboarding['timeline'][number]>[] => [
  { title: 'At', cell: ({ at }) => <Time times={times} at={at} /> },
  { title: 'Event', cell: ({ event }) => event },
  { title: 'Detail', cell: (entry) => inZone(entry.detail ?? '', entry, times) },
  { title: 'Who', cell: ({ actor }) => actor },
  { title: 'Why', cell: ({ reason }) => reason },
];

const requirementsColumns = (times: Times): readonly Column<ExportedOnboarding['requirements'][number]>[] => [
  { title: 'Requirement', cell: ({ id }) => <code>{id}</code> },
  { title: 'Asked', cell: ({ title, detail }) => [title, detail !== undefined && [<br />, detail]] },
  { title: 'Raised', cell: ({ raisedAt }) => <Time times={times} at={raisedAt} /> },
  {
    title: 'End',
    cell: ({ status, endedAt, closedBecause, overdueAt, unclaimedAt, dueAt }) => [
      status,
      endedAt !== undefined && [' ', <Time times={times} at={endedAt} />],
      dueAt !== undefined && [<br />, 'due ', <Time times={times} at={dueAt} />],
      closedBecause !== undefined && [<br />, closedBecause],
      overdueAt !== undefined && [<br />, 'overdue since ', <Time times={times} at={overdueAt} />],
      unclaimedAt !== undefined && [<br />, 'unclaimed at ', <Time times={times} at={unclaimedAt} />],
    ],
  },
];

const answersColumns = (times: Times): readonly Column<ExportedOnboarding['answers'][number]>[] => [
  { title: 'At', cell: ({ at }) => <Time times={times} at={at} /> },
  { title: 'Requirement', cell: ({ requirementId }) => <code>{requirementId}</code> },
  { title: 'Who', cell: ({ actor }) => actor },
  { title: 'Why', cell: ({ reason }) => reason },
  { title: 'Answer', cell: ({ answer }) => answerOf(answer as Answer) },
];

/** Returns the answer in words, if possible. */
function answerOf(answer: Answer): ComponentChildren {
  if (answer.kind === 'text') return answer.text;
  if (answer.kind === 'documents') return answer.documents.map(({ fileName }) => fileName).join(', ');
  const { kind, ...more } = answer;
  return [kind, Object.keys(more).length > 0 && <pre>{JSON.stringify(more, null, 1)}</pre>];
}

const correctionsColumns = (times: Times): readonly Column<ExportedCorrection>[] => [
  { title: 'At', cell: ({ at }) => <Time times={times} at={at} /> },
  { title: 'Field', cell: ({ field }) => <code>{field}</code> },
  { title: 'Old', cell: (correction) => oldOrNew(correction, 'old') },
  { title: 'New', cell: (correction) => oldOrNew(correction, 'new') },
  { title: 'Who', cell: ({ actor }) => actor },
  {
    title: 'Why',
    cell: ({ reason, takenBack }) => reason + (takenBack ? ' (taken back before it was sent)' : ''),
  },
];

function oldOrNew(correction: ExportedCorrection, name: 'old' | 'new') {
  if (!(name in correction)) return '(none)';
  const { [name]: value } = correction;
  return typeof value === 'string' ? value : <code>{JSON.stringify(value)}</code>;
}

const DOCUMENTS: readonly Column<ExportedDocument>[] = [
  {
    title: 'Document',
    cell: ({ fileName, contentType }) => [fileName, <br />, <span class="faint">{contentType}</span>],
  },
  { title: 'SHA-256', cell: ({ sha256, problem }) => (sha256 ? <code>{sha256}</code> : problem) },
  { title: 'Bytes', cell: ({ bytes }) => bytes, isNumber: true },
  { title: 'Answers', cell: ({ answered }) => answered.join(', ') },
  { title: 'Sent by call', cell: ({ sentBy }) => sentBy.join(', ') },
];

const callsColumns = (times: Times): readonly Column<ExportedCall>[] => [
  { title: '#', cell: ({ number }) => number, isNumber: true },
  {
    title: 'Call',
    cell: ({ summary, operation }) => [summary ?? operation, <br />, <code>{operation}</code>],
  },
  { title: 'System', cell: ({ system }) => system },
  { title: 'Scheduled', cell: ({ scheduledAt }) => <Time times={times} at={scheduledAt} /> },
  { title: 'Ended', cell: ({ endedAt }) => <Time times={times} at={endedAt} /> },
  { title: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
  {
    title: 'Result',
    cell: ({ result, problem, requestId }) => [
      result,
      problem !== undefined && [<br />, problem],
      requestId !== undefined && [<br />, 'request ', <code>{requestId}</code>],
    ],
  },
];

/** A JSON value that is collapsed on a screen and open on paper. */
function InFull({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
