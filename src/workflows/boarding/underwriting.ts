import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Note, Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { MerchantBoardingOutcome } from '../../messages/merchant-boarding.js';
import type { DocumentRef } from '../../messages/requirements.js';
import {
  APPROVED,
  CLOSED,
  DECLINED,
  isUnderReview,
  REQUEST_CHANGES,
  WITHDRAWN,
} from '../../partners/boarding/statuses.js';
import { carryOut } from '../journey/carry-out.js';
import { notAbandoned } from '../journey/journey.js';
import { masked } from '../journey/masked.js';
import type { merchantBoarding } from '../merchant-boarding.js';
import { attachDocument, requestUnderwritingReview } from './activities.js';
import { type Application, effectShowsInStatus, setFees, submit } from './application.js';

/** What following an application hands to the next run of the workflow. */
export interface UnderwritingRecords {
  readonly seen: Seen;
  /** Notes whose answers the underwriters have: the partner may go on listing them for a while. */
  readonly delivered: readonly string[];
}

/** Follows the application until it has ended, getting a person's answers to what the underwriters want. */
export async function followUnderwriting(
  application: Application,
  records: UnderwritingRecords,
): Promise<MerchantBoardingOutcome> {
  const { journey, merchantProfileId, follower } = application;
  const { desk } = journey;
  const delivered = new Set(records.delivered);
  let seen = records.seen;

  // One note is enough to give up; to hand answers in, all are needed.
  const notesAreAnswered = () =>
    desk.hasAnswered('underwriting-note') &&
    (desk.isAbandoned || desk.openOf('underwriting-note').length === 0);

  follower.follow(seen);
  for (;;) {
    await condition(() => follower.hasNews || notesAreAnswered() || desk.hasAnswered('request-changes'));
    const news = follower.take();
    if (news) {
      tellOf(news);
      const outcome = outcomeOf(news);
      if (outcome) return outcome;
      raiseWhatIsAsked(news);
      journey.enter(news.status === APPROVED ? 'boarding' : 'underwriting');
      seen = toSeen(news);
      if (workflowInfo().continueAsNewSuggested) await continueInNewRun();
      follower.follow(seen);
    }
    if (notesAreAnswered()) await deliverAnswers();
    if (desk.hasAnswered('request-changes')) await resubmit();
  }

  function tellOf({ status, comment, mid }: StatusSnapshot): void {
    journey.know({ partnerStatus: status });
    const said = comment === null ? status : `${status}: ${masked(comment)}`;
    if (status !== seen.status || comment !== (seen.comment ?? null)) {
      journey.timeline.add('status-changed', { detail: said });
    }
    if (mid !== null && mid !== seen.mid && status !== APPROVED) {
      journey.timeline.add('temporary-mid', { detail: `${mid}, not final before approval` });
    }
  }

  function outcomeOf({ status, comment: said, mid }: StatusSnapshot): MerchantBoardingOutcome | undefined {
    const comment = said && masked(said);
    switch (status) {
      case APPROVED:
        if (mid === null) return undefined;
        journey.know({ mid });
        return { outcome: 'boarded', mid, merchantProfileId };
      case DECLINED:
        return { outcome: 'declined', comment, merchantProfileId };
      case WITHDRAWN:
        return { outcome: 'withdrawn', comment, merchantProfileId };
      case CLOSED:
        return { outcome: 'closed', comment, merchantProfileId };
      default:
        return undefined;
    }
  }

  /** Raises what the partner wants of a person, and closes what it no longer wants. */
  function raiseWhatIsAsked({ status, statusDate, comment, notes }: StatusSnapshot): void {
    const wanted = new Set(notes.map(({ id }) => id));
    for (const { id } of desk.openOf('underwriting-note')) {
      if (!wanted.has(id)) desk.withdraw(id, 'the underwriters no longer ask');
    }
    if (!isUnderReview(status)) desk.takeAll('underwriting-note');
    for (const note of notes) {
      if (!delivered.has(note.id) && !desk.knows(note.id)) desk.raise(noteRequirement(note));
    }

    const isNew = status !== seen.status || statusDate !== seen.statusDate || comment !== seen.comment;
    if (!isNew) return;
    for (const { id } of desk.openOf('request-changes')) desk.withdraw(id, 'the partner moved on by itself');
    if (status === REQUEST_CHANGES) {
      desk.raise({
        kind: 'request-changes',
        title: 'The partner wants changes',
        detail: masked(comment ?? 'The partner gave no comment.'),
        answers: ['correction', 'retry', 'abandon'],
      });
    }
  }

  /** Uploads the documents, then says with the texts as comment that the notes are answered. */
  async function deliverAnswers(): Promise<void> {
    const texts: string[] = [];
    const documents: { document: DocumentRef; description: string }[] = [];
    for (const { requirement, resolution } of desk.takeAll('underwriting-note')) {
      delivered.add(requirement.id);
      const answer = notAbandoned(resolution);
      if (answer.kind === 'text') texts.push(`${requirement.detail}\n${answer.text}`);
      if (answer.kind === 'documents') {
        documents.push(
          ...answer.documents.map((document) => ({ document, description: requirement.detail })),
        );
      }
    }
    await Promise.all(documents.map(({ document, description }) => upload(document, description)));
    await requestReview(texts.join('\n\n'));
    journey.timeline.add('answers-delivered');
    journey.publish();
  }

  function upload(document: DocumentRef, description: string): Promise<void> {
    return carryOut(journey, {
      title: `upload ${document.fileName}`,
      run: () => attachDocument({ merchantProfileId, document, description }),
      once: {
        adopt: () => undefined,
        hint:
          'Look in the partner’s portal whether the document is there. ' +
          `If it is, adopt ${merchantProfileId}; if not, retry.`,
      },
    });
  }

  async function requestReview(comment: string): Promise<void> {
    await carryOut(journey, {
      title: 'tell the underwriters that their notes are answered',
      run: () => requestUnderwritingReview({ merchantProfileId, ...(comment && { comment }) }),
      once: effectShowsInStatus(application, seen.status ?? '', 'the request for review'),
    });
  }

  async function resubmit(): Promise<void> {
    for (const { resolution } of desk.takeAll('request-changes')) {
      const answer = notAbandoned(resolution);
      if (answer.kind !== 'correction') continue;
      application.correct(answer.patch);
      if ('fees' in answer.patch) await setFees(application);
    }
    await submit(application, REQUEST_CHANGES);
    journey.publish();
  }

  async function continueInNewRun(): Promise<never> {
    await condition(allHandlersFinished);
    const underwriting = { seen, delivered: [...delivered] };
    return continueAsNew<typeof merchantBoarding>(application.input, {
      journey: journey.records,
      underwriting,
    });
  }
}

function noteRequirement({ id, text, author }: Note) {
  return {
    id,
    kind: 'underwriting-note',
    title: author === null ? 'Underwriting note' : `Underwriting note from ${author}`,
    detail: masked(text),
    answers: ['text', 'documents', 'abandon'],
  } as const;
}

function toSeen({ notes, ...status }: StatusSnapshot): Seen {
  return { ...status, noteIds: notes.map(({ id }) => id) };
}
