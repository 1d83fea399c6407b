import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Seen, StatusSnapshot, Warned } from '../../messages/boarding-activities.js';
import type { MerchantBoardingOutcome } from '../../messages/onboardings.js';
import { isDecided, isUnderReview, mayTakeAnswers, takesAnswers } from '../../partners/boarding/phases.js';
import { Background, inParallel } from '../journey/background.js';
import { askForCorrection, RejectedByPartner, runStep } from '../journey/carry-out.js';
import { notAbandoned } from '../journey/journey.js';
import { masked } from '../journey/masked.js';
import type { Answered } from '../journey/requirement-desk.js';
import type { merchantBoarding } from '../merchant-boarding.js';
import { attachDocument, requestUnderwritingReview } from './activities.js';
import { type Application, outcomeOf, read, setFees, submit } from './application.js';
import { askAboutMid, confirmedMid } from './mid.js';
import {
  idsOf,
  isSame,
  noteRequirement,
  type StatusMark,
  textOf,
  toSeen,
  type Upload,
  uploadsOf,
} from './notes.js';
import { Restless } from './restless.js';

/** What following an application hands to the next run of the workflow. */
export interface UnderwritingRecords {
  readonly seen: Seen;
  /** False while fees and submission are still to be done. */
  readonly applied: boolean;
  /**
   * Notes whose answers the underwriters have, with the status in which they took them. The partner may go on listing such
   * a note for a while. When it lists it in a status that it has set since, it asks again.
   */
  readonly delivered: Readonly<Record<string, StatusMark>>;
  /** The partner writes another date with each read, so that its dates mean nothing. */
  readonly hasRestlessDate?: boolean;
  /** Documents that the partner has, of answers that are not delivered as a whole. */
  readonly uploaded: readonly string[];
}

const KINDS = ['underwriting-note', 'request-changes', 'unclear-mid'] as const;

/**
 * Sees an existing merchant to the end of its boarding: sets fees and submits, follows the application, gets a person's
 * answers to what the underwriters want, and delivers them. It listens all the while: the partner's decision ends whatever
 * else goes on.
 */
export async function followUnderwriting(
  application: Application,
  records: UnderwritingRecords,
): Promise<MerchantBoardingOutcome> {
  return new Underwriting(application, records).untilDecided();
}

class Underwriting {
  readonly #work = new Background();
  readonly #delivered: Map<string, StatusMark>;
  readonly #uploaded: Set<string>;
  readonly #restless: Restless;
  #applied: boolean;
  #seen: Seen;
  /** What the partner showed since the write began that is under way. */
  #latest: StatusSnapshot | undefined;
  /** The partner did not take these answers in this status. They wait for another one. */
  #refused: (StatusMark & { readonly answers: string }) | undefined;

  constructor(
    private readonly application: Application,
    { seen, applied, delivered, uploaded, hasRestlessDate }: UnderwritingRecords,
  ) {
    this.#restless = new Restless(hasRestlessDate);
    this.#seen = seen;
    this.#applied = applied;
    this.#delivered = new Map(Object.entries(delivered));
    this.#uploaded = new Set(uploaded);
  }

  async untilDecided(): Promise<MerchantBoardingOutcome> {
    const { follower, journey } = this.application;
    try {
      for (;;) {
        const task = this.#nextTask();
        if (task) this.#work.start(task);
        if (this.#isListening) follower.follow(this.#restless.comparable(this.#seen));
        await condition(() => this.#isDue);
        this.#work.check();
        journey.checkGivenUp(KINDS);
        const news = follower.take();
        const outcome = (news && this.#hear(news)) ?? this.#confirmed();
        if (outcome) {
          this.#decided(outcome);
          await this.#work.stop();
          return outcome;
        }
        if (news && workflowInfo().continueAsNewSuggested && !this.#work.isBusy)
          await this.#continueInNewRun();
      }
    } catch (error) {
      await this.#work.stop();
      throw error;
    }
  }

  /** While a write is just being made, its effect would be the news. While a person is asked, anything may happen. */
  get #isListening(): boolean {
    return !this.#work.isBusy || this.application.journey.desk.open.length > 0;
  }

  get #isDue(): boolean {
    const { follower, journey } = this.application;
    return (
      follower.hasNews ||
      this.#work.hasFailed ||
      this.#nextTask() !== undefined ||
      (this.#isListening && !follower.isFollowing) ||
      journey.desk.hasAnswered('unclear-mid') ||
      journey.desk.givenUp(KINDS) !== undefined
    );
  }

  #nextTask(): (() => Promise<void>) | undefined {
    if (this.#work.isBusy) return undefined;
    const { desk } = this.application.journey;
    const { phase } = this.#seen;
    if (phase === 'not-submitted') return this.#applied ? undefined : this.#apply;
    if (phase === 'changes-requested')
      return desk.hasAnswered('request-changes') ? this.#resubmit : undefined;
    const answered = desk.answeredOf('underwriting-note');
    const isAnswered = answered.length > 0 && desk.openOf('underwriting-note').length === 0;
    if (phase === null || !isAnswered || !mayTakeAnswers(phase)) return undefined;
    const wasRefused = this.#isSame(this.#refused, this.#seen) && this.#refused?.answers === idsOf(answered);
    return wasRefused ? undefined : this.#deliver;
  }

  #hear(news: StatusSnapshot): MerchantBoardingOutcome | undefined {
    const { journey, merchantProfileId } = this.application;
    this.#tellOf(news);
    const restless = this.#restless.hear(this.#seen, news, this.application.follower.changes);
    if (restless.length > 0)
      journey.timeline.add('restless', {
        detail: `changes with each read, no longer compared: ${restless.join(', ')}`,
      });
    this.#latest = news;
    const outcome = outcomeOf(news, merchantProfileId);
    if (outcome) return outcome;
    this.#raiseWhatIsAsked(news);
    if (news.phase === 'not-submitted') journey.publish();
    else journey.enter(news.phase === 'approved' ? 'boarding' : 'underwriting');
    this.#seen = toSeen(news);
    return undefined;
  }

  /** The outcome with a mid that a person confirmed or corrected. */
  #confirmed(): MerchantBoardingOutcome | undefined {
    const { journey, merchantProfileId } = this.application;
    const mid = confirmedMid(journey);
    return mid === undefined ? undefined : { outcome: 'boarded', mid, merchantProfileId };
  }

  #decided(outcome: MerchantBoardingOutcome): void {
    const { journey } = this.application;
    if (outcome.outcome === 'boarded') journey.know({ mid: outcome.mid });
    for (const kind of KINDS)
      for (const { requirement } of journey.desk.answeredOf(kind))
        journey.desk.drop(requirement.id, 'the partner decided before it was delivered');
  }

  #tellOf({ status, phase, comment, ...now }: StatusSnapshot): void {
    const { journey } = this.application;
    const mid = now.mid ?? now.unclearMid;
    const isKnown =
      status === this.#seen.status || (this.#seen.status === undefined && phase === this.#seen.phase);
    journey.know({ partnerStatus: status });
    const said = comment === null ? status : `${status}: ${masked(comment)}`;
    if (!isKnown || comment !== (this.#seen.comment ?? null)) {
      journey.timeline.add('status-changed', { detail: said });
    }
    if (mid !== null && mid !== (this.#seen.mid ?? this.#seen.unclearMid) && phase !== 'approved') {
      journey.timeline.add('temporary-mid', { detail: `${mid}, not final before approval` });
    }
  }

  /** Raises what the partner wants of a person, and closes what it no longer wants. */
  #raiseWhatIsAsked(news: StatusSnapshot): void {
    this.#raiseNotes(news);
    this.#raiseChanges(news);
    askAboutMid(this.application.journey, this.application.merchantProfileId, news);
  }

  #raiseNotes({ status, phase, statusDate, notes }: StatusSnapshot): void {
    const { desk } = this.application.journey;
    const wanted = new Set(notes.map(({ id }) => id));
    const isMoot = ({ about = '' }: { about?: string }) => !wanted.has(about);
    for (const { id } of desk.openOf('underwriting-note').filter(isMoot))
      desk.withdraw(id, 'the underwriters no longer ask');
    if (!isUnderReview(phase)) return;
    if (!this.#work.isBusy && phase !== 'in-review') {
      for (const { requirement } of desk.answeredOf('underwriting-note'))
        if (isMoot(requirement)) desk.drop(requirement.id, 'the underwriters no longer ask');
    }
    for (const [id, mark] of this.#delivered) {
      // A review that takes effect between the reads of status and notes shows the old status without the note.
      const mayBeListed = wanted.has(id) || !this.#restless.hasRestlessDate;
      const isStale = phase === 'in-review' || (mayBeListed && this.#isSame(mark, { status, statusDate }));
      if (!isStale) this.#delivered.delete(id);
    }
    for (const note of notes) {
      if (!this.#delivered.has(note.id) && !desk.knows(note.id)) desk.raise(noteRequirement(note));
    }
  }

  #raiseChanges({ status, phase, statusDate, comment }: StatusSnapshot): void {
    const { desk } = this.application.journey;
    const detail = masked(comment ?? 'The partner gave no comment.');
    const isAsked = phase === 'changes-requested';
    const isAskedFor = (requirement: { detail: string }) => isAsked && requirement.detail === detail;
    for (const requirement of desk.openOf('request-changes'))
      if (!isAskedFor(requirement)) desk.withdraw(requirement.id, 'the partner moved on by itself');
    if (!this.#work.isBusy) {
      for (const { requirement } of desk.answeredOf('request-changes')) {
        const isSubmitted = phase === 'submitted' || phase === 'in-review';
        const asksOtherwise = isAsked && !isAskedFor(requirement);
        if (isSubmitted || asksOtherwise) desk.drop(requirement.id, 'the partner moved on by itself');
      }
    }
    const seen = this.#seen;
    const isNew = !this.#isSame(seen, { status, statusDate }) || comment !== seen.comment;
    const isKnown = desk.openOf('request-changes').length > 0 || desk.hasAnswered('request-changes');
    if (!isAsked || !isNew || isKnown) return;
    desk.raise({
      kind: 'request-changes',
      title: 'The partner wants changes',
      detail,
      answers: ['correction', 'retry', 'abandon'],
    });
  }

  #isSame(one: Partial<StatusMark> | undefined, other: Partial<StatusMark>): boolean {
    return isSame(one, other, this.#restless.hasRestlessDate);
  }

  readonly #apply = async (): Promise<void> => {
    const { journey } = this.application;
    journey.enter('applying');
    await setFees(this.application);
    await this.#submit();
  };

  /** Submits the application again, with what a person corrected. */
  readonly #resubmit = async (): Promise<void> => {
    const { application } = this;
    const { desk } = application.journey;
    const answers = desk.answeredOf('request-changes');
    const before = application.input;
    await desk.whileSending(answers, async () => {
      for (const { resolution } of answers) {
        const answer = notAbandoned(resolution);
        if (answer.kind !== 'correction') continue;
        application.correct(answer.patch);
        if ('fees' in answer.patch) await setFees(application);
      }
      if (await this.#submit()) for (const { requirement } of answers) desk.take(requirement.id);
      else application.restore(before);
    });
    application.journey.publish();
  };

  /** @returns false when the status has moved on, so that nothing was submitted */
  async #submit(): Promise<boolean> {
    this.#latest = undefined;
    const { submitted, status } = await submit(this.application, () => this.#latest);
    const { timeline } = this.application.journey;
    timeline.add(submitted ? 'submitted' : 'submission-moot', submitted ? {} : { detail: `it is ${status}` });
    this.#applied ||= submitted;
    if (!submitted) this.application.follower.hear(await read(this.application));
    return submitted;
  }

  /** Uploads the documents, then says with the texts as comment that the notes are answered. */
  readonly #deliver = (): Promise<void> => {
    const { desk } = this.application.journey;
    const answered = desk.answeredOf('underwriting-note');
    return desk.whileSending(answered, () => this.#deliverAll(answered));
  };

  async #deliverAll(answered: readonly Answered[]): Promise<void> {
    const { journey } = this.application;
    this.#latest = undefined;
    const uploads = answered.flatMap(uploadsOf).filter(({ id }) => !this.#uploaded.has(id));
    await inParallel(uploads.map((upload) => () => this.#upload(upload)));
    const before = await this.#requestReview(answered);
    if (!before) return;
    const { status, statusDate } = before;
    for (const { requirement } of answered) {
      journey.desk.take(requirement.id);
      this.#delivered.set(requirement.about ?? requirement.id, { status, statusDate });
    }
    this.#uploaded.clear();
    journey.timeline.add('answers-delivered');
    journey.publish();
  }

  async #upload({ id, document: first, description }: Upload): Promise<void> {
    const { journey, merchantProfileId } = this.application;
    let document = first;
    await runStep<Warned>(journey, {
      get title() {
        return `upload ${document.fileName}`;
      },
      run: () => attachDocument({ merchantProfileId, document, description }),
      replace: (other) => {
        document = other;
      },
      once: {
        effectSeen: () => (this.#latest && isDecided(this.#latest.phase) ? { found: {} } : undefined),
        adopt: () => ({}),
        hint:
          `Look in the partner’s portal whether merchant ${merchantProfileId} has the document. ` +
          `If it has, adopt ${merchantProfileId}; if not, retry.`,
      },
    });
    this.#uploaded.add(id);
  }

  /** @returns the status in which the partner took the answers; undefined when it did not, and they wait */
  async #requestReview(answered: readonly Answered[]): Promise<StatusMark | undefined> {
    const { application } = this;
    const { journey, merchantProfileId } = application;
    const noteIds = answered.map(({ requirement }) => requirement.about ?? requirement.id);
    const comment = answered.flatMap(textOf).join('\n\n');
    const title = 'tell the underwriters that their notes are answered';
    const isTaken = (now: StatusSnapshot) =>
      now.phase === 'in-review' ||
      (isUnderReview(now.phase) && !now.notes.some(({ id }) => noteIds.includes(id)));
    const effectIn = (now: StatusSnapshot | undefined) =>
      now && (isTaken(now) || isDecided(now.phase))
        ? { found: { delivered: isTaken(now), before: now } }
        : undefined;
    this.#latest = undefined;
    try {
      const { delivered, before } = await runStep(journey, {
        title,
        run: () => requestUnderwritingReview({ merchantProfileId, ...(comment && { comment }), noteIds }),
        endsWhenRejected: true,
        once: {
          lookForEffect: async (wasInDoubt) => (wasInDoubt ? effectIn(await read(application)) : undefined),
          effectSeen: () => effectIn(this.#latest),
          adopt: async () => ({ delivered: true, before: await read(application) }),
          hint:
            `Look in the partner’s portal whether merchant ${merchantProfileId} is in review with these answers. ` +
            `If it is, adopt ${merchantProfileId}; if not, retry.`,
        },
      });
      if (delivered) return before;
      this.#wait(before, answered);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      const now = await read(application);
      if (takesAnswers(now.phase)) {
        // It takes answers, but not these. It may also have moved for a moment: then its next change closes the question.
        await askForCorrection(journey, { title }, error.problems, () => this.#latest !== undefined);
      } else {
        this.#wait(now, answered);
      }
    }
    return undefined;
  }

  /** The partner took no answers as it stands. They wait until it has set another status, or asks for others. */
  #wait(now: StatusSnapshot, answered: readonly Answered[]): void {
    const { journey, follower } = this.application;
    const { status, statusDate } = now;
    this.#refused = { status, statusDate, answers: idsOf(answered) };
    journey.timeline.add('answers-wait', { detail: `the partner takes none while it is ${status}` });
    follower.hear(now);
  }

  async #continueInNewRun(): Promise<never> {
    await condition(allHandlersFinished);
    const { journey, input } = this.application;
    return continueAsNew<typeof merchantBoarding>(input, {
      journey: journey.records,
      underwriting: {
        seen: this.#seen,
        applied: this.#applied,
        delivered: Object.fromEntries(this.#delivered),
        uploaded: [...this.#uploaded],
        hasRestlessDate: this.#restless.hasRestlessDate,
      },
    });
  }
}
