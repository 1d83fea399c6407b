import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { getExternalWorkflowHandle, proxyActivities, setHandler } from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
import { defined } from '../../messages/objects.js';
import type { OnboardingState, OutcomeName } from '../../messages/onboarding-state.js';
import {
  type ChildReport,
  CORRECTABLE_BUSINESS_FIELDS,
  CORRECTABLE_MERCHANT_FIELDS,
  CORRECTABLE_TERMINAL_FIELDS,
  childReport,
  type Part,
  type PartEnd,
  type PartOutcome,
  partId,
  reportAgain,
} from '../../messages/onboardings.js';
import { rejection } from '../../messages/rejections.js';
import {
  RESOLVING,
  type Requirement,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from '../../messages/requirements.js';
import type { NextSteps } from '../journey/current-details.js';
import { applyReport, type ReportedPart, unreportedPart } from '../journey/customer-reports.js';
import { handleState } from '../journey/handlers.js';
import { runToEnd } from '../journey/journey.js';
import { type OutboundEventRecords, OutboundEvents } from '../journey/outbound-events.js';
import { accountName, REPEATABLE } from '../journey/partner-activities.js';
import { type Facts, PublishedState } from '../journey/published-state.js';
import { problemWith } from '../journey/resolution-check.js';
import { Timeline } from '../journey/timeline.js';

const { resolveInOnboarding } = proxyActivities<OnboardingActivities>({
  ...REPEATABLE,
  summary: 'Forward an answer',
});

const NEXT_STEPS: NextSteps = {
  onboarding: 'wait for the partners; what they ask shows up here',
  onboarded: 'All parts of the customer succeeded.',
  'partly-onboarded': 'A part of the customer succeeded, and another did not.',
};

const CORRECTABLE: Readonly<Record<Part, readonly string[]>> = {
  boarding: CORRECTABLE_MERCHANT_FIELDS,
  business: CORRECTABLE_BUSINESS_FIELDS,
  terminal: CORRECTABLE_TERMINAL_FIELDS,
};

/** What a customer hands to the next run of its workflow. */
export interface CustomerRecords {
  readonly state: OnboardingState;
  readonly events: OutboundEventRecords;
  readonly parts: readonly (readonly [Part, ReportedPart])[];
  readonly ends: readonly (readonly [Part, KnownEnd])[];
}

/** The end of a part, and the run that ended, if a report named it. */
export interface KnownEnd {
  readonly end: PartEnd;
  readonly run: string | undefined;
}

function leftBehind({ merchantProfileId, profileId, paymentsAccountId, terminalId }: Facts): string {
  const known = [
    merchantProfileId === undefined ? 'no merchant' : `merchant ${merchantProfileId}`,
    profileId === undefined ? 'no banking profile' : `banking profile ${profileId}`,
    ...(paymentsAccountId === undefined ? [] : [`payments account ${paymentsAccountId}`]),
    ...(terminalId === undefined ? [] : [`terminal ${terminalId}`]),
  ];
  return `${known.slice(0, -1).join(', ')} and ${known.at(-1)} are known at the partners`;
}

/** What a customer knows of its parts, and publishes as one state. An answer goes on to the child that asked. */
export class Customer {
  readonly state: PublishedState;
  readonly #events: OutboundEvents;
  readonly #parts: Map<Part, ReportedPart>;
  /** In the order in which they ended. */
  readonly #ends: Map<Part, KnownEnd>;
  /** Parts that were asked for a whole report. */
  readonly #asked = new Set<Part>();
  /** Parts that rejected what was sent to them. */
  readonly #doubts = new Set<Part>();

  constructor(
    private readonly externalId: string,
    dba: string,
    records?: CustomerRecords,
  ) {
    this.#events = new OutboundEvents(records?.events);
    this.state = new PublishedState({
      timeline: new Timeline(records?.state.timeline),
      events: this.#events,
      nextSteps: NEXT_STEPS,
      dba: () => dba,
      before: records?.state,
      // The inbox has those of its parts. All of them in each upsert would let the history grow with their square.
      mostListed: 1,
      others: () => ({
        requirements: this.#requirements,
        unsent: this.#unsent,
        ...Object.fromEntries(this.#states),
      }),
    });
    this.#parts = new Map(records?.parts);
    this.#ends = new Map(records?.ends);
    handleState(this.state);
    setHandler(childReport, (report) => this.#onReport(report));
    setHandler(resolveRequirement, this.#resolve, {
      validator: this.#validate,
      description: RESOLVING,
    });
  }

  get records(): CustomerRecords {
    return {
      state: this.state.records,
      events: this.#events.records,
      parts: [...this.#parts],
      ends: [...this.#ends],
    };
  }

  /** Runs the workflow to its end. */
  run<Outcome extends { readonly outcome: OutcomeName }>(parts: () => Promise<Outcome>): Promise<Outcome> {
    this.#events.send();
    return runToEnd(parts, {
      state: this.state,
      leftBehind: (facts) => [leftBehind(facts)],
      close: () => this.#close(),
    });
  }

  get #unsent(): readonly string[] {
    return this.#states.flatMap(([, { unsent = [] }]) => unsent);
  }

  get #requirements(): readonly Requirement[] {
    return this.#states.flatMap(([, { requirements }]) => requirements);
  }

  get #states(): readonly (readonly [Part, OnboardingState])[] {
    return [...this.#parts].map(([part, { state }]) => [part, state]);
  }

  workflowIdOf(part: Part): string {
    return partId(part, this.externalId, accountName());
  }

  /** Shows a part that has begun. Its first report may have come before. */
  begin(part: Part): void {
    if (this.#parts.has(part)) return;
    this.#parts.set(part, unreportedPart(part));
    this.state.refresh();
  }

  /** Publishes facts of a part. */
  learn(facts: Partial<Facts>): void {
    this.state.know(facts);
    this.state.report();
  }

  /** The outcome in the last report of a part. */
  outcomeOf(part: Part): PartOutcome | undefined {
    return this.#parts.get(part)?.outcome;
  }

  /** Has the server check whether a part still runs. */
  doubt(part: Part): void {
    this.#doubts.add(part);
  }

  /** True once after each {@link doubt}. */
  takeDoubt(part: Part): boolean {
    return this.#doubts.delete(part);
  }

  endOf(part: Part): PartEnd | undefined {
    return this.#ends.get(part)?.end;
  }

  get ended(): readonly Part[] {
    return [...this.#ends.keys()];
  }

  /** Publishes the end of a part, which closes its requirements. */
  close(part: Part, end: PartEnd): void {
    const known = this.#parts.get(part);
    this.#ends.set(part, { end, run: known?.run });
    if (known) this.#parts.set(part, closed(known, end));
    if (end.how === 'completed') {
      const { outcome } = end;
      this.state.know(factsOf(outcome));
      this.state.timeline.add(`${part}-ended`, { detail: outcome.outcome });
    } else if (end.how === 'failed') {
      this.state.timeline.add(`${part}-failed`, { detail: 'see the child workflow' });
    } else {
      this.state.timeline.add(`${part}-ended`, { detail: end.how });
    }
    this.state.report();
  }

  /** True when a part that has ended reports from another run: its workflow was reset. */
  isResumed(part: Part): boolean {
    const ended = this.#ends.get(part);
    return ended !== undefined && ended.run !== this.#parts.get(part)?.run;
  }

  /** Publishes that an ended part runs again. */
  reopen(part: Part): void {
    this.#ends.delete(part);
    this.state.timeline.add(`${part}-reset`, { detail: 'its workflow runs again' });
    this.state.report();
  }

  #onReport(report: ChildReport): void {
    const { part } = report;
    const now = applyReport(this.#parts.get(part), report);
    if (now === 'old') return;
    if (now === 'gap') {
      this.askAgain(part);
      return;
    }
    this.#asked.delete(part);
    const ended = this.#ends.get(part);
    this.#parts.set(part, ended?.run === now.run ? closed(now, ended.end) : now);
    const { boarding, business, terminal } = Object.fromEntries(this.#states) as Partial<
      Record<Part, OnboardingState>
    >;
    this.learn({
      ...defined({
        merchantProfileId: boarding?.merchantProfileId,
        mid: boarding?.mid,
        profileId: business?.profileId,
        financialAccountId: business?.financialAccountId,
        paymentsAccountId: terminal?.paymentsAccountId,
        terminalId: terminal?.terminalId,
      }),
      polls: this.#states.reduce((sum, [, { polls }]) => sum + polls, 0),
    });
  }

  /** Asks a part for a whole report, because an earlier report is missing, or the server will not report its end. */
  askAgain(part: Part): void {
    if (this.#asked.has(part)) return;
    this.#asked.add(part);
    getExternalWorkflowHandle(this.workflowIdOf(part))
      .signal(reportAgain)
      // The part has ended.
      .catch(() => {
        this.#asked.delete(part);
        this.doubt(part);
      });
  }

  /** The part whose requirement is open or answered. Default: the business, so that the check reports the unknown id. */
  #partOf(resolution: Resolution | null): Part {
    const id = resolution?.requirementId ?? '';
    const isOf = ([, { requirements, unsent = [] }]: readonly [Part, OnboardingState]) =>
      requirements.some((requirement) => requirement.id === id) || unsent.includes(id);
    const [part = 'business'] = this.#states.find(isOf) ?? [];
    return part;
  }

  readonly #validate = (resolution: Resolution): void => {
    const answerable = { open: this.#requirements, unsent: this.#unsent };
    const problem = problemWith(resolution, answerable, CORRECTABLE[this.#partOf(resolution)]);
    if (problem) throw rejection(problem);
  };

  readonly #resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    const part = this.#partOf(resolution);
    const own = this.#parts.get(part)?.state.requirements.length ?? 0;
    const others = this.#requirements.length - own;
    try {
      const receipt = await resolveInOnboarding({ workflowId: this.workflowIdOf(part), resolution });
      return { ...receipt, open: receipt.open + others };
    } catch (error) {
      // The failure of the child itself, without the layers around it.
      const cause = error instanceof ActivityFailure && error.cause ? error.cause : error;
      if (cause instanceof ApplicationFailure && cause.type === 'OnboardingEnded') this.doubt(part);
      throw cause;
    }
  };

  #close(): void {
    // The children close their own requirements.
    this.#parts.forEach(({ state, ...known }, part) => {
      this.#parts.set(part, { ...known, state: { ...state, requirements: [], unsent: [] } });
    });
  }
}

/** A part whose workflow has ended: it asks nothing. A part that did not complete shows as cancelled. */
function closed({ state, ...known }: ReportedPart, end: PartEnd): ReportedPart {
  const ended = { ...state, requirements: [], unsent: [] };
  if (end.how !== 'completed') return { ...known, state: { ...ended, stage: 'cancelled' } };
  const { outcome } = end;
  const { outcome: stage } = outcome as { readonly outcome: OutcomeName };
  const partnerStatus = 'bankingStatus' in outcome ? outcome.bankingStatus : null;
  return { ...known, state: { ...ended, ...factsOf(outcome), stage, outcome: stage, partnerStatus } };
}

/** The facts in the outcome of a part. */
function factsOf(outcome: PartOutcome): Partial<Facts> {
  return defined({
    merchantProfileId: 'merchantProfileId' in outcome ? outcome.merchantProfileId : undefined,
    mid: 'mid' in outcome ? outcome.mid : undefined,
    profileId: 'profileId' in outcome ? outcome.profileId : undefined,
    financialAccountId:
      'financialAccountId' in outcome ? (outcome.financialAccountId ?? undefined) : undefined,
    paymentsAccountId: 'accountId' in outcome ? outcome.accountId : undefined,
    terminalId: 'terminalId' in outcome ? outcome.terminalId : undefined,
  });
}
