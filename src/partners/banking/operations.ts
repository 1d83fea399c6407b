import type { Operations } from '../catalogue.js';
import { accountOperations } from './account-operations.js';
import { cardOperations } from './card-operations.js';
import { MESSAGE_OPERATIONS } from './message-operations.js';
import { PARTNER_OPERATIONS } from './partner-operations.js';
import { profileOperations } from './profile-operations.js';
import { TOKEN_OPERATIONS } from './token-operations.js';

/** What the contract writes in place of the brand segment in its paths. */
export const NEUTRAL_SEGMENT = 'svc';

/**
 * The banking API: every operation that apis/1 names, E1 to E15 as printed there, the others, which it names without
 * shapes, with those that apis/4 reports or that their neighbours have.
 *
 * @param pathSegment what stands in the paths for the neutral segment `svc`.
 * @throws {TypeError} when that is not one plain path segment.
 */
export function bankingOperations(pathSegment: string = NEUTRAL_SEGMENT) {
  if (!/^[\w.~-]+$/.test(pathSegment))
    throw new TypeError('the path segment must be letters, digits, - . _ ~');
  return {
    ...TOKEN_OPERATIONS,
    ...profileOperations(pathSegment),
    ...cardOperations(pathSegment),
    ...accountOperations(pathSegment),
    ...MESSAGE_OPERATIONS,
    ...PARTNER_OPERATIONS,
  } as const satisfies Operations;
}

export type BankingOperations = ReturnType<typeof bankingOperations>;
