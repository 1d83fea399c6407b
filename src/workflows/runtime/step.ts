import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { outcomeFromFailure, type Proof, type SendOnce } from '../../at-most-once/workflow.js';
import { PARTNER_ERROR } from '../../messages/activities.js';
import type { UnfinishedWrite } from '../../messages/onboarding-state.js';
import type { Answer, DocumentRef } from '../../messages/requirements.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';
import type { Answers } from './answers.js';
import type { CorrectableInput } from './input.js';
import { describeProblems, rejectedInputQuestion } from './questions.js';
import type { StalledCalls } from './stalled-calls.js';
import { addUnfinishedWrite, compose, recordEvent, removeUnfinishedWrite, type Store } from './state.js';
import type { StatefulWorkflow } from './stateful.js';

interface EachStep {
  /** Names the step for people: `create the merchant`. */
  readonly title: string;
  /** A rejection throws `Rejected`. Default: it asks a person. */
  readonly endsWhenRejected?: true;
}

/** A read with `waitsForChange` may take weeks, so it never counts as stalled. */
export type ReadOptions = Omit<EachStep, 'title'> & { readonly waitsForChange?: true };

interface EachWrite extends EachStep {
  /** Identifies the write in its workflow. Default: the title. Set it if the title can change. */
  readonly id?: string;
  /** Runs before each attempt; may ask a person and be canceled. */
  readonly prepare?: () => Promise<void>;
  /** Applies a person's correction before the next `run`. Without it, a person cannot answer a rejection with a correction. */
  readonly correct?: (patch: Readonly<Record<string, unknown>>) => void;
}

/** A write that leaves the same state however often it runs. */
export interface IdempotentWrite<Result> extends EachWrite {
  readonly run: () => Promise<Result>;
}

/** A write without an idempotency key. It is sent at most once; evidence or a person resolves an uncertain outcome. */
export interface OnceWrite<Result> extends EachWrite {
  readonly run: (send: SendOnce, earlier: EarlierAttempts) => Promise<Result>;
  /** Replaces the document before the next `run`. Without it, a person cannot answer a rejection with another document. */
  readonly replace?: (document: DocumentRef) => void;
  /** Why an earlier workflow may have sent this write. If set, the outcome is uncertain from the start. */
  readonly mayBeDone?: string | undefined;
  /** Why the result of an earlier request was not accepted. If set, a person is asked before the next request. */
  readonly earlierProblems?: readonly FieldProblem[] | undefined;
  /** Called with each failure of a request, so that the next `run` can look for its effect. */
  readonly onFailure?: (failure: PartnerErrorDetails) => void;
  /** Reads at the partner for evidence that only this write explains. Also called after a rejection. */
  readonly readEvidence: ((earlier: EarlierAttempts) => Promise<Proof<Result>>) | 'none';
  /** Looks for the same evidence in the status poll's latest read. Called while a person is being asked. */
  readonly polledEvidence: ((earlier: EarlierAttempts) => Proof<Result>) | 'none';
  /** Reports whether the write is superseded for now. While it is, no person is asked about it. */
  readonly isSuperseded?: (earlier: EarlierAttempts) => boolean;
  /** Returns the result for the ID that a person enters. Throws {@link NotConfirmable} to ask again. */
  readonly confirm: (id: string) => Result | Promise<Result>;
  /** Format of the ID that `confirm` takes. Default: digits. */
  readonly idFormat?: 'text';
  /** Where a person looks before answering. */
  readonly whereToLook: string;
}

/**
 * The results of earlier requests of a write. The activity read `baseline` and `phase` just before the first uncertain request, or,
 * if none is uncertain, before the last request.
 */
export interface EarlierAttempts extends Pick<PartnerErrorDetails, 'baseline' | 'phase'> {
  readonly isUncertain: boolean;
  /** The last failure, other than a missing permission. */
  readonly failure?: PartnerErrorDetails;
}

export interface StepContext {
  readonly record: StatefulWorkflow<unknown, object>['record'];
  readonly ask: Answers['ask'];
  readonly blankFor: CorrectableInput['blankFor'];
  readonly writes: UnfinishedWrites;
  readonly stalledCalls: Pick<StalledCalls, 'start'>;
  readonly until: (holds: () => boolean) => Promise<void>;
  /** True if the cancellation of this step was requested. */
  readonly isCancelled: boolean;
}

export type IdentifiedWrite = Pick<IdempotentWrite<unknown>, 'id' | 'title'>;

type UnfinishedWrites = ReturnType<typeof unfinishedWrites>;

/** Records writes whose outcome is uncertain, and writes canceled in flight. */
export function unfinishedWrites(store: Pick<Store, 'update'>) {
  return {
    cancelled: ({ title: write, id = write }: IdentifiedWrite, outcome: UnfinishedWrite['outcome']) =>
      store.update(
        compose(
          addUnfinishedWrite(id, { write, outcome }),
          recordEvent('write-unfinished', { detail: `${write}: ${outcome}` }),
        ),
      ),
    uncertain: ({ title: write, id = write }: IdentifiedWrite) =>
      store.update(addUnfinishedWrite(id, { write, outcome: 'uncertain' })),
    resolve: ({ title, id = title }: IdentifiedWrite) => store.update(removeUnfinishedWrite(id)),
  };
}

/** Returns the failed partner call in an activity failure. Throws any other error. */
export function partnerFailureOf(error: unknown): PartnerErrorDetails {
  const failure = knownFailureOf(error);
  if (!failure) throw error;
  return failure;
}

/** As {@link partnerFailureOf}. Returns undefined for any other error. */
export function knownFailureOf(error: unknown): PartnerErrorDetails | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const { cause, activityType } = error;
  if (cause instanceof ApplicationFailure && cause.type === PARTNER_ERROR)
    return cause.details?.[0] as PartnerErrorDetails;
  const unreported = outcomeFromFailure(cause);
  if (!unreported) return undefined;
  const { outcome, reason, sent } = unreported;
  return { ...ownFailure(outcome === 'none' ? 'NotSent' : 'Uncertain', activityType, reason), ...sent };
}

export function ownFailure(
  kind: PartnerErrorDetails['kind'],
  operation: string,
  reason: string,
  fields: readonly FieldProblem[] = [],
): PartnerErrorDetails {
  return { system: 'gangway', operation, kind, fields, reason };
}

/** Thrown when the partner or our own check rejects a step. A `run` also throws it if a successful response reports problems. */
export class Rejected extends Error {
  override readonly name: string = 'Rejected';
  constructor(
    readonly problems: readonly FieldProblem[],
    readonly status?: number,
  ) {
    super(describeProblems(problems));
  }
}

/** Thrown for an ID that a person must not confirm, or must confirm twice. */
export class NotConfirmable extends Rejected {
  override readonly name = 'NotConfirmable';
  constructor(message: string) {
    super([{ field: '', message }]);
  }
}

/** Returns a check that throws {@link NotConfirmable} the first time that it sees an ID. Confirming the same ID again passes. */
export function requireSecondConfirmation(
  again = 'confirm it again',
): (id: string | number, why: string) => void {
  const warned = new Set<string>();
  return (id, why) => {
    if (warned.has(String(id))) return;
    warned.add(String(id));
    throw new NotConfirmable(`${why}. To use it anyway, ${again}`);
  };
}

interface Correctable {
  readonly title: string;
  readonly advice?: string | undefined;
  readonly correct?: OnceWrite<unknown>['correct'] | undefined;
  readonly replace?: OnceWrite<unknown>['replace'] | undefined;
  /** Lets the person confirm work done by hand, with an ID of this format. */
  readonly confirmFormat?: 'digits' | 'text' | undefined;
}

/** Asks a person to correct an input that was rejected. Returns undefined if the question is superseded first. */
export async function askForCorrection(
  { ask, blankFor }: Pick<StepContext, 'ask' | 'blankFor'>,
  { title, advice, correct, replace, confirmFormat }: Correctable,
  problems: readonly FieldProblem[],
  isSuperseded?: () => boolean,
): Promise<Answer | undefined> {
  const fields = problems.flatMap(({ field }) => field || []);
  const blank = correct && (await blankFor(fields));
  const answer = await ask(
    rejectedInputQuestion(title, problems, {
      advice,
      blank,
      canCorrect: correct !== undefined,
      canReplace: replace !== undefined,
      confirmFormat,
    }),
    isSuperseded,
  );
  if (answer?.kind === 'correction') correct?.(answer.patch);
  if (answer?.kind === 'documents' && answer.documents[0]) replace?.(answer.documents[0]);
  return answer;
}
