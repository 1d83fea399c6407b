import type { z } from 'zod';
import { columnsOf } from '../../batches/columns.js';
import { fieldsOf } from '../../forms/schema-fields.js';
import {
  businessOnboardingInput,
  customerOnboardingInput,
  merchantBoardingInput,
} from '../../messages/inputs.js';
import { readAccounts } from '../../partners/account-settings.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { fieldTable } from '../partner/call-fields.js';

export function fieldsText(kind: string | undefined, env: NodeJS.ProcessEnv): string {
  return fieldTable(fieldsOf(inputOf(kind, env)));
}

export function columnsText(kind: string | undefined, env: NodeJS.ProcessEnv): string {
  return columnsOf([inputOf(kind, env)]).names.join(',');
}

const INPUTS = {
  merchant: merchantBoardingInput,
  business: businessOnboardingInput,
  customer: customerOnboardingInput,
};

/** @throws {InvalidInput} */
function inputOf(kind: string | undefined, env: NodeJS.ProcessEnv): z.ZodType {
  const [, input] = Object.entries(INPUTS).find(([name]) => name === kind) ?? [];
  if (input) return input(readAccounts(env));
  throw new InvalidInput(`name the input: ${Object.keys(INPUTS).join(', ')}`);
}
