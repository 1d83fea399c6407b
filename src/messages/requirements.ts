import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { DocumentRef } from '../partners/documents/document-store.js';
import type { RequirementKind } from './codes.js';

/** Default of `dueInHours`: how long a person has to answer a requirement. */
export const DEFAULT_DUE_IN_HOURS = 48;

export { REQUIREMENT_KINDS, type RequirementKind, TASKS } from './codes.js';
export type { DocumentRef };

/** A person's reply to a requirement. */
export type Answer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'documents'; readonly documents: readonly DocumentRef[] }
  /** A JSON merge patch (RFC 7396) of the input. */
  | { readonly kind: 'correction'; readonly patch: Readonly<Record<string, unknown>> }
  /** The write took effect, and created this. */
  | { readonly kind: 'confirm'; readonly id: string }
  /** The write did not take effect, or the obstacle is gone: do it again. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'code'; readonly code: string }
  /** One of the requirement's `choices`. */
  | { readonly kind: 'choice'; readonly choice: string }
  /** Takes back an answer that has not been sent to the partner, and opens its requirement again. */
  | { readonly kind: 'take-back' }
  /** Gives the onboarding up. */
  | { readonly kind: 'abandon' };

/** The kinds of answers, of which a requirement lists those that it allows. */
export type AnswerKind = Answer['kind'];

/** The answers that each kind of requirement may allow. */
export const ALLOWED_ANSWERS = {
  'underwriting-note': ['text', 'documents', 'abandon'],
  'changes-requested': ['correction', 'retry', 'abandon'],
  'not-submitted': ['confirm', 'correction', 'retry', 'abandon'],
  'unclear-mid': ['confirm', 'abandon'],
  'rejected-input': ['correction', 'documents', 'confirm', 'retry', 'abandon'],
  'uncertain-write': ['confirm', 'retry', 'abandon'],
  ticket: ['text', 'documents', 'correction', 'retry', 'abandon'],
  'locked-profile': ['abandon'],
  credentials: ['retry', 'abandon'],
  'one-time-code': ['code', 'retry', 'abandon'],
  waiting: ['retry'],
  unreadable: ['retry'],
  'software-error': ['retry'],
  'new-status': ['choice'],
} as const satisfies Readonly<Record<RequirementKind, readonly AnswerKind[]>>;

/** The answers that a kind of requirement may allow. */
export type AnswerTo<Kind extends RequirementKind> = (typeof ALLOWED_ANSWERS)[Kind][number];

/** The kinds of requirements and of answers for which one person proposes an answer, and another one confirms it. */
export type FourEyes = readonly (RequirementKind | AnswerKind)[];

/** The fields that a start adds to an input from its process's settings. People and programs cannot set them. */
export interface Resolved {
  readonly fourEyes?: FourEyes;
}

/** A code has expired by the time of a confirmation, and a taken-back answer has no open requirement. */
export const NEVER_PROPOSED: readonly AnswerKind[] = ['code', 'take-back'];

/** A person works on a requirement. A claim expires, so readers compare its end with the current time. */
export interface Claim {
  readonly actor: string;
  /** The colleague who assigned it. Absent: the person claimed it. */
  readonly by?: string;
  /** ISO 8601. */
  readonly until: string;
}

/** An answer that waits for a second person. The whole text is private: see `proposedAnswer`. */
export interface Proposal {
  readonly actor: string;
  /** ISO 8601. It identifies the proposal. */
  readonly at: string;
  readonly reason: string;
  /** A short, masked form of the answer: `text: One sale in ten.` */
  readonly answer: string;
}

/** A link as colleagues see it. */
export interface LinkSummary {
  readonly link: string;
  readonly actor: string;
  /** ISO 8601. */
  readonly until: string;
  readonly state: 'open' | 'received' | 'sent-back' | 'closed' | 'locked';
  readonly revision: number;
}

/** One open question for a person. */
export interface Requirement {
  readonly id: string;
  /** Identifies the partner's question, such as a note or a ticket. Stays the same if the partner asks again. */
  readonly about?: string;
  readonly kind: RequirementKind;
  readonly title: string;
  readonly detail: string;
  /** ISO 8601. */
  readonly raisedAt: string;
  /** ISO 8601. After this time, the requirement is shown as overdue. Nothing is decided automatically. */
  readonly dueAt: string;
  /** The allowed answers. */
  readonly answers: readonly AnswerKind[];
  /** The answers that one person proposes and another confirms. Absent if there are none. */
  readonly fourEyes?: readonly AnswerKind[];
  /** The form of the `id` in a `confirm` answer. Default: digits. */
  readonly idFormat?: 'text';
  /** The values that an answer `choice` can have. */
  readonly choices?: readonly string[];
  /** Dotted names of the fields that were rejected, as the input has them: `holder.website`. */
  readonly fields?: readonly string[];
  /** A correction to fill in: a JSON merge patch whose values, and the names that nobody knows yet, are empty texts. */
  readonly blank?: Readonly<Record<string, unknown>>;
  /** The last claim, which may have ended. A customer does not show those of its parts. */
  readonly claim?: Claim;
  /** The same holds for a customer. */
  readonly proposal?: Proposal;
  /** Colleagues whom a remark mentions, and who have not acted on it since. The same holds for a customer. */
  readonly mentioned?: readonly string[];
  /** The link through which the merchant answers. The same holds for a customer. */
  readonly link?: LinkSummary;
}

/** Reports whether one person proposes this answer, and another one confirms it. */
export function needsConfirmation(
  { fourEyes = [] }: Pick<Requirement, 'fourEyes'>,
  answer: unknown,
): answer is AnswerKind {
  return fourEyes.some((kind) => kind === answer);
}

/** The part of a requirement's detail that its title lacks: the title has a short note as a whole. */
export function detailBeside({ title, detail }: Pick<Requirement, 'title' | 'detail'>): string {
  return title.endsWith(detail) ? '' : detail;
}

/** A person's answer to a requirement. The timeline keeps who answered, and why. */
export interface Resolution {
  readonly requirementId: string;
  readonly answer: Answer;
  readonly actor: string;
  readonly reason: string;
}

/** Identifies a request, so that it is applied once, in whichever run of the workflow it arrives again. */
export interface IdempotencyKey {
  readonly id: string;
  /** A hash of the request. The same ID with another one is refused. Absent: it is not compared. */
  readonly body?: string;
}

/** Returns the receipt of the update with this key; null if there is none. */
export const receiptQuery = defineQuery<object | null, [IdempotencyKey]>('receipt');

/** Confirms that a resolution was accepted. */
export interface ResolutionReceipt {
  readonly requirementId: string;
  /** ISO 8601. */
  readonly acceptedAt: string;
  /** The number of requirements that are still open. */
  readonly open: number;
}

/** The description that the Web UI shows below the name of the update. */
export const RESOLVING = 'Answers a requirement. The tab User Metadata shows the JSON for Data.';

/** Answers any requirement. A resolution that does not fit is rejected by the validator and leaves no history. */
export const resolveRequirement = defineUpdate<ResolutionReceipt, [Resolution, IdempotencyKey?]>(
  'resolveRequirement',
);
