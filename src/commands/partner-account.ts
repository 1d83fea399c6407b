import type { Command } from 'commander';
import { z } from 'zod';
import { type KnownAccounts, knownAccount } from '../messages/known-accounts.js';
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
