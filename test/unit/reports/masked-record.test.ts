import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { callsOf, documentsOf, MASKED, SHOWN } from '../../../src/reports/record-parts.js';

const EMAIL = 'ada@example.com';

describe.each([
  ['masked', MASKED, false],
  ['shown', SHOWN, true],
] as const)('in a record whose private values are %s', (_, mask, isShown) => {
  it('is the name of a document', async () => {
    const document = { key: 'k-1', fileName: `${EMAIL}.pdf`, contentType: 'application/pdf' };
    const answer = { requirementId: 'note-1', answer: { kind: 'documents', documents: [document] } };
    const store = { hash: async () => ({ sha256: 'f00', bytes: 7 }) };
    const [found] = await documentsOf(store as never, [answer as never], [], mask);
    expect(found).toMatchObject({ key: 'k-1', answered: ['note-1'], sha256: 'f00', bytes: 7 });
    expect(found?.fileName.includes(EMAIL)).toBe(isShown);
  });

  it('is what a partner or a bug says of a failed call', () => {
    const details = { system: 'banking', operation: 'create-card', kind: 'Rejected', fields: [] };
    const rejected = { ...details, reason: `${EMAIL} is taken` };
    const failures = [
      ApplicationFailure.create({ type: 'PartnerError', details: [rejected] }),
      new Error(`${EMAIL} is no number`),
    ];
    const made = failures.map((failure) => ({ activity: 'createCard', end: 'failed', failure }));
    const calls = callsOf(made as never, mask);
    expect(calls.map(({ result }) => result)).toEqual(['rejected', 'failed']);
    for (const { problem } of calls) expect(problem?.includes(EMAIL)).toBe(isShown);
  });
});
