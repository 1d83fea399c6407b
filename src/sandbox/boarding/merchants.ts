import type { UnderwritingNote } from '../../partners/boarding/schemas.js';
import {
  APPROVED,
  NOT_SUBMITTED,
  PENDING,
  PENDING_REVIEW,
  REQUEST_CHANGES,
  UW_LEVEL_1_PENDING,
  UW_LEVEL_1_PENDING_REVIEW,
} from '../../partners/boarding/statuses.js';
import type { Pace } from '../pace.js';
import { Script } from '../script.js';
import type { Scenario, Step } from './scenarios.js';

const AUTHOR = 'Underwriting';

/** Digits as text; other text and numbers, such as one beyond 2^53, only where they are set from outside. */
type Mid = string | number | bigint;

/** A merchant as the sandbox keeps it. */
export class Merchant {
  status: string = NOT_SUBMITTED;
  statusDate = new Date();
  comment: string | null = null;
  mid: Mid | null = null;
  notes: UnderwritingNote[] = [];
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
    if (![NOT_SUBMITTED, REQUEST_CHANGES].includes(this.status)) return false;
    const steps = this.status === NOT_SUBMITTED ? this.scenario.submitted : (this.scenario.resubmitted ?? []);
    this.application = { ...this.application, ...application };
    this.set({ status: PENDING, comment: null });
    this.#script.play(steps);
    return true;
  }

  /** The caller says that the notes are answered. False when nobody asked. */
  review(comment: string | undefined): boolean {
    const next = { [PENDING]: PENDING_REVIEW, [UW_LEVEL_1_PENDING]: UW_LEVEL_1_PENDING_REVIEW }[this.status];
    if (next === undefined) return false;
    if (comment !== undefined) this.reviewComments.push(comment);
    this.notes = [];
    this.set({ status: next });
    this.#script.play(this.scenario.reviewed?.[this.#reviews++] ?? []);
    return true;
  }

  /** Sets members from outside, as an administrator or the test does. What is left out stays. */
  set(change: {
    status?: string;
    comment?: string | null;
    mid?: Mid | null;
    notes?: readonly string[];
  }): void {
    if (change.status !== undefined) {
      this.status = change.status;
      this.statusDate = new Date();
    }
    if (change.comment !== undefined) this.comment = change.comment;
    if (change.mid !== undefined) this.mid = change.mid;
    if (change.notes) this.#addNotes(change.notes);
  }

  /** The underwriters move it between two things that the caller does. What else they had in mind is dropped. */
  meanwhile({ status, steps }: { readonly status: string; readonly steps?: number | undefined }): void {
    const pause: Step[] = Array(Math.max(0, (steps ?? 0) - 1)).fill({});
    this.#script.play(steps === undefined ? [] : [...pause, { status: this.status }]);
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

  #take({ mid, comment, status, notes }: Step): void {
    this.set({
      ...(status !== undefined && { status, comment: comment ?? null }),
      ...(mid !== undefined && { mid: this.#makeMid(mid) }),
      ...(notes !== undefined && { notes }),
    });
    if (this.status === APPROVED) this.notes = [];
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
