import { expect, it } from 'vitest';
import type { Answer } from '../../../src/messages/requirements.js';
import { inShort } from '../../../src/workflows/journey/resolutions.js';

const document = (fileName: string) => ({ key: 'k', fileName, contentType: 'application/pdf' });

it.each<[Answer, string]>([
  [{ kind: 'text', text: 'One sale\nin ten.' }, 'text: One sale in ten.'],
  [{ kind: 'text', text: 'SSN 123-45-6789, or 518-555-0100' }, 'text: SSN [Redacted], or [Redacted]'],
  [{ kind: 'text', text: 'call 123456789 or ada@example.com' }, 'text: call [Redacted] or [Redacted]'],
  [
    { kind: 'documents', documents: [document('check.pdf'), document('id.png')] },
    'documents: check.pdf, id.png',
  ],
  [{ kind: 'documents', documents: [document('123-45-6789.pdf')] }, 'documents: [Redacted].pdf'],
  [
    { kind: 'correction', patch: { application: { volume: 1, a: { b: null } }, fees: {}, list: [1] } },
    'correction: application.volume, application.a.b, fees, list',
  ],
  [{ kind: 'adopt', id: '1001' }, 'adopt: 1001'],
  [{ kind: 'adopt', id: '123-45-6789' }, 'adopt: ***-**-6789'],
  [{ kind: 'choice', choice: 'declined' }, 'choice: declined'],
  [{ kind: 'code', code: '123456' }, 'code'],
  [{ kind: 'take-back' }, 'take-back'],
  [{ kind: 'retry' }, 'retry'],
  [{ kind: 'abandon' }, 'abandon'],
])('the timeline has a short and masked form of %j', (answer, short) => {
  expect(inShort(answer)).toBe(short);
});

it('shortens what is long', () => {
  const text = inShort({ kind: 'text', text: 'x y '.repeat(1_000) });
  expect(text).toMatch(/^text: x y .*… \(shortened, 3999 characters\)$/);
  expect(text.length).toBeLessThan(130);
  const correction = (length: number) =>
    inShort({
      kind: 'correction',
      patch: Object.fromEntries(Array.from({ length }, (_, index) => [`f${index}`, 1])),
    });
  expect(correction(10)).toMatch(/f8, f9$/);
  expect(correction(11)).toMatch(/f9, and 1 more$/);
});
