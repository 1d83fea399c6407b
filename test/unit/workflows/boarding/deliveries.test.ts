import { describe, expect, it } from 'vitest';
import type { StatusSnapshot } from '../../../../src/messages/boarding-activities.js';
import {
  afterDelivery,
  afterUpload,
  commentOf,
  isPartlySent,
  listsDeliveredNote,
  missingDocuments,
  notesOf,
  showsReview,
  showsSubmission,
  withRefusedAnswers,
} from '../../../../src/workflows/boarding/deliveries.js';
import { answer, MONDAY, note, noteAsked, read, state, TUESDAY } from './values.js';

const document = (key: string) => ({ key, fileName: `${key}.pdf`, contentType: 'application/pdf' });
const documents = (...keys: string[]) => ({ kind: 'documents', documents: keys.map(document) }) as const;

const text = answer(noteAsked('n-1'), { kind: 'text', text: 'One in ten.' });
const again = answer(noteAsked('n-2-2', 'n-2'), { kind: 'text', text: 'Monthly.' });
const files = answer(noteAsked('n-3'), documents('a', 'b'));

describe('the answers to notes', () => {
  it('have their texts in one comment, each below its question', () => {
    expect(commentOf([text, files, again])).toBe('Detail of n-1.\nOne in ten.\n\nDetail of n-2-2.\nMonthly.');
    expect(commentOf([files])).toBe('');
  });

  it('name the notes, even those that are asked again', () => {
    const { about: _, ...unnamed } = noteAsked('n-4');
    expect(notesOf([text, again, answer(unnamed)])).toEqual(['n-1', 'n-2', 'n-4']);
  });

  it('have documents, of which those are uploaded that the partner does not have', () => {
    const [a, b] = missingDocuments(state(), [text, files]);
    expect(a).toEqual({ id: 'n-3/a', document: document('a'), description: 'Detail of n-3.' });
    expect(b).toEqual({ id: 'n-3/b', document: document('b'), description: 'Detail of n-3.' });
    if (!a) throw new Error('there is no document');
    const after = afterUpload(state({ uploaded: ['n-1/z'] }), a);
    expect(after.uploaded).toEqual(['n-1/z', 'n-3/a']);
    expect(missingDocuments(after, [text, files])).toEqual([b]);
    expect([files, text, again].map((each) => isPartlySent(after, each))).toEqual([true, false, false]);
    expect(isPartlySent(state({ uploaded: ['n-1/a'] }), files)).toBe(false);
  });

  it('are remembered as delivered with the status that took them, and their documents are done with', () => {
    const mark = read({ notes: [note('n-1')], comment: 'Hm.' });
    const held = { status: 'On Hold', statusDate: null, until: 0 };
    const pending = { status: 'Pending', statusDate: MONDAY, until: 1 };
    const before = state({ uploaded: ['n-3/a'], delivered: { 'n-0': held, 'n-1': held } });
    const delivered = { 'n-0': held, 'n-1': pending, 'n-2': pending };
    expect(afterDelivery(before, [text, again], mark, 1)).toEqual({ ...before, uploaded: [], delivered });
  });

  it('are remembered with the status that did not take them', () => {
    const mark = read({ notes: [note('n-1')], comment: 'Hm.' });
    const refusedAnswers = { status: 'Pending', statusDate: MONDAY, answers: ['n-1,n-2-2'] };
    expect(withRefusedAnswers(state(), [text, again], mark)).toEqual({ ...state(), refusedAnswers });
    // Catches refused answers that are sent as fast as a list shows one of two notes by turns.
    const answersOf = (before: object) =>
      withRefusedAnswers(state(before), [text], mark).refusedAnswers?.answers;
    expect(answersOf({ refusedAnswers })).toEqual(['n-1,n-2-2', 'n-1']);
    expect(answersOf({ refusedAnswers: { ...refusedAnswers, statusDate: TUESDAY } })).toEqual(['n-1']);
  });

  it('are listed again when a read shows one of them', () => {
    const before = state({ delivered: { 'n-1': { status: 'Pending', statusDate: null, until: 0 } } });
    const lists = (...ids: string[]) =>
      listsDeliveredNote(before, read({ notes: ids.map((id) => note(id)) }));
    expect(lists('n-2', 'n-1')).toBe(true);
    expect([lists('n-2'), lists(), lists('toString')]).toEqual([false, false, false]);
  });
});

describe('evidence', () => {
  it.each<[StatusSnapshot['phase'], boolean, boolean]>([
    ['not-submitted', false, false],
    ['pending', true, false],
    ['awaiting-answers', false, false],
    ['in-review', false, true],
    ['changes-requested', false, false],
    ['approved', true, false],
    ['declined', true, false],
    ['withdrawn', true, false],
    ['closed', true, false],
    ['other', false, false],
  ])('in phase %s: of a submission %s, of a review %s', (phase, ...output) => {
    // Its notes are gone, as if the underwriters had withdrawn them.
    const now = read({ phase });
    expect([showsSubmission(now, 'not-submitted'), showsReview(now)]).toEqual(output);
  });

  it('is no decision where another submission is in doubt, which may be about the earlier one', () => {
    const phases = ['pending', 'approved', 'declined', 'withdrawn', 'closed', 'changes-requested'] as const;
    const lines = phases.filter((phase) => showsSubmission(read({ phase }), 'changes-requested', true));
    expect(lines).toEqual(['pending']);
  });

  it('of a submission is no phase that the merchant may have had before', () => {
    const before = [undefined, 'pending', 'not-submitted', 'changes-requested'];
    const lines = before.map((phase) => showsSubmission(read({ phase: 'pending' }), phase));
    expect(lines).toEqual([false, false, true, true]);
  });
});
