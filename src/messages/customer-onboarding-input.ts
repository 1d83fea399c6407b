import { z } from 'zod';
import { businessPart } from './business-onboarding-input.js';
import { externalId } from './external-id.js';
import { isPosOf, knownAccount, NO_ACCOUNTS, POS_OF_ANOTHER } from './known-accounts.js';
import { boardingPart } from './merchant-boarding-input.js';
import { terminalPart } from './terminal-provisioning-input.js';

/** A customer to take aboard at both partners, as people write it in a file (see examples/). */
export function customerOnboardingInput(known = NO_ACCOUNTS) {
  return z
    .strictObject({
      externalId,
      /** Of all its parts. */
      account: knownAccount(known),
      boarding: boardingPart(known),
      business: businessPart,
      /** What the merchant gets at the payments platform once it is boarded; nothing unless given. */
      provisionTerminal: terminalPart.optional(),
      /** What happens to the other one when one of the two ends without success. */
      onDecline: z.enum(['continue', 'cancel-other']).default('continue'),
    })
    .refine(({ account, boarding }) => isPosOf(known, boarding.merchant.pos, account), {
      path: ['boarding', 'merchant', 'pos'],
      message: POS_OF_ANOTHER,
    });
}

export type CustomerOnboardingInput = z.output<ReturnType<typeof customerOnboardingInput>>;
