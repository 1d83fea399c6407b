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

export const url = z
  .string()
  .refine((text) => URL.canParse(text), { error: 'must be a URL', abort: true })
  .meta({ format: 'URL' });

const partnerUrl = url
  .refine((text) => isSecureOrLoopback(new URL(text)), 'must be https (http only to loopback)')
  .meta({ format: 'URL with https (http only to loopback)' })
  .optional();

const names = z
  .string()
  .transform((list) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  )
  .meta({ format: 'list with commas' });

/** A rate, which may be less than one. */
const perSecond = z
  .string()
  .regex(
    /^(?!0+(\.0*)?$)\d{1,6}(\.\d{1,3})?$/,
    'must be a number above 0 and below 1000000, such as 5 or 0.5',
  )
  .transform(Number)
  .meta({ format: 'number such as `5` or `0.5`' })
  .optional();

const text = z.string().optional();

/** The URL of a system, which switches it on. */
const switchesOn = (system: string) =>
  partnerUrl.meta({ description: `URL of ${system}.`, unset: 'the system is off' });

/** What a system that is on cannot do without. */
const neededBy = (setting: string, description: string) =>
  text.describe(`${description} Required with \`${setting}\`.`);

const rateOf = (system: string) =>
  perSecond.meta({
    description: `How many activities at ${system} may begin in a second, over all workers together.`,
    unset: 'no limit',
  });

/** The settings of one partner account, by their names without its prefix. */
export const partnerAccountSettings = z.object({
  BOARDING_URL: switchesOn('the boarding partner'),
  BOARDING_USERNAME: neededBy('BOARDING_URL', 'User name at the boarding partner.'),
  BOARDING_PASSWORD: neededBy('BOARDING_URL', 'Password at the boarding partner.'),
  BOARDING_POS_NAMES: names
    .default([])
    .describe('Point-of-sale names that the boarding partner accepts beside `None` and `CustomPos`.'),
  BOARDING_ACTIVITIES_PER_SECOND: rateOf('the boarding partner'),
  BANKING_URL: switchesOn('the bank'),
  BANKING_USERNAME: neededBy('BANKING_URL', 'User name at the bank.'),
  BANKING_PASSWORD: neededBy('BANKING_URL', 'Password at the bank.'),
  BANKING_DEVICE_TOKEN: neededBy('BANKING_URL', 'Identifies this device to the bank.'),
  BANKING_DEVICE_NAME: z.string().default('gangway').describe('Name of this device at the bank.'),
  BANKING_TOTP_SECRET: z
    .string()
    .regex(/^[A-Za-z2-7\s-]+=*$/, 'must be base32')
    .optional()
    .meta({
      description: 'Secret that makes the one-time codes of the second factor.',
      format: 'base32',
      unset: 'a person is asked for each code',
    }),
  BANKING_PARTNER_ID: text.meta({
    description: 'Partner ID at the bank. With it, tokens are requested in the partner form.',
    unset: 'tokens are requested in the user form',
  }),
  BANKING_PATH_SEGMENT: z
    .string()
    .regex(/^[\w.~-]+$/, 'must be one path segment')
    .default(NEUTRAL_SEGMENT)
    .meta({
      description: 'Segment of the bank’s paths where its contract writes `svc`.',
      format: 'one path segment',
    }),
  BANKING_ACTIVITIES_PER_SECOND: rateOf('the bank'),
  PLANT_STORE_URL: switchesOn('the plant store'),
  PLANT_STORE_TOKEN: neededBy('PLANT_STORE_URL', 'Bearer token at the plant store.'),
  PLANT_STORE_ACTIVITIES_PER_SECOND: rateOf('the plant store'),
  PAYMENTS_URL: switchesOn('the payments platform'),
  PAYMENTS_ENVIRONMENT: z.enum(['uat', 'production'], 'must be uat or production').optional().meta({
    description:
      'Environment that `PAYMENTS_URL` leads to. In `production` money moves, and a write must ask for it. Required with a `PAYMENTS_URL` that is not on this machine.',
    unset: '`uat` on this machine',
  }),
  PAYMENTS_API_KEY: neededBy('PAYMENTS_URL', 'API key at the payments platform.'),
  PAYMENTS_API_KEY_HEADER: z
    .string()
    .regex(/^[\w.~+-]+$/, 'must be the name of a header')
    .default(NEUTRAL_KEY_HEADER)
    .meta({ description: 'Header that carries the API key.', format: 'name of a header' }),
  PAYMENTS_ACTIVITIES_PER_SECOND: rateOf('the payments platform'),
  PROCESSOR_URL: switchesOn('the processor'),
  PROCESSOR_API_KEY: neededBy('PROCESSOR_URL', 'API key that the support of the processor issues.'),
  PROCESSOR_ACTIVITIES_PER_SECOND: rateOf('the processor'),
});

type Settings = z.output<typeof partnerAccountSettings>;

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
  return partnerAccountSettings.transform((set, context): Account => {
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
