import type { z } from 'zod';
import { fieldProblems } from '../partners/client.js';
import type { FieldProblem } from '../partners/partner-error.js';
import type { OnboardingType } from './ids.js';
import type { KnownAccounts } from './inputs.js';
import { businessOnboardingInput, merchantBoardingInput, terminalProvisioningInput } from './inputs.js';
import { mergePatch } from './objects.js';
import { CORRECTABLE_BUSINESS_FIELDS, CORRECTABLE_MERCHANT_FIELDS } from './onboardings.js';

/** The workflows whose input a person can correct. */
export type CorrectableType = Exclude<OnboardingType, 'customerOnboarding'>;

/** How far an onboarding has come, which decides what a correction still reaches, and where it runs. */
export interface CorrectionContext {
  /** The boarding partner has the merchant: only its fees and its application still reach the partner. */
  readonly merchantExists?: boolean;
  /** The payments platform has the account: only its terminal is still to be created. */
  readonly paymentsAccountExists?: boolean;
  /** Name of our account at the partners; default: the one without a name. The input of a running workflow has none. */
  readonly account?: string | undefined;
  /** The accounts and point-of-sale names that the process knows from its settings. */
  readonly known: KnownAccounts;
}

interface Correctable {
  readonly schema: (known: KnownAccounts) => z.ZodType;
  /** Dotted names of the fields that a correction can change at first. */
  readonly fields: readonly string[];
  /** Those that it can still change. */
  readonly remaining: (context: CorrectionContext) => readonly string[];
}

const TERMINAL_FIELDS = ['provisionTerminal.terminal', 'provisionTerminal.toProduction'];
const TERMINAL_AND_ACCOUNT_FIELDS = ['provisionTerminal.account', ...TERMINAL_FIELDS];

const CORRECTABLE: Readonly<Record<CorrectableType, Correctable>> = {
  merchantBoarding: {
    schema: merchantBoardingInput,
    fields: CORRECTABLE_MERCHANT_FIELDS,
    remaining: ({ merchantExists }) =>
      merchantExists ? ['fees', 'application'] : CORRECTABLE_MERCHANT_FIELDS,
  },
  businessOnboarding: {
    schema: businessOnboardingInput,
    fields: CORRECTABLE_BUSINESS_FIELDS,
    remaining: () => CORRECTABLE_BUSINESS_FIELDS,
  },
  terminalProvisioning: {
    schema: () => terminalProvisioningInput,
    fields: TERMINAL_AND_ACCOUNT_FIELDS,
    remaining: ({ paymentsAccountExists }) =>
      paymentsAccountExists ? TERMINAL_FIELDS : TERMINAL_AND_ACCOUNT_FIELDS,
  },
};

/** Removing it as a whole would submit a merchant without any data; its fields can be removed one by one. */
const APPLICATION_STAYS = {
  field: 'application',
  message: 'cannot be removed as a whole; name the fields to change, with null for those to remove',
};

/**
 * What is wrong with a correction, checked before it changes anything: each field that it can no longer change, and each
 * rule that the input as a whole would break with it. Empty when it can be applied.
 *
 * @param input the current input of the onboarding, with its corrections so far
 * @param patch JSON merge patch (RFC 7396) over it
 */
export function correctionProblems(
  type: CorrectableType,
  input: object,
  patch: unknown,
  context: CorrectionContext,
): FieldProblem[] {
  const { schema, fields, remaining } = CORRECTABLE[type];
  const changeable = remaining(context);
  const canChange = `fields that can: ${changeable.join(', ')}`;
  if (!isObject(patch)) return [{ field: '', message: `must be an object; ${canChange}` }];
  if (Object.keys(patch).length === 0) return [{ field: '', message: `names no field; ${canChange}` }];

  const fixed = unchangeable(patch, changeable).map((field) => ({
    field,
    message: `${fields.includes(field) ? 'can no longer be changed' : 'cannot be changed by a correction'}; ${canChange}`,
  }));
  const refused = patch['application'] === null ? [...fixed, APPLICATION_STAYS] : fixed;
  const { account, known } = context;
  const patched = { ...mergePatch(input, patch), ...(account !== undefined && { account }) };
  const checked = schema(known).safeParse(patched);
  const broken = checked.success ? [] : fieldProblems(checked.error);
  const isRefused = (name: string) =>
    refused.some(({ field }) => name === field || name.startsWith(`${field}.`));
  return [...refused, ...broken.filter(({ field }) => !isRefused(field))];
}

/** Dotted names of what a patch changes although it cannot be changed. */
function unchangeable(
  patch: Readonly<Record<string, unknown>>,
  changeable: readonly string[],
  prefix = '',
): string[] {
  return Object.entries(patch).flatMap(([member, value]) => {
    const field = prefix + member;
    if (changeable.includes(field)) return [];
    if (!changeable.some((name) => name.startsWith(`${field}.`))) return [field];
    // What is no object there breaks a rule of the input, which says it better.
    return isObject(value) ? unchangeable(value, changeable, `${field}.`) : [];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
