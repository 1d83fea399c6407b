import { z } from 'zod';
import { businessPart } from './business-onboarding-input.js';
import { externalId } from './external-id.js';
import { boardingPart } from './merchant-boarding-input.js';
import { terminalPart } from './terminal-provisioning-input.js';

/**
 * A customer to take aboard at both partners, as people write it in a file (see examples/).
 *
 * @param posNames point-of-sale names the boarding partner knows beside `None` and `CustomPos`.
 */
export function customerOnboardingInput(posNames: readonly string[] = []) {
  return z.strictObject({
    externalId,
    boarding: boardingPart(posNames),
    business: businessPart,
    /** What the merchant gets at the payments platform once it is boarded; nothing unless given. */
    provisionTerminal: terminalPart.optional(),
    /** What happens to the other one when one of the two ends without success. */
    onDecline: z.enum(['continue', 'cancel-other']).default('continue'),
  });
}

export type CustomerOnboardingInput = z.output<ReturnType<typeof customerOnboardingInput>>;
