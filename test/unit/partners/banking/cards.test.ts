import { expect, it } from 'vitest';
import { isClosed } from '../../../../src/partners/banking/client.js';

it.each([
  [3, true],
  ['3', false],
  ['CLOSED', true],
  ['Closed', true],
  [1, false],
  ['SUSPENDED', false],
  [null, false],
])('a card of status %j is closed: %s', (status, expected) => {
  expect(isClosed({ status })).toBe(expected);
});
