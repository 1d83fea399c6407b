import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import { defined } from '../../messages/objects.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
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
import {
  type Requirement,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from '../../messages/requirements.js';
import type { AnnouncerRecords } from '../journey/announcer.js';
import type { NextSteps } from '../journey/current-details.js';
import { partnerAccount } from '../journey/partner-account.js';
import { type Facts, PublicFace } from '../journey/public-face.js';
import { type HeardPart, hear } from '../journey/reports.js';
import { problemWith } from '../journey/resolution-check.js';
import { resolveInOnboarding } from './activities.js';

const NEXT_STEPS: NextSteps = {
  onboarding: 'wait for the partners; what they ask shows up here',
  onboarded: 'nothing, the partners have taken the customer aboard',
  'partly-onboarded': 'nothing, not all partners have taken the customer aboard',
  closed: 'nothing, the partner closed it',
};

const CORRECTABLE: Readonly<Record<Part, readonly string[]>> = {
  boarding: CORRECTABLE_MERCHANT_FIELDS,
  business: CORRECTABLE_BUSINESS_FIELDS,
  terminal: CORRECTABLE_TERMINAL_FIELDS,
};

/** What a customer hands to the next run of its workflow. */
export interface CustomerRecords {
  readonly state: OnboardingState;
  readonly news: AnnouncerRecords;
  readonly parts: readonly (readonly [Part, HeardPart])[];
  readonly ends: readonly (readonly [Part, KnownEnd])[];
}

/** The end of a part, and the run that ended as far as its reports named it. */
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

/** The published state of a customer: what its children report, as one. An answer goes on to the child that asked. */
export class Customer extends PublicFace {
  readonly #parts: Map<Part, HeardPart>;
  /** In the order in which they ended. */
  readonly #ends: Map<Part, KnownEnd>;
  /** Parts that a whole report was asked of. */
  readonly #asked = new Set<Part>();
  /** Parts that did not take what was sent to them. */
  readonly #doubts = new Set<Part>();

  constructor(
    private readonly externalId: string,
    records?: CustomerRecords,
  ) {
    super({ nextSteps: NEXT_STEPS, leftBehind, state: records?.state, news: records?.news });
    this.#parts = new Map(records?.parts);
    this.#ends = new Map(records?.ends);
    setHandler(childReport, (report) => this.#hear(report));
    setHandler(resolveRequirement, this.#resolve, { validator: this.#validate });
  }

  get records(): CustomerRecords {
    const parts = [...this.#parts];
    return {
      state: { ...super.state, requirements: [] },
      news: this.announcer.records,
      parts,
      ends: [...this.#ends],
    };
  }

  override get state(): OnboardingState {
    return { ...super.state, unsent: this.#unsent, ...Object.fromEntries(this.#states) };
  }

  get #unsent(): readonly string[] {
    return this.#states.flatMap(([, { unsent = [] }]) => unsent);
  }

  override get requirements(): readonly Requirement[] {
    return this.#states.flatMap(([, { requirements }]) => requirements);
  }

  get #states(): readonly (readonly [Part, OnboardingState])[] {
    return [...this.#parts].map(([part, { state }]) => [part, state]);
  }

  workflowIdOf(part: Part): string {
    return partId(part, this.externalId, partnerAccount());
  }

  /** Takes note of what a part knows, and shows it. */
  learn(facts: Partial<Facts>): void {
    this.know(facts);
    this.publish();
  }

  /** The outcome in the last report of a part. */
  outcomeOf(part: Part): PartOutcome | undefined {
    return this.#parts.get(part)?.outcome;
  }

  /** Has the server asked whether a part still runs. */
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

  /** Takes note of the end of a part. What it asked is closed with it. */
  ends(part: Part, end: PartEnd): void {
    const known = this.#parts.get(part);
    this.#ends.set(part, { end, run: known?.run });
    if (known) this.#parts.set(part, closed(known, end));
    if (end.how === 'completed') {
      const { outcome } = end;
      if ('merchantProfileId' in outcome)
        this.know(defined({ merchantProfileId: outcome.merchantProfileId }));
      this.timeline.add(`${part}-ended`, { detail: outcome.outcome });
    } else if (end.how === 'failed') {
      this.timeline.add(`${part}-failed`, { detail: 'see the child workflow' });
    } else {
      this.timeline.add(`${part}-ended`, { detail: end.how });
    }
    this.publish();
  }

  /** True when a part that has ended reports from another run: its workflow was reset. */
  isBack(part: Part): boolean {
    const ended = this.#ends.get(part);
    return ended !== undefined && ended.run !== this.#parts.get(part)?.run;
  }

  /** Takes note that a part goes on that had ended. */
  goesOn(part: Part): void {
    if (!this.isBack(part)) this.#askAgain(part);
    this.#ends.delete(part);
    this.timeline.add(`${part}-reset`, { detail: 'its workflow goes on in another run' });
    this.publish();
  }

  #hear(report: ChildReport): void {
    const { part } = report;
    const now = hear(this.#parts.get(part), report);
    if (now === 'old') return;
    if (now === 'gap') {
      this.#askAgain(part);
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

  /** Asks a part for a whole report, because one before its last is missing. */
  #askAgain(part: Part): void {
    if (this.#asked.has(part)) return;
    this.#asked.add(part);
    getExternalWorkflowHandle(this.workflowIdOf(part))
      .signal(reportAgain)
      // It has ended, and its end is seen by other means.
      .catch(() => this.#asked.delete(part));
  }

  /** The part that has a requirement open or answered; the business when none has, so that the check reports it. */
  #partOf(resolution: Resolution | null): Part {
    const id = resolution?.requirementId ?? '';
    const isOf = ([, { requirements, unsent = [] }]: readonly [Part, OnboardingState]) =>
      requirements.some((requirement) => requirement.id === id) || unsent.includes(id);
    const [part = 'business'] = this.#states.find(isOf) ?? [];
    return part;
  }

  readonly #validate = (resolution: Resolution): void => {
    const answerable = { open: this.requirements, unsent: this.#unsent };
    const problem = problemWith(resolution, answerable, CORRECTABLE[this.#partOf(resolution)]);
    if (problem) throw ApplicationFailure.nonRetryable(problem, 'InvalidResolution');
  };

  readonly #resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    const part = this.#partOf(resolution);
    const own = this.#parts.get(part)?.state.requirements.length ?? 0;
    const others = this.requirements.length - own;
    try {
      const receipt = await resolveInOnboarding({ workflowId: this.workflowIdOf(part), resolution });
      return { ...receipt, open: receipt.open + others };
    } catch (error) {
      // The child's own word, without the layers around it.
      const cause = error instanceof ActivityFailure && error.cause ? error.cause : error;
      if (cause instanceof ApplicationFailure && cause.type === 'OnboardingEnded') this.doubt(part);
      throw cause;
    }
  };

  protected override close(): void {
    // What still waits is the children's, and theirs to close.
    this.#parts.forEach(({ state, ...known }, part) => {
      this.#parts.set(part, { ...known, state: { ...state, requirements: [], unsent: [] } });
    });
  }
}

/** A part whose workflow has ended: it asks nothing, and one that did not complete is where it was stopped. */
function closed({ state, ...known }: HeardPart, { how }: PartEnd): HeardPart {
  const stage = how === 'completed' ? {} : { stage: 'cancelled' as const };
  return { ...known, state: { ...state, ...stage, requirements: [], unsent: [] } };
}
