import { setHandler } from '@temporalio/workflow';
import {
  asSubject,
  COLLEAGUE_RULE,
  isColleague,
  isSamePerson,
  mayBeProposer,
  partsOfActor,
} from '../../messages/actors.js';
import {
  type Assignment,
  type AssignmentReceipt,
  addRemark,
  assignRequirement,
  type Confirmation,
  type ConfirmationReceipt,
  confirmAnswer,
  currentClaim,
  LONGEST_REMARK,
  MAX_MENTIONS,
  MAX_REMARKS,
  type ProposalReceipt,
  type ProposedAnswer,
  proposeAnswer,
  proposedAnswer,
  type Remark,
  type RemarkReceipt,
  type Withdrawal,
  type WithdrawalReceipt,
  withdrawProposal,
} from '../../messages/claims.js';
import { LONGEST_CLAIM_DAYS, type TimelineEvent } from '../../messages/codes.js';
import { privateRejection, rejection, rejectProblem } from '../../messages/rejections.js';
import {
  type Claim,
  NEVER_PROPOSED,
  needsConfirmation,
  type Resolution,
} from '../../messages/requirements.js';
import { redact } from '../../platform/privacy/masked.js';
import type { Answers } from './answers.js';
import { minuteOf } from './current-details.js';
import { applyOnce, validateUnlessApplied } from './idempotency.js';
import type { PublishedState } from './published-state.js';
import {
  acceptAnswer,
  collaborationOn,
  openRequirements,
  setAssignment,
  setClaims,
  setMentions,
  setProposal,
} from './requirements.js';
import { isText, problemWithActor, problemWithId, summarizeAnswer } from './resolutions.js';
import { compose, recordEvent, type Store } from './state.js';

type Recorded = Pick<Remark, 'actor' | 'mentions'> & { readonly reason?: string | undefined };

export class Claims {
  constructor(
    private readonly published: Pick<PublishedState, 'refresh' | 'report'>,
    private readonly store: Store,
    private readonly answers: Pick<Answers, 'problemWith' | 'check'>,
  ) {}

  handle(on: typeof setHandler = setHandler): void {
    const { store } = this;
    on(assignRequirement, applyOnce(store, this.#assign), {
      validator: validateUnlessApplied(store, this.#validateAssignment),
      description:
        'Assigns a requirement until a time, by default to the actor, or releases it if no time is given',
    });
    on(proposeAnswer, applyOnce(store, this.#propose), {
      validator: validateUnlessApplied(store, this.#validateProposal),
      description: 'Proposes an answer that a second person confirms. Data: as for resolveRequirement',
    });
    on(confirmAnswer, applyOnce(store, this.#confirm), {
      validator: validateUnlessApplied(store, this.#validateConfirmation),
      description: 'Confirms an answer that another person proposed',
    });
    on(withdrawProposal, applyOnce(store, this.#withdraw), {
      validator: validateUnlessApplied(store, this.#validateWithdrawal),
      description: 'Removes a proposed answer',
    });
    on(addRemark, applyOnce(store, this.#remark), {
      validator: validateUnlessApplied(store, this.#validateRemark),
      description: 'Adds a remark for colleagues to the timeline. No partner gets it',
    });
    on(proposedAnswer, this.#proposedFor, { description: 'The whole proposed answer to a requirement' });
  }

  readonly #validateAssignment = (request: Assignment): void => {
    rejectProblem(
      problemWithId(request, openRequirements(this.store.state)) ?? problemWithAssignment(request),
    );
    if (isGiven(request.text)) this.#validateRemark(request as Remark);
    const { requirementId, override } = request;
    const claim = this.#claimOfOther(request);
    if (!claim || (override && isGiven(request.until))) return;
    const until = `until ${claim.until}`;
    throw privateRejection(
      `requirementId: ${asSubject(claim.actor)} has claimed ${requirementId} ${until}`,
      `requirementId: another person has claimed ${requirementId} ${until}`,
    );
  };

  /** The SDK calls the handler right after its validator, so nothing can change in between. */
  readonly #assign = async (request: Assignment): Promise<AssignmentReceipt> => {
    const { requirementId, until, text, mentions } = request;
    const actor = request.actor.trim();
    if (!isGiven(until)) {
      this.#release(requirementId, actor);
      return { requirementId };
    }
    const assignee = assigneeOf(request);
    const isOwn = isSamePerson(assignee, actor);
    const before = this.#claimOfOther(request);
    const last = currentClaim(collaborationOn(this.store.state, requirementId));
    const isNewAssignee = !last || !isSamePerson(last.actor, assignee);
    const claim = { actor: assignee, until: new Date(until).toISOString(), ...(isOwn ? {} : { by: actor }) };
    this.store.update(setAssignment(requirementId, claim, isNewAssignee));
    const had = before ? `; ${before.actor} had it until ${minuteOf(before.until)}` : '';
    const term = `${isOwn ? '' : `to ${assignee} `}until ${minuteOf(claim.until)}${had}`;
    const taken = before ? 'requirement-taken-over' : 'requirement-claimed';
    this.#record(isOwn ? taken : 'requirement-assigned', requirementId, term, { actor });
    if (isGiven(text))
      await this.#remark({ requirementId, actor, text, ...(isGiven(mentions) && { mentions }) });
    return { requirementId, claim };
  };

  /** Ends the current claim, if any. An expired claim can stay in the state, because nothing shows it. */
  #release(id: string, actor: string): void {
    const claim = currentClaim(collaborationOn(this.store.state, id));
    if (!claim) return;
    this.store.update(setClaims(id, { claim: undefined }));
    this.#record('requirement-released', id, `before ${minuteOf(claim.until)}`, { actor });
  }

  /** Returns the current claim, unless this actor holds it or assigned it. */
  #claimOfOther({ requirementId, actor }: Assignment): Claim | undefined {
    const claim = currentClaim(collaborationOn(this.store.state, requirementId));
    const isOwn = claim && [claim.actor, claim.by ?? claim.actor].some((each) => isSamePerson(each, actor));
    return isOwn ? undefined : claim;
  }

  readonly #validateProposal = (resolution: Resolution): void => {
    const kind = resolution?.answer?.kind;
    if (NEVER_PROPOSED.includes(kind)) throw rejection(`answer.kind: nobody can propose ${kind}`);
    rejectProblem(this.answers.problemWith(resolution, true));
  };

  readonly #propose = async (resolution: Resolution): Promise<ProposalReceipt> => {
    const { requirementId, answer, actor, reason } = resolution;
    await this.answers.check(resolution);
    // The requirement may have closed meanwhile.
    rejectProblem(problemWithId(resolution, openRequirements(this.store.state)));
    this.store.update(setProposal({ requirementId, answer, actor: actor.trim(), reason }));
    this.#record('answer-proposed', requirementId, summarizeAnswer(answer), { actor, reason });
    return { requirementId, proposedAt: this.#proposedFor(requirementId)?.at ?? '' };
  };

  readonly #validateConfirmation = (confirmation: Confirmation): void => {
    const proposed = this.#proposed(confirmation);
    const { actor, reason, proposedAt } = confirmation;
    rejectProblem(problemWithPerson(actor, reason));
    if (proposed.at !== proposedAt)
      throw rejection('proposedAt: another answer is proposed now; read it before you confirm it');
    if (partsOfActor(actor).person === undefined)
      throw rejection('actor: a program must name the person who confirms');
    if (mayBeProposer(actor, proposed.actor))
      throw rejection('actor: must not be the person who proposed the answer');
    if (this.#needsAnother(proposed) && mayBeProposer(actor, proposed.askedBy ?? ''))
      throw rejection(
        'actor: must not be the person who asked the merchant, because that person has the link',
      );
    rejectProblem(this.answers.problemWith(proposed, true));
  };

  readonly #confirm = async (confirmation: Confirmation): Promise<ConfirmationReceipt> => {
    const { at: _, askedBy: __, ...proposed } = this.#proposed(confirmation);
    const { requirementId } = proposed;
    await this.answers.check(proposed);
    // Somebody may have proposed another answer meanwhile.
    if (this.#proposedFor(requirementId)?.at !== confirmation.proposedAt)
      throw rejection('proposedAt: this answer is no longer proposed');
    const actor = confirmation.actor.trim();
    const why = isText(confirmation.reason) ? `: ${confirmation.reason}` : '';
    const reason = `${proposed.reason.replace(/\.$/, '')}; confirmed by ${actor}${why}`;
    const resolution = { ...proposed, reason };
    this.store.update(acceptAnswer(resolution, confirmation));
    const acceptedAt = new Date().toISOString();
    const receipt = {
      requirementId,
      acceptedAt,
      open: openRequirements(this.store.state).length,
      resolution,
    };
    this.published.report();
    return receipt;
  };

  // Keeps F8.
  /** Reports whether the person who made a link may not confirm its answer, because that person could have sent the answer. */
  #needsAnother({ requirementId, answer, askedBy }: ProposedAnswer): boolean {
    const requirement = openRequirements(this.store.state).find(({ id }) => id === requirementId);
    return askedBy !== undefined && requirement !== undefined && needsConfirmation(requirement, answer.kind);
  }

  readonly #validateWithdrawal = (withdrawal: Withdrawal): void => {
    const { at } = this.#proposed(withdrawal);
    const { actor, reason, proposedAt } = withdrawal;
    rejectProblem(problemWithPerson(actor, reason));
    if (isGiven(proposedAt) && proposedAt !== at)
      throw rejection('proposedAt: another answer is proposed now');
  };

  readonly #withdraw = async (withdrawal: Withdrawal): Promise<WithdrawalReceipt> => {
    const { requirementId, actor: proposer } = this.#proposed(withdrawal);
    const { actor, reason } = withdrawal;
    this.store.update(setClaims(requirementId, { proposed: undefined }));
    this.#record('proposal-withdrawn', requirementId, `it was proposed by ${proposer}`, { actor, reason });
    return { requirementId };
  };

  readonly #validateRemark = (remark: Remark): void => {
    rejectProblem(problemWithId(remark, openRequirements(this.store.state)) ?? problemWithRemark(remark));
    const remarks = this.store.state.timeline.filter(({ event }) => event === 'remark-added');
    if (remarks.length >= MAX_REMARKS) throw rejection(`there are ${MAX_REMARKS} remarks already`);
  };

  readonly #remark = async ({ requirementId, text, ...who }: Remark): Promise<RemarkReceipt> => {
    this.#record('remark-added', requirementId, redact(text.trim()), who);
    return { requirementId };
  };

  /** Records an event that only the inbox, the Web UI and the timeline show. */
  #record(event: TimelineEvent, id: string, what: string, { actor, reason, mentions }: Recorded): void {
    const why = isText(reason) ? { reason: redact(reason) } : {};
    const detail = { detail: `${id}: ${what}`, actor: actor.trim(), ...why };
    const mentioned = isGiven(mentions) ? mentions.map((each) => each.trim()) : [];
    this.store.update(compose(setMentions(id, actor, mentioned), recordEvent(event, detail)));
    this.published.refresh();
  }

  readonly #proposedFor = (id: string): ProposedAnswer | null =>
    collaborationOn(this.store.state, id).proposed ?? null;

  /** @throws {ApplicationFailure} if the requirement is not open, or has no proposal */
  #proposed(request: { readonly requirementId: string }): ProposedAnswer {
    rejectProblem(problemWithId(request, openRequirements(this.store.state)));
    const { proposed } = collaborationOn(this.store.state, request.requirementId);
    if (!proposed) throw rejection('requirementId: no answer is proposed for this requirement');
    return proposed;
  }
}

/** Treats null as absent, because people who fill in JSON by hand may write it. */
function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

function assigneeOf({ actor, assignee }: Assignment): string {
  return (isGiven(assignee) ? assignee : actor).trim();
}

function problemWithAssignment(request: Assignment): string | undefined {
  const { actor, assignee, until, override } = request;
  const problem = problemWithPerson(actor, undefined);
  if (problem) return problem;
  if (isGiven(override) && typeof override !== 'boolean') return 'override: must be true or false';
  if (isGiven(assignee)) {
    if (problemWithActor(assignee)) return `assignee: ${COLLEAGUE_RULE}`;
    if (!isSamePerson(assignee, actor) && !isColleague(assignee.trim())) return `assignee: ${COLLEAGUE_RULE}`;
    if (!isGiven(until)) return 'until: must be given with an assignee';
  }
  if (!isGiven(until)) return undefined;
  const end = typeof until === 'string' && ISO_8601.test(until) ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(end)) return 'until: must be a time with its zone, such as 2026-01-31T14:00:00Z';
  const ahead = end - Date.now();
  if (ahead <= 0) return 'until: must not be in the past';
  return ahead > LONGEST_CLAIM_DAYS * 24 * 3_600_000
    ? `until: must be at most ${LONGEST_CLAIM_DAYS} days ahead`
    : undefined;
}

function problemWithRemark({ actor, text, mentions }: Remark): string | undefined {
  if (!isText(text)) return 'text: must not be empty';
  if (text.length > LONGEST_REMARK)
    return `text: must have at most ${LONGEST_REMARK} characters; it has ${text.length}`;
  if (isGiven(mentions)) {
    if (!Array.isArray(mentions) || mentions.length > MAX_MENTIONS)
      return `mentions: must be a list of at most ${MAX_MENTIONS}`;
    if (!mentions.every((each) => isText(each) && isColleague(each.trim())))
      return `mentions: each ${COLLEAGUE_RULE}`;
  }
  return problemWithPerson(actor, undefined);
}

function problemWithPerson(actor: unknown, reason: unknown): string | undefined {
  const problem = isGiven(reason) && typeof reason !== 'string' ? 'reason: must be a text' : undefined;
  return problemWithActor(actor) ?? problem;
}
