import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { isCustomer, partsOfId } from '../../messages/ids.js';
import { requirementsIn } from '../../messages/list-fields.js';
import { omitUndefined } from '../../messages/objects.js';
import { findCarriedHistory, type OnboardingState } from '../../messages/onboarding-state.js';
import type { Answer } from '../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import type { DocumentStore } from '../../partners/documents/document-store.js';
import { describe, partIds, queryState } from '../../temporal/find-onboarding.js';
import {
  type AcceptedAnswer,
  answersIn,
  argumentsOf,
  type Event,
  indexedChangesIn,
  isoOf,
  type PartnerActivity,
  partnerActivitiesIn,
  pendingIn,
  type Run,
  runsOf,
} from '../../temporal/history.js';
import { decodePayloads } from '../../temporal/payload-codec.js';
import { is } from '../../temporal/query.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import type { ExportedOnboarding, ExportedRecord } from './exported-record.js';
import {
  askedIn,
  callsOf,
  correctionsOf,
  MASKED,
  type Mask,
  type OpenRequirement,
  type RecordedEvent,
  recordedDocuments,
  recordedRequirements,
  SHOWN,
} from './record-parts.js';

/** Reads everything about an onboarding and its parts. @param reason why to unmask values @throws {UnreadablePayload} */
export async function readRecord(
  client: Client,
  documents: DocumentStore,
  description: WorkflowExecutionDescription,
  { actor, reason }: { readonly actor: string; readonly reason?: string | undefined },
): Promise<ExportedRecord> {
  const mask = reason === undefined ? MASKED : SHOWN;
  const parts = await describeParts(client, description);
  return {
    format: 'gangway-export',
    version: 1,
    exportedAt: new Date().toISOString(),
    exportedBy: actor,
    privateValues: reason === undefined ? 'masked' : 'shown',
    ...(reason !== undefined && { reason }),
    namespace: client.options.namespace,
    onboarding: await gathered(client, documents, mask, description),
    parts: await Promise.all(parts.map((part) => gathered(client, documents, mask, part))),
  };
}

export async function describeParts(client: Client, { workflowId }: WorkflowExecutionDescription) {
  const ids = isCustomer(workflowId) ? Object.values(partIds(workflowId)) : [];
  const described = await Promise.all(ids.map((id) => describe(client, id)));
  return described.filter((part) => part !== undefined);
}

/** Reads everything about one workflow: the state from the workflow itself, the rest from its history. */
async function gathered(
  client: Client,
  documents: DocumentStore,
  mask: Mask,
  description: WorkflowExecutionDescription,
): Promise<ExportedOnboarding> {
  const { workflowId, runId, type, taskQueue, status, startTime, closeTime } = description;
  const { runs, missing } = await runsOf(client, workflowId, runId);
  const answers: AcceptedAnswer[] = [];
  const activities: PartnerActivity[] = [];
  for (const run of runs) {
    answers.push(...(await answersIn(client, run)));
    const pending = run.runId === runId ? pendingIn(description) : [];
    activities.push(...(await partnerActivitiesIn(client, workflowId, taskQueue, run.events, pending)));
  }
  const [input] = await argumentsOf(client, runs[0]);
  const outcome = await outcomeIn(client, runs);
  const { facts, source, notes } = await stateFrom(client, description, runs, answers, outcome);
  const timeline = [...facts.timeline, ...interventionsIn(runs)].sort((one, other) =>
    one.at.localeCompare(other.at),
  );
  const titles = new Map(activities.flatMap(({ response }) => askedIn(response)));
  const started = runs[0]?.events[0];
  return {
    workflowId,
    workflowType: type,
    ...omitUndefined({
      externalId: partsOfId(workflowId)?.key,
      partnerAccount: partsOfId(workflowId)?.account,
    }),
    runIds: runs.map(({ runId }) => runId),
    status: status.name.toLowerCase(),
    startedAt: isoOf(started?.eventTime) ?? startTime.toISOString(),
    ...omitUndefined({
      startedBy: started?.workflowExecutionStartedEventAttributes?.identity || undefined,
      endedAt: closeTime?.toISOString(),
    }),
    source,
    notes: [...notes, ...(await gaps(client, workflowId, runs, missing))],
    facts: factsOf(facts),
    ...(outcome !== undefined && { outcome: mask.ours(outcome) }),
    input: mask.theirs(input),
    timeline: timeline.map((entry) => maskedEntry(entry, mask)),
    requirements: recordedRequirements(timeline, facts.open, titles, mask),
    answers: answers.map(({ reason, answer, ...value }) => ({
      ...value,
      reason: mask.theirs(reason),
      answer: maskedAnswer(answer, mask),
    })),
    corrections: correctionsOf(input as object, answers, mask),
    calls: callsOf(activities, mask),
    documents: await recordedDocuments(documents, answers, activities, mask),
  };
}

/** The time limit for a query of an ended workflow, in milliseconds. It is short because no busy worker has the workflow in memory. */
const ENDED_TIMEOUT_MS = 5_000;

async function stateFrom(
  client: Client,
  description: WorkflowExecutionDescription,
  runs: readonly Run[],
  answers: readonly AcceptedAnswer[],
  outcome: unknown,
): Promise<Pick<ExportedOnboarding, 'source' | 'notes'> & { readonly facts: KnownFacts }> {
  try {
    const limit = description.status.name === 'RUNNING' ? undefined : ENDED_TIMEOUT_MS;
    const state = await queryState(client, description.workflowId, limit);
    const { timeline, requirements, boarding, business } = state;
    // A customer shows the requirements of its parts, which have records of their own.
    const open = boarding || business ? [] : requirements;
    return { facts: { facts: state, timeline, open }, source: 'worker', notes: [] };
  } catch (error) {
    if (!(error instanceof UnreadableOnboarding)) throw error;
    const facts = await knownFrom(client, description, runs, answers, outcome);
    const note =
      `The workflow itself did not respond (${error.detail}), so facts, timeline and requirements are those of its history. ` +
      'It has answers, calls and status changes, but not when requirements were raised or why they were closed.';
    return { facts, source: 'history', notes: [note] };
  }
}

async function outcomeIn(client: Client, runs: readonly Run[]): Promise<unknown> {
  const last = runs.at(-1);
  const completed = last?.events.at(-1)?.workflowExecutionCompletedEventAttributes;
  const [outcome] = await decodePayloads(client, completed?.result?.payloads, last?.workflowId);
  return outcome;
}

/** Returns notes about what this record lacks because other runs of the workflow ID have it. */
async function gaps(client: Client, workflowId: string, runs: readonly Run[], missing: string | undefined) {
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

function factsOf({ facts }: KnownFacts) {
  const { dba, stage, partnerStatus, merchantProfileId, profileId, financialAccountId, mid } = facts;
  const ids = { merchantProfileId, profileId, financialAccountId, mid };
  return omitUndefined({
    dba,
    stage,
    partnerStatus: partnerStatus ?? undefined,
    ...ids,
  }) as ExportedOnboarding['facts'];
}

/** A document's key is not secret: it names the document in this record. */
function maskedAnswer(answer: Answer, mask: Mask): unknown {
  if (answer.kind !== 'documents') return mask.theirs(answer);
  const documents = answer.documents.map((each) => ({ ...each, fileName: mask.theirs(each.fileName) }));
  return { ...answer, documents };
}

function maskedEntry({ at, event, detail, actor, reason }: RecordedEvent, mask: Mask) {
  const texts = { detail: detail && mask.ours(detail), reason: reason && mask.theirs(reason) };
  return { at, event, ...(omitUndefined({ ...texts, actor }) as Partial<RecordedEvent>) };
}

interface KnownFacts {
  readonly facts: Partial<Omit<OnboardingState, 'requirements' | 'timeline'>>;
  readonly timeline: readonly RecordedEvent[];
  readonly open: readonly OpenRequirement[];
}

/** Reads from histories: the timeline that earlier runs passed on, search attributes, and answers. */
async function knownFrom(
  client: Client,
  { status, closeTime }: WorkflowExecutionDescription,
  runs: readonly Run[],
  answers: readonly AcceptedAnswer[],
  outcome: unknown,
): Promise<KnownFacts> {
  const last = runs.at(-1)?.events ?? [];
  const handedOn = findCarriedHistory(await argumentsOf(client, runs.at(-1)))?.timeline ?? [];
  const since = isoOf(last[0]?.eventTime) ?? '';
  const began: RecordedEvent = { at: since, event: 'started' };
  const how = status.name.toLowerCase().replace('_', ' ');
  const end: RecordedEvent[] = closeTime
    ? [{ at: closeTime.toISOString(), event: 'ended', detail: how }]
    : [];
  const timeline = [
    ...(handedOn.length > 0 ? handedOn : [began]),
    ...changesIn(last),
    ...answers.filter(({ at }) => at >= since).map(answered),
    ...end,
  ];
  const { requirements, ...facts } = await factsIn(client, runs, outcome);
  const { requirements: open } = requirementsIn(requirements);
  return { facts, timeline, open: closeTime ? [] : open };
}

function changesIn(events: readonly Event[]): RecordedEvent[] {
  const { stage, partnerStatus } = SEARCH_ATTRIBUTES;
  return indexedChangesIn(events.slice(1)).flatMap(({ at, values }) => {
    const entry = (event: RecordedEvent['event'], name: string) => {
      const value = textOf(values[name]);
      return value === undefined ? [] : [{ at, event, detail: value }];
    };
    return [...entry('stage-changed', stage.name), ...entry('status-changed', partnerStatus.name)];
  });
}

function answered({ at, requirementId, answer, actor, reason }: AcceptedAnswer): RecordedEvent {
  return answer.kind === 'take-back'
    ? { at, event: 'answer-taken-back', detail: requirementId, actor, reason }
    : { at, event: 'requirement-resolved', detail: `${requirementId}: ${answer.kind}`, actor, reason };
}

/** Returns the last value of each search attribute, and the IDs in the outcome. */
async function factsIn(client: Client, runs: readonly Run[], outcome: unknown) {
  const values: Record<string, unknown> = {};
  for (const { events } of runs)
    for (const change of indexedChangesIn(events)) Object.assign(values, change.values);
  const of = (key: keyof typeof SEARCH_ATTRIBUTES) => textOf(values[SEARCH_ATTRIBUTES[key].name]);
  const [merchant, profile] = [of('merchantProfileId'), of('bankingProfileId')];
  const listed = values[SEARCH_ATTRIBUTES.requirements.name];
  const { financialAccountId } = { ...(outcome as Record<string, unknown>) };
  const facts = {
    dba: await nameIn(client, runs),
    stage: of('stage'),
    partnerStatus: of('partnerStatus'),
    mid: of('mid'),
    merchantProfileId: merchant && Number(merchant),
    profileId: profile && Number(profile),
    financialAccountId: financialAccountId ?? undefined,
  };
  return {
    ...(omitUndefined(facts) as KnownFacts['facts']),
    requirements: [listed].flat().filter((each) => typeof each === 'string'),
  };
}

/** Returns the last dba, from the memo, because a correction may have changed it, and the search attribute may be masked. */
async function nameIn(client: Client, runs: readonly Run[]): Promise<unknown> {
  const named = runs.flatMap(({ events }) =>
    events.flatMap((event) => {
      const { upsertedMemo } = event.workflowPropertiesModifiedEventAttributes ?? {};
      const memo = event.workflowExecutionStartedEventAttributes?.memo ?? upsertedMemo;
      return memo?.fields?.['dba'] ?? [];
    }),
  );
  const [dba] = await decodePayloads(client, named.slice(-1), runs[0]?.workflowId);
  return dba;
}

function textOf(value: unknown): string | undefined {
  const [only] = Array.isArray(value) ? value : [value];
  return only === undefined || only === null ? undefined : String(only);
}

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: RESET } =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/** Returns what operators did through Temporal: a cancellation, a termination, a reset. The timeline does not contain that. */
function interventionsIn(runs: readonly Run[]): RecordedEvent[] {
  return runs.flatMap(({ events }) =>
    events.flatMap((event): RecordedEvent[] => {
      const at = isoOf(event.eventTime) ?? '';
      const { workflowExecutionCancelRequestedEventAttributes: cancel } = event;
      const { workflowExecutionTerminatedEventAttributes: end } = event;
      const { workflowTaskFailedEventAttributes: failed } = event;
      const by = (identity: string | null | undefined, reason: string | null | undefined) =>
        omitUndefined({ actor: identity || undefined, reason: reason || undefined });
      if (cancel) return [{ at, event: 'cancel-requested', ...by(cancel.identity, cancel.cause) }];
      if (end) return [{ at, event: 'terminated', ...by(end.identity, end.reason) }];
      if (failed?.cause !== RESET) return [];
      const detail = `continues run ${failed.baseRunId} from an earlier point`;
      return [{ at, event: 'reset', detail, ...by(failed.identity, failed.failure?.message) }];
    }),
  );
}
