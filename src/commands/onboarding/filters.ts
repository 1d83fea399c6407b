import { type Command, InvalidArgumentError, Option } from 'commander';
import { SYSTEM_NAMES, type SystemName } from '../../partners/names.js';
import { duration } from '../../settings/settings.js';
import type { PartnerAccountOptions } from '../cli/partner-account.js';

/** The options by which the list and the inbox are filtered. */
export interface ListFilter extends PartnerAccountOptions {
  readonly dba?: string;
  readonly system?: SystemName;
  readonly agent?: string;
}

export function withListFilter(command: Command): Command {
  return command
    .option('--dba <name>', 'only this dba')
    .addOption(new Option('--system <name>', 'only at this partner').choices(SYSTEM_NAMES))
    .option('--partner-account <name>', 'only this account at the partners')
    .option('--agent <agentProfileId>', 'only this agent profile');
}

const DAYS_AGO: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };

/** A time in the past, as commander parses options: `today`, `yesterday`, `12h`, `2026-01-31` or an ISO 8601 time. */
export function pastTime(value: string): Date {
  const days = DAYS_AGO[value];
  if (days !== undefined) {
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    midnight.setDate(midnight.getDate() - days);
    return midnight;
  }
  const ago = duration.safeParse(value);
  if (ago.success) return new Date(Date.now() - ago.data);
  // A date alone means the local midnight; the constructor takes it for UTC.
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const at = new Date(isDate ? `${value}T00:00` : value);
  if (/^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(at.getTime())) return at;
  throw new InvalidArgumentError(
    'It must be today, yesterday, a duration such as 12h or 2d, or a date such as 2026-01-31.',
  );
}
