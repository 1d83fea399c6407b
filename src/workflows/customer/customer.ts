import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { CancellationScope, getExternalWorkflowHandle, proxyActivities } from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
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
import { ONBOARDINGS } from '../../messages/workflow-types.js';
import { currentAccount, REPEATABLE } from '../runtime/activity-proxies.js';
import type { NextSteps } from '../runtime/current-details.js';
import { applyReport } from '../runtime/customer-reports.js';
import { PublishedState } from '../runtime/published-state.js';
import type { PublishedCommand, Reduction } from '../runtime/reducer.js';
import { problemWith } from '../runtime/resolutions.js';
import { runToEnd } from '../runtime/run-to-end.js';
import type { PublishedFields } from '../runtime/state.js';
import { type CarriedState, StatefulWorkflow } from '../runtime/stateful.js';
import { reductionTransition } from '../runtime/until-decided.js';
import {
  type CustomerInput,
  type CustomerState,
  INITIAL_CUSTOMER_STATE,
  partWith,
  publishedParts,
  reduceReport,
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
  /** Starts the parts even if earlier ones with this `externalId` have ended. */
  readonly again?: boolean;
  /** Parts that ended before a restore. They stay ended. */
  readonly ended?: EndedParts;
  /** Set after a restore. Parts that are missing from the backup may have begun since. */
  readonly restored?: Restored;
}

export interface PartRun {
  readonly scope: CancellationScope;
  /** The child is starting. The run must not end now, because the next run could not tell whether the child exists. */
  isStarting?: boolean;
}

function leftBehind({ merchantProfileId, profileId }: PublishedFields): string {
  const merchant = merchantProfileId === undefined ? 'no merchant' : `merchant ${merchantProfileId}`;
  const profile = profileId === undefined ? 'no banking profile' : `banking profile ${profileId}`;
  return `${merchant} and ${profile} are known at the partners`;
}

/** Tracks the parts of a customer, and publishes them as one state. Forwards an answer to the part that asked. */
export class CustomerRuntime extends StatefulWorkflow<CustomerState, CustomerInput> {
  readonly published: PublishedState;
  readonly runs = new Map<Part, PartRun>();
  /** Parts with a request for a complete report in flight. */
  readonly #reportRequests = new Set<Part>();

  constructor(
    readonly input: CustomerInput,
    readonly options: CustomerOptions,
    carriedState?: CarriedState<CustomerState>,
  ) {
    super({ input, carriedState, partnerState: INITIAL_CUSTOMER_STATE, dueInMs: 0 });
    this.published = new PublishedState({
      store: this.store,
      nextSteps: NEXT_STEPS,
      dba: () => String(input.boarding.merchant.dba),
      // The parts list their requirements themselves. If each upsert repeated them all, the history would grow quadratically.
      mostListed: 1,
      others: () => publishedParts(this.partnerState),
    });
  }

  run<Outcome extends CustomerOnboardingOutcome>(parts: () => Promise<Outcome>): Promise<Outcome> {
    return runToEnd(parts, {
      store: this.store,
      published: this.published,
      isContinued: this.isContinued,
      leftBehind: (facts) => [leftBehind(facts)],
      close: () => this.patchState(withoutRequirements(this.partnerState)),
    });
  }

  apply(reduction: Reduction<CustomerState, PublishedCommand>): void {
    this.update(reductionTransition(reduction));
    this.published.report();
  }

  learn(facts: Partial<PublishedFields>): void {
    this.published.setFacts(facts);
    this.published.report();
  }

  get merchantProfileId(): number | undefined {
    return this.published.facts.merchantProfileId;
  }

  hasEnded(part: Part): boolean {
    return this.partnerState.ends[part] !== undefined;
  }

  workflowIdOf(part: Part): string {
    return partId(part, this.input.externalId, currentAccount());
  }

  /** Asks the server whether a part still runs. */
  suspectEnd(part: Part): void {
    this.patchState({ suspectedEnds: { ...this.partnerState.suspectedEnds, [part]: true } });
  }

  /** Returns true once after each {@link suspectEnd}. */
  takeSuspectedEnd(part: Part): boolean {
    const { [part]: isSuspected = false, ...suspected } = this.partnerState.suspectedEnds;
    if (isSuspected) this.patchState({ suspectedEnds: suspected });
    return isSuspected;
  }

  readonly onReport = (report: ChildReport): void => {
    const { part } = report;
    const now = applyReport(this.partnerState.reports[part], report);
    if (now === 'old') return;
    if (now === 'gap') {
      this.requestReport(part);
      return;
    }
    this.#reportRequests.delete(part);
    this.apply(reduceReport(this.partnerState, part, now));
  };

  /** Asks a part for a complete report, because an earlier one is missing or the server will not report the part's end. */
  requestReport(part: Part): void {
    if (this.#reportRequests.has(part)) return;
    this.#reportRequests.add(part);
    getExternalWorkflowHandle(this.workflowIdOf(part))
      .signal(reportAgain)
      // The part has ended.
      .catch(() => {
        this.#reportRequests.delete(part);
        this.suspectEnd(part);
      });
  }

  readonly validate = (resolution: Resolution | null): void => {
    const { requirements: open, unsent } = publishedParts(this.partnerState);
    const part = partWith(this.partnerState, resolution?.requirementId ?? '');
    const problem = problemWith(resolution, { open, unsent }, ONBOARDINGS[PARTS[part]].correctable);
    if (problem) throw rejection(problem);
  };

  readonly resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    const part = partWith(this.partnerState, resolution.requirementId);
    const { requirements, [part]: partState } = publishedParts(this.partnerState);
    const others = requirements.length - (partState?.requirements.length ?? 0);
    try {
      const request = { workflowId: this.workflowIdOf(part), resolution };
      // The part may already have the answer, so a cancellation must not cut off the request.
      const receipt = await CancellationScope.nonCancellable(() => resolveInOnboarding(request));
      return { ...receipt, open: receipt.open + others };
    } catch (error) {
      // The failure of the child itself, without the layers around it.
      const cause = error instanceof ActivityFailure && error.cause ? error.cause : error;
      if (cause instanceof ApplicationFailure && cause.type === 'OnboardingEnded') this.suspectEnd(part);
      throw cause;
    }
  };
}
