import type { BankingOperations } from '../../partners/banking/operations.js';
import type { BoardingResponse } from '../../partners/banking/responses.js';
import { operationName } from '../../partners/catalogue.js';
import { type FieldProblem, PartnerError } from '../../partners/partner-error.js';

/** The problems in a boarding response (apis/1), as one text; empty when there are none. */
export function problemsIn({
  success,
  errors,
}: Pick<BoardingResponse, 'success' | 'errors'>): readonly FieldProblem[] {
  return success ? [] : [{ field: '', message: errors?.trim() || 'the partner gave no reason' }];
}

/** A successful response without the id of what it created. The resource exists, so a search may find it. */
export function withoutId(operation: keyof BankingOperations & string, what: string): PartnerError {
  return new PartnerError({
    system: 'banking',
    operation: operationName(operation),
    kind: 'Uncertain',
    status: 200,
    fields: [],
    reason: `success without ${what}`,
  });
}

/**
 * Reports whether the partner rejected this request itself, and not the sign-in or the credentials, with which a person can help.
 */
export function isRejected(error: unknown): boolean {
  if (!(error instanceof PartnerError) || error.details.needs || error.details.atSignIn) return false;
  return error.kind === 'Rejected' || error.kind === 'Forbidden';
}

/** The result of a call, or `otherwise` when the partner rejects the request itself. */
export function unlessRejected<T, Otherwise>(call: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  return call.catch((error: unknown) => {
    if (isRejected(error)) return otherwise;
    throw error;
  });
}

/** The result of a search, or `none` when the partner responds with 404. */
export async function orNone<T>(search: Promise<T>, none: T): Promise<T> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof PartnerError && error.kind === 'Rejected' && error.status === 404) return none;
    throw error;
  }
}
