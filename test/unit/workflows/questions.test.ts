import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ticketIdOf } from '../../../src/workflows/business/questions.js';

const KINDS = [
  'underwriting-note',
  'changes-requested',
  'not-submitted',
  'unclear-mid',
  'ticket',
  'locked-profile',
  'rejected-input',
  'uncertain-write',
  'credentials',
  'one-time-code',
  'unreadable',
  'software-error',
  'new-status',
  'waiting',
];

// It alone notices a question whose text is written between workflow code, where nobody reviews its wording.
it('every question to a person has its text in a file of questions', () => {
  const kindsIn = (file: string) => {
    const literals = readFileSync(file, 'utf8').matchAll(/\bkind: '([a-z-]{1,40})'/g);
    return [...literals].flatMap(([, kind = '']) => (KINDS.includes(kind) ? [kind] : []));
  };
  const files = globSync('src/workflows/**/*.ts');
  const elsewhere = files.filter((file) => !/\bquestions\.ts$/.test(file) && kindsIn(file).length > 0);
  expect(elsewhere).toEqual([]);
  const questions = files.filter((file) => /\bquestions\.ts$/.test(file)).flatMap(kindsIn);
  expect([...new Set(questions)].sort()).toEqual([...KINDS].sort());
});

it('the question about a ticket has the ID of the ticket', () => {
  expect(ticketIdOf({ about: 'ticket-7' })).toBe(7);
});
