import type { UnfinishedWrite } from '../../messages/onboarding-state.js';
import type { DocumentRef } from '../../messages/requirements.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';
import type { SendOnce } from './activity-proxies.js';
import type { Answers } from './answers.js';
import type { Cell } from './cell.js';
import { all, recorded, settled, unfinished } from './state.js';
import type { StepWaits } from './step-waits.js';

/** One call to a partner, and how it recovers when it fails. Its effect is that of the operation in the catalogue. */
export type Step<Result> = ReadStep<Result> | IdempotentWrite<Result> | OnceWrite<Result>;

interface EachStep {
  /** The task of the step, for people: `create the merchant`. */
  readonly title: string;
  /** A rejection ends the step as `Rejected`. Otherwise a person is asked. */
  readonly endsWhenRejected?: true;
}

export interface ReadStep<Result> extends EachStep {
  readonly effect: 'read';
  readonly run: () => Promise<Result>;
  /** It waits for a change, however long that takes. */
  readonly waitsForChange?: true;
}

interface EachWrite extends EachStep {
  /** Identifies the write in its workflow. Default: the title, where it never changes. */
  readonly id?: string;
  /** Runs before each attempt; may ask a person and be canceled. */
  readonly prepare?: () => Promise<void>;
  /** Applies a person's correction to the input of the next `run`. Without it a rejection takes no correction. */
  readonly correct?: (patch: Readonly<Record<string, unknown>>) => void;
}

/** Leaves the same state however often it runs. */
export interface IdempotentWrite<Result> extends EachWrite {
  readonly effect: 'idempotent';
  readonly run: () => Promise<Result>;
}

/** Has no idempotency key, so it is sent at most once, and evidence or a person resolves an unknown outcome. */
export interface OnceWrite<Result> extends EachWrite, DoubtResolution<Result> {
  readonly effect: 'once';
  readonly run: (send: SendOnce) => Promise<Result>;
  /** Replaces the document of the next `run`. Without it a rejection takes no other document. */
  readonly replace?: (document: DocumentRef) => void;
  /** The reason why an earlier workflow may have done it already. The write is then in doubt from the beginning. */
  readonly mayBeDone?: string | undefined;
  /** The problems of an earlier attempt, whose result is not believed. A person is asked before it is sent again. */
  readonly rejected?: readonly FieldProblem[] | undefined;
  /** Receives each failure of a request that was sent, so that the next `run` can look for what it may have done. */
  readonly failed?: (failure: PartnerErrorDetails) => void;
}

interface DoubtResolution<Result> {
  /**
   * Reads evidence that this write took effect, which nothing else explains. Called with `wasInDoubt = false` after a plain
   * rejection. `before` is what the activity read just before that attempt, or before the first one in doubt.
   */
  readonly readEvidence: ((wasInDoubt: boolean, before: Before) => Promise<Found<Result>>) | 'none';
  /** The same evidence, in what the status poll has read meanwhile. Checked while a person is asked. */
  readonly polledEvidence: (() => Found<Result>) | 'none';
  /** True while nobody needs the write. Nobody is asked about it meanwhile, and whether it took effect stays unknown. */
  readonly isMoot?: () => boolean;
  /** The result, from the id that a person gives. Throws {@link NotAdoptable} to ask the person again. */
  readonly adopt: (id: string) => Result | Promise<Result>;
  /** Format of the id that `adopt` takes. Default: digits. */
  readonly idFormat?: 'text';
  /** The place where a person looks before answering. */
  readonly whereToLook: string;
}

/** What the partner had just before a write. */
export type Before = Pick<PartnerErrorDetails, 'baseline' | 'phase'>;

export type Found<Result> = { readonly found: Result } | undefined;

export interface Timeline {
  /** Adds an event: see {@link recorded}. */
  add(...event: Parameters<typeof recorded>): void;
}

export interface StepContext extends Pick<Answers, 'ask' | 'blankFor'> {
  readonly timeline: Timeline;
  readonly writes: UnfinishedWrites;
  readonly waits: Pick<StepWaits, 'begin'>;
  readonly until: (holds: () => boolean) => Promise<void>;
  /** True if a cancellation of the work that runs the step was requested. */
  readonly isCancelled: boolean;
}

export type IdentifiedWrite = Pick<IdempotentWrite<unknown>, 'id' | 'title'>;

/** Writes whose outcome is unknown, and writes that were in flight when they were canceled. */
export interface UnfinishedWrites {
  cancelled(write: IdentifiedWrite, became: UnfinishedWrite['became']): void;
  doubt(write: IdentifiedWrite): void;
  resolve(write: IdentifiedWrite): void;
}

export function unfinishedWrites(cell: Pick<Cell, 'update'>): UnfinishedWrites {
  return {
    cancelled: ({ title: write, id = write }, became) =>
      cell.update(
        all(
          unfinished(id, { write, became }),
          recorded('write-unfinished', { detail: `${write}: ${became}` }),
        ),
      ),
    doubt: ({ title: write, id = write }) => cell.update(unfinished(id, { write, became: 'unknown' })),
    resolve: ({ title, id = title }) => cell.update(settled(id)),
  };
}
