import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { CLAIMS_MEMO, claimsMemo } from '../../messages/claims.js';
import { type DbaForm, listedRequirements, listedStages } from '../../messages/list-fields.js';
import type { OnboardingState, Stage } from '../../messages/onboarding-state.js';
import type { Requirement } from '../../messages/requirements.js';
import { dbaAttributes, SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { LONGEST, truncate } from '../../partners/text-limits.js';
import { currentDetails, type NextSteps } from './current-details.js';
import type { CustomerReports } from './customer-reports.js';
import { endEvent, publishPending, stageEvent } from './outbound-events.js';
import { type EndState, type PublishedFields, type Store, setEnd, setFacts } from './state.js';

export interface PublishedStateOptions {
  readonly store: Store;
  readonly nextSteps: NextSteps;
  /** Returns the current dba, which a correction may have changed. */
  readonly dba?: (() => string) | undefined;
  /** How many open requirements the search attribute lists; it only counts the others. Default: all. */
  readonly mostListed?: number;
  /** The rest of the published state, besides facts and timeline: open requirements, and a customer's parts. */
  readonly others: () => Pick<OnboardingState, 'requirements'> & Partial<OnboardingState>;
  /** Absent if there is no customer to report to. */
  readonly reports?: CustomerReports;
}

/** Shows the state of a workflow: query `state`, search attributes, and the current details in the Web UI. */
export class PublishedState {
  constructor(private readonly options: PublishedStateOptions) {}

  get facts(): PublishedFields {
    return this.options.store.state.facts;
  }

  get current(): OnboardingState {
    const { dba, others, store } = this.options;
    const { facts, timeline } = store.state;
    const { requirements, ...more } = others();
    const name = dba ? { dba: truncate(dba(), LONGEST.line) } : {};
    return { ...name, ...facts, requirements, timeline, ...more };
  }

  /** The form of the dba in the search attribute. A workflow that was started without `gangway` masks it. */
  get dbaForm(): DbaForm {
    const { memo, typedSearchAttributes } = workflowInfo();
    const indexed = typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba);
    return indexed !== undefined && indexed === memo?.['dba'] ? 'shown' : 'masked';
  }

  /** Changes facts. The outside sees them with the next {@link refresh} or {@link report}. */
  setFacts(facts: Partial<PublishedFields>): void {
    this.options.store.update(setFacts(facts));
  }

  enter(stage: Stage): void {
    this.setFacts({ stage });
    this.report();
  }

  /** Enters the last stage, and reports the outcome. The Web UI shows the texts, such as the comment of the partner. */
  end(outcome: EndState['outcome'], texts: readonly string[]): void {
    const { store } = this.options;
    store.update(setEnd({ outcome, texts }));
    this.setFacts({ stage: outcome.outcome });
    this.report();
    store.update(endEvent(outcome.outcome));
  }

  /** Reports whether the customer, if there is one, has learned everything. */
  get isIdle(): boolean {
    return this.options.reports?.isIdle ?? true;
  }

  /** Shows and reports the state, at the cost of events in two histories: before a wait, and not before each step. */
  report(): void {
    this.refresh();
    this.options.store.update(publishPending);
    this.options.reports?.report();
  }

  /** Shows the state in searches and the Web UI. Writes an event to the history only when a search attribute has changed. */
  refresh(): void {
    const { store, nextSteps, mostListed } = this.options;
    const { stage, partnerStatus, merchantProfileId, profileId, mid } = this.facts;
    const { current } = this;
    const { stageSeconds, ended } = store.state;
    const agentProfileId = store.state.agentProfileId?.toString();
    const dueDates = current.requirements.map(({ dueAt }) => Date.parse(dueAt));
    if (current.dba !== undefined) this.#showDba(current.dba);
    upsertChanged([
      ...(agentProfileId ? [{ key: SEARCH_ATTRIBUTES.agentProfileId, value: agentProfileId }] : []),
      { key: SEARCH_ATTRIBUTES.stage, value: stage },
      { key: SEARCH_ATTRIBUTES.stageTimes, value: listOrNull(listedStages(stageSeconds)) },
      { key: SEARCH_ATTRIBUTES.partnerStatus, value: partnerStatus },
      { key: SEARCH_ATTRIBUTES.merchantProfileId, value: merchantProfileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.bankingProfileId, value: profileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.mid, value: mid ?? null },
      { key: SEARCH_ATTRIBUTES.actionRequired, value: dueDates.length > 0 },
      {
        key: SEARCH_ATTRIBUTES.actionDueAt,
        value: dueDates.length > 0 ? new Date(Math.min(...dueDates)) : null,
      },
      {
        key: SEARCH_ATTRIBUTES.requirements,
        value: listOrNull(listedRequirements(current.requirements, mostListed)),
      },
    ]);
    showClaims(current.requirements);
    const { workflowId } = workflowInfo();
    setCurrentDetails(currentDetails(workflowId, current, nextSteps, ended?.texts ?? []));
    store.update(stageEvent);
  }

  /** The start has set both, so this writes events only after a correction of the dba, and after a start without `gangway`. */
  #showDba(dba: string): void {
    if (workflowInfo().memo?.['dba'] === dba) return;
    upsertChanged(dbaAttributes(dba, this.dbaForm));
    upsertMemo({ dba });
  }
}

function listOrNull(values: string[]): string[] | null {
  return values.length > 0 ? values : null;
}

/** Writes a history event only when it differs from what the memo has. */
function showClaims(requirements: readonly Requirement[]): void {
  const claims = claimsMemo(requirements) ?? null;
  const present = workflowInfo().memo?.[CLAIMS_MEMO] ?? null;
  if (JSON.stringify(present) !== JSON.stringify(claims)) upsertMemo({ [CLAIMS_MEMO]: claims });
}

/** Writes one history event for all attributes that differ from what the server has; none when none differs. */
function upsertChanged(pairs: SearchAttributeUpdatePair[]): void {
  const present = workflowInfo().typedSearchAttributes;
  const comparable = (value: unknown) => JSON.stringify(value ?? null);
  const changed = pairs
    .map((pair) => (pair.key.type === 'TEXT' ? pair : { ...pair, value: indexable(pair.value) }))
    .map((pair) => pair as SearchAttributeUpdatePair)
    .filter(({ key, value }) => comparable(present.get(key)) !== comparable(value));
  if (changed.length > 0) upsertSearchAttributes(changed);
}

/** Visibility databases reject some control characters, and the server terminates a workflow for more than 2 kB. */
function indexable(value: unknown): unknown {
  return typeof value === 'string' ? truncate(value.replace(/\p{Cc}+/gu, ' '), LONGEST.line) : value;
}
