import type { Note, StatusSnapshot } from '../../../../src/messages/boarding-activities.js';
import type { Answer, Requirement, RequirementKind } from '../../../../src/messages/requirements.js';
import { NOTHING, type Remembered, type Situation } from '../../../../src/workflows/boarding/decisions.js';
import type { Decision } from '../../../../src/workflows/journey/rules.js';
import type { Answered } from '../../../../src/workflows/journey/state.js';

export const MONDAY = '2026-02-02T09:00:00Z';
export const TUESDAY = '2026-02-03T09:00:00Z';

export const note = (id: string, text = `Why ${id}?`): Note => ({ id, text, author: null, date: null });

export const read = (more: Partial<StatusSnapshot> = {}): StatusSnapshot => ({
  ...{
    status: 'Pending',
    phase: 'pending',
    statusDate: MONDAY,
    comment: null,
    mid: null,
    unclearMid: null,
  },
  ...{ notes: [], ...more },
});

/** A boarding that has submitted, and has seen that it is pending since Monday. */
export const remembered = (more: Partial<Remembered> = {}): Remembered => ({
  ...NOTHING,
  submitted: true,
  seen: { ...seen(), noteIds: [] },
  ...more,
});

/** What is remembered of a read. */
export function seen(more: Partial<StatusSnapshot> = {}): Remembered['seen'] {
  const { notes, ...status } = read(more);
  return { ...status, noteIds: notes.map(({ id }) => id) };
}

export const requirement = (
  id: string,
  kind: RequirementKind,
  more: Partial<Requirement> = {},
): Requirement => ({
  ...{ id, kind, title: 'A title', detail: `Detail of ${id}.`, answers: ['text'] },
  ...{ raisedAt: MONDAY, dueAt: TUESDAY, ...more },
});

/** A requirement about a note. Its id may have a number: the note is asked about again. */
export const noteAsked = (id: string, about = id): Requirement =>
  requirement(id, 'underwriting-note', { about });

export const answer = (to: Requirement, given: Answer = { kind: 'text', text: 'So.' }): Answered => ({
  requirement: to,
  resolution: { requirementId: to.id, answer: given, actor: 'Ada Park', reason: 'known' },
});

export const situation = (more: Partial<Situation> = {}): Situation => ({
  ...{ merchantProfileId: 1001, dba: 'Corner Bakery', isFollowed: false, isWriting: false, inARow: 1 },
  ...{ open: [], answered: [], now: Date.parse(TUESDAY), ...more },
});

/** Each decision as a line. */
export function lines(decisions: readonly Decision[]): string[] {
  return decisions.map((decision) => {
    if ('ask' in decision) return `ask ${decision.ask.about ?? decision.ask.kind}: ${decision.ask.detail}`;
    if ('close' in decision) return `close ${decision.close}: ${decision.why}`;
    if ('remove' in decision) return `remove ${decision.remove}`;
    if ('record' in decision)
      return [decision.record, ...(decision.detail ? [decision.detail] : [])].join(': ');
    return Object.entries(decision.know)
      .map(([fact, value]) => `${fact} is ${value}`)
      .join();
  });
}
