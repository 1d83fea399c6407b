import { describe, expect, it } from 'vitest';
import { masked } from '../../../src/workflows/journey/published-state.js';

describe('a number that looks like a social security or tax number', () => {
  it.each([
    ['SSN 123-45-6789 does not match', 'SSN ***-**-6789 does not match'],
    ['SSN 123456789, please', 'SSN ***-**-6789, please'],
    ['(123456789)', '(***-**-6789)'],
    ['EIN 12-3456789', 'EIN **-***6789'],
    ['two: 123-45-6789 and 987654321', 'two: ***-**-6789 and ***-**-4321'],
  ])('is masked in the words of others: %s', (text, shown) => {
    expect(masked(text)).toBe(shown);
  });

  it.each([
    'mid 518000000001001',
    'call 5185550100',
    'merchant 12345678',
    'run 01a1fd30-abdc-7c0d-a0c9-9edbb184ef65',
    'due 2026-03-01T10:00:00Z',
    'ref A123456789',
  ])('is not seen where there is none: %s', (text) => {
    expect(masked(text)).toBe(text);
  });
});
