// Keeps F10.
/** Links through which a merchant answers an open requirement. A merchant's answer only ever becomes a proposal. */
import { setHandler } from '@temporalio/workflow';
import type { TimelineEvent } from '../../messages/codes.js';
import {
  ASK_LIMITS,
  type AskReceipt,
  type AskRequest,
  actOnLink,
  askMerchant,
  LINK_LIMITS,
  type LinkEnd,
  type LinkHolder,
  type LinkRequest,
  type LinkView,
  linkQuery,
  type MerchantAction,
  type MerchantRequest,
  merchantActor,
  type ReturnRequest,
  returnToMerchant,
  revokeLink,
} from '../../messages/links.js';
import { isFieldWithin, isObject, omitUndefined } from '../../messages/objects.js';
import type { TimelineEntry } from '../../messages/onboarding-state.js';
import { rejection, rejectProblem } from '../../messages/rejections.js';
import type { Requirement } from '../../messages/requirements.js';
import { redact } from '../../platform/privacy/masked.js';
import type { Answers } from './answers.js';
import { minuteOf } from './current-details.js';
import { applyOnce, validateUnlessApplied } from './idempotency.js';
import {
  type LinkState,
  linkState,
  problemWithMerchantAnswer,
  problemWithQuestion,
  problemWithSecrets,
  problemWithText,
  resolutionOf,
} from './link-rules.js';
import { requirementEvent } from './outbound-events.js';
import type { PublishedState } from './published-state.js';
import { collaborationOn, openRequirements, setClaims, setProposal } from './requirements.js';
import { isText, problemWithActor, problemWithId, summarizeAnswer } from './resolutions.js';
import { recordEvent, type Store } from './state.js';

/** The events that close a requirement. */
const ENDS: readonly TimelineEvent[] = ['requirement-resolved', 'requirement-closed', 'answer-dropped'];

export class Links {
  constructor(
    private readonly published: Pick<PublishedState, 'refresh' | 'current'>,
    private readonly store: Store,
    private readonly answers: Pick<Answers, 'problemWith' | 'check'>,
  ) {}

  handle(on: typeof setHandler = setHandler): void {
    const { store } = this;
    on(askMerchant, applyOnce(store, this.#ask), {
      validator: validateUnlessApplied(store, this.#validateAsk),
      description: 'Makes a link through which the merchant answers a requirement',
    });
    on(revokeLink, applyOnce(store, this.#revoke), {
      validator: validateUnlessApplied(store, (request: LinkRequest) => void this.#linkOf(request)),
      description: 'Ends the link of a requirement',
    });
    on(returnToMerchant, applyOnce(store, this.#return), {
      validator: validateUnlessApplied(store, this.#validateReturn),
      description: 'Returns a proposed answer to the merchant, with a sentence',
    });
    on(actOnLink, this.#act, {
      validator: this.#validateAction,
      description: 'What the holder of a link does',
    });
    on(linkQuery, (holder: LinkHolder) => this.#view(holder), {
      description: 'A link as the merchant sees it',
    });
  }

  readonly #validateAsk = (request: AskRequest): void => {
    const open = openRequirements(this.store.state);
    rejectProblem(problemWithId(request, open));
    const { answers } = open.find(({ id }) => id === request.requirementId) as Requirement;
    rejectProblem(problemWithQuestion(request, answers) ?? problemWithSecrets(request));
    const { proposed } = collaborationOn(this.store.state, request.requirementId);
    if (proposed) throw rejection('requirementId: an answer is proposed; confirm or withdraw it first');
  };

  readonly #ask = async (request: AskRequest): Promise<AskReceipt> => {
    const { requirementId, link, tokenHash, codeHash, text, wants, language, zone, until } = request;
    const actor = request.actor.trim();
    const question = { text: text.trim(), wants, language, ...omitUndefined({ zone }) };
    const secrets = { tokenHash, ...omitUndefined({ codeHash }), wrongCodes: 0, sessions: [] };
    const state: LinkState = { link, ...secrets, question, actor, until, documents: [], revision: 0 };
    this.store.update(setClaims(requirementId, { link: state }));
    const requirement = openRequirements(this.store.state).find(
      ({ id }) => id === requirementId,
    ) as Requirement;
    this.store.update(requirementEvent('requirement.link.created.v1', requirement, { link, until }));
    const what = `${link} until ${minuteOf(until)}: ${redact(question.text)}`;
    this.#record('merchant-asked', requirementId, what, actor);
    return { requirementId, link, until };
  };

  readonly #revoke = async ({ requirementId, actor }: LinkRequest): Promise<LinkRequest> => {
    const { link } = this.#linkOf({ requirementId, actor });
    this.store.update(setClaims(requirementId, { link: undefined }));
    this.#record('link-revoked', requirementId, link, actor.trim());
    return { requirementId, actor };
  };

  readonly #validateReturn = (request: ReturnRequest): void => {
    const link = this.#linkOf(request);
    const { proposed } = collaborationOn(this.store.state, request.requirementId);
    if (proposed?.actor !== merchantActor(link.link))
      throw rejection('requirementId: the merchant has proposed no answer');
    if (proposed.at !== request.proposedAt)
      throw rejection('proposedAt: another answer is proposed now; read it before you send it back');
    if (['closed', 'locked'].includes(linkState(link, undefined)))
      throw rejection('requirementId: the link has ended; withdraw the answer, and ask the merchant again');
    rejectProblem(problemWithText('text', request.text, ASK_LIMITS.text));
  };

  readonly #return = async ({ requirementId, actor, text }: ReturnRequest): Promise<LinkRequest> => {
    const link = this.#linkOf({ requirementId, actor });
    const message = text.trim();
    this.store.update(setClaims(requirementId, { proposed: undefined, link: { ...link, message } }));
    this.#record('answer-sent-back', requirementId, redact(message), actor.trim());
    return { requirementId, actor };
  };

  /** Rejects an action with a wrong token, for a closed link, or without effect, so it adds nothing to the history. */
  readonly #validateAction = (request: MerchantRequest): void => {
    const { requirementId } = request;
    const view = this.#view(request);
    const { kind } = isObject(request.action) ? request.action : { kind: undefined };
    if (view.state === 'closed') throw rejection('link: it is closed');
    const link = collaborationOn(this.store.state, requirementId).link as LinkState;
    if (kind === 'enter' && link.codeHash !== undefined) return;
    if (view.state === 'code') throw rejection('link: enter the code first');
    switch (kind) {
      case 'begin':
        return;
      case 'enter':
        throw rejection('code: the link needs none');
      case 'document':
        if (link.question.wants.kind !== 'documents')
          throw rejection('document: the link asks for no document');
        if (link.documents.length >= LINK_LIMITS.documents)
          throw rejection(`document: at most ${LINK_LIMITS.documents} can be sent`);
        return;
      case 'answer': {
        const { answer, remark } = request.action as Extract<MerchantAction, { kind: 'answer' }>;
        if (link.revision >= LINK_LIMITS.revisions)
          throw rejection(`answer: it was sent ${LINK_LIMITS.revisions} times already`);
        if (remark !== undefined) rejectProblem(problemWithText('remark', remark, LINK_LIMITS.remark));
        rejectProblem(problemWithMerchantAnswer(answer, link));
        rejectProblem(this.answers.problemWith(resolutionOf(requirementId, link, answer, remark), true));
        return;
      }
      default:
        throw rejection('action.kind: must be begin, enter, document or answer');
    }
  };

  readonly #act = async (request: MerchantRequest): Promise<LinkView> => {
    const { requirementId, action } = request;
    const link = collaborationOn(this.store.state, requirementId).link as LinkState;
    switch (action.kind) {
      case 'begin':
        if (!link.began) this.#begin(requirementId, link);
        break;
      case 'enter':
        this.#enter(requirementId, link, action);
        return this.#view({ ...request, session: action.session });
      case 'document': {
        const document = { ...action.document, at: new Date().toISOString() };
        this.#begin(requirementId, { ...link, documents: [...link.documents, document] });
        break;
      }
      case 'answer':
        await this.#propose(request, link, action);
    }
    return this.#view(request);
  };

  /** Records that the merchant has begun, with the first thing it sends. */
  #begin(requirementId: string, link: LinkState): void {
    this.store.update(setClaims(requirementId, { link: { ...link, began: true } }));
    if (!link.began) this.#record('merchant-began', requirementId, link.link, merchantActor(link.link));
  }

  /** Checks a code, and counts the attempt in the same update, so a crash cannot leave one uncounted. */
  #enter(
    requirementId: string,
    link: LinkState,
    { codeHash, session }: Extract<MerchantAction, { kind: 'enter' }>,
  ): void {
    const isRight = codeHash === link.codeHash && typeof session === 'string';
    const sessions = isRight ? [...link.sessions, session].slice(-LINK_LIMITS.sessions) : link.sessions;
    const wrongCodes = link.wrongCodes + (isRight ? 0 : 1);
    const rightCodes = (link.rightCodes ?? 0) + (isRight ? 1 : 0);
    const entered = { ...link, sessions, wrongCodes, rightCodes };
    this.store.update(setClaims(requirementId, { link: entered }));
    if (linkState(entered, undefined) !== 'locked') return;
    const what = `${link.link}: ${isRight ? `${rightCodes} codes` : `${wrongCodes} wrong codes`}`;
    this.#record('link-revoked', requirementId, what, merchantActor(link.link));
  }

  async #propose(
    { requirementId }: MerchantRequest,
    before: LinkState,
    { answer, remark }: Extract<MerchantAction, { kind: 'answer' }>,
  ): Promise<void> {
    const resolution = resolutionOf(requirementId, before, answer, remark);
    const { wants } = before.question;
    const names = wants.kind === 'fields' ? wants.fields.map(({ name }) => name) : [];
    // The merchant cannot change other fields. The person who confirms the answer sees their problems.
    await this.answers.check(resolution, (field) => isFieldWithin(field, names));
    // The requirement may have closed meanwhile, or a colleague may have acted.
    const { link, proposed } = collaborationOn(this.store.state, requirementId);
    if (link?.link !== before.link || (proposed && proposed.actor !== resolution.actor))
      throw rejection('link: it is closed');
    const sent = { ...answer, ...omitUndefined({ remark }) };
    // The same answer arrives twice if the response to the first one was lost.
    if (proposed && JSON.stringify(sent) === JSON.stringify(link.sent)) return;
    const revision = link.revision + 1;
    const { message: _, ...rest } = link;
    this.#begin(requirementId, { ...rest, revision, sent });
    this.store.update(setProposal({ ...resolution, askedBy: before.actor }));
    const version = revision > 1 ? ` (revision ${revision})` : '';
    const what = summarizeAnswer(resolution.answer) + version;
    this.#record('answer-proposed', requirementId, what, resolution.actor, resolution.reason);
  }

  #view({ requirementId, link: name, tokenHash, language, session }: LinkHolder): LinkView {
    const { link, proposed } = collaborationOn(this.store.state, requirementId);
    const closed = (why: LinkEnd) => ({ state: 'closed', language, why }) as const;
    // A proposed answer outlives its link.
    if (!link)
      return closed(proposed?.actor === merchantActor(name) ? 'received' : this.#endOf(requirementId));
    const { question, documents, revision, began = false, sent, message, until } = link;
    if (link.link !== name || link.tokenHash !== tokenHash) return closed('revoked');
    const state = linkState(link, proposed?.actor);
    if (state === 'locked') return closed('locked');
    if (state === 'closed') return closed(proposed ? 'handled' : 'expired');
    if (state === 'received' && Date.parse(until) <= Date.now()) return closed('received');
    if (link.codeHash !== undefined && !link.sessions.some((each) => each === session))
      return { state: 'code', language, attemptsLeft: LINK_LIMITS.wrongCodes - link.wrongCodes };
    return {
      ...question,
      state,
      expiresAt: until,
      revision,
      began,
      ...omitUndefined({ dba: this.published.current.dba, answer: sent, message }),
      documents: documents.map(({ fileName, at }, index) => ({ id: index + 1, fileName, at })),
    };
  }

  /** Returns why a requirement has no link. If an answer was dropped because the partner decided first, returns `over`. */
  #endOf(requirementId: string): LinkEnd {
    const { state } = this.store;
    if (openRequirements(state).some(({ id }) => id === requirementId)) return 'revoked';
    const isEnd = ({ event, detail = '' }: TimelineEntry) =>
      ENDS.includes(event) && detail.startsWith(`${requirementId}: `);
    return state.timeline.findLast(isEnd)?.event === 'requirement-resolved' ? 'answered' : 'over';
  }

  /** @throws {ApplicationFailure} if there is no link */
  #linkOf(request: LinkRequest): LinkState {
    rejectProblem(problemWithId(request, openRequirements(this.store.state)));
    rejectProblem(problemWithActor(request.actor));
    const { link } = collaborationOn(this.store.state, request.requirementId);
    if (link) return link;
    throw rejection('requirementId: the merchant is not asked; there is no link');
  }

  #record(event: TimelineEvent, id: string, what: string, actor: string, reason?: string): void {
    const why = isText(reason) ? { reason: redact(reason) } : {};
    this.store.update(recordEvent(event, { detail: `${id}: ${what}`, actor, ...why }));
    this.published.refresh();
  }
}
