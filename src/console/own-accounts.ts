import { type KnownAccounts, knownAccounts } from '../messages/inputs.js';
import type { FieldProblem } from '../partners/partner-error.js';
import type { ConsoleSettings } from './settings.js';
import { maySee, type Visitor } from './visitor.js';

/** The partner accounts in which a person may start something. A schema with only these rejects the others. */
export function ownAccounts(settings: ConsoleSettings, visitor: Visitor): KnownAccounts {
  const { posNames, accounts } = knownAccounts(settings);
  const own = Object.entries(accounts).filter(([name]) => maySee(visitor, name));
  return { posNames, accounts: Object.fromEntries(own) };
}

/** A schema takes an input without an account, which is for the account without a name. */
export function accountProblem(visitor: Visitor, account: string | undefined): FieldProblem | undefined {
  return maySee(visitor, account)
    ? undefined
    : { field: 'account', message: 'is required, because you may not use the account without a name' };
}
