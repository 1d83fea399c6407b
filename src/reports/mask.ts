import { REDACTED } from '../privacy/masked.js';
import { withoutPrivate } from '../privacy/private-fields.js';

/** Replaces private values in a record: in a text, or in a JSON value. */
export interface Mask {
  /** Masks what Gangway wrote: timeline, outcome. Its numbers are ids. */
  readonly ours: <Value>(value: Value) => Value;
  /** Masks what others wrote: an input, an answer, a reason, a request. It may quote anything. */
  readonly theirs: <Value>(value: Value) => Value;
}

export const SHOWN: Mask = { ours: (value) => value, theirs: (value) => value };

export const MASKED: Mask = {
  ours: <Value>(value: Value) => withoutPrivate(value, 'log') as Value,
  theirs: <Value>(value: Value) => withoutPrivate(withoutCode(value), 'failure') as Value,
};

/** An answer without its one-time code. */
function withoutCode(value: unknown): unknown {
  const isCode = typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'code';
  return isCode ? { ...value, code: REDACTED } : value;
}
