import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  metricMeter,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { systemOf } from '../../messages/ids.js';
import {
  firstStage,
  type OnboardingState,
  type Stage,
  stateQuery,
  type TimelineEntry,
} from '../../messages/onboarding-state.js';
import type { Requirement } from '../../messages/requirements.js';
import { COUNTERS, SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { accountName } from './partner-activities.js';

/** The state without what the requirement queue and the timeline hold. */
export type Facts = Omit<OnboardingState, 'requirements' | 'unsent' | 'timeline'>;

/** What comes next in each stage, for people. Ends that a workflow type does not have are left out. */
export type NextSteps = Readonly<Partial<Record<Stage, string>>>;

export interface PublishedStateOptions {
  readonly nextSteps: NextSteps;
  /** State of the run before this one. */
  readonly before?: OnboardingState | undefined;
  /** The parts of the state that others hold: the open requirements, and the parts of a customer. */
  readonly others: () => Pick<OnboardingState, 'requirements'> & Partial<OnboardingState>;
  /** Keeps what {@link onPublish} will report. */
  readonly onShow?: () => void;
  /** Reports to others. */
  readonly onPublish: () => void;
}

/** The state of a workflow at its start. */
export function blankState(workflowType: string): OnboardingState {
  return {
    stage: firstStage(workflowType),
    partnerStatus: null,
    requirements: [],
    timeline: [],
    polls: 0,
  };
}

/** What the outside sees of a workflow: query `state`, search attributes, and the current details in the Web UI. */
export class PublishedState {
  readonly timeline: Timeline;
  #facts: Facts;
  #agentProfileId: number | undefined;

  constructor(private readonly options: PublishedStateOptions) {
    const before = options.before ?? blankState(workflowInfo().workflowType);
    const { requirements: _, unsent: __, timeline, ...facts } = before;
    this.timeline = new Timeline(timeline);
    this.#facts = facts;
    setHandler(stateQuery, () => this.current);
    if (this.isContinued) return;
    this.timeline.add('started');
  }

  /** True when an earlier run began the workflow. */
  get isContinued(): boolean {
    return this.options.before !== undefined;
  }

  get facts(): Facts {
    return this.#facts;
  }

  get current(): OnboardingState {
    const { requirements, ...others } = this.options.others();
    return { ...this.#facts, requirements, timeline: this.timeline.entries, ...others };
  }

  /** What the next run gets. Others hand on what they hold. */
  get records(): OnboardingState {
    return { ...this.#facts, requirements: [], timeline: this.timeline.entries };
  }

  /** Changes facts. The outside sees them with the next {@link show} or {@link publish}. */
  know(facts: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** A search attribute only; the state does not have it. */
  knowAgentProfile(agentProfileId: number): void {
    this.#agentProfileId = agentProfileId;
  }

  enter(stage: Stage): void {
    this.know({ stage });
    this.publish();
  }

  /**
   * Shows the state, and reports it to those who follow the workflow. A report costs events in two histories, so a workflow
   * publishes before it waits, and not before each step.
   */
  publish(): void {
    this.show();
    this.options.onPublish();
  }

  /** Shows the state in searches and the Web UI. Writes an event to the history only when a search attribute has changed. */
  show(): void {
    const { stage, partnerStatus, merchantProfileId, profileId, mid } = this.#facts;
    const { current } = this;
    const agentProfileId = this.#agentProfileId?.toString();
    const dueDates = current.requirements.map(({ dueAt }) => Date.parse(dueAt));
    upsertChanged([
      ...(agentProfileId ? [{ key: SEARCH_ATTRIBUTES.agentProfileId, value: agentProfileId }] : []),
      { key: SEARCH_ATTRIBUTES.stage, value: stage },
      { key: SEARCH_ATTRIBUTES.partnerStatus, value: partnerStatus },
      { key: SEARCH_ATTRIBUTES.merchantProfileId, value: merchantProfileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.bankingProfileId, value: profileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.mid, value: mid ?? null },
      { key: SEARCH_ATTRIBUTES.actionRequired, value: dueDates.length > 0 },
      {
        key: SEARCH_ATTRIBUTES.actionDueAt,
        value: dueDates.length > 0 ? new Date(Math.min(...dueDates)) : null,
      },
    ]);
    setCurrentDetails(currentDetails(workflowInfo().workflowId, current, this.options.nextSteps));
    this.options.onShow?.();
  }
}

/** What happened, in order: facts and who did what. Of an answer it has a short form, and it never has a secret. */
export class Timeline {
  readonly #entries: TimelineEntry[];

  constructor(entries: readonly TimelineEntry[] = []) {
    this.#entries = [...entries];
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** @param labels of the counter of the event, where it has one */
  add(
    event: string,
    { detail, ...who }: Omit<TimelineEntry, 'at' | 'event'> = {},
    labels: Readonly<Record<string, string>> = {},
  ): void {
    const about = detail === undefined ? {} : { detail: shortened(detail, LONGEST.text) };
    this.#entries.push({ at: new Date().toISOString(), event, ...about, ...who });
    if (event in COUNTERS) count(event as keyof typeof COUNTERS, labels);
  }
}

/** Adds one to the counter of an event, except in a replay. The label '' stands for no partner, or the account without a name. */
function count(event: keyof typeof COUNTERS, labels: Readonly<Record<string, string>>): void {
  const [name, help] = COUNTERS[event];
  metricMeter.createCounter(name, undefined, help).add(1, {
    system: systemOf(workflowInfo().workflowId),
    account: accountName() ?? '',
    ...labels,
  });
}

/** Writes one history event for all attributes that differ from what the server has; none when none differs. */
function upsertChanged(pairs: SearchAttributeUpdatePair[]): void {
  const present = workflowInfo().typedSearchAttributes;
  const comparable = (value: unknown) => (value instanceof Date ? value.getTime() : (value ?? null));
  const changed = pairs
    .map((pair) => ({ ...pair, value: indexable(pair.value) }) as SearchAttributeUpdatePair)
    .filter(({ key, value }) => comparable(present.get(key)) !== comparable(value));
  if (changed.length > 0) upsertSearchAttributes(changed);
}

/** Visibility databases reject some control characters, and the server terminates a workflow for more than 2 kB. */
function indexable(value: unknown): unknown {
  return typeof value === 'string' ? shortened(value.replace(/\p{Cc}+/gu, ' '), LONGEST.line) : value;
}

const AT_THE_END: NextSteps = {
  declined: 'nothing, the partner declined',
  withdrawn: 'nothing, the application was withdrawn',
  abandoned: 'nothing, an operator abandoned it',
  cancelled: 'nothing, it was cancelled; what exists at the partner stays there',
};

/** The Markdown that the Web UI shows on top of a running workflow. */
function currentDetails(workflowId: string, state: OnboardingState, nextSteps: NextSteps): string {
  const { stage, partnerStatus, merchantProfileId, mid, profileId, financialAccountId } = state;
  const { paymentsAccountId, terminalId, requirements } = state;
  const facts = [
    `**Stage** ${stage}`,
    partnerStatus !== null && `**Partner status** ${plain(partnerStatus)}`,
    merchantProfileId !== undefined && `**Merchant** ${merchantProfileId}`,
    mid !== undefined && `**mid** ${plain(mid)}`,
    profileId !== undefined && `**Banking profile** ${profileId}`,
    financialAccountId !== undefined && `**Financial account** ${plain(financialAccountId)}`,
    paymentsAccountId !== undefined && `**Payments account** ${plain(paymentsAccountId)}`,
    terminalId !== undefined && `**Terminal** ${plain(terminalId)}`,
  ];
  const [first] = requirements;
  const next = first
    ? `answer the requirement: \`gangway resolve ${workflowId} ${first.id} ...\``
    : (nextSteps[stage] ?? AT_THE_END[stage] ?? 'nothing');
  return [
    facts.filter(Boolean).join(' · '),
    ...waitOf(state),
    ...partsOf(state),
    ...(first ? ['### Waiting for a person', listOf(workflowId, requirements)] : []),
    `**Next** ${next}`,
  ].join('\n\n');
}

/** A step that waits for its partner. A customer leaves it to its parts. */
function waitOf({ waiting }: OnboardingState): string[] {
  if (!waiting) return [];
  const { step, since, until, reason } = waiting;
  const pause = until === undefined ? '' : `, which asked for a pause until ${minuteOf(until)}`;
  return [`**Waiting** for the partner since ${minuteOf(since)}${pause}: ${plain(`${step} (${reason})`)}`];
}

/** `2026-01-31 10:00 UTC` */
function minuteOf(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** More requirements would hide what is below them. */
const SHOWN_REQUIREMENTS = 20;

function listOf(workflowId: string, requirements: readonly Requirement[]): string {
  const more = requirements.length - SHOWN_REQUIREMENTS;
  const lines = requirements.slice(0, SHOWN_REQUIREMENTS).map(lineOf);
  if (more > 0) lines.push(`- and ${more} more: \`gangway status ${workflowId}\``);
  return lines.join('\n');
}

/** One line of a list: the Web UI shows a longer item as paragraphs. */
function lineOf({ id, title, detail, dueAt, answers }: Requirement): string {
  const due = `${Date.parse(dueAt) <= Date.now() ? '**overdue** since' : 'due'} ${minuteOf(dueAt)}`;
  return `- **${plain(title)}** ${plain(detail)} (\`${id}\`, ${due}; answers: ${answers.join(', ')})`;
}

/** The parts of a customer, one line each. */
function partsOf({ boarding, business, terminal }: OnboardingState): string[] {
  const line = (what: string, part: OnboardingState | undefined) => {
    const status = part?.partnerStatus ? `, ${plain(part.partnerStatus)}` : '';
    return part && `- **${what}** ${part.stage}${status}`;
  };
  const lines = [line('Merchant', boarding), line('Business', business), line('Terminal', terminal)].filter(
    Boolean,
  );
  return lines.length > 0 ? [lines.join('\n')] : [];
}

/**
 * Text of others on one line, without Markdown. Unescaped, a note could put a link, or a picture that the operator's browser
 * fetches, into the Web UI.
 */
function plain(text: string): string {
  return shortened(text, LONGEST.text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>#!|~&:]/g, '\\$&');
}
