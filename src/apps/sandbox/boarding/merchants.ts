import { z } from 'zod';
import * as boarding from '../../../partners/boarding/schemas.js';
import { type Pace, Script } from '../scenario.js';

const AUTHOR = 'Underwriting';

/** Changes by an administrator or a test. Omitted fields stay. */
export const merchantChange = z.strictObject({
  status: z.string().min(1).optional(),
  comment: z.string().nullable().optional(),
  /** A partner may write any text or number there. */
  mid: z.union([z.string(), z.number(), z.bigint()]).nullable().optional(),
  /** Texts of notes to leave; an empty list withdraws all. */
  notes: z.array(z.string().min(1)).readonly().optional(),
});

type MerchantChange = z.output<typeof merchantChange>;

export class Merchant {
  status: string;
  #isSubmitted = false;
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
    this.status = scenario.created ?? boarding.NOT_SUBMITTED;
  }

  /** Returns false if the merchant is not in a status in which it can be submitted. */
  submit(application: Record<string, unknown>): boolean {
    const isFirst =
      this.status === boarding.NOT_SUBMITTED || (!this.#isSubmitted && this.status === this.scenario.created);
    if (!isFirst && this.status !== boarding.REQUEST_CHANGES) return false;
    this.#isSubmitted = true;
    const steps = isFirst ? this.scenario.submitted : (this.scenario.submittedAgain ?? []);
    this.application = { ...this.application, ...application };
    this.set({ status: boarding.PENDING, comment: null });
    this.#script.play(steps);
    return true;
  }

  /** Records that the notes are answered. Returns false if nobody asked. */
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

  /** Sets the status, as underwriters would between two of the caller's actions: permanently, or for some steps. */
  meanwhile({ status, steps }: { readonly status: string; readonly steps?: number | undefined }): void {
    const pause: Step[] = Array(Math.max(0, (steps ?? 0) - 1)).fill({});
    this.#script.play(
      steps === undefined ? [] : [...pause, { from: status, status: this.status }, ...this.#script.left],
    );
    this.set({ status });
  }

  /** Makes the underwriters' due changes. A status read counts for a pace in reads. */
  advance(isStatusRead: boolean): void {
    for (const step of this.#script.due(isStatusRead)) this.#take(step);
  }

  get statusData() {
    const { status, comment, mid } = this;
    const statusDate = this.scenario.volatileDate ? new Date() : this.statusDate;
    return { status, statusDate: statusDate.toISOString(), comment, mid };
  }

  #take({ from, mid, comment, status, notes }: Step): void {
    if (from !== undefined && this.status !== from) return;
    if (status !== undefined) this.set({ status, comment: comment ?? null });
    this.set({ mid: mid && this.#makeMid(mid), notes });
    if (this.status === boarding.MERCHANT_APPROVED) this.notes = [];
  }

  #makeMid(kind: NonNullable<Step['mid']>): string | null {
    if (kind === 'none') return null;
    if (kind === 'unclear') return `MID ${this.id}`;
    return kind === 'temporary' ? `TEMP${this.id}` : `5180${String(this.id).padStart(11, '0')}`;
  }

  #addNotes(texts: readonly string[]): void {
    if (texts.length === 0) this.notes = [];
    const now = new Date().toISOString();
    for (const text of texts) {
      const date = this.#firstAsked.get(text) ?? now;
      this.#firstAsked.set(text, date);
      this.notes = [...this.notes, { text, author: AUTHOR, date }];
    }
  }
}

/** One change by the underwriters. Omitted fields stay unchanged. */
export interface Step {
  /** Applies only in this status, so a decision made meanwhile stands. */
  readonly from?: string;
  readonly status?: string;
  readonly comment?: string;
  /** `final`, `temporary` and `unclear` generate one, the last without digits. `none` removes it. */
  readonly mid?: 'final' | 'temporary' | 'unclear' | 'none';
  readonly notes?: readonly string[];
}

/** The changes that happen to a merchant of a scenario at the sandbox's pace after each action of the caller. */
export interface Scenario {
  readonly description: string;
  /** The status right after the create. Default: Not Submitted. */
  readonly created?: string;
  /** After the submission put it at Pending. */
  readonly submitted: readonly Step[];
  /** After the first, second, ... underwritingReview put it at Pending Review. */
  readonly reviewed?: readonly (readonly Step[])[];
  /** After a submission that followed RequestChanges put it at Pending again. */
  readonly submittedAgain?: readonly Step[];
  readonly volatileDate?: true;
}

/** Returns a scenario in which the underwriters do these things after the submission. */
function plays(description: string, ...submitted: readonly Step[]): Scenario {
  return { description, submitted };
}

const becomes = (status: string, comment?: string): Step => ({ status, ...(comment && { comment }) });
const asks = (...notes: readonly string[]): Step => ({ notes });
const approved: readonly Step[] = [becomes(boarding.MERCHANT_APPROVED), { mid: 'final' }];
const pending = becomes(boarding.PENDING);
const twoNotes = asks(
  'Please send a voided check for the deposit account.',
  'What share of sales is keyed in by hand?',
);
const twoQuestions = asks('Who owns the remaining shares?', 'Which months are the busiest?');
const lease = asks('The lease is unsigned. When will it be signed?');

/** A dba that ends in `[name]` plays the scenario of that name; a dba without brackets plays `straight`. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  straight: plays('Pending, Approved, then a mid', ...approved),
  notes: { ...plays('two notes to be answered', twoNotes), reviewed: [approved] },
  'more-notes': {
    ...plays('a note, and after its answer another one', asks('Please describe the goods sold.')),
    reviewed: [[{ ...pending, ...asks('Please send the supplier invoice of last month.') }], approved],
  },
  'superseded-notes': plays('two notes, then approved although they have no answers', twoNotes, ...approved),
  'same-note': {
    ...plays('a note, and after its answer the same note again: the answer was not good enough', lease),
    reviewed: [[{ ...pending, ...lease }], approved],
  },
  'notes-on-hold': {
    description:
      'two notes; On Hold for a moment, in which no answer is accepted, then Pending with the same notes',
    submitted: [twoQuestions, becomes('On Hold'), pending],
    reviewed: [approved],
  },
  'approved-by-mistake': {
    description: 'two notes; Approved for a moment, then Pending with the same notes',
    submitted: [twoQuestions, becomes(boarding.MERCHANT_APPROVED), { ...pending, ...twoQuestions }],
    reviewed: [approved],
  },
  'changes-requested': {
    description: 'RequestChanges, approved once submitted again',
    submitted: [becomes(boarding.REQUEST_CHANGES, 'The annual card volume does not match the statements.')],
    submittedAgain: approved,
  },
  declined: plays('Declined', becomes(boarding.DECLINED, 'Business type is not supported.')),
  withdrawn: plays('Withdrawn', becomes(boarding.WITHDRAWN, 'Withdrawn on request of the merchant.')),
  closed: plays('Closed', becomes(boarding.MERCHANT_CLOSED, 'Closed by the sponsor bank.')),
  'uw-level-1': {
    description: 'through UW Level 1 with a note, to approval',
    submitted: [
      becomes(boarding.UW_LEVEL_1),
      { status: boarding.UW_LEVEL_1_PENDING, ...asks('Please send three months of processing statements.') },
    ],
    reviewed: [approved],
  },
  'temporary-mid': plays(
    'has a temporary mid while it is still Pending, loses it, and gets the real one',
    { mid: 'temporary' },
    { status: boarding.MERCHANT_APPROVED, mid: 'none' },
    { mid: 'final' },
  ),
  'unclear-mid': plays(
    'Approved, with a text in place of the mid for a moment, then the mid',
    becomes(boarding.MERCHANT_APPROVED),
    { mid: 'unclear' },
    { mid: 'final' },
  ),
  'conditionally-approved': plays(
    'Conditionally Approved before Approved',
    becomes('Conditionally Approved'),
    ...approved,
  ),
  'unknown-status': plays(
    'a status that no document names, then approval',
    becomes('Escalated to Committee'),
    ...approved,
  ),
  'volatile-date': { ...plays('stays Pending, with a new statusDate in each read'), volatileDate: true },
  'pending-first': {
    ...plays('Pending right after the create, then as straight', ...approved),
    created: boarding.PENDING,
  },
  waiting: plays('stays Pending until POST /sandbox/merchants/{id}/transition moves it'),
};
