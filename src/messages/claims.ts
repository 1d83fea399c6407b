import { defineQuery, defineUpdate } from '@temporalio/workflow';
import { LONGEST, truncate } from '../partners/text-limits.js';
import { personIdentity } from './actors.js';
import type {
  Claim,
  IdempotencyKey,
  LinkSummary,
  Proposal,
  Requirement,
  Resolution,
  ResolutionReceipt,
} from './requirements.js';

/**
 * Several people can handle a requirement together: one claims it or assigns it to a colleague, one proposes an answer, and another
 * confirms it. The workflow that asks holds claims and proposals. A customer does not show those of its parts.
 */

/** Assigns a requirement to a person for a limited time, or releases it. An assignment to oneself is a claim. */
export interface Assignment extends Partial<Omit<Remark, 'requirementId' | 'actor'>> {
  readonly requirementId: string;
  /** The person who assigns or releases it. */
  readonly actor: string;
  /** A colleague with their ID: `Ada Park (ada-17)`. Default: the actor. */
  readonly assignee?: string;
  /** ISO 8601, at most 7 days ahead. Absent: releases the requirement. */
  readonly until?: string;
  /** Takes it over from its current assignee. */
  readonly override?: boolean;
}

/** Confirms an assignment or a release. */
export interface AssignmentReceipt {
  readonly requirementId: string;
  /** Absent after a release. */
  readonly claim?: Claim;
}

/** Assigns or releases a requirement. The validator rejects the update while somebody else has it. */
export const assignRequirement = defineUpdate<AssignmentReceipt, [Assignment, IdempotencyKey?]>(
  'assignRequirement',
);

/** Confirms that an answer is proposed. */
export interface ProposalReceipt {
  readonly requirementId: string;
  /** Identifies the proposal. ISO 8601. */
  readonly proposedAt: string;
}

/** Proposes an answer, with the same checks as an answer. Replaces an earlier proposal. */
export const proposeAnswer = defineUpdate<ProposalReceipt, [Resolution, IdempotencyKey?]>('proposeAnswer');

/** A second person's confirmation of a proposed answer. */
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
  /** The applied answer. It is repeated here because the proposal may be in an earlier run's history. */
  readonly resolution: Resolution;
}

/** Applies the proposed answer, in the name of its proposer. */
export const confirmAnswer = defineUpdate<ConfirmationReceipt, [Confirmation, IdempotencyKey?]>(
  'confirmAnswer',
);

/** Removes a proposal. Anyone may do so. */
export interface Withdrawal {
  readonly requirementId: string;
  readonly actor: string;
  /** Default: any proposal. */
  readonly proposedAt?: string;
  readonly reason?: string;
}

/** Confirms that a proposal was removed. */
export interface WithdrawalReceipt {
  readonly requirementId: string;
}

/** Removes a proposed answer; the requirement stays open. */
export const withdrawProposal = defineUpdate<WithdrawalReceipt, [Withdrawal, IdempotencyKey?]>(
  'withdrawProposal',
);

/** The maximum length of a remark, in characters, and the maximum number in a workflow. */
export const LONGEST_REMARK = 500;
export const MAX_REMARKS = 50;

/** The maximum number of colleagues that a remark mentions, and that a requirement keeps: the latest ones. */
export const MAX_MENTIONS = 5;

/** A remark about a requirement, for colleagues only. The timeline keeps it, masked. */
export interface Remark {
  readonly requirementId: string;
  readonly actor: string;
  /** At most 500 characters. */
  readonly text: string;
  /** Colleagues with their IDs: `Ada Park (ada-17)`. Each sees the requirement as their own until they act on it. */
  readonly mentions?: readonly string[];
}

/** Confirms that the timeline has a remark. */
export interface RemarkReceipt {
  readonly requirementId: string;
}

/** Adds a remark to the timeline. The validator rejects more than 50 in one workflow. */
export const addRemark = defineUpdate<RemarkReceipt, [Remark, IdempotencyKey?]>('addRemark');

/** A complete proposed answer, including private values. */
export interface ProposedAnswer extends Resolution {
  /** If a merchant proposed it: the person who made the link, and so has it. */
  readonly askedBy?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Returns the proposed answer of a requirement; null if there is none. */
export const proposedAnswer = defineQuery<ProposedAnswer | null, [requirementId: string]>('proposedAnswer');

/** Returns the claim, unless it has expired. */
export function currentClaim(
  { claim }: { readonly claim?: Claim | undefined },
  now: number = Date.now(),
): Claim | undefined {
  return claim && Date.parse(claim.until) > now ? claim : undefined;
}

/** The people who handle a requirement, for lists of workflows. */
export interface ClaimAndProposal {
  readonly claim?: Claim;
  readonly proposal?: Pick<Proposal, 'actor' | 'at'>;
  /** The identities of mentioned people. */
  readonly mentioned?: readonly string[];
  /** The link, until the merchant answers. */
  readonly link?: Pick<LinkSummary, 'state' | 'until'>;
}

/** By requirement ID. */
export type ClaimsMemo = Readonly<Record<string, ClaimAndProposal>>;

/** A memo field and not a search attribute, because a memo is encrypted, and an actor may be an email address. */
export const CLAIMS_MEMO = 'handling';

/** In characters, each up to three bytes, because some visibility stores limit a memo to 64 kB. */
const LONGEST_MEMO = 20_000;

/** Returns the memo for these requirements; undefined if nobody handles any. */
export function claimsMemo(requirements: readonly Requirement[]): ClaimsMemo | undefined {
  const short = (actor: string) =>
    truncate(actor.length > LONGEST.line ? personIdentity(actor) : actor, LONGEST.line);
  let left = LONGEST_MEMO;
  const handled = requirements.flatMap(
    ({ id, claim, proposal, mentioned, link }): [string, ClaimAndProposal][] => {
      if (!claim && !proposal && !mentioned && !link) return [];
      const assigned = claim?.by === undefined ? {} : { by: short(claim.by) };
      const by = {
        ...(claim && { claim: { actor: short(claim.actor), until: claim.until, ...assigned } }),
        ...(proposal && { proposal: { actor: short(proposal.actor), at: proposal.at } }),
        ...(mentioned && { mentioned: mentioned.map(personIdentity) }),
        ...(link && !proposal && { link: { state: link.state, until: link.until } }),
      };
      left -= JSON.stringify([id, by]).length;
      return left < 0 ? [] : [[id, by]];
    },
  );
  return handled.length > 0 ? Object.fromEntries(handled) : undefined;
}
