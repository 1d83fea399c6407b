// Keeps F4.
/** Requirements and their answers: one slice of the state, and its transitions. */
import { isSamePerson, personId, personIdentity } from '../../messages/actors.js';
import { type Confirmation, MAX_MENTIONS, type ProposedAnswer } from '../../messages/claims.js';
import type { TimelineEvent } from '../../messages/codes.js';
import { omitUndefined } from '../../messages/objects.js';
import { rejection } from '../../messages/rejections.js';
import {
  type Answer,
  type AnswerKind,
  type Claim,
  NEVER_PROPOSED,
  type Requirement,
  type RequirementKind,
  type Resolution,
} from '../../messages/requirements.js';
import { LONGEST, truncate } from '../../partners/text-limits.js';
import { redact } from '../../platform/privacy/masked.js';
import { summarizeLink } from './link-rules.js';
import { requirementEvent } from './outbound-events.js';
import { isText, summarizeAnswer } from './resolutions.js';
import {
  type Collaboration,
  type Context,
  compose,
  type PendingAnswer,
  type Progress,
  type Question,
  type RequirementEntry,
  type RequirementsState,
  recordEvent,
  type State,
  type Transition,
  unknownWrites,
} from './state.js';

/** Thrown after an operator abandoned the onboarding. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/** When a requirement is reported as overdue or as unclaimed. */
export interface Deadline {
  readonly requirement: Requirement;
  readonly what: 'overdue' | 'unclaimed';
  /** In milliseconds since 1970. */
  readonly at: number;
}

const openEntries = ({ requirements }: State) =>
  requirements.entries.filter(({ progress }) => progress.is === 'open');

const entryOf = ({ requirements }: State, id: string) =>
  requirements.entries.find(({ requirement }) => requirement.id === id);

export function openRequirements(state: State): readonly Requirement[] {
  return openEntries(state).map(({ requirement }) => requirement);
}

/** Returns requirements with an answer, oldest answer first. */
export function answeredRequirements({ requirements }: State): readonly PendingAnswer[] {
  return requirements.entries.flatMap(({ requirement, progress }) =>
    progress.is === 'open' ? [] : [{ requirement, resolution: progress.resolution }],
  );
}

/** Returns the IDs of requirements whose answers people can still take back, because they are not being sent. */
export function unsentIds({ requirements }: State): readonly string[] {
  return requirements.entries.flatMap(({ requirement, progress }) =>
    progress.is === 'answered' ? [requirement.id] : [],
  );
}

export function collaborationOn(state: State, id: string): Collaboration {
  const progress = entryOf(state, id)?.progress;
  return progress?.is === 'open' ? progress : {};
}

/** Returns open requirements with their claims and proposals. A requirement without either is the same object as in the state. */
export function openWithClaims(state: State): readonly Requirement[] {
  return openEntries(state).map(({ requirement }) => {
    const { claim, proposed, mentioned, link } = collaborationOn(state, requirement.id);
    if (!claim && !proposed && !mentioned && !link) return requirement;
    return {
      ...requirement,
      ...(claim && { claim }),
      ...(proposed && { proposal: shownProposal(proposed) }),
      ...(mentioned && { mentioned }),
      ...(link && { link: summarizeLink(link, proposed?.actor) }),
    };
  });
}

function shownProposal({ actor, at, reason, answer }: ProposedAnswer) {
  return { actor, at, reason: redact(reason), answer: summarizeAnswer(answer) };
}

/**
 * Returns the deadlines of open requirements that are not reported yet: to answer, and to claim.
 *
 * @param unclaimedInHours undefined if nobody has to claim requirements
 */
export function deadlinesIn(state: State, unclaimedInHours: number | undefined): readonly Deadline[] {
  const overdue = ({ requirement, isOverdue }: RequirementEntry): Deadline[] =>
    isOverdue ? [] : [{ requirement, what: 'overdue', at: Date.parse(requirement.dueAt) }];
  const unclaimed = ({ requirement, isUnclaimed }: RequirementEntry): Deadline[] => {
    if (unclaimedInHours === undefined || isUnclaimed) return [];
    const { claim } = collaborationOn(state, requirement.id);
    const first = Date.parse(requirement.raisedAt) + unclaimedInHours * 3_600_000;
    return [{ requirement, what: 'unclaimed', at: claim ? Math.max(first, Date.parse(claim.until)) : first }];
  };
  const open = openEntries(state);
  return [...open.flatMap(overdue), ...open.flatMap(unclaimed)];
}

/** Returns an answer that abandons the onboarding, if any requirement of these kinds has one. */
export function findAbandonment(state: State, kinds: readonly RequirementKind[]): PendingAnswer | undefined {
  return answeredRequirements(state).find(
    ({ requirement, resolution }) => kinds.includes(requirement.kind) && resolution.answer.kind === 'abandon',
  );
}

const updateRequirements =
  (change: (before: RequirementsState) => Partial<RequirementsState>): Transition =>
  (state) => ({ ...state, requirements: { ...state.requirements, ...change(state.requirements) } });

const updateEntry = (id: string, change: (entry: RequirementEntry) => RequirementEntry): Transition =>
  updateRequirements(({ entries }) => ({
    entries: entries.map((entry) => (entry.requirement.id === id ? change(entry) : entry)),
  }));

const deleteEntry = (id: string): Transition =>
  updateRequirements(({ entries }) => ({
    entries: entries.filter(({ requirement }) => requirement.id !== id),
  }));

/** Changes a requirement's progress, and moves it to the end. */
const moveEntry = (entry: RequirementEntry, progress: Progress): Transition =>
  compose(
    deleteEntry(entry.requirement.id),
    updateRequirements(({ entries }) => ({ entries: [...entries, { ...entry, progress }] })),
  );

const recordRequirement = (
  event: TimelineEvent & `requirement-${string}`,
  { id, kind }: Requirement,
  what: string,
  who: { readonly actor?: string; readonly reason?: string } = {},
): Transition => recordEvent(event, { detail: `${id}: ${what}`, ...who }, { kind });

/** Raises a requirement with the next ID: see {@link Question}. */
export const raiseRequirement =
  (question: Question): Transition =>
  (state, context) => {
    const { about, kind } = question;
    const { timesAsked: counts, raised: before } = state.requirements;
    const times = about === undefined ? 0 : (counts[about] ?? 0) + 1;
    const numbered = `${context.idPrefix}${kind}-${before + 1}`;
    const id = about === undefined ? numbered : times === 1 ? about : `${about}-${times}`;
    const raisedAt = new Date(context.now).toISOString();
    const dueAt = new Date(context.now + context.dueInMs).toISOString();
    const title = truncate(question.title, LONGEST.line);
    const detail = truncate(question.detail, LONGEST.detail);
    const fourEyes = question.answers.filter((answer) => needsTwo(context, kind, answer));
    const requirement = {
      id,
      ...question,
      title,
      detail,
      raisedAt,
      dueAt,
      ...(fourEyes.length > 0 && { fourEyes }),
    };
    const raise = updateRequirements(({ entries }) => ({
      entries: [...entries, { requirement, progress: { is: 'open' } }],
      raised: before + 1,
      ...(about !== undefined && { timesAsked: { ...counts, [about]: times } }),
    }));
    const said = recordRequirement('requirement-raised', requirement, title);
    return compose(raise, said, requirementEvent('requirement.raised.v1', requirement, {}))(state, context);
  };

// Keeps F8.
/** Reports whether another person must confirm an answer. The rule comes from the input, so it is the same in each run. */
function needsTwo({ fourEyes }: Context, kind: RequirementKind, answer: AnswerKind): boolean {
  return !NEVER_PROPOSED.includes(answer) && (fourEyes.includes(kind) || fourEyes.includes(answer));
}

/** Closes an open requirement. */
export const withdrawRequirement =
  (id: string, why: string): Transition =>
  (state, context) => {
    const entry = entryOf(state, id);
    if (entry?.progress.is !== 'open') return state;
    return compose(deleteEntry(id), recordRequirement('requirement-closed', entry.requirement, why))(
      state,
      context,
    );
  };

/** Removes an answered requirement. The caller processes the answer. */
export const removeAnswered =
  (id: string): Transition =>
  (state, context) =>
    entryOf(state, id)?.progress.is === 'open' ? state : deleteEntry(id)(state, context);

/** Removes an answered requirement whose answer is no longer needed. */
export const dropAnswer =
  (id: string, why: string): Transition =>
  (state, context) => {
    const progress = entryOf(state, id)?.progress;
    if (!progress || progress.is === 'open') return state;
    return compose(deleteEntry(id), recordEvent('answer-dropped', { detail: `${id}: ${why}` }))(
      state,
      context,
    );
  };

/**
 * Accepts an answer, which may be a confirmed proposal.
 *
 * @throws {ApplicationFailure} if the requirement is not open
 */
export const acceptAnswer =
  (
    { requirementId: id, ...answer }: Resolution,
    confirmation?: Pick<Confirmation, 'actor' | 'reason'>,
  ): Transition =>
  (state, context) => {
    const entry = entryOf(state, id);
    if (entry?.progress.is !== 'open') throw rejection(`${id} is not open`);
    const { proposed } = entry.progress;
    const summary = summarizeAnswer(answer.answer);
    const own = (confirmation && proposed) ?? answer;
    const who = { actor: answer.actor, reason: redact(own.reason) };
    const detail = `${id}: it was proposed by ${proposed?.actor}`;
    const confirmed = { detail: `${id}: ${summary}`, actor: confirmation?.actor.trim() ?? '' };
    const why = isText(confirmation?.reason) && { reason: redact(confirmation.reason) };
    return compose(
      moveEntry(entry, { is: 'answered', resolution: { requirementId: id, ...answer } }),
      ...(confirmation ? [recordEvent('answer-confirmed', { ...confirmed, ...why })] : []),
      recordRequirement('requirement-resolved', entry.requirement, summary, who),
      ...(proposed && !confirmation ? [recordEvent('proposal-dropped', { detail })] : []),
    )(state, context);
  };

/** @throws {ApplicationFailure} if there is no answer, or the answer is being sent */
export const takeBackAnswer =
  ({ requirementId, actor, reason }: Resolution): Transition =>
  (state, context) => {
    const entry = entryOf(state, requirementId);
    if (entry?.progress.is !== 'answered') throw rejection(`${requirementId} has no answer to take back`);
    const detail = { detail: requirementId, actor, reason: redact(reason) };
    return compose(moveEntry(entry, { is: 'open' }), recordEvent('answer-taken-back', detail))(
      state,
      context,
    );
  };

/** Marks answers as being sent by the steps with these IDs or, without IDs, as no longer being sent. */
export const markSending = (answered: readonly PendingAnswer[], writes?: readonly string[]): Transition =>
  compose(
    ...answered.map(({ requirement: { id } }) =>
      updateEntry(id, (entry) => {
        const { progress } = entry;
        if (progress.is === 'open') return entry;
        const { resolution } = progress;
        return {
          ...entry,
          progress: writes ? { is: 'sending', resolution, writes } : { is: 'answered', resolution },
        };
      }),
    ),
  );

/** Sets the claim, proposal or link of an open requirement. `undefined` removes it. */
export const setClaims = (id: string, claims: Collaboration): Transition =>
  updateEntry(id, (entry) => {
    if (entry.progress.is !== 'open') return entry;
    return {
      ...entry,
      progress: { is: 'open', ...omitUndefined(pickClaims({ ...entry.progress, ...claims })) },
    };
  });

const pickClaims = ({ claim, proposed, mentioned, link }: Collaboration) => ({
  claim,
  proposed,
  mentioned,
  link,
});

/** Assigns an open requirement. Publishes an event if a colleague assigned it to somebody new. */
export const setAssignment =
  (id: string, claim: Claim, isNewAssignee: boolean): Transition =>
  (state, context) => {
    const entry = entryOf(state, id);
    const { actor, until, by } = claim;
    const assignee = personId(actor);
    const isTold = entry && isNewAssignee && by !== undefined && assignee !== undefined;
    return compose(
      setClaims(id, { claim }),
      ...(isTold
        ? [requirementEvent('requirement.assigned.v1', entry.requirement, { assignee, until })]
        : []),
    )(state, context);
  };

/** Adds the people that a remark mentions, and removes the person who acts on the requirement. */
export const setMentions =
  (id: string, actor: string, mentions: readonly string[] = []): Transition =>
  (state, context) => {
    const others = (collaborationOn(state, id).mentioned ?? []).filter((each) => !isSamePerson(each, actor));
    const all = [...new Map([...others, ...mentions].map((each) => [personIdentity(each), each])).values()];
    return setClaims(id, { mentioned: all.length > 0 ? all.slice(-MAX_MENTIONS) : undefined })(
      state,
      context,
    );
  };

/** Proposes an answer. Its time is its ID, so it is always later than that of an earlier proposal. */
export const setProposal =
  ({ requirementId, ...proposal }: Omit<ProposedAnswer, 'at'>): Transition =>
  (state, context) => {
    const lastProposalAt = Math.max(context.now, state.requirements.lastProposalAt + 1);
    const proposed = { requirementId, ...proposal, at: new Date(lastProposalAt).toISOString() };
    return compose(
      updateRequirements(() => ({ lastProposalAt })),
      setClaims(requirementId, { proposed }),
    )(state, context);
  };

/** Records that nobody answered or claimed a requirement in time. Changes nothing else. */
export const reportDeadline = (requirement: Requirement, what: Deadline['what']): Transition =>
  compose(
    updateEntry(requirement.id, (entry) => ({
      ...entry,
      ...(what === 'overdue' ? { isOverdue: true } : { isUnclaimed: true }),
    })),
    recordRequirement(`requirement-${what}`, requirement, requirement.title),
    requirementEvent(`requirement.${what}.v1`, requirement, {}),
  );

/** Reports whether the partner has only some documents of an answer. */
export type IsPartlySent = (partnerState: unknown, answered: PendingAnswer) => boolean;

/** Drops undelivered answers. The timeline says whether each may have arrived. */
export const dropAnswers =
  (concerns: (answered: PendingAnswer) => boolean, why: string, isPartlySent: IsPartlySent): Transition =>
  (state, context) => {
    const unknown = unknownWrites(state);
    const drop = ({ requirement, progress }: RequirementEntry): readonly Transition[] => {
      if (progress.is === 'open' || !concerns({ requirement, resolution: progress.resolution })) return [];
      const isUnknown = progress.is === 'sending' && progress.writes.some((id) => unknown.includes(id));
      const when = isUnknown
        ? 'while it was in flight; whether it arrived is unknown'
        : isPartlySent(state.partnerState, { requirement, resolution: progress.resolution })
          ? 'after a document was uploaded, but before the review was requested'
          : 'before it was delivered';
      return [dropAnswer(requirement.id, `${why} ${when}`)];
    };
    return compose(...state.requirements.entries.flatMap(drop))(state, context);
  };

/** Closes open requirements, and drops undelivered answers, except the one that abandoned the onboarding. */
export const closeRequirements =
  (isAbandoned: boolean, isPartlySent: IsPartlySent): Transition =>
  (state, context) => {
    const isObeyed = ({ resolution }: PendingAnswer) => isAbandoned && resolution.answer.kind === 'abandon';
    return compose(
      ...openRequirements(state).map(({ id }) => withdrawRequirement(id, 'the onboarding has ended')),
      dropAnswers((answered) => !isObeyed(answered), 'the onboarding ended', isPartlySent),
    )(state, context);
  };

/** @throws {Abandoned} if the answer abandons the onboarding */
export function requireNotAbandoned({ answer, reason }: Resolution): Exclude<Answer, { kind: 'abandon' }> {
  if (answer.kind === 'abandon') throw new Abandoned(redact(reason));
  return answer;
}
