import { defineQuery, defineUpdate } from '@temporalio/workflow';
import { LONGEST, truncate } from '../partners/bounds.js';
import { identityOf } from './actors.js';
import type {
  Claim,
  Proposal,
  RequestKey,
  Requirement,
  Resolution,
  ResolutionReceipt,
} from './requirements.js';

/**
 * Several people handle requirements together: one claims a requirement before working on it, and another confirms a proposed
 * answer. Claims and proposals are at the workflow that asks. A customer does not show them for its parts.
 */

/** Claims a requirement, extends a claim, or releases it. */
export interface ClaimRequest {
  readonly requirementId: string;
  readonly actor: string;
  /** ISO 8601, at most 7 days ahead. Absent: releases the claim. */
  readonly until?: string;
  /** Takes over another person's claim. */
  readonly override?: boolean;
}

/** Confirms a claim or a release. */
export interface ClaimReceipt {
  readonly requirementId: string;
  /** Absent after a release. */
  readonly claim?: Claim;
}

/** Claims or releases a requirement. Its validator rejects a claim while another person has a valid one. */
export const claimRequirement = defineUpdate<ClaimReceipt, [ClaimRequest, RequestKey?]>('claimRequirement');

/** Confirms that an answer is proposed. */
export interface ProposalReceipt {
  readonly requirementId: string;
  /** Identifies the proposal. ISO 8601. */
  readonly proposedAt: string;
}

/** Proposes an answer, which is checked as if it were given. It replaces an earlier proposal. */
export const proposeAnswer = defineUpdate<ProposalReceipt, [Resolution, RequestKey?]>('proposeAnswer');

/** A second person confirms a proposed answer. */
export interface Confirmation {
  readonly requirementId: string;
  /** The {@link Proposal.at} of the proposal that this person has read. */
  readonly proposedAt: string;
  /** Must not be the person who proposed it. */
  readonly actor: string;
  readonly reason?: string;
}

/** Confirms that a proposed answer was applied. */
export interface ConfirmationReceipt extends ResolutionReceipt {
  /** The applied answer. The history has it here, because the proposal may be in the history of an earlier run. */
  readonly resolution: Resolution;
}

/** Applies the proposed answer, as an answer of the person who proposed it. */
export const confirmAnswer = defineUpdate<ConfirmationReceipt, [Confirmation, RequestKey?]>('confirmAnswer');

/** Removes a proposal. Anyone may do so. */
export interface Withdrawal {
  readonly requirementId: string;
  readonly actor: string;
  /** Absent: whichever proposal there is. */
  readonly proposedAt?: string;
  readonly reason?: string;
}

/** Confirms that a proposal was removed. */
export interface WithdrawalReceipt {
  readonly requirementId: string;
}

/** Removes a proposed answer; the requirement stays open. */
export const withdrawProposal = defineUpdate<WithdrawalReceipt, [Withdrawal, RequestKey?]>(
  'withdrawProposal',
);

/** The length of a remark, in characters, and how many a workflow keeps. */
export const LONGEST_REMARK = 500;
export const MOST_REMARKS = 50;

/** A remark about a requirement for colleagues. No partner gets it. The timeline keeps it, masked. */
export interface Remark {
  readonly requirementId: string;
  readonly actor: string;
  /** At most 500 characters. */
  readonly text: string;
}

/** Confirms that the timeline has a remark. */
export interface RemarkReceipt {
  readonly requirementId: string;
}

/** Adds a remark to the timeline. Its validator rejects more than 50 in one workflow. */
export const addRemark = defineUpdate<RemarkReceipt, [Remark, RequestKey?]>('addRemark');

/** A proposed answer as a whole, private values included. */
export interface ProposedAnswer extends Resolution {
  /** ISO 8601. */
  readonly at: string;
}

/** Returns the proposed answer of a requirement; null when there is none. */
export const proposedAnswer = defineQuery<ProposedAnswer | null, [requirementId: string]>('proposedAnswer');

/** The claim, unless it has ended. */
export function currentClaim(
  { claim }: { readonly claim?: Claim | undefined },
  now: number = Date.now(),
): Claim | undefined {
  return claim && Date.parse(claim.until) > now ? claim : undefined;
}

/** The people who handle a requirement, as the list of workflows has them. */
export interface ClaimAndProposal {
  readonly claim?: Claim;
  readonly proposal?: Pick<Proposal, 'actor' | 'at'>;
}

/** Keyed by requirement id. */
export type ClaimsMemo = Readonly<Record<string, ClaimAndProposal>>;

/** The memo is encrypted, and a search attribute is not: an actor may be an e-mail address. */
export const CLAIMS_MEMO = 'handling';

/** Some visibility stores keep at most 64 kB of a memo. The list names fewer requirements than this. */
const MOST_IN_MEMO = 30;

/** The memo for these requirements; undefined when nobody handles any. */
export function claimsOf(requirements: readonly Requirement[]): ClaimsMemo | undefined {
  const short = (actor: string) =>
    truncate(actor.length > LONGEST.line ? identityOf(actor) : actor, LONGEST.line);
  const handled = requirements.flatMap(({ id, claim, proposal }): [string, ClaimAndProposal][] => {
    if (!claim && !proposal) return [];
    const by = {
      ...(claim && { claim: { actor: short(claim.actor), until: claim.until } }),
      ...(proposal && { proposal: { actor: short(proposal.actor), at: proposal.at } }),
    };
    return [[id, by]];
  });
  return handled.length > 0 ? Object.fromEntries(handled.slice(0, MOST_IN_MEMO)) : undefined;
}
