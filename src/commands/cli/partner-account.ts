import type { Command } from 'commander';
import { z } from 'zod';
import { atAccount, splitAccount } from '../../messages/ids.js';
import { accountName, type KnownAccounts } from '../../messages/inputs.js';
import type { PartnerErrorDetails } from '../../partners/partner-error.js';
import { findOnboarding } from '../../temporal/onboardings.js';
import { check } from './arguments.js';
import type { CommandContext } from './command-line.js';
import { InvalidInput, problemLines } from './errors.js';

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
  const option = z.object({ '--partner-account': accountName(known) });
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

/** What became of a partner call that failed, for people: a line, and one for each thing that is wrong. */
export function inWords(failure: PartnerErrorDetails): string {
  return [`the ${failure.system} partner ${whatItDid(failure)}`, ...problemLines(failure.fields)].join('\n');
}

function whatItDid({ kind, reason, needs, atSignIn, status = 401 }: PartnerErrorDetails): string {
  if (needs === 'one-time-code') {
    return 'lets us in with a one-time code only: answer "gangway inbox", or set BANKING_TOTP_SECRET';
  }
  switch (kind) {
    case 'NotSent':
      return `was not reached: ${reason}`;
    case 'RateLimited':
      return 'wants us to wait: too many calls (429)';
    case 'Rejected':
      return `refused this (${reason})`;
    case 'Unauthorized':
      return `refuses our credentials (${status}): correct them in the worker’s settings`;
    case 'Forbidden':
      return atSignIn
        ? 'does not let us sign in (403): the account is locked or suspended'
        : 'does not permit this (403)';
    case 'Uncertain':
      return `gave no clear answer: ${reason}`;
  }
}
