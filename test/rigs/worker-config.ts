import type { NativeConnection } from '@temporalio/worker';
import { sandboxAccount } from '../../src/apps/sandbox/systems.js';
import type { DbaForm } from '../../src/messages/list-fields.js';
import type { FourEyes } from '../../src/messages/requirements.js';
import { type Account, readAccounts } from '../../src/partners/account-settings.js';
import type { SystemName } from '../../src/partners/descriptors.js';
import type { HttpLimits } from '../../src/partners/http.js';
import type { EventSettings } from '../../src/platform/events/sender.js';
import { followFeePlans } from '../../src/temporal/fee-plans.js';
import { type PayloadKeys, parsePayloadKeys } from '../../src/temporal/payload-codec.js';
import type { WorkersConfig } from '../../src/worker/create-worker.js';
import type { WorkerSettings } from '../../src/worker/settings.js';

/** Has no part in the SDK's native runtime: the threads of a simulation read settings here, and must not start one. */

/** Settings of a worker in the process of the test. */
export interface WorkerOptions {
  /** Default: from 50 ms on, and longer the longer a status lasts, so that an onboarding that waits costs little. */
  readonly poll?: { readonly minMs: number; readonly maxMs: number };
  /** Default: an hour, a day and an hour, as in production. */
  readonly stalledCalls?: Partial<WorkerSettings['stalledCalls']>;
  /** Credentials of the boarding partner. Default: `sandbox`. */
  readonly user?: string;
  readonly password?: string;
  /** User at the banking partner, whose password is the name; `null` for no banking partner. Default: `sandbox`. */
  readonly bankingUser?: string | null;
  readonly bankingPassword?: string;
  /** Addresses of partners. Default: the sandbox. */
  readonly boardingUrl?: string;
  readonly bankingUrl?: string;
  readonly paymentsUrl?: string;
  /** Timeouts of the clients of boarding, banking and payments. Default: those of production. */
  readonly limits?: Partial<HttpLimits>;
  /** The clock for the age of tokens of the banking partner, in milliseconds. Default: real time. */
  readonly bankingNow?: () => number;
  /** As in `PAYLOAD_KEYS`; '' leaves payloads in plain text. Default: those of the rig. */
  readonly payloadKeys?: string;
  /** Names of further accounts at the partners, with the credentials of the unnamed account. Default: none. */
  readonly accounts?: readonly string[];
  /** Passwords at the boarding partner, by account, where they differ. Default: none. */
  readonly accountPasswords?: Readonly<Record<string, string>>;
  /** The points of sale of the boarding partner. Default: those of its contract. */
  readonly posNames?: readonly string[];
  /** How lists and logs have the dba. Default: `shown`. */
  readonly dbaForm?: DbaForm;
  readonly fourEyes?: FourEyes;
  /** Folder in which exchanges with partners are recorded. Default: none. */
  readonly record?: string;
  /** Default: not versioned. */
  readonly version?: WorkerSettings['version'];
  /** Default: no limits. */
  readonly activitiesPerSecond?: Partial<Record<SystemName, number>>;
  /** Default: no destination. */
  readonly events?: EventSettings;
}

/** The environment of a worker of a test. */
export interface WorkerPlace {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly sandboxUrl: string;
  readonly documentDir: string;
  readonly statementDir: string;
}

/** Events are published to no destination. */
export const NO_EVENTS: EventSettings = { secrets: [], toLoopback: true, destinations: [] };

/** The settings of a worker of a test. */
export function configOf(
  { sandboxUrl, ...place }: Omit<WorkerPlace, 'connection' | 'namespace'>,
  options: WorkerOptions,
): WorkersConfig {
  const { payloadKeys = '', version, events = NO_EVENTS, accounts = [] } = options;
  const { accountPasswords = {}, dbaForm = 'shown', fourEyes = [] } = options;
  const feePlans = followFeePlans(undefined);
  const { poll = { minMs: 50, maxMs: 10_000 } } = options;
  const stalledCalls = {
    retryAfterMaxMs: 3_600_000,
    stepMs: 24 * 3_600_000,
    unreadableMs: 3_600_000,
    ...options.stalledCalls,
  };
  const account = accountOf(sandboxUrl, options);
  return {
    ...account,
    ...place,
    dbaForm,
    fourEyes,
    feePlans,
    version,
    activePatches: [],
    poll,
    stalledCalls,
    events,
    accounts: Object.fromEntries(
      accounts.map((name) => {
        const password = accountPasswords[name];
        return [name, password === undefined ? account : accountOf(sandboxUrl, { ...options, password })];
      }),
    ),
    payloadKeys: keysFrom(payloadKeys),
  };
}

function accountOf(url: string, options: WorkerOptions): Account {
  const { user = 'sandbox', password = user, activitiesPerSecond = {}, limits = {} } = options;
  const { bankingUser = 'sandbox', bankingPassword = bankingUser ?? '', bankingNow } = options;
  const { boardingUrl = url, bankingUrl = url, paymentsUrl = url } = options;
  const account = readAccounts({
    ...sandboxAccount(url),
    BOARDING_URL: boardingUrl,
    BOARDING_USERNAME: user,
    BOARDING_PASSWORD: password,
    BANKING_URL: bankingUser === null ? '' : bankingUrl,
    BANKING_USERNAME: bankingUser ?? '',
    BANKING_PASSWORD: bankingPassword,
    PAYMENTS_URL: paymentsUrl,
    ...(options.record !== undefined && { GANGWAY_RECORD: options.record }),
    ...(options.posNames && { BOARDING_POS_NAMES: options.posNames.join(',') }),
  });
  const { boarding, banking, payments } = account.partners;
  return {
    ...account,
    activitiesPerSecond,
    partners: {
      ...account.partners,
      boarding: boarding && { ...boarding, limits },
      banking: banking && { ...banking, limits, ...(bankingNow && { now: bankingNow }) },
      payments: payments && { ...payments, limits },
    },
  };
}

export function keysFrom(text: string): PayloadKeys | undefined {
  return text === '' ? undefined : parsePayloadKeys(text);
}
