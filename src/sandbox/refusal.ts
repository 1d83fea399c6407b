import type { FieldProblem } from '../partners/partner-error.js';

/** A call that the sandbox refuses, as the partner's contract says. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    /** HTTP status. */
    readonly status: number,
    message: string,
    readonly fields: readonly FieldProblem[] = [],
  ) {
    super(message);
  }
}
