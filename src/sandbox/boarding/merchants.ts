import { z } from 'zod';
import * as boarding from '../../partners/boarding/schemas.js';
import { type Pace, Script } from '../scenario.js';

const AUTHOR = 'Underwriting';

/** What an administrator or a test sets. Fields that are left out stay. */
export const merchantChange = z.strictObject({
  status: z.string().min(1).optional(),
  comment: z.string().nullable().optional(),
  /** A partner may write any text or number there. */
  mid: z.union([z.string(), z.number(), z.bigint()]).nullable().optional(),
  /** Texts of notes to leave. */
  notes: z.array(z.string().min(1)).readonly().optional(),
});

type MerchantChange = z.output<typeof merchantChange>;

export class Merchant {
  status: string = boarding.NOT_SUBMITTED;
  statusDate = new Date();
  comment: string | null = null;
  mid: NonNullable<MerchantChange['mid']> | null = null;
  notes: boarding.UnderwritingNote[] = [];
  application: Record<string, unknown> = {};
  readonly attachments: {
    fileName: string;
    contentType: string;
    bytes: number;
    description: string | null;
  }[] = [];
  reviewComments: string[] = [];
  /** A note that is asked again is the same note, and keeps its date. */
  readonly #firstAsked = new Map<string, string>();
  #reviews = 0;
  readonly #script: Script<Step>;

  constructor(
    readonly id: number,
    readonly isoId: number,
    readonly basics: { readonly dba: string; readonly guid?: string | undefined },
    public fees: Record<string, unknown>,
    private readonly scenario: Scenario,
    pace: () => Pace,
  ) {
    this.#script = new Script(pace);
  }

  /** False when the merchant is not in a status that can be submitted. */
  submit(application: Record<string, unknown>): boolean {
    if (![boarding.NOT_SUBMITTED, boarding.REQUEST_CHANGES].includes(this.status)) return false;
    const steps =
      this.status === boarding.NOT_SUBMITTED ? this.scenario.submitted : (this.scenario.resubmitted ?? []);
    this.application = { ...this.application, ...application };
    this.set({ status: boarding.PENDING, comment: null });
    this.#script.play(steps);
    return true;
  }

  /** The caller says that the notes are answered. False when nobody asked. */
  review(comment: string | undefined): boolean {
    const next = {
      [boarding.PENDING]: boarding.PENDING_REVIEW,
      [boarding.UW_LEVEL_1_PENDING]: boarding.UW_LEVEL_1_PENDING_REVIEW,
    }[this.status];
    if (next === undefined) return false;
    if (comment !== undefined) this.reviewComments.push(comment);
    this.notes = [];
    this.set({ status: next });
    this.#script.play(this.scenario.reviewed?.[this.#reviews++] ?? []);
    return true;
  }

  set(change: MerchantChange): void {
    if (change.status !== undefined) {
      this.status = change.status;
      this.statusDate = new Date();
    }
    if (change.comment !== undefined) this.comment = change.comment;
    if (change.mid !== undefined) this.mid = change.mid;
    if (change.notes) this.#addNotes(change.notes);
  }

  /** The underwriters move it between two actions of the caller: permanently, or for some steps before they continue. */
  meanwhile({ status, steps }: { readonly status: string; readonly steps?: number | undefined }): void {
    const pause: Step[] = Array(Math.max(0, (steps ?? 0) - 1)).fill({});
    this.#script.play(
      steps === undefined ? [] : [...pause, { from: status, status: this.status }, ...this.#script.left],
    );
    this.set({ status });
  }

  /** Lets the underwriters do what they would have done by now. A status read counts for a pace in reads. */
  advance(isStatusRead: boolean): void {
    for (const step of this.#script.due(isStatusRead)) this.#take(step);
  }

  get statusData() {
    const { status, comment, mid } = this;
    const statusDate = this.scenario.restlessDate ? new Date() : this.statusDate;
    return { status, statusDate: statusDate.toISOString(), comment, mid };
  }

  #take({ from, mid, comment, status, notes }: Step): void {
    if (from !== undefined && this.status !== from) return;
    if (status !== undefined) this.set({ status, comment: comment ?? null });
    this.set({ mid: mid && this.#makeMid(mid), notes });
    if (this.status === boarding.APPROVED) this.notes = [];
  }

  #makeMid(kind: NonNullable<Step['mid']>): string | null {
    if (kind === 'none') return null;
    if (kind === 'unclear') return `MID ${this.id}`;
    return kind === 'temporary' ? `TEMP${this.id}` : `5180${String(this.id).padStart(11, '0')}`;
  }

  #addNotes(texts: readonly string[]): void {
    const now = new Date().toISOString();
    for (const text of texts) {
      const date = this.#firstAsked.get(text) ?? now;
      this.#firstAsked.set(text, date);
      this.notes = [...this.notes, { text, author: AUTHOR, date }];
    }
  }
}

/** One thing that the underwriters do. Fields that are left out stay as they are. */
export interface Step {
  /** Taken only from this status: a decision meanwhile stands. */
  readonly from?: string;
  readonly status?: string;
  readonly comment?: string;
  /** `final`, `temporary` and `unclear` make one up, the last one without digits. `none` removes it. */
  readonly mid?: 'final' | 'temporary' | 'unclear' | 'none';
  readonly notes?: readonly string[];
}

/** The changes that happen to a merchant of a scenario at the sandbox's pace after each action of the caller. */
export interface Scenario {
  readonly description: string;
  /** After the submission put it at Pending. */
  readonly submitted: readonly Step[];
  /** After the first, second, ... underwritingReview put it at Pending Review. */
  readonly reviewed?: readonly (readonly Step[])[];
  /** After a submission that followed RequestChanges put it at Pending again. */
  readonly resubmitted?: readonly Step[];
  readonly restlessDate?: true;
}

const approved: readonly Step[] = [{ status: boarding.APPROVED }, { mid: 'final' }];
const twoNotes: Step = {
  notes: ['Please send a voided check for the deposit account.', 'What share of sales is keyed in by hand?'],
};

const twoQuestions: Step = {
  notes: ['Who owns the remaining shares?', 'Which months are the busiest?'],
};
const lease = 'The lease is unsigned. When will it be signed?';

/** A dba that ends in `[name]` plays the scenario of that name; a dba without brackets plays `straight`. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  straight: { description: 'Pending, Approved, then a mid', submitted: approved },
  notes: { description: 'two notes to be answered', submitted: [twoNotes], reviewed: [approved] },
  'more-notes': {
    description: 'a note, and after its answer another one',
    submitted: [{ notes: ['Please describe the goods sold.'] }],
    reviewed: [
      [{ status: boarding.PENDING, notes: ['Please send the supplier invoice of last month.'] }],
      approved,
    ],
  },
  'moot-notes': {
    description: 'two notes, then approved although they have no answers',
    submitted: [twoNotes, ...approved],
  },
  'same-note': {
    description: 'a note, and after its answer the same note again: the answer was not good enough',
    submitted: [{ notes: [lease] }],
    reviewed: [[{ status: boarding.PENDING, notes: [lease] }], approved],
  },
  'notes-on-hold': {
    description:
      'two notes; On Hold for a moment, in which no answer is accepted, then Pending with the same notes',
    submitted: [twoQuestions, { status: 'On Hold' }, { status: boarding.PENDING }],
    reviewed: [approved],
  },
  'approved-by-mistake': {
    description: 'two notes; Approved for a moment, then Pending with the same notes',
    submitted: [twoQuestions, { status: boarding.APPROVED }, { status: boarding.PENDING, ...twoQuestions }],
    reviewed: [approved],
  },
  'request-changes': {
    description: 'RequestChanges, approved once submitted again',
    submitted: [
      { status: boarding.REQUEST_CHANGES, comment: 'The annual card volume does not match the statements.' },
    ],
    resubmitted: approved,
  },
  declined: {
    description: 'Declined',
    submitted: [{ status: boarding.DECLINED, comment: 'Business type is not supported.' }],
  },
  withdrawn: {
    description: 'Withdrawn',
    submitted: [{ status: boarding.WITHDRAWN, comment: 'Withdrawn on request of the merchant.' }],
  },
  closed: {
    description: 'Closed',
    submitted: [{ status: boarding.CLOSED, comment: 'Closed by the sponsor bank.' }],
  },
  'uw-level-1': {
    description: 'through UW Level 1 with a note, to approval',
    submitted: [
      { status: boarding.UW_LEVEL_1 },
      { status: boarding.UW_LEVEL_1_PENDING, notes: ['Please send three months of processing statements.'] },
    ],
    reviewed: [approved],
  },
  'temporary-mid': {
    description: 'has a temporary mid while it is still Pending, loses it, and gets the real one',
    submitted: [{ mid: 'temporary' }, { status: boarding.APPROVED, mid: 'none' }, { mid: 'final' }],
  },
  'unclear-mid': {
    description: 'Approved, with a text in place of the mid for a moment, then the mid',
    submitted: [{ status: boarding.APPROVED }, { mid: 'unclear' }, { mid: 'final' }],
  },
  'conditionally-approved': {
    description: 'Conditionally Approved before Approved',
    submitted: [{ status: 'Conditionally Approved' }, ...approved],
  },
  'unknown-status': {
    description: 'a status that no document names, then approval',
    submitted: [{ status: 'Escalated to Committee' }, ...approved],
  },
  'restless-date': {
    description: 'stays Pending, with a new statusDate in each read',
    submitted: [],
    restlessDate: true,
  },
  waiting: {
    description: 'stays Pending until POST /sandbox/merchants/{id}/transition moves it',
    submitted: [],
  },
};
