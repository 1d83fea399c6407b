import { z } from 'zod';
import { atAccount, splitAccount } from '../../messages/ids.js';
import { accountName, type KnownAccounts } from '../../messages/inputs.js';
import { findNamedOnboarding } from '../../temporal/onboardings.js';
import { check, InvalidInput } from '../../texts/invalid-input.js';
import { shellWord } from './arguments.js';
import type { CommandContext } from './command-line.js';

export interface PartnerAccountOptions {
  readonly partnerAccount?: string;
}

/** The account that the option names. @throws {InvalidInput} when it is unknown */
export function partnerAccountOf(
  known: KnownAccounts,
  { partnerAccount }: PartnerAccountOptions,
  what: string,
  effect?: string,
): string | undefined {
  const option = z.object({ '--partner-account': accountName(known) });
  return check(option, { '--partner-account': partnerAccount }, what, effect)['--partner-account'];
}

/**
 * An id with the account that the option names: `m-1001@acme`.
 *
 * @throws {InvalidInput} when the account is unknown, or when the id names another one
 */
export function idInAccount(known: KnownAccounts, id: string, options: PartnerAccountOptions): string {
  const account = partnerAccountOf(known, options, id, 'nothing was done');
  const { key, account: ofId } = splitAccount(id);
  if (account === undefined || ofId === account) return id;
  if (ofId === undefined) return atAccount(key, account);
  throw new InvalidInput(`--partner-account ${account}: ${id} belongs to account ${ofId}`);
}

export interface IdOptions extends PartnerAccountOptions {
  readonly json?: true;
}

/**
 * Finds the workflow that the argument `<id>` names.
 *
 * @returns its description, with what the person types for it in further commands
 * @throws {UnknownOnboarding} when there is none, or more than one
 */
export async function findById(
  { client, config }: CommandContext,
  id: string,
  options: PartnerAccountOptions,
) {
  const given = idInAccount(config, id, options);
  const found = await findNamedOnboarding(client, given, Object.keys(config.accounts));
  return Object.assign(found, { typed: shellWord(given) });
}
