import { z } from 'zod';
import type { BankingSettings } from './banking/client.js';
import { NEUTRAL_SEGMENT } from './banking/operations.js';
import type { PartnerSettings } from './clients.js';
import { isLoopback, isSecureOrLoopback } from './http.js';
import { NEUTRAL_KEY_HEADER, type PaymentsSettings } from './payments/client.js';
import type { SystemName } from './systems.js';

/** An account at the partners: how they know us in it, and how much they let us ask. */
export interface Account extends PartnerSettings {
  readonly settingsPrefix: string;
  /** How many activities may begin in a second over all workers, by system; one that is left out has no limit. */
  readonly activitiesPerSecond: Readonly<Partial<Record<SystemName, number>>>;
}

export const url = z.string().refine((text) => URL.canParse(text), { error: 'must be a URL', abort: true });

const partnerUrl = url
  .refine((text) => isSecureOrLoopback(new URL(text)), 'must be https (http only to loopback)')
  .optional();

const names = z.string().transform((list) =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
);

/** A rate, which may be less than one. */
const perSecond = z
  .string()
  .regex(
    /^(?!0+(\.0*)?$)\d{1,6}(\.\d{1,3})?$/,
    'must be a number above 0 and below 1000000, such as 5 or 0.5',
  )
  .transform(Number)
  .optional();

const text = z.string().optional();

const settings = z.object({
  BOARDING_URL: partnerUrl,
  BOARDING_USERNAME: text,
  BOARDING_PASSWORD: text,
  BOARDING_POS_NAMES: names.default([]),
  BOARDING_ACTIVITIES_PER_SECOND: perSecond,
  BANKING_URL: partnerUrl,
  BANKING_USERNAME: text,
  BANKING_PASSWORD: text,
  BANKING_DEVICE_TOKEN: text,
  BANKING_DEVICE_NAME: z.string().default('gangway'),
  BANKING_TOTP_SECRET: z
    .string()
    .regex(/^[A-Za-z2-7\s-]+=*$/, 'must be base32')
    .optional(),
  BANKING_PARTNER_ID: text,
  BANKING_PATH_SEGMENT: z
    .string()
    .regex(/^[\w.~-]+$/, 'must be one path segment')
    .default(NEUTRAL_SEGMENT),
  BANKING_ACTIVITIES_PER_SECOND: perSecond,
  PLANT_STORE_URL: partnerUrl,
  PLANT_STORE_TOKEN: text,
  PLANT_STORE_ACTIVITIES_PER_SECOND: perSecond,
  PAYMENTS_URL: partnerUrl,
  PAYMENTS_ENVIRONMENT: z.enum(['uat', 'production'], 'must be uat or production').optional(),
  PAYMENTS_API_KEY: text,
  PAYMENTS_API_KEY_HEADER: z
    .string()
    .regex(/^[\w.~+-]+$/, 'must be the name of a header')
    .default(NEUTRAL_KEY_HEADER),
  PAYMENTS_ACTIVITIES_PER_SECOND: perSecond,
  PROCESSOR_URL: partnerUrl,
  PROCESSOR_API_KEY: text,
  PROCESSOR_ACTIVITIES_PER_SECOND: perSecond,
});

type Settings = z.output<typeof settings>;

/** Those of an account's settings that may come from the file that `<NAME>_FILE` names. */
export const ACCOUNT_SECRETS: readonly (keyof Settings)[] = [
  'BOARDING_PASSWORD',
  'BANKING_PASSWORD',
  'BANKING_DEVICE_TOKEN',
  'BANKING_TOTP_SECRET',
  'PLANT_STORE_TOKEN',
  'PAYMENTS_API_KEY',
  'PROCESSOR_API_KEY',
];

/**
 * The settings of one account, by their names without its prefix. A problem's path is the name of the setting.
 *
 * @param prefix what their names begin with in the environment, where a message names another one: `ACME_`
 */
export function accountSettings(prefix = '') {
  return settings.transform((set, context): Account => {
    const wrong = (setting: keyof Settings, message: string) =>
      context.addIssue({ code: 'custom', path: [setting], message });
    /** What a system that is on cannot do without. */
    const needed = (setting: keyof Settings): string => {
      const value = set[setting];
      if (value === undefined) wrong(setting, 'is not set');
      return String(value);
    };
    return {
      settingsPrefix: prefix,
      boarding: set.BOARDING_URL
        ? {
            url: set.BOARDING_URL,
            username: needed('BOARDING_USERNAME'),
            password: needed('BOARDING_PASSWORD'),
          }
        : undefined,
      posNames: set.BOARDING_POS_NAMES,
      banking: set.BANKING_URL ? bankingFrom(set.BANKING_URL, set, needed) : undefined,
      plantStore: set.PLANT_STORE_URL
        ? { url: set.PLANT_STORE_URL, token: needed('PLANT_STORE_TOKEN') }
        : undefined,
      payments: set.PAYMENTS_URL ? paymentsFrom(set.PAYMENTS_URL, set, { prefix, needed, wrong }) : undefined,
      processor: set.PROCESSOR_URL
        ? { url: set.PROCESSOR_URL, apiKey: needed('PROCESSOR_API_KEY') }
        : undefined,
      activitiesPerSecond: limitsFrom(set),
    };
  });
}

type Needed = (setting: keyof Settings) => string;

/** A partner ID makes us a partner, who asks for tokens in a form of its own (apis/1, Token request). */
function bankingFrom(at: string, set: Settings, needed: Needed): BankingSettings {
  const { BANKING_TOTP_SECRET: totpSecret, BANKING_PARTNER_ID: partnerId } = set;
  return {
    url: at,
    username: needed('BANKING_USERNAME'),
    password: needed('BANKING_PASSWORD'),
    deviceToken: needed('BANKING_DEVICE_TOKEN'),
    deviceName: set.BANKING_DEVICE_NAME,
    pathSegment: set.BANKING_PATH_SEGMENT,
    form: partnerId === undefined ? 'user' : 'partner',
    ...(totpSecret !== undefined && { totpSecret }),
    ...(partnerId !== undefined && { partnerId }),
  };
}

/** How host names speak of the one environment, where the other one was meant. */
const SPEAKS_OF_THE_OTHER = {
  uat: /(^|[.-])(prod|production|live)([.-]|$)/i,
  production: /(^|[.-])(uat|sandbox|test|staging)([.-]|$)/i,
} as const;

interface Checks {
  readonly prefix: string;
  readonly needed: Needed;
  readonly wrong: (setting: keyof Settings, message: string) => void;
}

/**
 * The contract has a URL for UAT and one for production, and nothing in them that tells which is which. So it is said
 * beside the URL; a URL of this machine is taken for UAT.
 */
function paymentsFrom(at: string, set: Settings, { prefix, needed, wrong }: Checks): PaymentsSettings {
  const { hostname } = new URL(at);
  if (!isLoopback(new URL(at))) needed('PAYMENTS_ENVIRONMENT');
  const environment = set.PAYMENTS_ENVIRONMENT ?? 'uat';
  if (SPEAKS_OF_THE_OTHER[environment].test(hostname)) {
    wrong('PAYMENTS_ENVIRONMENT', `is ${environment}, and the host of ${prefix}PAYMENTS_URL is not`);
  }
  return {
    url: at,
    environment,
    apiKey: needed('PAYMENTS_API_KEY'),
    apiKeyHeader: set.PAYMENTS_API_KEY_HEADER,
  };
}

function limitsFrom(set: Settings): Account['activitiesPerSecond'] {
  const limits = {
    boarding: set.BOARDING_ACTIVITIES_PER_SECOND,
    banking: set.BANKING_ACTIVITIES_PER_SECOND,
    'plant-store': set.PLANT_STORE_ACTIVITIES_PER_SECOND,
    payments: set.PAYMENTS_ACTIVITIES_PER_SECOND,
    processor: set.PROCESSOR_ACTIVITIES_PER_SECOND,
  } satisfies Record<SystemName, number | undefined>;
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}
