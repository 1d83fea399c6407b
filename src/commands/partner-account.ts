import type { Command } from 'commander';
import { z } from 'zod';
import { atAccount, splitAccount } from '../messages/ids.js';
import { type KnownAccounts, knownAccount } from '../messages/known-accounts.js';
import { findOnboarding } from '../temporal/onboardings.js';
import type { CommandContext } from './context.js';
import { InvalidInput } from './errors.js';
import { check } from './input-file.js';

export interface PartnerAccountOptions {
  readonly partnerAccount?: string;
}

/** For commands without a file that could name the account. `--account` is taken: those are financial accounts. */
export function withPartnerAccount(command: Command): Command {
  return command.option('--partner-account <name>', 'in this one of our accounts at the partners');
}

/** The account that was asked for. @throws {InvalidInput} when we know none of the name */
export function partnerAccountOf(
  known: KnownAccounts,
  { partnerAccount }: PartnerAccountOptions,
  what: string,
  sofar?: string,
): string | undefined {
  const option = z.object({ '--partner-account': knownAccount(known) });
  return check(option, { '--partner-account': partnerAccount }, what, sofar)['--partner-account'];
}

/**
 * What a person gave to name something, with the account that the option names: `m-1001@acme`.
 *
 * @throws {InvalidInput} when we know no account of the name, or when the id names another one
 */
export function idInAccount(known: KnownAccounts, id: string, options: PartnerAccountOptions): string {
  const account = partnerAccountOf(known, options, id, 'nothing was done');
  const { key, account: ofId } = splitAccount(id);
  if (account === undefined || ofId === account) return id;
  if (ofId === undefined) return atAccount(key, account);
  throw new InvalidInput(`--partner-account ${account}: ${id} is of account ${ofId}`);
}

export interface IdOptions extends PartnerAccountOptions {
  readonly json?: true;
}

/** Adds the argument that names an onboarding or operation, and the option that says in which account it is. */
export function withId(command: Command): Command {
  return withPartnerAccount(command.argument('<id>', 'workflow id, externalId or externalId@account'));
}

/** Finds what {@link withId} asked for. @throws {UnknownOnboarding} when there is none, or when it may mean several */
export function findById({ client, config }: CommandContext, id: string, options: PartnerAccountOptions) {
  return findOnboarding(client, idInAccount(config, id, options), Object.keys(config.accounts));
}
