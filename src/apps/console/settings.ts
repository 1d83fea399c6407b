import { z } from 'zod';
import { accountNames, readAccounts } from '../../partners/account-settings.js';
import { storeSettings, storesFrom } from '../../platform/documents/open-store.js';
import { REQUESTS_PER_MINUTE } from '../../platform/http/server.js';
import { logSettings } from '../../platform/process/logging.js';
import {
  BadSetting,
  isLoopbackHost,
  isSecureOrLoopback,
  listenAddress,
  listSetting,
  metricsAddress,
  readSettings,
  secureUrl,
  trustedProxies,
  withAdvice,
} from '../../platform/settings/settings.js';
import { followPeople, peopleSettings } from '../../services/inbox/people.js';
import { linkCreationSettings, linksFrom, readTemplates } from '../../services/links/create-link.js';
import { temporalClientSettings } from '../../temporal/connection.js';
import { followFeePlans } from '../../temporal/fee-plans.js';
import { MAX_SESSION_MS } from '../../temporal/sign-outs.js';
import { webUiSettings } from '../../temporal/web-ui.js';

/** The console's settings, without those of each account (partners/account-settings.ts) and those of Temporal. */
export const consoleSettings = z.object({
  CONSOLE_ADDRESS: withAdvice(
    listenAddress
      .prefault('127.0.0.1:8085')
      .describe('Where the console listens. Outside loopback, it requires `OIDC_ISSUER` and `CONSOLE_URL`.'),
    ({ host }, _, { CONSOLE_URL: url }) =>
      !isLoopbackHost(host) &&
      !String(url).startsWith('https:') && {
        why: 'accepts connections from other machines, and CONSOLE_URL is not https',
        fix: 'put a proxy with TLS in front of it, and set CONSOLE_URL to its address (docs/deployment.md)',
      },
  ),
  CONSOLE_METRICS_ADDRESS: metricsAddress('console'),
  CONSOLE_URL: secureUrl
    .refine((text) => new URL(text).href === `${new URL(text).origin}/`, 'must be an address without a path')
    .optional()
    .meta({
      description: 'Address of the console in browsers. Requests for other hosts are rejected.',
      unset: 'its own address, on loopback only',
      address: false,
    }),
  CONSOLE_SESSION_KEYS: listSetting
    .refine(
      (keys) => keys.every((key) => /^[\w.~+/=-]{32,}$/.test(key)),
      'each must be 32 or more letters, digits or signs of "._~+/=-", such as the output of: openssl rand -hex 32',
    )
    .optional()
    .meta({
      description: 'Secrets that encrypt session cookies: the first encrypts, each decrypts.',
      format: 'list of secrets with at least 32 characters',
      unset: 'required with `OIDC_ISSUER`',
      secret: true,
    }),
  CONSOLE_TRUSTED_PROXIES: trustedProxies,
  CONSOLE_PERSON: z.string().optional().meta({
    description:
      'ID of a [colleague](console.md#colleagues), as whom and in whose role everyone acts without `OIDC_ISSUER`.',
    unset: 'the user of this machine, an admin',
  }),
  OIDC_ISSUER: withAdvice(
    secureUrl.optional().meta({
      description: 'Identity provider (OpenID Connect) at which people sign in.',
      unset: 'there is no sign-in, and the console listens on loopback only',
    }),
    (issuer, name) =>
      !issuer && {
        why: 'is not set: anyone on this machine can use the console as an admin',
        fix: `set ${name} and OIDC_CLIENT_ID (docs/deployment.md)`,
      },
  ),
  OIDC_CLIENT_ID: z
    .string()
    .optional()
    .meta({ description: 'Client ID of the console.', unset: 'required with `OIDC_ISSUER`' }),
  OIDC_CLIENT_SECRET: z.string().optional().meta({
    description: 'Client secret of the console.',
    unset: 'public client',
    secret: true,
  }),
  OIDC_SCOPE: z.string().default('openid profile email').describe('Scopes that the console requests.'),
  OIDC_ROLES_CLAIM: z
    .string()
    .default('roles')
    .describe('Claim with a person’s roles: `viewer`, `operator`, `approver`, `admin`. The highest counts.'),
  OIDC_ACCOUNTS_CLAIM: z.string().optional().meta({
    description: 'Claim with the partner accounts that a person may see. `default` is the unnamed account.',
    unset: 'everyone sees all accounts',
  }),
  ...linkCreationSettings.shape,
  ...webUiSettings.shape,
  ...accountNames.shape,
  ...temporalClientSettings.shape,
  ...storeSettings.shape,
  ...peopleSettings.shape,
  GANGWAY_LOG_LEVEL: withAdvice(
    logSettings.shape.GANGWAY_LOG_LEVEL,
    (level, name) =>
      (level === 'warn' || level === 'error') && {
        why: `is ${level}: the console writes no audit log`,
        fix: `set ${name}=info for the console`,
      },
  ),
});

export type OidcSettings = Readonly<NonNullable<ReturnType<typeof oidcFrom>>>;

export type ConsoleSettings = Readonly<ReturnType<typeof loadConsoleSettings>>;

/** @throws {BadSetting} that names the first invalid setting */
export function loadConsoleSettings(environment: NodeJS.ProcessEnv) {
  const set = readSettings(consoleSettings, environment);
  const { host, port } = set.CONSOLE_ADDRESS;
  const oidc = oidcFrom(set);
  const { CONSOLE_URL: address, CONSOLE_SESSION_KEYS: keys } = set;
  if (!isSecureOrLoopback(new URL(`http://${host}`)) && !(oidc && address))
    throw new BadSetting('CONSOLE_ADDRESS', 'must be a loopback address without OIDC_ISSUER and CONSOLE_URL');
  if (oidc && !keys) throw new BadSetting('CONSOLE_SESSION_KEYS', 'is not set, but OIDC_ISSUER is');
  const accounts = readAccounts(environment);
  readTemplates(set.LINK_TEMPLATES_FILE);
  const people = followPeople(set.GANGWAY_PEOPLE_FILE, Object.keys(accounts.accounts));
  const person = people().find(({ id }) => id === set.CONSOLE_PERSON);
  if (set.CONSOLE_PERSON !== undefined && (oidc || !person))
    throw new BadSetting('CONSOLE_PERSON', 'must be an ID in GANGWAY_PEOPLE_FILE, without OIDC_ISSUER');
  return {
    ...accounts,
    ...storesFrom(set),
    ...linksFrom(set),
    host,
    port,
    oidc,
    people,
    /** The person as whom everyone acts if there is no sign-in. Default: the user of this machine. */
    person,
    metricsAddress: set.CONSOLE_METRICS_ADDRESS,
    // Default: the address that the console listens at.
    url: address,
    sessionKeys: keys ?? [],
    idleMs: 30 * 60_000,
    sessionMaxMs: MAX_SESSION_MS,
    requestsPerMinute: REQUESTS_PER_MINUTE,
    trustedProxies: set.CONSOLE_TRUSTED_PROXIES,
    uiUrl: set.GANGWAY_UI_URL,
    taskQueue: set.GANGWAY_TASK_QUEUE,
    dbaForm: set.GANGWAY_DBA,
    fourEyes: set.GANGWAY_FOUR_EYES,
    feePlans: followFeePlans(set.GANGWAY_FEE_PLANS),
    payloadKeys: set.PAYLOAD_KEYS,
    logLevel: set.GANGWAY_LOG_LEVEL,
  };
}

function oidcFrom(set: z.output<typeof consoleSettings>) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = set;
  if (issuer === undefined) return undefined;
  if (clientId === undefined) throw new BadSetting('OIDC_CLIENT_ID', 'is not set, but OIDC_ISSUER is');
  return {
    issuer,
    clientId,
    clientSecret: set.OIDC_CLIENT_SECRET || undefined,
    scope: set.OIDC_SCOPE,
    rolesClaim: set.OIDC_ROLES_CLAIM,
    accountsClaim: set.OIDC_ACCOUNTS_CLAIM,
  };
}
