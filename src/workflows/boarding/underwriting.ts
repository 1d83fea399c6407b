import { condition } from '@temporalio/workflow';
import type { Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { MerchantBoardingOutcome } from '../../messages/onboardings.js';
import { merchantOutcome } from '../../messages/outcomes.js';
import { isDecided, isUnderReview, mayTakeAnswers, takesAnswers } from '../../partners/boarding/phases.js';
import { masked } from '../../privacy/masked.js';
import type { Journey } from '../journey/journey.js';
import { type Answered, unlessAbandoned } from '../journey/requirement-queue.js';
import { askForCorrection, RejectedByPartner } from '../journey/run-step.js';
import type { StatusFollower, StatusPoll } from '../journey/status-poll.js';
import { runDueTasks, type Task, Tasks } from '../journey/tasks.js';
import {
  type Application,
  REVIEW,
  read,
  requestReview,
  type StatusMark,
  SUBMIT,
  setFees,
  submit,
  type Upload,
  upload,
  uploadsOf,
} from './application.js';
import { ANY_OF_APPLICATION, midQuestion, noteQuestion, notSubmittedQuestion } from './questions.js';
import { Restless, toSeen } from './restless.js';

/** What following an application hands to the next run of the workflow. */
export interface UnderwritingRecords {
  readonly seen: Seen;
  /** False while fees and submission are still to be done. */
  readonly applied: boolean;
  /**
   * Notes whose answers the underwriters have, with the status in which they took them. The partner may list such a note for
   * some more time. When it lists the note in a status that it has set since, it asks again.
   */
  readonly delivered: Readonly<Record<string, StatusMark>>;
  /** The partner writes another date with each read, so its dates mean nothing. */
  readonly hasRestlessDate?: boolean;
  /** Documents that the partner has, of answers that are not delivered as a whole. */
  readonly uploaded: readonly string[];
}

/**
 * Brings an existing merchant to the end of its boarding: sets the fees and submits, asks a person what the underwriters want
 * to know, delivers the answers, and ends with the decision of the partner. {@link followStatus} calls it.
 */
export class Underwriting implements StatusFollower<Seen, StatusSnapshot, MerchantBoardingOutcome> {
  readonly kinds = ['underwriting-note', 'request-changes', 'not-submitted', 'unclear-mid'] as const;
  readonly tasks = new Tasks();
  readonly nextDueAt = Number.POSITIVE_INFINITY;
  readonly journey: Journey;
  readonly status: StatusPoll<Seen, StatusSnapshot>;
  readonly #delivered: Map<string, StatusMark>;
  readonly #uploaded: Set<string>;
  readonly #restless: Restless;
  #applied: boolean;
  #seen: Seen;
  /** What the poll has read since the write began that is in flight. */
  #polled: StatusSnapshot | undefined;
  /** The partner has decided, and whether a request arrived before that is unknown. */
  #isOvertaken = false;
  /** The partner did not take these answers in this status. They wait for another one. */
  #refused: (StatusMark & { readonly answers: string }) | undefined;
  #decision: MerchantBoardingOutcome | undefined;

  constructor(
    private readonly application: Application,
    { seen, applied, delivered, uploaded, hasRestlessDate }: UnderwritingRecords,
  ) {
    this.journey = application.journey;
    this.status = application.status;
    this.#restless = new Restless(hasRestlessDate);
    this.#seen = seen;
    this.#applied = applied;
    this.#delivered = new Map(Object.entries(delivered));
    this.#uploaded = new Set(uploaded);
  }

  get records(): UnderwritingRecords {
    return {
      seen: this.#seen,
      applied: this.#applied,
      delivered: Object.fromEntries(this.#delivered),
      uploaded: [...this.#uploaded],
      hasRestlessDate: this.#restless.hasRestlessDate,
    };
  }

  /** What the phase asks for. All of it is one task, because the partner takes one thing at a time for a merchant. */
  get dueTasks(): readonly Task[] {
    const run = this.#dueStep();
    return run ? [{ name: 'application', run }] : [];
  }

  #dueStep(): (() => Promise<void>) | undefined {
    const { requirements } = this.journey;
    const { phase } = this.#seen;
    const whenAnswered = (kind: 'request-changes' | 'not-submitted') =>
      requirements.hasAnswered(kind) ? () => this.#submitAsAnswered(kind) : undefined;
    if (phase === 'changes-requested') return whenAnswered('request-changes');
    if (phase === 'not-submitted') {
      if (this.#applied) return undefined;
      return this.application.isFollowed ? whenAnswered('not-submitted') : this.#setFeesAndSubmit;
    }
    const answered = requirements.answeredOf('underwriting-note');
    const isAnswered = answered.length > 0 && requirements.openOf('underwriting-note').length === 0;
    if (phase === null || !isAnswered || !mayTakeAnswers(phase)) return undefined;
    const wasRefused = this.#isSame(this.#refused, this.#seen) && this.#refused?.answers === idsOf(answered);
    return wasRefused ? undefined : this.#deliverAnswers;
  }

  get seen(): Seen {
    return this.#restless.comparable(this.#seen);
  }

  /** While a person is asked, or the partner has decided, anything may happen. */
  get isListening(): boolean {
    return !this.tasks.isBusy || this.#isOvertaken || this.journey.requirements.open.length > 0;
  }

  get outcome(): MerchantBoardingOutcome | undefined {
    return this.#decision ?? this.#confirmed();
  }

  /** The outcome with a mid that a person confirmed or corrected. */
  #confirmed(): MerchantBoardingOutcome | undefined {
    const [answered] = this.journey.requirements.answeredOf('unclear-mid');
    if (answered?.resolution.answer.kind !== 'adopt') return undefined;
    const { merchantProfileId } = this.application;
    return { outcome: 'boarded', mid: answered.resolution.answer.id, merchantProfileId };
  }

  async end(): Promise<MerchantBoardingOutcome> {
    const { outcome } = this;
    if (!outcome) throw new Error('there is no outcome yet');
    const { requirements, timeline, state } = this.journey;
    if (!this.#decision && outcome.outcome === 'boarded') {
      for (const { requirement } of requirements.answeredOf('unclear-mid')) requirements.take(requirement.id);
      timeline.add('mid-confirmed', { detail: outcome.mid });
    }
    if (outcome.outcome === 'boarded') state.know({ mid: outcome.mid });
    await this.tasks.stop();
    requirements.dropUndelivered(this.kinds, this.journey.writes.all);
    return outcome;
  }

  onChange(change: StatusSnapshot): void {
    const { journey } = this;
    this.#publishChange(change);
    const restless = this.#restless.track(this.#seen, change, this.status.changes);
    if (restless.length > 0)
      journey.timeline.add('restless', {
        detail: `changes with each read, no longer compared: ${restless.join(', ')}`,
      });
    this.#polled = change;
    this.#decision = merchantOutcome(change, this.application.merchantProfileId);
    if (this.#decision) return;
    this.#raiseNotes(change);
    this.#raiseChanges(change);
    this.#raiseNotSubmitted(change);
    this.#raiseUnclearMid(change);
    if (change.phase !== 'not-submitted')
      journey.state.know({ stage: change.phase === 'approved' ? 'boarding' : 'underwriting' });
    this.#seen = toSeen(change);
  }

  #publishChange({ status, phase, comment, ...now }: StatusSnapshot): void {
    const { state, timeline } = this.journey;
    const mid = now.mid ?? now.unclearMid;
    const isKnown =
      status === this.#seen.status || (this.#seen.status === undefined && phase === this.#seen.phase);
    state.know({ partnerStatus: status });
    const said = comment === null ? status : `${status}: ${masked(comment)}`;
    if (!isKnown || comment !== (this.#seen.comment ?? null)) {
      timeline.add('status-changed', { detail: said });
    }
    if (mid !== null && mid !== (this.#seen.mid ?? this.#seen.unclearMid) && phase !== 'approved') {
      timeline.add('temporary-mid', { detail: `${mid}, not final before approval` });
    }
  }

  /** Raises the notes that the underwriters list, and closes those that they no longer list. */
  #raiseNotes({ status, phase, statusDate, notes }: StatusSnapshot): void {
    const { requirements } = this.journey;
    const wanted = new Set(notes.map(({ id }) => id));
    const isMoot = ({ about = '' }: { about?: string }) => !wanted.has(about);
    for (const { id } of requirements.openOf('underwriting-note').filter(isMoot))
      requirements.withdraw(id, 'the underwriters no longer ask');
    if (!isUnderReview(phase)) return;
    if (!this.tasks.isBusy && phase !== 'in-review') {
      for (const { requirement } of requirements.answeredOf('underwriting-note'))
        if (isMoot(requirement)) requirements.drop(requirement.id, 'the underwriters no longer ask');
    }
    for (const [id, mark] of this.#delivered) {
      // A review that takes effect between the reads of status and notes shows the old status without the note.
      const mayBeListed = wanted.has(id) || !this.#restless.hasRestlessDate;
      const isStale = phase === 'in-review' || (mayBeListed && this.#isSame(mark, { status, statusDate }));
      if (!isStale) this.#delivered.delete(id);
    }
    for (const note of notes) {
      if (!this.#delivered.has(note.id) && !requirements.has(note.id)) requirements.raise(noteQuestion(note));
    }
  }

  /**
   * Raises what the partner wants to be changed, and closes it when the partner has moved on.
   *
   * @param seen the partner asks for something new if this differs
   */
  #raiseChanges({ status, phase, statusDate, comment }: StatusSnapshot, seen = this.#seen): void {
    const { requirements } = this.journey;
    const detail = masked(comment ?? 'The partner gave no comment.');
    const isAsked = phase === 'changes-requested';
    const isAskedFor = (requirement: { detail: string }) => isAsked && requirement.detail === detail;
    for (const requirement of requirements.openOf('request-changes'))
      if (!isAskedFor(requirement)) requirements.withdraw(requirement.id, 'the partner has moved on');
    if (!this.tasks.isBusy) {
      for (const { requirement } of requirements.answeredOf('request-changes')) {
        const isSubmitted = phase === 'submitted' || phase === 'in-review';
        const asksOtherwise = isAsked && !isAskedFor(requirement);
        if (isSubmitted || asksOtherwise) requirements.drop(requirement.id, 'the partner has moved on');
      }
    }
    const isNew = !this.#isSame(seen, { status, statusDate }) || comment !== seen.comment;
    const isKnown =
      requirements.openOf('request-changes').length > 0 || requirements.hasAnswered('request-changes');
    if (!isAsked || !isNew || isKnown) return;
    requirements.raise({
      kind: 'request-changes',
      title: 'Changes requested',
      detail,
      answers: ['correction', 'retry', 'abandon'],
      blank: ANY_OF_APPLICATION,
    });
  }

  /** Asks a person about a followed merchant that nobody has submitted. Closes when somebody has. */
  #raiseNotSubmitted({ phase, status }: StatusSnapshot): void {
    const { application, tasks } = this;
    const { requirements, state } = this.journey;
    const open = requirements.openOf('not-submitted');
    const answered = requirements.answeredOf('not-submitted');
    if (phase !== 'not-submitted') {
      for (const { id } of open) requirements.withdraw(id, 'the partner has moved on');
      if (tasks.isBusy) return;
      for (const { requirement } of answered) requirements.drop(requirement.id, 'the partner has moved on');
      return;
    }
    if (!application.isFollowed || this.#applied || open.length + answered.length > 0) return;
    state.know({ stage: 'applying' });
    requirements.raise(notSubmittedQuestion(application, status));
  }

  /** Asks a person about a mid of an unexpected form, once the merchant is approved. Closes what the partner replaced. */
  #raiseUnclearMid({ phase, unclearMid }: StatusSnapshot): void {
    const { requirements } = this.journey;
    const isAsked = phase === 'approved' && unclearMid !== null;
    const question = isAsked ? midQuestion(this.application.merchantProfileId, unclearMid) : undefined;
    const answered = requirements.answeredOf('unclear-mid').map(({ requirement }) => requirement);
    for (const { id, detail } of [...requirements.openOf('unclear-mid'), ...answered]) {
      if (detail === question?.detail) return;
      requirements.withdraw(id, 'the partner shows another mid');
      requirements.drop(id, 'the partner shows another mid');
    }
    if (question) requirements.raise(question);
  }

  #isSame(one: Partial<StatusMark> | undefined, other: Partial<StatusMark>): boolean {
    if (one === undefined || one.status !== other.status) return false;
    return this.#restless.hasRestlessDate || one.statusDate === other.statusDate;
  }

  readonly #setFeesAndSubmit = async (): Promise<void> => {
    this.journey.state.know({ stage: 'applying' });
    await setFees(this.application);
    await this.#submit();
  };

  /** Submits the application with the corrections of a person. */
  async #submitAsAnswered(kind: 'request-changes' | 'not-submitted'): Promise<void> {
    const { application } = this;
    const { requirements, state } = this.journey;
    const answers = requirements.answeredOf(kind);
    const before = application.input.current;
    const begun = this.#seen;
    await requirements.whileSending(answers, SUBMIT, async () => {
      for (const { resolution } of answers) {
        const answer = unlessAbandoned(resolution);
        if (answer.kind !== 'correction') continue;
        application.input.correct(answer.patch);
        if ('fees' in answer.patch) await setFees(application);
      }
      const now = await this.#submit(answers);
      if (!now) {
        application.input.restore(before);
        return;
      }
      // The poll may have read before that the partner asks again. Nobody was asked, because these answers were on their way.
      this.#raiseChanges(now, begun);
    });
    state.publish();
  }

  /**
   * @param answers the submission delivers them, also when the read after it is interrupted
   * @returns what was read after the submission; undefined when nothing was submitted, because the status had changed
   */
  async #submit(answers: readonly Answered[] = []): Promise<StatusSnapshot | undefined> {
    this.#polled = undefined;
    const { submitted, status, ...after } = await submit(this.application, () => this.#polled);
    const { timeline } = this.journey;
    timeline.add(
      submitted ? 'submitted' : 'submission-moot',
      submitted ? {} : { detail: `the status is ${status}` },
    );
    this.#applied ||= submitted;
    if (submitted) for (const { requirement } of answers) this.journey.requirements.take(requirement.id);
    const now = after.now ?? (await read(this.application));
    this.status.replaceWith(now);
    return submitted ? now : undefined;
  }

  readonly #deliverAnswers = (): Promise<void> => {
    const { requirements } = this.journey;
    const answered = requirements.answeredOf('underwriting-note');
    return requirements.whileSending(answered, REVIEW, () => this.#deliver(answered));
  };

  /** Uploads the documents, then reports that the notes are answered, with the texts as comment. */
  async #deliver(answered: readonly Answered[]): Promise<void> {
    const { requirements, timeline, state } = this.journey;
    this.#polled = undefined;
    const uploads = answered.flatMap(uploadsOf).map((each, place) => ({
      ...each,
      name: `upload ${place}`,
      run: () => this.#upload(each),
    }));
    await runDueTasks(() => uploads.filter(({ id }) => !this.#uploaded.has(id)));
    const before = await this.#requestReview(answered);
    if (!before) return;
    const { status, statusDate } = before;
    for (const { requirement } of answered) {
      requirements.take(requirement.id);
      this.#delivered.set(requirement.about ?? requirement.id, { status, statusDate });
    }
    this.#uploaded.clear();
    timeline.add('answers-delivered');
    state.publish();
    if (this.#hasPolledDelivered()) this.status.replaceWith(await read(this.application));
  }

  /**
   * Whether the poll has read a delivered note while its answers were on their way. The partner may have asked again, and nobody
   * was asked.
   */
  #hasPolledDelivered(): boolean {
    return this.#polled?.notes.some(({ id }) => this.#delivered.has(id)) ?? false;
  }

  async #upload(one: Upload): Promise<void> {
    await upload(this.application, one, () => this.#polled);
    this.#uploaded.add(one.id);
  }

  /** @returns the status in which the partner took the answers; undefined when it did not take them, and they wait */
  async #requestReview(answered: readonly Answered[]): Promise<StatusMark | undefined> {
    const { application, journey } = this;
    const { status = '', statusDate = null } = this.#seen;
    this.#polled = undefined;
    try {
      const begun = { status, statusDate };
      const review = await requestReview(application, answered, begun, {
        polled: () => this.#polled,
        whileDecided: this.#whileDecided,
      });
      if (review.delivered) return review.before;
      this.#wait(review.before, answered);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      const now = await read(application);
      if (takesAnswers(now.phase)) {
        // The partner takes answers, but not these. If it changed only for a moment, its next change closes the question.
        await askForCorrection(journey, { title: REVIEW }, error.problems, () => this.#polled !== undefined);
      } else {
        this.#wait(now, answered);
      }
    }
    return undefined;
  }

  /** Follows the status until the partner takes its decision back. Once there is an outcome, its end cancels this. */
  readonly #whileDecided = async (decision: StatusSnapshot): Promise<void> => {
    this.status.replaceWith(decision);
    this.#isOvertaken = true;
    await condition(() => this.#polled !== undefined && !isDecided(this.#polled.phase));
    this.#isOvertaken = false;
  };

  /** The partner takes no answers in this status. They wait until it sets another status or asks something else. */
  #wait(now: StatusSnapshot, answered: readonly Answered[]): void {
    const { status, statusDate } = now;
    this.#refused = { status, statusDate, answers: idsOf(answered) };
    this.journey.timeline.add('answers-wait', { detail: `the partner takes no answers in status ${status}` });
    this.status.replaceWith(now);
  }
}

function idsOf(answered: readonly Answered[]): string {
  return answered.map(({ requirement }) => requirement.id).join();
}
