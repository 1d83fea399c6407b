import { z } from 'zod';

/** The accounts at the partners that a process knows, and what an input may say in each. Its settings are of this shape. */
export interface KnownAccounts {
  /** Point-of-sale names that the boarding partner knows beside `None` and `CustomPos`, in the account without a name. */
  readonly posNames: readonly string[];
  /** The others, by name. */
  readonly accounts: Readonly<Record<string, Pick<KnownAccounts, 'posNames'>>>;
}

/** Nothing but the account without a name. */
export const NO_ACCOUNTS: KnownAccounts = { posNames: [], accounts: {} };

/** Of a process's settings, no more than that. */
export function knownTo({ posNames, accounts }: KnownAccounts): KnownAccounts {
  const named = Object.entries(accounts).map(([name, own]) => [name, { posNames: own.posNames }] as const);
  return { posNames, accounts: Object.fromEntries(named) };
}

/** `account` of an input: the name of an account that somebody works for; the one without a name unless given. */
export function knownAccount({ accounts }: KnownAccounts) {
  const names = Object.keys(accounts);
  const rule =
    names.length === 0
      ? 'there is no account of a name, for GANGWAY_ACCOUNTS is not set'
      : `must be one of GANGWAY_ACCOUNTS: ${names.join(', ')}`;
  return z
    .string()
    .refine((name) => names.includes(name), rule)
    .describe('Name of one of our accounts at the partners')
    .optional();
}

/** Point-of-sale names of all accounts, for the shape of an input. */
export function allPosNames({ posNames, accounts }: KnownAccounts): string[] {
  return [...new Set([posNames, ...Object.values(accounts).map((own) => own.posNames)].flat())];
}

/** Whether a point-of-sale name of any account is one of this account. */
export function isPosOf({ posNames, accounts }: KnownAccounts, pos: string, account?: string): boolean {
  const own = account === undefined ? posNames : accounts[account]?.posNames;
  const isOfSome = allPosNames({ posNames, accounts }).includes(pos);
  return !isOfSome || own === undefined || own.includes(pos);
}

/** What a point-of-sale name is told that only other accounts have. */
export const POS_OF_ANOTHER = 'is known to the partner in another account only';
