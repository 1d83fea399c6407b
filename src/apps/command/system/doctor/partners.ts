import { type Account, partnerClients, servedAccounts } from '../../../../partners/account-settings.js';
import {
  PARTNERS,
  SYSTEM_NAMES,
  type SystemName,
  settingsPrefix,
  urlSetting,
} from '../../../../partners/descriptors.js';
import { observers, type PartnerObserver } from '../../../../partners/exchange-observers.js';
import type { Closable } from '../../../../partners/partner.js';
import { PartnerError } from '../../../../partners/partner-error.js';
import { secretsOf } from '../../../../platform/settings/settings.js';
import type { WorkerSettings } from '../../../../worker/settings.js';
import { type Check, type ClockOffsets, messageOf, ok, recordClocks, type Verdict, wrong } from './check.js';

/**
 * Returns checks of the credentials of each system in each account.
 *
 * @param env the environment, including invalid settings
 * @param clients collects the clients, to close them
 */
export function partnerChecks(
  config: WorkerSettings,
  env: NodeJS.ProcessEnv,
  clocks: ClockOffsets,
  clients: Closable[],
): Check[] {
  return servedAccounts(config).flatMap(([name, account]) => {
    const called: Called = new Map();
    const own = partnerClients(account, observers(recordClocks(clocks, name), notingCalls(called)));
    clients.push(...Object.values(own));
    const of = name === undefined ? '' : ` of ${name}`;
    return SYSTEM_NAMES.flatMap((system) =>
      checkOf({ system, account, client: own[system], env, called }, PARTNERS[system].name + of),
    );
  });
}

interface Place {
  readonly system: SystemName;
  readonly account: Account;
  readonly client: Closable;
  readonly env: NodeJS.ProcessEnv;
  readonly called: Called;
}

type Called = Map<string, Set<string>>;

function notingCalls(called: Called): PartnerObserver {
  return ({ system, operation }) => {
    called.set(system, (called.get(system) ?? new Set()).add(operation));
    return () => undefined;
  };
}

const urlOf = ({ system, account }: Place) => account.settingsPrefix + urlSetting(system);

/** @returns an empty list for a system that is off and that nothing depends on */
function checkOf(place: Place, name: string): Check | [] {
  const url = urlOf(place);
  if (place.account.partners[place.system])
    return { name, fix: `check ${url} and the network`, run: (signal) => examinePartner(place, signal) };
  const { whenOff } = PARTNERS[place.system];
  // If the URL is set, it is invalid, and the check of the settings reports it.
  if (whenOff === undefined || place.env[url]) return [];
  const [off, fix] = [`off: ${url} is not set`, `set ${url}`];
  const verdict = whenOff === 'failure' ? wrong(off, fix) : ok(`${off}, ${whenOff}`);
  return { name, fix, run: async () => [verdict] };
}

/** Calls the operation that reads the least, and reports its result. */
async function examinePartner(place: Place, signal: AbortSignal): Promise<Verdict[]> {
  const { system, account, client, called } = place;
  const { url = '', environment } = account.partners[system] ?? {};
  const { credentialsCheck } = PARTNERS[system];
  if (!credentialsCheck) return [ok(`${url}, not checked: it has no read-only operation`)];
  const calls = () => `called ${[...(called.get(system) ?? ['nothing'])].join(', ')}`;
  try {
    const message = await credentialsCheck.read(client, { signal });
    const where = environment && `environment ${environment}`;
    const parts = [`${url} accepts our credentials`, calls(), message, where];
    return [ok(parts.filter(Boolean).join('; '))];
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof PartnerError)) throw error;
    return [wrong(`${messageOf(error)}; ${calls()}`, remedy(place, error))];
  }
}

function remedy(place: Place, { details: { kind, atSignIn, needs, status = 0 } }: PartnerError): string {
  const prefix = place.account.settingsPrefix + settingsPrefix(place.system);
  const correct = `correct ${credentialsOf(place).join(', ')}`;
  if (needs === 'one-time-code')
    return `set ${prefix}TOTP_SECRET, or run "gangway inbox" and answer with --code`;
  if (status >= 500) return 'wait, run "gangway doctor" again, and ask the partner if it persists';
  switch (kind) {
    case 'Unauthorized':
      return correct;
    case 'Forbidden':
      return atSignIn
        ? 'ask the partner to unlock the account'
        : 'ask the partner to allow the account to call this operation';
    case 'NotSent':
      return `check ${urlOf(place)}, the network and the certificate`;
    case 'RateLimited':
      return `wait, and set ${prefix}ACTIVITIES_PER_SECOND below the partner’s limit`;
    case 'Rejected':
      return `check ${urlOf(place)}, and ${correct}`;
    case 'Uncertain':
      return `check ${urlOf(place)}, run "gangway doctor" again, and ask the partner if it persists`;
  }
}

/** Returns the names of the account's settings that are set: `BOARDING_USERNAME`, `BOARDING_PASSWORD_FILE`. */
function credentialsOf({ system, account, env }: Place): string[] {
  const { settings } = PARTNERS[system];
  const names = Object.keys(settings.shape).filter(
    (name) => secretsOf(settings).includes(name) || /_(USERNAME|PARTNER_ID)$/.test(name),
  );
  const value = names.map((name) => account.settingsPrefix + name);
  return value.flatMap((name) => [name, `${name}_FILE`].filter((each) => env[each]));
}
