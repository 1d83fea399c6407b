import { type KnownAccounts, knownAccounts } from '../messages/inputs.js';
import type { FieldProblem } from '../partners/partner-error.js';
import type { ConsoleSettings } from './settings.js';

/** The roles in the console. Each includes the ones before it. */
export const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;

/**
 * `viewer` sees onboardings with private values masked. `operator` answers requirements. `approver` decides about uncertain writes,
 * abandons, and confirms what another person proposed. `admin` starts onboardings.
 */
export type Role = (typeof ROLES)[number];

export interface Visitor {
  /** The verified subject at the identity provider; without one, the user of this machine. Workflows record it as the actor. */
  readonly actor: string;
  /** For the page: `Ada Park`. */
  readonly name: string;
  readonly role: Role;
  /** The partner accounts that this person may see, '' for the account without a name; undefined for all. */
  readonly accounts: readonly string[] | undefined;
}

export function hasRole({ role }: Pick<Visitor, 'role'>, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export function maySee({ accounts }: Pick<Visitor, 'accounts'>, account: string | undefined): boolean {
  return accounts === undefined || accounts.includes(account ?? '');
}

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
