import type { BankingOperations } from '../../partners/banking/operations.js';
import type { BoardingResponse } from '../../partners/banking/responses.js';
import { operationName } from '../../partners/catalogue.js';
import { type FieldProblem, PartnerError } from '../../partners/partner-error.js';

/** What a boarding response (apis/1) says is wrong, in one piece; empty when nothing is. */
export function problemsIn({
  success,
  errors,
}: Pick<BoardingResponse, 'success' | 'errors'>): readonly FieldProblem[] {
  return success ? [] : [{ field: '', message: errors?.trim() || 'the partner gave no reason' }];
}

/** A success that does not tell what came of it. That is there all the same, for whoever looks for it. */
export function notTold(operation: keyof BankingOperations & string, what: string): PartnerError {
  return new PartnerError({
    system: 'banking',
    operation: operationName(operation),
    kind: 'Uncertain',
    status: 200,
    fields: [],
    reason: `success without ${what}`,
  });
}

/** Whether the partner refused this very request. What a person could help with at the sign-in is no such response. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof PartnerError) || error.details.needs || error.details.atSignIn) return false;
  return error.kind === 'Rejected' || error.kind === 'Forbidden';
}

/** What was looked for, or `none` where the partner answers 404. */
export async function orNone<T>(search: Promise<T>, none: T): Promise<T> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof PartnerError && error.kind === 'Rejected' && error.status === 404) return none;
    throw error;
  }
}
