import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import type { Patch } from '../../../../src/messages/activities.js';
import type { Answer } from '../../../../src/messages/requirements.js';
import {
  askedIn,
  callsOf,
  correctionsOf,
  MASKED,
  type RecordedEvent,
  recordedDocuments,
  recordedRequirements,
  SHOWN,
} from '../../../../src/services/reports/record-parts.js';
import type { AcceptedAnswer } from '../../../../src/temporal/history.js';

const at = (minute: number) => `2026-03-01T10:0${minute}:00.000Z`;

const answered = (minute: number, answer: Answer): AcceptedAnswer => ({
  at: at(minute),
  requirementId: 'rejected-input-1',
  actor: 'olga',
  reason: 'a typo',
  answer,
});

describe('corrections', () => {
  const input = { holder: { city: 'Albany', ssn: '1' }, fees: { monthly: 5 } };

  const changesOf = (patch: Patch, mask: typeof SHOWN) =>
    correctionsOf(input, [answered(1, { kind: 'correction', patch })], mask).map((one) => [
      one.field,
      one.old,
      one.new,
    ]);

  it('have the old and the new value of each field, also of added and removed ones', () => {
    const patch = { holder: { city: 'Troy', website: 'https://shop.example' }, fees: null };
    expect(changesOf(patch, SHOWN)).toEqual([
      ['holder.city', 'Albany', 'Troy'],
      ['holder.website', undefined, 'https://shop.example'],
      ['fees', { monthly: 5 }, undefined],
    ]);
  });

  it('that were taken back are marked, and change nothing', () => {
    const city = (name: string): Answer => ({ kind: 'correction', patch: { holder: { city: name } } });
    const values = [city('Troy'), { kind: 'take-back' } as const, city('Utica')];
    const answers = values.map((answer, index) => answered(index + 1, answer));
    expect(correctionsOf(input, answers, SHOWN)).toMatchObject([
      { old: 'Albany', new: 'Troy', takenBack: true },
      { old: 'Albany', new: 'Utica', takenBack: false },
    ]);
  });

  it('that were taken back after answers to others, and given again twice', () => {
    const city = (name: string): Answer => ({ kind: 'correction', patch: { holder: { city: name } } });
    const of = (minute: number, requirementId: string, answer: Answer) => ({
      ...answered(minute, answer),
      requirementId,
    });
    const answers = [
      of(1, 'a', city('Troy')),
      of(2, 'b', city('Utica')),
      of(3, 'a', { kind: 'take-back' }),
      of(4, 'a', city('Rome')),
      of(5, 'b', city('Elmira')),
    ];
    const changes = correctionsOf(input, answers, SHOWN).map((each) => [each.old, each.new, each.takenBack]);
    expect(changes).toEqual([
      ['Albany', 'Troy', true],
      ['Albany', 'Utica', false],
      ['Utica', 'Rome', false],
      ['Rome', 'Elmira', false],
    ]);
  });

  it('mask a private field by its name, however deep it is', () => {
    const patch = { holder: { ssn: '2', beneficialOwner: { firstName: 'Bo', city: 'Troy' } } };
    expect(changesOf(patch, MASKED)).toEqual([
      ['holder.ssn', '[Redacted]', '[Redacted]'],
      ['holder.beneficialOwner', undefined, { firstName: '[Redacted]', city: 'Troy' }],
    ]);
  });
});

it('a correction in a private part of an application is masked, whatever its own name', () => {
  const applicationOf = (line: string) => ({ application: { homeAddress: { line, size: 2 } } });
  const answer = { kind: 'correction', patch: applicationOf('6 Oak Street') } as const;
  expect(correctionsOf(applicationOf('5 Elm Street'), [answered(1, answer)], MASKED)).toMatchObject([
    { field: 'application.homeAddress.line', old: '[Redacted]', new: '[Redacted]' },
  ]);
});

describe('requirements', () => {
  const question = new Map([['note-1a', 'Send a check, says ada@example.com.']]);

  it('follow the timeline from raised to closed', () => {
    const timeline: RecordedEvent[] = [
      { at: at(0), event: 'started' },
      { at: at(1), event: 'requirement-raised', detail: 'note-1a: Underwriting note' },
      { at: at(2), event: 'requirement-overdue', detail: 'note-1a: Underwriting note' },
      { at: at(1), event: 'requirement-unclaimed', detail: 'note-1a: Underwriting note' },
      { at: at(3), event: 'requirement-resolved', detail: 'note-1a: text' },
      { at: at(4), event: 'answer-taken-back', detail: 'note-1a' },
      { at: at(5), event: 'requirement-closed', detail: 'note-1a: the partner has moved on' },
      { at: at(6), event: 'requirement-raised', detail: 'note-1a-2: Underwriting note' },
    ];
    const detail = 'Send a check, says [Redacted].';
    expect(recordedRequirements(timeline, [], question, MASKED)).toEqual([
      {
        id: 'note-1a',
        status: 'closed',
        title: 'Underwriting note',
        detail,
        raisedAt: at(1),
        overdueAt: at(2),
        unclaimedAt: at(1),
        endedAt: at(5),
        closedBecause: 'the partner has moved on',
      },
      { id: 'note-1a-2', status: 'open', title: 'Underwriting note', detail, raisedAt: at(6) },
    ]);
  });

  it('are open again, without an end, when their answer was taken back', () => {
    const timeline: RecordedEvent[] = [
      { at: at(1), event: 'requirement-raised', detail: 'ticket-7: Ticket' },
      { at: at(3), event: 'requirement-resolved', detail: 'ticket-7: text' },
      { at: at(4), event: 'answer-taken-back', detail: 'ticket-7' },
    ];
    expect(recordedRequirements(timeline, [], question, MASKED)).toEqual([
      { id: 'ticket-7', status: 'open', title: 'Ticket', raisedAt: at(1) },
    ]);
  });

  it('find what a note or a ticket asks in the responses of the partner', () => {
    const response = {
      snapshot: { notes: [{ id: 'note-1a', text: 'a check' }], tickets: [{ ticketId: 7, text: 'a site' }] },
    };
    expect(askedIn(response)).toEqual([
      ['note-1a', 'a check'],
      ['ticket-7', 'a site'],
    ]);
  });
});

it('a masked record has no one-time code, and no number that may identify a person in what others wrote', () => {
  expect(MASKED.theirs({ kind: 'code', code: '123456' })).toEqual({ kind: 'code', code: '[Redacted]' });
  expect(MASKED.theirs('it is 078051120')).toBe('it is [Redacted]');
  expect(MASKED.ours('mid 518000123')).toBe('mid 518000123');
});

const EMAIL = 'ada@example.com';

describe.each([
  ['masked', MASKED, false],
  ['shown', SHOWN, true],
] as const)('in a record whose private values are %s', (_, mask, isShown) => {
  it('is the name of a document', async () => {
    const document = { key: 'k-1', fileName: `${EMAIL}.pdf`, contentType: 'application/pdf' };
    const answer = { requirementId: 'note-1', answer: { kind: 'documents', documents: [document] } };
    const store = { hash: async () => ({ sha256: 'f00', bytes: 7 }) };
    const [result] = await recordedDocuments(store as never, [answer as never], [], mask);
    expect(result).toMatchObject({ key: 'k-1', answered: ['note-1'], sha256: 'f00', bytes: 7 });
    expect(result?.fileName.includes(EMAIL)).toBe(isShown);
  });

  it('is what a partner or a bug says of a failed call', () => {
    const details = { system: 'banking', operation: 'create-card', kind: 'Rejected', fields: [] };
    const rejected = { ...details, reason: `${EMAIL} is taken` };
    const failures = [
      ApplicationFailure.create({ type: 'PartnerError', details: [rejected] }),
      new Error(`${EMAIL} is no number`),
    ];
    const records = failures.map((failure) => ({ activity: 'createCard', end: 'failed', failure }));
    const calls = callsOf(records as never, mask);
    expect(calls.map(({ result }) => result)).toEqual(['rejected', 'failed']);
    for (const { problem } of calls) expect(problem?.includes(EMAIL)).toBe(isShown);
  });
});
