import { expect, it } from 'vitest';
import { statusShown } from '../../../src/partners/phases.js';

it.each([
  ['UW Level 1: Pending', 'UW Level 1: Pending'],
  [' In\n\u0000review\t', 'In review'],
  ['Wait for 123-45-6789', 'Wait for [Redacted]'],
  ['Wait for 123456789', 'Wait for [Redacted]'],
  ['Ask ada@example.com, (518) 555-0100', 'Ask [Redacted], [Redacted]'],
  ['x'.repeat(200), 'x'.repeat(200)],
  ['x'.repeat(201), `${'x'.repeat(171)}… (shortened, 201 characters)`],
])('a status named %j is shown as %j', (name, shown) => {
  expect(statusShown(name)).toBe(shown);
  expect(statusShown(shown)).toBe(shown);
});
