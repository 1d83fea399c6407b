import { type Command, InvalidArgumentError, Option } from 'commander';
import { SYSTEM_NAMES, type SystemName } from '../../partners/names.js';
import { PAST_TIME_RULE, timeBefore } from '../../texts/time.js';
import type { PartnerAccountOptions } from '../cli/partner-account.js';

export interface ListFilter extends PartnerAccountOptions {
  readonly dba?: string;
  readonly system?: SystemName;
  readonly agent?: string;
}

/** Adds the words that a person looks for. */
export function withWords(command: Command): Command {
  return command.argument(
    '[words...]',
    'find: parts of the name in any order, or the beginning of a mid, merchant id, externalId or workflow id',
  );
}

export function withListFilter(command: Command): Command {
  return command
    .option('--dba <name>', 'only this dba')
    .addOption(new Option('--system <name>', 'only at this partner').choices(SYSTEM_NAMES))
    .option('--partner-account <name>', 'only this account at the partners')
    .option('--agent <agentProfileId>', 'only this agent profile');
}

/** A time in the past, as commander parses options: `today`, `yesterday`, `12h`, `2026-01-31` or an ISO 8601 time. */
export function pastTime(value: string): Date {
  const time = timeBefore(value);
  if (time === undefined) throw new InvalidArgumentError(`It ${PAST_TIME_RULE}.`);
  return time;
}
