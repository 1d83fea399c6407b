import { type Account, partnerClients, servedAccounts } from '../../../partners/account-settings.js';
import { observers, type PartnerObserver } from '../../../partners/http.js';
import type { Closable, RegisteredWebhook } from '../../../partners/partner.js';
import { PartnerError } from '../../../partners/partner-error.js';
import { PARTNERS, SYSTEM_NAMES, type SystemName, settingsPrefix } from '../../../partners/systems.js';
import { authSetting, type ReceiverSettings, type SenderRule } from '../../../receiver/settings.js';
import { isSecureOrLoopback, secretsOf } from '../../../settings/settings.js';
import type { WorkerSettings } from '../../../worker/settings.js';
import { type Check, messageOf, ok, type Verdict, warn, wrong } from './check.js';
import { type ClockOffsets, notingClocks } from './clocks.js';

/** Where the checks of all partners take their settings from, and where they leave the partners' clocks. */
interface Surroundings {
  readonly config: WorkerSettings;
  /** As given, with settings that cannot be used. */
  readonly env: NodeJS.ProcessEnv;
  readonly webhooks: ReceiverSettings['webhooks'];
  readonly clocks: ClockOffsets;
  /** Collects the clients, to close them. */
  readonly clients: Closable[];
}

/** A check of the credentials of each system in each account, and of its webhooks where the partner lists them. */
export function partnerChecks({ config, env, webhooks, clocks, clients }: Surroundings): Check[] {
  return servedAccounts(config).flatMap(([name, account]) => {
    const called: Called = new Map();
    const own = partnerClients(account, observers(notingClocks(clocks, name), notingCalls(called)));
    clients.push(...Object.values(own));
    const of = name === undefined ? '' : ` of ${name}`;
    return SYSTEM_NAMES.flatMap((system) => {
      const place: Place = { system, account, client: own[system], env, called };
      if (!account.partners[system]) return offCheck(place, of);
      const fix = `check ${urlSetting(place)} and the network`;
      // A refused sign-in must not be tried twice.
      let credentials: Promise<readonly Verdict[]> | undefined;
      const check: Check = {
        ...{ name: PARTNERS[system].name + of, fix },
        run(signal) {
          credentials = examinePartner(place, signal);
          return credentials;
        },
      };
      if (!PARTNERS[system].webhooks?.registered) return [check];
      const ofWebhooks: Check = {
        ...{ name: `webhooks${of}`, fix },
        async run(signal) {
          if ((await credentials)?.some(({ state }) => state === 'wrong')) return [];
          return examineWebhooks(place, webhooks[system]?.senders ?? [], signal);
        },
      };
      return [check, ofWebhooks];
    });
  });
}

/** A system in an account. */
interface Place {
  readonly system: SystemName;
  readonly account: Account;
  readonly client: Closable;
  readonly env: NodeJS.ProcessEnv;
  readonly called: Called;
}

/** The operations that were called, by system. */
type Called = Map<string, Set<string>>;

function notingCalls(called: Called): PartnerObserver {
  return ({ system, operation }) => {
    called.set(system, (called.get(system) ?? new Set()).add(operation));
    return () => undefined;
  };
}

const urlSetting = ({ system, account }: Place) => `${account.settingsPrefix}${settingsPrefix(system)}URL`;

/** @returns no check for a system that is off and that nothing depends on */
function offCheck(place: Place, of: string): Check[] {
  const { name, whenOff } = PARTNERS[place.system];
  // A URL that is set cannot be used, which is a finding about the settings.
  if (whenOff === undefined || place.env[urlSetting(place)]) return [];
  const [off, fix] = [`off: ${urlSetting(place)} is not set`, `set ${urlSetting(place)}`];
  const verdict = whenOff === 'failure' ? wrong(off, fix) : ok(`${off}, ${whenOff}`);
  return [{ name: name + of, fix, run: async () => [verdict] }];
}

/** Calls the operation that reads the least, and reports what was called. */
async function examinePartner(place: Place, signal: AbortSignal): Promise<Verdict[]> {
  const { system, account, client, called } = place;
  const { url = '', environment } = account.partners[system] ?? {};
  const { credentialsCheck } = PARTNERS[system];
  if (!credentialsCheck) return [ok(`${url}, not checked: it has no operation that only reads`)];
  const calls = () => `called ${[...(called.get(system) ?? ['nothing'])].join(', ')}`;
  try {
    const found = await credentialsCheck.read(client, { signal });
    const parts = [
      `${url} accepts our credentials`,
      calls(),
      found,
      environment && `environment ${environment}`,
    ];
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
      return `check ${urlSetting(place)}, the network and the certificate`;
    case 'RateLimited':
      return `wait, and set ${prefix}ACTIVITIES_PER_SECOND below the partner’s limit`;
    case 'Rejected':
      return `check ${urlSetting(place)}, and ${correct}`;
    case 'Uncertain':
      return `check ${urlSetting(place)}, run "gangway doctor" again, and ask the partner if it persists`;
  }
}

/** The settings that identify the account, as they are set: `BOARDING_USERNAME`, `BOARDING_PASSWORD_FILE`. */
function credentialsOf({ system, account, env }: Place): string[] {
  const { settings } = PARTNERS[system];
  const names = Object.keys(settings.shape).filter(
    (name) => secretsOf(settings).includes(name) || /_(USERNAME|PARTNER_ID)$/.test(name),
  );
  const given = names.map((name) => account.settingsPrefix + name);
  return given.flatMap((name) => [name, `${name}_FILE`].filter((each) => env[each]));
}

/** Compares the webhooks that are registered at the partner with the settings of the receiver. Sends none. */
async function examineWebhooks(
  { system, client }: Place,
  rules: readonly SenderRule[],
  signal: AbortSignal,
): Promise<Verdict[]> {
  const { name, webhooks } = PARTNERS[system];
  const found = await webhooks?.registered?.(client as never, { signal }).catch((error: unknown) => {
    // Not every partner lets every account list them.
    if (error instanceof PartnerError) return messageOf(error);
    throw error;
  });
  if (typeof found === 'string') return [ok(`not checked, because ${found}`)];
  if (found === undefined || found.length === 0) {
    const none = `none is registered at the ${name}, so onboardings notice a change at their next poll`;
    return [rules.length > 0 ? warn(none, 'run "gangway ensure-webhooks FILE"') : ok(none)];
  }
  const verdicts = found.map((webhook) => examineWebhook(system, webhook, rules));
  const problems = verdicts.filter(({ state }) => state !== 'ok');
  return problems.length > 0 ? problems : [ok(verdicts.map(({ detail }) => detail).join('; '))];
}

function examineWebhook(
  system: SystemName,
  { id, topic, url }: RegisteredWebhook,
  rules: readonly SenderRule[],
): Verdict {
  const edit = `run "gangway call ${system} update-webhook" or "delete-webhook" for webhookId ${id}`;
  const target = url === null ? null : URL.parse(url);
  if (!target) return wrong(`webhook ${id} (${topic}) has no URL`, edit);
  // Any other path may hold a secret.
  const [, own, secret] = new RegExp(`(/webhooks/${system})(?:/([^/]+))?$`).exec(target.pathname) ?? [];
  const what = `webhook ${id} (${topic}) to ${target.origin}${own ?? '/...'}${secret ? '/...' : ''}`;
  if (!isSecureOrLoopback(target))
    return wrong(`${what}: anyone on the network can read it`, `${edit}, with https`);
  const accepts = (rule: SenderRule) => rule.kind !== 'path' || rule.secret === secret;
  if (!own || rules.length === 0 || rules.some(accepts)) return ok(what);
  const setting = authSetting(system);
  return wrong(
    `${what}: its secret is none of ${setting}`,
    `${edit}, with the secret of ${setting} at its end`,
  );
}
