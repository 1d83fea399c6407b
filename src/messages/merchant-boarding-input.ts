import { z } from 'zod';
import { createMerchantRequest, feeChanges, int32Id } from '../partners/boarding/schemas.js';
import { DEFAULT_DUE_IN_HOURS } from './merchant-boarding.js';

/** An `externalId` becomes part of a workflow id: visible to everyone, so a plain key and nothing personal. */
export const externalId = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'takes letters, digits and . _ : - and starts with a letter or digit',
  )
  .refine((id) => !/^\d{3}-\d{2}-\d{4}$/.test(id), 'looks like a social security number');

const lookupName = z.string().min(1);

/**
 * A merchant to board, as people write it in a file (see examples/).
 *
 * @param posNames point-of-sale names the partner knows beside `None` and `CustomPos`.
 */
export function merchantBoardingInput(posNames: readonly string[] = []) {
  const { dba, firstName, lastName, email, cashDiscount, pos } = createMerchantRequest(posNames).shape;
  return z
    .strictObject({
      /** The caller's own key; the partner gets it as `guid`. */
      externalId,
      merchant: z.strictObject({ dba, firstName, lastName, email, cashDiscount, pos }),
      agentProfileId: int32Id.optional(),
      /** Name of an agent profile, to be looked up. */
      agent: lookupName.optional(),
      boardingSettingsId: int32Id.optional(),
      /** Name of boarding settings, to be looked up. */
      boardingSettings: lookupName.optional(),
      /** Fees to change; those not named stay as the boarding settings have them. */
      fees: feeChanges.optional(),
      /** The further members of v2 submit, sent as they are. */
      application: z.record(z.string(), z.json()).optional(),
      /** v1 is deprecated; v2 unless said otherwise. */
      create: z.enum(['v2', 'v1']).optional(),
      /** Adopt this merchant instead of creating one. */
      merchantProfileId: int32Id.optional(),
      /** Hours a person has to answer a requirement. */
      dueInHours: z.number().positive().max(8_760).default(DEFAULT_DUE_IN_HOURS),
    })
    .refine((input) => input.agentProfileId === undefined || input.agent === undefined, {
      path: ['agent'],
      message: 'is given beside agentProfileId; give one of the two',
    })
    .refine((input) => input.boardingSettingsId === undefined || input.boardingSettings === undefined, {
      path: ['boardingSettings'],
      message: 'is given beside boardingSettingsId; give one of the two',
    });
}

export type MerchantBoardingInput = z.output<ReturnType<typeof merchantBoardingInput>>;
