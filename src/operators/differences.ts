import type { Difference, DifferenceKind } from '../partners/differences.js';

/** What a difference is, for people. */
export const IN_WORDS: Readonly<Record<DifferenceKind, string>> = {
  'http-status': 'other HTTP status',
  'missing-field': 'missing field',
  'other-type': 'other type',
  'other-form': 'other form',
  'unknown-status': 'unknown status name',
  'unknown-field': 'unknown field',
};

/** Where a difference is, for people. */
export function placeOf({ field }: Pick<Difference, 'field'>): string {
  return field === '' ? 'the whole response' : field;
}
