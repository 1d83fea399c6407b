import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { setHandler } from '@temporalio/workflow';
import { CORRECTABLE_BUSINESS_MEMBERS } from '../../messages/business-onboarding.js';
import { type ChildReport, childReport, type Part, partId } from '../../messages/customer-onboarding.js';
import { defined } from '../../messages/defined.js';
import { CORRECTABLE_MERCHANT_MEMBERS } from '../../messages/merchant-boarding.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import {
  type Requirement,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from '../../messages/requirements.js';
import { CORRECTABLE_TERMINAL_MEMBERS } from '../../messages/terminal-provisioning.js';
import type { NextSteps } from '../journey/current-details.js';
import { partnerAccount } from '../journey/partner-account.js';
import { type Facts, PublicFace } from '../journey/public-face.js';
import { problemWith } from '../journey/resolution-check.js';
import { resolveInOnboarding } from './activities.js';

const NEXT_STEPS: NextSteps = {
  onboarding: 'wait for the partners; what they ask shows up here',
  onboarded: 'nothing, the partners have taken the customer aboard',
  'partly-onboarded': 'nothing, not all partners have taken the customer aboard',
  closed: 'nothing, the partner closed it',
};

const CORRECTABLE: Readonly<Record<Part, readonly string[]>> = {
  boarding: CORRECTABLE_MERCHANT_MEMBERS,
  business: CORRECTABLE_BUSINESS_MEMBERS,
  terminal: CORRECTABLE_TERMINAL_MEMBERS,
};

const NOTHING_YET: OnboardingState = {
  stage: 'preparing',
  partnerStatus: null,
  requirements: [],
  timeline: [],
  polls: 0,
};

function leftBehind({ merchantProfileId, profileId, paymentsAccountId, terminalId }: Facts): string {
  const known = [
    merchantProfileId === undefined ? 'no merchant' : `merchant ${merchantProfileId}`,
    profileId === undefined ? 'no banking profile' : `banking profile ${profileId}`,
    ...(paymentsAccountId === undefined ? [] : [`payments account ${paymentsAccountId}`]),
    ...(terminalId === undefined ? [] : [`terminal ${terminalId}`]),
  ];
  return `${known.slice(0, -1).join(', ')} and ${known.at(-1)} are known at the partners`;
}

/** The public face of a customer: what its children report, as one. An answer goes on to the child that asked. */
export class Customer extends PublicFace {
  readonly #parts = new Map<Part, OnboardingState>();

  constructor(private readonly externalId: string) {
    super({ nextSteps: NEXT_STEPS, leftBehind });
    setHandler(childReport, (report) => this.#hear(report));
    setHandler(resolveRequirement, this.#resolve, { validator: this.#validate });
  }

  override get requirements(): readonly Requirement[] {
    return [...this.#parts.values()].flatMap(({ requirements }) => requirements);
  }

  workflowIdOf(part: Part): string {
    return partId(part, this.externalId, partnerAccount());
  }

  /** Takes note of what a part knows, and shows it. */
  learn(facts: Partial<Facts>): void {
    this.know(facts);
    this.publish();
  }

  #hear({ part, state, since, timeline }: ChildReport): void {
    const known = this.#parts.get(part) ?? NOTHING_YET;
    this.#parts.set(part, { ...state, timeline: [...known.timeline.slice(0, since), ...timeline] });
    const { merchantProfileId, mid } = this.#parts.get('boarding') ?? NOTHING_YET;
    const { profileId, financialAccountId } = this.#parts.get('business') ?? NOTHING_YET;
    const { paymentsAccountId, terminalId } = this.#parts.get('terminal') ?? NOTHING_YET;
    this.learn({
      ...Object.fromEntries(this.#parts),
      ...defined({
        merchantProfileId,
        mid,
        profileId,
        financialAccountId,
        paymentsAccountId,
        terminalId,
      }),
      polls: [...this.#parts.values()].reduce((sum, { polls }) => sum + polls, 0),
    });
  }

  /** The part that has a requirement open; the business when none has, for the check to say so. */
  #partOf(resolution: Resolution | null): Part {
    const isOpen = ({ id }: Requirement) => id === resolution?.requirementId;
    const [part = 'business'] =
      [...this.#parts].find(([, { requirements }]) => requirements.some(isOpen)) ?? [];
    return part;
  }

  readonly #validate = (resolution: Resolution): void => {
    const problem = problemWith(resolution, this.requirements, CORRECTABLE[this.#partOf(resolution)]);
    if (problem) throw ApplicationFailure.nonRetryable(problem, 'InvalidResolution');
  };

  readonly #resolve = async (resolution: Resolution): Promise<ResolutionReceipt> => {
    const part = this.#partOf(resolution);
    const own = this.#parts.get(part)?.requirements.length ?? 0;
    const others = this.requirements.length - own;
    try {
      const receipt = await resolveInOnboarding({ workflowId: this.workflowIdOf(part), resolution });
      return { ...receipt, open: receipt.open + others };
    } catch (error) {
      // The child's own word, without the layers around it.
      throw error instanceof ActivityFailure && error.cause ? error.cause : error;
    }
  };

  protected override close(): void {
    // What still waits is the children's, and theirs to close.
    this.#parts.forEach((state, part) => {
      this.#parts.set(part, { ...state, requirements: [] });
    });
  }
}
