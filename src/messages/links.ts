import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { LINK_ENDS, LINK_LANGUAGES } from './codes.js';
import { mergePatch } from './objects.js';
import type { Answer, DocumentRef, IdempotencyKey } from './requirements.js';

/**
 * A link asks the merchant one question. The merchant's answer becomes a proposed answer, which a colleague confirms. A link's address
 * has its name and a secret token. The workflow knows only the token's SHA-256.
 */

/** The form of a link's name. */
export const LINK_NAME = /^L-[a-z0-9]{16}$/;

/** The form of a token, or of a session: 256 random bits in base64url. */
export const LINK_SECRET = /^[\w-]{43}$/;

/** The limits of a merchant's answer. */
export const LINK_LIMITS = {
  documents: 20,
  revisions: 20,
  wrongCodes: 5,
  rightCodes: 100,
  sessions: 10,
  text: 10_000,
  remark: 400,
};

/** The limits of a question to a merchant. */
export const ASK_LIMITS = { text: 2_000, names: 10, name: 80 };

/** The maximum length of a time zone's name, in characters. */
export const LONGEST_ZONE = 64;

/** The language of the merchant's page. */
export type LinkLanguage = (typeof LINK_LANGUAGES)[number];

/** The kind of answer that a merchant is asked for. */
export type Wanted =
  | { readonly kind: 'text' }
  /** `names` are for people: `voided check`. */
  | { readonly kind: 'documents'; readonly names: readonly string[] }
  /** Fields of a correction, by their dotted names in the input. */
  | {
      readonly kind: 'fields';
      readonly fields: readonly { readonly name: string; readonly label: string }[];
    };

/** The question as the merchant reads it. */
export interface MerchantQuestion {
  readonly text: string;
  readonly wants: Wanted;
  readonly language: LinkLanguage;
  /** The time zone of whoever asks: `America/New_York`. The page of the merchant has no script that knows another one. */
  readonly zone?: string | undefined;
}

/** Asks the merchant. A new link replaces the one before. */
export interface AskRequest extends MerchantQuestion {
  readonly requirementId: string;
  readonly actor: string;
  readonly link: string;
  /** The SHA-256 of the token, in hexadecimal. */
  readonly tokenHash: string;
  /** The same of a code that the merchant must enter first. */
  readonly codeHash?: string;
  /** ISO 8601, at most 30 days ahead. */
  readonly until: string;
}

/** Confirms that the merchant can open the link. */
export interface AskReceipt {
  readonly requirementId: string;
  readonly link: string;
  /** ISO 8601. */
  readonly until: string;
}

/** Makes a link for a requirement. */
export const askMerchant = defineUpdate<AskReceipt, [AskRequest, IdempotencyKey?]>('askMerchant');

/** Ends a link, or returns what the merchant sent. */
export interface LinkRequest {
  readonly requirementId: string;
  readonly actor: string;
}

/** Ends the link of a requirement. A proposed answer stays. */
export const revokeLink = defineUpdate<LinkRequest, [LinkRequest, IdempotencyKey?]>('revokeLink');

/** Returns a proposed answer to the merchant, with a sentence that says what is missing. */
export interface ReturnRequest extends LinkRequest {
  /** The {@link Proposal.at} of the proposal that this person has read. */
  readonly proposedAt: string;
  readonly text: string;
}

export const returnToMerchant = defineUpdate<LinkRequest, [ReturnRequest, IdempotencyKey?]>(
  'returnToMerchant',
);

/** The merchant's answer. Identifies documents by number, and fields by name. */
export type MerchantAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'documents'; readonly documents: readonly number[] }
  | { readonly kind: 'fields'; readonly values: Readonly<Record<string, string>> };

export type MerchantAction =
  | { readonly kind: 'begin' }
  /** The SHA-256 of the code and of a new session. */
  | { readonly kind: 'enter'; readonly codeHash: string; readonly session: string }
  | { readonly kind: 'document'; readonly document: DocumentRef }
  | { readonly kind: 'answer'; readonly answer: MerchantAnswer; readonly remark?: string };

/** Who holds a link. */
export interface LinkHolder {
  readonly requirementId: string;
  readonly link: string;
  readonly tokenHash: string;
  /** The language of the link, because its requirement forgets it after the answer. */
  readonly language: LinkLanguage;
  /** The SHA-256 of a session that has entered the code. */
  readonly session?: string;
}

export interface MerchantRequest extends LinkHolder {
  readonly action: MerchantAction;
}

/** Everything that the holder of a link can do. Its receipt is the link as the merchant sees it then. */
export const actOnLink = defineUpdate<LinkView, [MerchantRequest]>('actOnLink');

/** The link as the merchant sees it. */
export const linkQuery = defineQuery<LinkView, [LinkHolder]>('link');

/** A document that the merchant sent. */
export interface LinkDocument {
  /** Counts from 1. */
  readonly id: number;
  readonly fileName: string;
  /** ISO 8601. */
  readonly at: string;
}

export type LinkEnd = (typeof LINK_ENDS)[number];

export type LinkView =
  | { readonly state: 'closed'; readonly language: LinkLanguage; readonly why: LinkEnd }
  | { readonly state: 'code'; readonly language: LinkLanguage; readonly attemptsLeft: number }
  | (MerchantQuestion & {
      readonly state: 'open' | 'received' | 'sent-back';
      readonly dba?: string;
      /** ISO 8601. */
      readonly expiresAt: string;
      readonly documents: readonly LinkDocument[];
      /** How often the merchant has answered. */
      readonly revision: number;
      readonly began: boolean;
      readonly answer?: MerchantAnswer & { readonly remark?: string };
      /** Why it was sent back. */
      readonly message?: string;
    });

/** Names the merchant in the timeline: `the merchant (L-4f2a…)`. */
export function merchantActor(link: string): string {
  return `the merchant (${link})`;
}

/** Reports whether an actor is a merchant. People and programs may not have such a name. */
export function isMerchant(actor: string): boolean {
  return /^the merchant \(L-[a-z0-9]{16}\)$/.test(actor);
}

/** The answer that a merchant's answer proposes to the partner. */
export function answerOf(answer: MerchantAnswer, documents: readonly DocumentRef[]): Answer {
  switch (answer.kind) {
    case 'text':
      return { kind: 'text', text: answer.text };
    case 'documents':
      return { kind: 'documents', documents: answer.documents.flatMap((id) => documents[id - 1] ?? []) };
    case 'fields':
      return { kind: 'correction', patch: patchOf(answer.values) };
  }
}

/** `{'holder.website': 'x'}` as a merge patch. */
function patchOf(values: Readonly<Record<string, string>>): Record<string, unknown> {
  const nested = ([name, value]: [string, string]) =>
    name.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);
  return Object.entries(values)
    .map(nested)
    .reduce<Record<string, unknown>>(
      (patch, field) => mergePatch(patch, field as Record<string, unknown>),
      {},
    );
}
