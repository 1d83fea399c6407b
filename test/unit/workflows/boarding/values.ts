import type { Note, StatusSnapshot } from '../../../../src/messages/boarding-activities.js';
import type { Answer, Requirement, RequirementKind } from '../../../../src/messages/requirements.js';
import {
  type BoardingContext,
  type BoardingState,
  INITIAL_BOARDING_STATE,
} from '../../../../src/workflows/boarding/decisions.js';
import type { Command } from '../../../../src/workflows/runtime/reducer.js';
import type { PendingAnswer } from '../../../../src/workflows/runtime/state.js';

export const MONDAY = '2026-02-02T09:00:00Z';
export const TUESDAY = '2026-02-03T09:00:00Z';

export const note = (id: string, text = `Why ${id}?`): Note => ({ id, text, author: null, date: null });

export const read = (more: Partial<StatusSnapshot> = {}): StatusSnapshot => ({
  status: 'Pending',
  phase: 'pending',
  statusDate: MONDAY,
  comment: null,
  mid: null,
  unclearMid: null,
  notes: [],
  ...more,
});

/** A boarding that has submitted, and has seen that it is pending since Monday. */
export const state = (more: Partial<BoardingState> = {}): BoardingState => ({
  ...INITIAL_BOARDING_STATE,
  submitted: true,
  seen: { ...seen(), noteIds: [] },
  ...more,
});

/** What is remembered of a read. */
export function seen(more: Partial<StatusSnapshot> = {}): BoardingState['seen'] {
  const { notes, ...status } = read(more);
  return { ...status, noteIds: notes.map(({ id }) => id) };
}

export const requirement = (
  id: string,
  kind: RequirementKind,
  more: Partial<Requirement> = {},
): Requirement => ({
  id,
  kind,
  title: 'A title',
  detail: `Detail of ${id}.`,
  answers: ['text'],
  raisedAt: MONDAY,
  dueAt: TUESDAY,
  ...more,
});

/** A requirement about a note. Its id may have a number: the note is asked about again. */
export const noteAsked = (id: string, about = id): Requirement =>
  requirement(id, 'underwriting-note', { about });

export const answer = (to: Requirement, input: Answer = { kind: 'text', text: 'So.' }): PendingAnswer => ({
  requirement: to,
  resolution: { requirementId: to.id, answer: input, actor: 'Ada Park', reason: 'known' },
});

export const context = (more: Partial<BoardingContext> = {}): BoardingContext => ({
  merchantProfileId: 1001,
  dba: 'Corner Bakery',
  isFollowed: false,
  isWriting: false,
  consecutiveChanges: 1,
  open: [],
  answered: [],
  now: Date.parse(TUESDAY),
  ...more,
});

/** Each decision as a line. */
export function lines(commands: readonly Command[]): string[] {
  return commands.map((command) => {
    if ('ask' in command) return `ask ${command.ask.about ?? command.ask.kind}: ${command.ask.detail}`;
    if ('close' in command) return `close ${command.close}: ${command.why}`;
    if ('remove' in command) return `remove ${command.remove}`;
    if ('record' in command) return [command.record, ...(command.detail ? [command.detail] : [])].join(': ');
    return Object.entries(command.set)
      .map(([fact, value]) => `${fact} is ${value}`)
      .join();
  });
}
