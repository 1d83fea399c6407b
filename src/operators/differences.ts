import type { Difference, DifferenceKind } from '../partners/differences.js';

/** The texts of differences, for people. */
export const IN_WORDS: Readonly<Record<DifferenceKind, string>> = {
  'http-status': 'other HTTP status',
  'missing-field': 'missing field',
  'other-type': 'other type',
  'other-form': 'other form',
  'unknown-status': 'unknown status name',
  'unknown-field': 'unknown field',
};

/** The place of a difference, for people. */
export function placeOf({ field }: Pick<Difference, 'field'>): string {
  return field === '' ? 'the whole response' : field;
}
