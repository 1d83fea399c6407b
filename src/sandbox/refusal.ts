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

/** What a caller is told whose request the schema lets pass, but not the state of things. */
export function invalid(field: string, message: string): Refusal {
  return new Refusal(400, 'One or more fields are invalid', [{ field, message }]);
}
