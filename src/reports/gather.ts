import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { DocumentStore } from '../documents/document-store.js';
import { isCustomer, partsOfId } from '../messages/ids.js';
import { defined } from '../messages/objects.js';
import type { Answer } from '../messages/requirements.js';
import {
  type AcceptedAnswer,
  answersIn,
  argumentsOf,
  isoOf,
  type PartnerActivity,
  partnerActivitiesIn,
  type Run,
  runsOf,
} from '../temporal/history.js';
import { describe, partIds, stateOf } from '../temporal/onboardings.js';
import { decodedPayloads } from '../temporal/payload-codec.js';
import { is } from '../temporal/query.js';
import { UnreadableOnboarding } from '../temporal/unreadable.js';
import { interventionsIn, type Known, knownFrom } from './rebuilt.js';
import type { ExportedOnboarding, ExportedRecord } from './record.js';
import {
  askedIn,
  callsOf,
  correctionsOf,
  documentsOf,
  MASKED,
  type Mask,
  type RecordedEvent,
  requirementsOf,
  SHOWN,
} from './record-parts.js';

/** Everything about an onboarding and its parts. @param reason for private values. @throws {UnreadablePayload} without a key */
export async function recordOf(
  client: Client,
  documents: DocumentStore,
  description: WorkflowExecutionDescription,
  { actor, reason }: { readonly actor: string; readonly reason?: string | undefined },
): Promise<ExportedRecord> {
  const mask = reason === undefined ? MASKED : SHOWN;
  const parts = await partsOf(client, description);
  return {
    ...{ format: 'gangway-export', version: 1 },
    exportedAt: new Date().toISOString(),
    exportedBy: actor,
    privateValues: reason === undefined ? 'masked' : 'shown',
    ...(reason !== undefined && { reason }),
    namespace: client.options.namespace,
    onboarding: await gathered(client, documents, mask, description),
    parts: await Promise.all(parts.map((part) => gathered(client, documents, mask, part))),
  };
}

export async function partsOf(client: Client, { workflowId }: WorkflowExecutionDescription) {
  const ids = isCustomer(workflowId) ? Object.values(partIds(workflowId)) : [];
  const described = await Promise.all(ids.map((id) => describe(client, id)));
  return described.filter((part) => part !== undefined);
}

/** Everything about one workflow: its state as the workflow itself returns it, and the rest from its history. */
async function gathered(
  client: Client,
  documents: DocumentStore,
  mask: Mask,
  description: WorkflowExecutionDescription,
): Promise<ExportedOnboarding> {
  const { workflowId, type, status, startTime, closeTime } = description;
  const { runs, missing } = await runsOf(client, workflowId, description.runId);
  const answers: AcceptedAnswer[] = [];
  const activities: PartnerActivity[] = [];
  for (const run of runs) {
    answers.push(...(await answersIn(client, run)));
    activities.push(...(await activitiesOf(client, description, run)));
  }
  const [input] = await argumentsOf(client, runs[0]);
  const outcome = await outcomeIn(client, runs);
  const { known, source, notes } = await stateFrom(client, description, runs, answers, outcome);
  const timeline = [...known.timeline, ...interventionsIn(runs)].sort((one, other) =>
    one.at.localeCompare(other.at),
  );
  const asked = new Map(activities.flatMap(({ response }) => askedIn(response)));
  const started = runs[0]?.events[0];
  return {
    workflowId,
    workflowType: type,
    ...defined({ externalId: partsOfId(workflowId)?.key, partnerAccount: partsOfId(workflowId)?.account }),
    runIds: runs.map(({ runId }) => runId),
    status: status.name.toLowerCase(),
    startedAt: isoOf(started?.eventTime) ?? startTime.toISOString(),
    ...defined({
      startedBy: started?.workflowExecutionStartedEventAttributes?.identity || undefined,
      endedAt: closeTime?.toISOString(),
    }),
    source,
    notes: [...notes, ...(await gaps(client, workflowId, runs, missing))],
    facts: factsOf(known),
    ...(outcome !== undefined && { outcome: mask.ours(outcome) }),
    input: mask.theirs(input),
    timeline: timeline.map((entry) => maskedEntry(entry, mask)),
    requirements: requirementsOf(timeline, known.open, asked, mask),
    answers: answers.map(({ reason, answer, ...given }) => ({
      ...given,
      reason: mask.theirs(reason),
      answer: maskedAnswer(answer, mask),
    })),
    corrections: correctionsOf(input as object, answers, mask),
    calls: callsOf(activities, mask),
    documents: await documentsOf(documents, answers, activities, mask),
  };
}

function activitiesOf(
  client: Client,
  { workflowId, runId, taskQueue, status, raw }: WorkflowExecutionDescription,
  run: Run,
): Promise<PartnerActivity[]> {
  // The server describes open activities of an ended run as pending.
  const mayBePending = run.runId === runId && status.name === 'RUNNING';
  const pending = mayBePending ? (raw.pendingActivities ?? []) : [];
  return partnerActivitiesIn(client, workflowId, taskQueue, run.events, pending);
}

/**
 * The time limit for a worker to respond for an ended workflow, in milliseconds. No worker has it in memory, so there is none to
 * wait for.
 */
const ENDED_TIMEOUT_MS = 5_000;

async function stateFrom(
  client: Client,
  { workflowId, status }: WorkflowExecutionDescription,
  runs: readonly Run[],
  answers: readonly AcceptedAnswer[],
  outcome: unknown,
): Promise<Pick<ExportedOnboarding, 'source' | 'notes'> & { readonly known: Known }> {
  try {
    const state = await stateOf(client, workflowId, status.name === 'RUNNING' ? undefined : ENDED_TIMEOUT_MS);
    const { timeline, requirements, boarding, business, terminal } = state;
    // A customer shows the requirements of its parts, which have records of their own.
    const open = boarding || business || terminal ? [] : requirements;
    return { known: { facts: state, timeline, open }, source: 'worker', notes: [] };
  } catch (error) {
    if (!(error instanceof UnreadableOnboarding)) throw error;
    const known = await knownFrom(client, runs, answers, outcome);
    const note =
      `The workflow itself did not respond (${error.detail}), so facts, timeline and requirements are those of its history. ` +
      'It has answers, calls and status changes, but not when requirements were raised or why they were closed.';
    return { known, source: 'history', notes: [note] };
  }
}

async function outcomeIn(client: Client, runs: readonly Run[]): Promise<unknown> {
  const last = runs.at(-1);
  const completed = last?.events.at(-1)?.workflowExecutionCompletedEventAttributes;
  const [outcome] = await decodedPayloads(client, completed?.result?.payloads, last?.workflowId);
  return outcome;
}

/** The parts that this record lacks because they are in other runs of the workflow id. */
async function gaps(
  client: Client,
  workflowId: string,
  runs: readonly Run[],
  missing: string | undefined,
): Promise<string[]> {
  const gone =
    `Temporal no longer has run ${missing} and those before it, so their answers, calls and documents are missing. ` +
    'The input is from the first remaining run, with all earlier corrections.';
  const others: string[] = [];
  for await (const { runId } of client.workflow.list({ query: is('WorkflowId', workflowId) }))
    if (runId !== missing && !runs.some((run) => run.runId === runId)) others.push(runId);
  const other =
    `The workflow id has other runs, which this record does not cover: ${others.join(', ')}. ` +
    'They are earlier onboardings, or were reset; the Temporal Web UI shows them.';
  return [...(missing === undefined ? [] : [gone]), ...(others.length > 0 ? [other] : [])];
}

type Facts = ExportedOnboarding['facts'];

function factsOf({ facts }: Known): Facts {
  const { dba, stage, partnerStatus, merchantProfileId, profileId, mid } = facts;
  const { financialAccountId, paymentsAccountId, terminalId } = facts;
  const ids = { merchantProfileId, profileId, financialAccountId, paymentsAccountId, terminalId, mid };
  return defined({ dba, stage, partnerStatus: partnerStatus ?? undefined, ...ids }) as Facts;
}

/** The key of a document is no secret: it names the document in this record. */
function maskedAnswer(answer: Answer, mask: Mask): unknown {
  if (answer.kind !== 'documents') return mask.theirs(answer);
  const documents = answer.documents.map((each) => ({ ...each, fileName: mask.theirs(each.fileName) }));
  return { ...answer, documents };
}

function maskedEntry({ at, event, detail, actor, reason }: RecordedEvent, mask: Mask) {
  const texts = { detail: detail && mask.ours(detail), reason: reason && mask.theirs(reason) };
  return { at, event, ...(defined({ ...texts, actor }) as Partial<RecordedEvent>) };
}
