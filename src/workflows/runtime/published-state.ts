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
  /** The maximum number of open requirements in the search attribute, which only counts the others. Default: all. */
  readonly mostListed?: number;
  /** The published state besides facts and timeline: open requirements, and a customer's parts. */
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

  /** The form of the dba in the search attribute. Default: masked, for a workflow that was started without `gangway`. */
  get dbaForm(): DbaForm {
    const { memo, typedSearchAttributes } = workflowInfo();
    const indexed = typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba);
    return indexed !== undefined && indexed === memo?.['dba'] ? 'shown' : 'masked';
  }

  /** Changes facts. The next {@link refresh} or {@link report} publishes them. */
  setFacts(facts: Partial<PublishedFields>): void {
    this.options.store.update(setFacts(facts));
  }

  enter(stage: Stage): void {
    this.setFacts({ stage });
    this.report();
  }

  /** Enters the last stage and reports the outcome. The Web UI shows the texts, such as the partner's comment. */
  end(outcome: EndState['outcome'], texts: readonly string[]): void {
    const { store } = this.options;
    store.update(setEnd({ outcome, texts }));
    this.setFacts({ stage: outcome.outcome });
    this.report();
    store.update(endEvent(outcome.outcome));
  }

  /** True if the customer, if any, has received everything. */
  get isIdle(): boolean {
    return this.options.reports?.isIdle ?? true;
  }

  /** Publishes the state, also to the customer. Call it before a wait, not before each step: it costs events in two histories. */
  report(): void {
    this.refresh();
    this.options.store.update(publishPending);
    this.options.reports?.report();
  }

  /** Updates search attributes and the Web UI. Adds an event to the history only if a search attribute has changed. */
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

  /** The start sets both, so this adds events only after a correction of the dba or a start without `gangway`. */
  #showDba(dba: string): void {
    if (workflowInfo().memo?.['dba'] === dba) return;
    upsertChanged(dbaAttributes(dba, this.dbaForm));
    upsertMemo({ dba });
  }
}

function listOrNull(values: string[]): string[] | null {
  return values.length > 0 ? values : null;
}

/** Adds a history event only if the memo differs. */
function showClaims(requirements: readonly Requirement[]): void {
  const claims = claimsMemo(requirements) ?? null;
  const present = workflowInfo().memo?.[CLAIMS_MEMO] ?? null;
  if (JSON.stringify(present) !== JSON.stringify(claims)) upsertMemo({ [CLAIMS_MEMO]: claims });
}

/** Adds one history event for all attributes that have changed, or none. */
function upsertChanged(pairs: SearchAttributeUpdatePair[]): void {
  const present = workflowInfo().typedSearchAttributes;
  const comparable = (value: unknown) => JSON.stringify(value ?? null);
  const changed = pairs
    .map((pair) => (pair.key.type === 'TEXT' ? pair : { ...pair, value: indexable(pair.value) }))
    .map((pair) => pair as SearchAttributeUpdatePair)
    .filter(({ key, value }) => comparable(present.get(key)) !== comparable(value));
  if (changed.length > 0) upsertSearchAttributes(changed);
}

/** Visibility databases reject control characters, and the server terminates a workflow for a value of more than 2 kB. */
function indexable(value: unknown): unknown {
  return typeof value === 'string' ? truncate(value.replace(/\p{Cc}+/gu, ' '), LONGEST.line) : value;
}
