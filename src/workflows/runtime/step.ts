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
  /** A rejection ends the step as `Rejected`. Otherwise a person is asked. */
  readonly endsWhenRejected?: true;
}

/** A read with `waitsForChange` may take weeks, so nobody is asked about its wait. */
export type ReadOptions = Omit<EachStep, 'title'> & { readonly waitsForChange?: true };

interface EachWrite extends EachStep {
  /** Identifies the write in its workflow. Default: the title. Set it if the title can change. */
  readonly id?: string;
  /** Runs before each attempt; may ask a person and be canceled. */
  readonly prepare?: () => Promise<void>;
  /** Applies a person's correction before the next `run`. Without it, a person cannot answer a rejection with a correction. */
  readonly correct?: (patch: Readonly<Record<string, unknown>>) => void;
}

/** A write that can be repeated: it leaves the same state however often it runs. */
export interface IdempotentWrite<Result> extends EachWrite {
  readonly run: () => Promise<Result>;
}

/** A write without an idempotency key. It is sent at most once; evidence or a person resolves an uncertain outcome. */
export interface OnceWrite<Result> extends EachWrite {
  readonly run: (send: SendOnce, earlier: EarlierAttempts) => Promise<Result>;
  /** Replaces the document before the next `run`. Without it, a person cannot answer a rejection with another document. */
  readonly replace?: (document: DocumentRef) => void;
  /** Why an earlier workflow may have sent this write. If set, the outcome is uncertain before the first request. */
  readonly mayBeDone?: string | undefined;
  /** Why the result of an earlier request is not believed. A person is asked before another request. */
  readonly earlierProblems?: readonly FieldProblem[] | undefined;
  /** Called with each failure of a request, so that the next `run` can look for its effect. */
  readonly onFailure?: (failure: PartnerErrorDetails) => void;
  /** Looks at the partner for evidence that only this write explains. Also called after a rejection. */
  readonly readEvidence: ((earlier: EarlierAttempts) => Promise<Proof<Result>>) | 'none';
  /** Looks for the same evidence in what the status poll has read. Checked while a person is asked. */
  readonly polledEvidence: ((earlier: EarlierAttempts) => Proof<Result>) | 'none';
  /** Reports whether the write is not needed at the moment. Until it is, no person is asked about it. */
  readonly isSuperseded?: (earlier: EarlierAttempts) => boolean;
  /** Returns the result for the ID that a person enters. Throws {@link NotConfirmable} to ask again. */
  readonly confirm: (id: string) => Result | Promise<Result>;
  /** Format of the id that `confirm` takes. Default: digits. */
  readonly idFormat?: 'text';
  /** Where a person looks before answering. */
  readonly whereToLook: string;
}

/**
 * What earlier requests of a write have shown. `baseline` and `phase` are what the activity read just before the first request whose
 * outcome is uncertain, or else before the last one.
 */
export interface EarlierAttempts extends Pick<PartnerErrorDetails, 'baseline' | 'phase'> {
  readonly isUncertain: boolean;
  /** The last failure, unless the partner did not permit the request. */
  readonly failure?: PartnerErrorDetails;
}

export interface StepContext {
  readonly record: StatefulWorkflow<unknown, object>['record'];
  readonly ask: Answers['ask'];
  readonly blankFor: CorrectableInput['blankFor'];
  readonly writes: UnfinishedWrites;
  readonly stalledCalls: Pick<StalledCalls, 'start'>;
  readonly until: (holds: () => boolean) => Promise<void>;
  /** True if a cancellation of the work that runs the step was requested. */
  readonly isCancelled: boolean;
}

export type IdentifiedWrite = Pick<IdempotentWrite<unknown>, 'id' | 'title'>;

type UnfinishedWrites = ReturnType<typeof unfinishedWrites>;

/** Records writes whose outcome is uncertain, and writes that were canceled in flight. */
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

/** Returns the failed partner call of an activity failure; throws any other error. */
export function partnerFailureOf(error: unknown): PartnerErrorDetails {
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause, activityType } = error;
  if (cause instanceof ApplicationFailure && cause.type === PARTNER_ERROR)
    return cause.details?.[0] as PartnerErrorDetails;
  const unreported = outcomeFromFailure(cause);
  if (!unreported) throw error;
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

/** Ends a step that the partner or our own check rejected. A `run` also throws it when a successful response reports problems. */
export class Rejected extends Error {
  override readonly name: string = 'Rejected';
  constructor(
    readonly problems: readonly FieldProblem[],
    readonly status?: number,
  ) {
    super(describeProblems(problems));
  }
}

/** Thrown by Gangway for an ID that a person must not confirm, or only after a second confirmation. */
export class NotConfirmable extends Rejected {
  override readonly name = 'NotConfirmable';
  constructor(message: string) {
    super([{ field: '', message }]);
  }
}

/** Returns a check that throws {@link NotConfirmable} for an ID the first time. Confirming the same ID again overrides it. */
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
  /** The person may confirm what was done by hand, by an id of this format. */
  readonly confirmFormat?: 'digits' | 'text' | undefined;
}

/** Asks a person to correct what the partner, or our own check, rejected. Undefined if the question was superseded first. */
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
