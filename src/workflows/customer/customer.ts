import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { CancellationScope, getExternalWorkflowHandle, proxyActivities } from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
import { ONBOARDINGS } from '../../messages/kinds.js';
import {
  type ChildReport,
  type CustomerOnboardingOutcome,
  type EndedParts,
  PARTS,
  type Part,
  partId,
  type Restored,
  reportAgain,
} from '../../messages/onboardings.js';
import { rejection } from '../../messages/rejections.js';
import type { Resolution, ResolutionReceipt } from '../../messages/requirements.js';
import { accountName, REPEATABLE } from '../journey/activity-proxies.js';
import type { NextSteps } from '../journey/current-details.js';
import { applyReport } from '../journey/customer-reports.js';
import { runToEnd } from '../journey/ending.js';
import { PublishedState } from '../journey/published-state.js';
import { problemWith } from '../journey/resolutions.js';
import type { PublishedChange, Reaction } from '../journey/rules.js';
import type { Facts } from '../journey/state.js';
import { type Carried, Stateful } from '../journey/stateful.js';
import { reacted } from '../journey/until-decided.js';
import {
  type CustomerInput,
  NOTHING,
  onReport,
  partWith,
  publishedParts,
  type Remembered,
  withoutRequirements,
} from './decisions.js';

const { resolveInOnboarding } = proxyActivities<OnboardingActivities>({
  ...REPEATABLE,
  summary: 'Forward an answer',
});

const NEXT_STEPS: NextSteps = {
  onboarding: 'wait for the partners; what they ask shows up here',
  onboarded: 'All parts of the customer succeeded.',
  'partly-onboarded': 'A part of the customer succeeded, and another did not.',
};

export interface CustomerOptions {
  /** Start the parts again, although earlier ones with this `externalId` have ended. */
  readonly again?: boolean;
  /** The parts that had ended before a restore. They stay ended. */
  readonly ended?: EndedParts;
  /** Parts may have begun since the backup that has this customer, and not them. */
  readonly restored?: Restored;
}

export interface PartRun {
  readonly scope: CancellationScope;
  /** Meanwhile this run must not end: the next run would not know whether a child is its own. */
  isStarting?: boolean;
}

function leftBehind({ merchantProfileId, profileId }: Facts): string {
  const merchant = merchantProfileId === undefined ? 'no merchant' : `merchant ${merchantProfileId}`;
  const profile = profileId === undefined ? 'no banking profile' : `banking profile ${profileId}`;
  return `${merchant} and ${profile} are known at the partners`;
}

/** Knows the parts of a customer, and publishes them as one state. Forwards an answer to the child that asked. */
export class Customer extends Stateful<Remembered, CustomerInput> {
  readonly state: PublishedState;
  readonly runs = new Map<Part, PartRun>();
  /** Parts that are being asked for a whole report. */
  readonly #asked = new Set<Part>();

  constructor(
    readonly input: CustomerInput,
    readonly options: CustomerOptions,
    carried?: Carried<Remembered>,
  ) {
    super({ input, carried, memory: NOTHING, dueInMs: 0 });
    this.state = new PublishedState({
      cell: this.cell,
      nextSteps: NEXT_STEPS,
      dba: () => String(input.boarding.merchant.dba),
      // The inbox has those of its parts. All of them in each upsert would let the history grow with their square.
      mostListed: 1,
      others: () => publishedParts(this.memory),
    });
  }

  run<Outcome extends CustomerOnboardingOutcome>(parts: () => Promise<Outcome>): Promise<Outcome> {
    return runToEnd(parts, {
      ...{ cell: this.cell, state: this.state, isContinued: this.isContinued },
      leftBehind: (facts) => [leftBehind(facts)],
      close: () => this.remember(withoutRequirements(this.memory)),
    });
  }

  react(reaction: Reaction<Remembered, PublishedChange>): void {
    this.update(reacted(reaction));
    this.state.report();
  }

  learn(facts: Partial<Facts>): void {
    this.state.know(facts);
    this.state.report();
  }

  get merchantProfileId(): number | undefined {
    return this.state.facts.merchantProfileId;
  }

  hasEnded(part: Part): boolean {
    return this.memory.ended[part] !== undefined;
  }

  workflowIdOf(part: Part): string {
    return partId(part, this.input.externalId, accountName());
  }

  /** Has the server check whether a part still runs. */
  doubt(part: Part): void {
    this.remember({ doubted: { ...this.memory.doubted, [part]: true } });
  }

  /** True once after each {@link doubt}. */
  takeDoubt(part: Part): boolean {
    const { [part]: isDoubted = false, ...doubted } = this.memory.doubted;
    if (isDoubted) this.remember({ doubted });
    return isDoubted;
  }

  readonly onReport = (report: ChildReport): void => {
    const { part } = report;
    const now = applyReport(this.memory.reported[part], report);
    if (now === 'old') return;
    if (now === 'gap') {
      this.askAgain(part);
      return;
    }
    this.#asked.delete(part);
    this.react(onReport(this.memory, part, now));
  };

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

  readonly validate = (resolution: Resolution | null): void => {
    const { requirements: open, unsent } = publishedParts(this.memory);
    const part = partWith(this.memory, resolution?.requirementId ?? '');
    const problem = problemWith(resolution, { open, unsent }, ONBOARDINGS[PARTS[part]].correctable);
    if (problem) throw rejection(problem);
  };

  readonly resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    const part = partWith(this.memory, resolution.requirementId);
    const { requirements, [part]: own } = publishedParts(this.memory);
    const others = requirements.length - (own?.requirements.length ?? 0);
    try {
      const request = { workflowId: this.workflowIdOf(part), resolution };
      // Once it is on its way, the part may have it: a cancellation must not end it without a word.
      const receipt = await CancellationScope.nonCancellable(() => resolveInOnboarding(request));
      return { ...receipt, open: receipt.open + others };
    } catch (error) {
      // The failure of the child itself, without the layers around it.
      const cause = error instanceof ActivityFailure && error.cause ? error.cause : error;
      if (cause instanceof ApplicationFailure && cause.type === 'OnboardingEnded') this.doubt(part);
      throw cause;
    }
  };
}
