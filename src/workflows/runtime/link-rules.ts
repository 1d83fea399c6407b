/** Rules for merchant links, as pure functions: what a link may ask for, what the merchant may send, and what people see of it. */

import { LINK_LANGUAGES, LONGEST_LINK_DAYS } from '../../messages/codes.js';
import {
  ASK_LIMITS,
  type AskRequest,
  answerOf,
  LINK_LIMITS,
  LINK_NAME,
  LONGEST_ZONE,
  type MerchantAnswer,
  type MerchantQuestion,
  merchantActor,
  type Wanted,
} from '../../messages/links.js';
import { isObject } from '../../messages/objects.js';
import type { AnswerKind, DocumentRef, LinkSummary, Resolution } from '../../messages/requirements.js';
import { isText, problemWithActor } from './resolutions.js';

/** A link, in the state of its requirement. Secrets are stored as hashes. */
export interface LinkState {
  readonly link: string;
  readonly tokenHash: string;
  readonly codeHash?: string;
  readonly wrongCodes: number;
  /** The number of times that the right code was entered. */
  readonly rightCodes?: number;
  /** Browser sessions that have entered the code. */
  readonly sessions: readonly string[];
  readonly question: MerchantQuestion;
  readonly actor: string;
  /** ISO 8601. */
  readonly until: string;
  readonly began?: true;
  readonly documents: readonly (DocumentRef & { readonly at: string })[];
  readonly revision: number;
  readonly sent?: MerchantAnswer & { readonly remark?: string };
  /** The reason for sending the last answer back. */
  readonly message?: string;
}

/** The kind of answer that each kind of request leads to. */
const ANSWER_TO: Readonly<Record<Wanted['kind'], AnswerKind>> = {
  text: 'text',
  documents: 'documents',
  fields: 'correction',
};

/** @param proposer the actor of the proposed answer */
export function linkState(
  { link, until, wrongCodes, rightCodes = 0, message }: LinkState,
  proposer: string | undefined,
): LinkSummary['state'] {
  if (wrongCodes >= LINK_LIMITS.wrongCodes || rightCodes >= LINK_LIMITS.rightCodes) return 'locked';
  if (proposer === merchantActor(link)) return 'received';
  if (proposer !== undefined || Date.parse(until) <= Date.now()) return 'closed';
  return message === undefined ? 'open' : 'sent-back';
}

/** Returns the link as colleagues see it. */
export function summarizeLink(state: LinkState, proposer: string | undefined): LinkSummary {
  const { link, actor, until, revision } = state;
  return { link, actor, until, revision, state: linkState(state, proposer) };
}

export function resolutionOf(
  requirementId: string,
  { link, documents }: LinkState,
  answer: MerchantAnswer,
  remark: string | undefined,
): Resolution {
  const reason = remark ?? 'answered through the link';
  const refs = documents.map(({ at: _, ...document }) => document);
  return { requirementId, answer: answerOf(answer, refs), actor: merchantActor(link), reason };
}

export function problemWithText(field: string, text: unknown, most: number): string | undefined {
  if (!isText(text)) return `${field}: must not be empty`;
  return text.length > most
    ? `${field}: must have at most ${most} characters; it has ${text.length}`
    : undefined;
}

export function problemWithSecrets({ link, tokenHash, codeHash, until }: AskRequest): string | undefined {
  const isHash = (text: unknown) => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
  if (typeof link !== 'string' || !LINK_NAME.test(link)) return 'link: must be L- and 16 letters or digits';
  if (!isHash(tokenHash) || (codeHash !== undefined && !isHash(codeHash)))
    return 'tokenHash: must be a SHA-256';
  const ahead = (typeof until === 'string' ? Date.parse(until) : Number.NaN) - Date.now();
  const isAhead = ahead > 0 && ahead <= LONGEST_LINK_DAYS * 24 * 3_600_000;
  return isAhead ? undefined : `until: must be a time in the next ${LONGEST_LINK_DAYS} days`;
}

export function problemWithQuestion(
  { actor, text, wants, language, zone = '' }: AskRequest,
  answers: readonly AnswerKind[],
): string | undefined {
  const problem = problemWithActor(actor);
  if (problem) return problem;
  if (!LINK_LANGUAGES.includes(language)) return `language: must be one of ${LINK_LANGUAGES.join(', ')}`;
  if (typeof zone !== 'string' || zone.length > LONGEST_ZONE) return 'zone: must be a time zone';
  const kind = isObject(wants) && ANSWER_TO[wants.kind];
  if (!kind) return 'wants.kind: must be text, documents or fields';
  if (!answers.includes(kind)) return `wants: this requirement takes ${answers.join(', ')}, and no ${kind}`;
  return problemWithText('text', text, ASK_LIMITS.text) ?? problemWithNames(wants);
}

const FIELD = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)*$/;

function problemWithNames(wants: Wanted): string | undefined {
  if (wants.kind === 'text') return undefined;
  const list: unknown = wants.kind === 'documents' ? wants.names : wants.fields;
  if (!Array.isArray(list) || list.length === 0 || list.length > ASK_LIMITS.names)
    return `wants: must name 1 to ${ASK_LIMITS.names}`;
  const isName = (name: unknown) => isText(name) && name.length <= ASK_LIMITS.name;
  const areNames = list.every((each) =>
    wants.kind === 'documents'
      ? isName(each)
      : isObject(each) && isName(each['label']) && isName(each['name']) && FIELD.test(String(each['name'])),
  );
  return areNames
    ? undefined
    : `wants: each name must have 1 to ${ASK_LIMITS.name} characters, and no item of a list`;
}

export function problemWithMerchantAnswer(
  answer: unknown,
  { question: { wants }, documents }: LinkState,
): string | undefined {
  if (!isObject(answer) || answer['kind'] !== wants.kind) return `answer.kind: must be ${wants.kind}`;
  switch (wants.kind) {
    case 'text':
      return problemWithText('answer.text', answer['text'], LINK_LIMITS.text);
    case 'documents': {
      const ids = answer['documents'];
      const areSent =
        Array.isArray(ids) && ids.every((id) => Number.isInteger(id) && id > 0 && id <= documents.length);
      if (!areSent || ids.length === 0) return 'answer.documents: choose at least one that was sent';
      return new Set(ids).size < ids.length ? 'answer.documents: each can be sent once' : undefined;
    }
    case 'fields': {
      const { values } = answer;
      const names = wants.fields.map(({ name }) => name);
      if (!isObject(values) || Object.keys(values).some((name) => !names.includes(name)))
        return 'answer.values: takes the fields that are asked for';
      const empty = names.find((name) => !isText(values[name]));
      if (empty !== undefined) return `answer.values.${empty}: must not be empty`;
      const long = names.find((name) => String(values[name]).length > LINK_LIMITS.remark);
      return long && `answer.values.${long}: must have at most ${LINK_LIMITS.remark} characters`;
    }
  }
}
