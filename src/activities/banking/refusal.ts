import type { BankingOperations } from '../../partners/banking/operations.js';
import type { BoardingResponse } from '../../partners/banking/responses.js';
import { operationName } from '../../partners/catalogue.js';
import { type FieldProblem, PartnerError } from '../../partners/partner-error.js';

/** Returns the problems in a boarding response (docs/partner-apis.md#banking-rules) as one text; empty if there are none. */
export function problemsIn({
  success,
  errors,
}: Pick<BoardingResponse, 'success' | 'errors'>): readonly FieldProblem[] {
  return success ? [] : [{ field: '', message: errors?.trim() || 'the partner gave no reason' }];
}

/** The error for a successful response without the ID of the created resource. The resource exists, so a search may find it. */
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
