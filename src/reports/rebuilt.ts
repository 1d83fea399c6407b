import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { requirementsIn } from '../messages/listed.js';
import { defined } from '../messages/objects.js';
import type { OnboardingState } from '../messages/onboarding-state.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import {
  type AcceptedAnswer,
  argumentsOf,
  type Event,
  indexedChangesIn,
  isoOf,
  type Run,
} from '../temporal/history.js';
import { decodedPayloads } from '../temporal/payload-codec.js';
import type { OpenRequirement, RecordedEvent } from './record-parts.js';

export interface Known {
  readonly facts: Partial<Omit<OnboardingState, 'requirements' | 'timeline'>>;
  readonly timeline: readonly RecordedEvent[];
  readonly open: readonly OpenRequirement[];
}

/** What the history shows: what earlier runs carried over, then search attributes and the answers of all runs. */
export async function knownFrom(
  client: Client,
  runs: readonly Run[],
  answers: readonly AcceptedAnswer[],
  outcome: unknown,
): Promise<Known> {
  const last = runs.at(-1)?.events ?? [];
  const handedOn = handedOnIn(await argumentsOf(client, runs.at(-1))) ?? [];
  const since = isoOf(last[0]?.eventTime) ?? '';
  const began: RecordedEvent = { at: since, event: 'started' };
  const timeline = [
    ...(handedOn.length > 0 ? handedOn : [began]),
    ...changesIn(last),
    ...answers.filter(({ at }) => at >= since).map(answered),
    ...endIn(last),
  ];
  const { requirements, ...facts } = await factsIn(client, runs, outcome);
  const { requirements: open } = requirementsIn(requirements);
  return { facts, timeline, open: endIn(last).length > 0 ? [] : open };
}

/** The timeline up to the run that got these arguments, from the run before. */
function handedOnIn(args: readonly unknown[]): readonly RecordedEvent[] | undefined {
  for (const each of args) {
    const { journey, customer } = { ...(each as Partial<Record<'journey' | 'customer', unknown>>) };
    const { state } = { ...((journey ?? customer) as { readonly state?: Partial<OnboardingState> }) };
    if (state?.timeline) return state.timeline;
  }
  return undefined;
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

/** Returns how the last event ended the run; nothing while it runs. */
function endIn(events: readonly Event[]): RecordedEvent[] {
  const last = events.at(-1);
  const ends: readonly (readonly [keyof Event, string])[] = [
    ['workflowExecutionCompletedEventAttributes', 'completed'],
    ['workflowExecutionCanceledEventAttributes', 'cancelled'],
    ['workflowExecutionTerminatedEventAttributes', 'terminated'],
    ['workflowExecutionFailedEventAttributes', 'failed'],
    ['workflowExecutionTimedOutEventAttributes', 'timed out'],
  ];
  const how = ends.find(([attributes]) => last?.[attributes]);
  return how ? [{ at: isoOf(last?.eventTime) ?? '', event: 'ended', detail: how[1] }] : [];
}

/** The last value of each search attribute, and the ids of the outcome. */
async function factsIn(
  client: Client,
  runs: readonly Run[],
  outcome: unknown,
): Promise<Known['facts'] & { readonly requirements: readonly string[] }> {
  const values: Record<string, unknown> = {};
  for (const { events } of runs)
    for (const change of indexedChangesIn(events)) Object.assign(values, change.values);
  const of = (key: keyof typeof SEARCH_ATTRIBUTES) => textOf(values[SEARCH_ATTRIBUTES[key].name]);
  const numberOf = (key: 'merchantProfileId' | 'bankingProfileId') => {
    const text = of(key);
    return text && Number(text);
  };
  const listed = values[SEARCH_ATTRIBUTES.requirements.name];
  const { financialAccountId, accountId, terminalId } = { ...(outcome as Record<string, unknown>) };
  const known = {
    dba: await nameIn(client, runs),
    ...{ stage: of('stage'), partnerStatus: of('partnerStatus'), mid: of('mid') },
    ...{ merchantProfileId: numberOf('merchantProfileId'), profileId: numberOf('bankingProfileId') },
    financialAccountId: financialAccountId ?? undefined,
    ...{ paymentsAccountId: accountId, terminalId },
  };
  return {
    ...(defined(known) as Known['facts']),
    requirements: [listed].flat().filter((each) => typeof each === 'string'),
  };
}

/** The dba, which a correction may have changed. It is in the memo; the search attribute may have it masked. */
async function nameIn(client: Client, runs: readonly Run[]): Promise<unknown> {
  const named = runs.flatMap(({ events }) =>
    events.flatMap((event) => {
      const { upsertedMemo } = event.workflowPropertiesModifiedEventAttributes ?? {};
      const memo = event.workflowExecutionStartedEventAttributes?.memo ?? upsertedMemo;
      return memo?.fields?.['dba'] ?? [];
    }),
  );
  const [dba] = await decodedPayloads(client, named.slice(-1), runs[0]?.workflowId);
  return dba;
}

function textOf(value: unknown): string | undefined {
  const [only] = Array.isArray(value) ? value : [value];
  return only === undefined || only === null ? undefined : String(only);
}

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: RESET } =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/** Returns the actions of people from outside: a cancellation, a termination, a reset. No workflow has these in its timeline. */
export function interventionsIn(runs: readonly Run[]): RecordedEvent[] {
  return runs.flatMap(({ events }) =>
    events.flatMap((event): RecordedEvent[] => {
      const at = isoOf(event.eventTime) ?? '';
      const { workflowExecutionCancelRequestedEventAttributes: cancel } = event;
      const { workflowExecutionTerminatedEventAttributes: end } = event;
      const { workflowTaskFailedEventAttributes: failed } = event;
      const by = (identity: string | null | undefined, reason: string | null | undefined) =>
        defined({ actor: identity || undefined, reason: reason || undefined });
      if (cancel) return [{ at, event: 'cancel-requested', ...by(cancel.identity, cancel.cause) }];
      if (end) return [{ at, event: 'terminated', ...by(end.identity, end.reason) }];
      if (failed?.cause !== RESET) return [];
      const detail = `continues run ${failed.baseRunId} from an earlier point`;
      return [{ at, event: 'reset', detail, ...by(failed.identity, failed.failure?.message) }];
    }),
  );
}
