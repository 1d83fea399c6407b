import { z } from 'zod';
import { feeChanges, merchantBasics, submitMerchantRequest } from '../partners/boarding/schemas.js';
import { furtherJson } from '../partners/request-members.js';
import { dueInHours, externalId, partnerId } from './external-id.js';
import {
  allPosNames,
  isPosOf,
  type KnownAccounts,
  knownAccount,
  NO_ACCOUNTS,
  POS_OF_ANOTHER,
} from './known-accounts.js';
import { DEFAULT_DUE_IN_HOURS } from './requirements.js';

const lookupName = z.string().min(1);

/** All that v2 submit takes, checked before the merchant is created; unknown fields may be any JSON. */
const application = submitMerchantRequest
  .extend({ merchantProfileId: z.never('is set by the workflow').optional() })
  .catchall(furtherJson);

/** A merchant to board, as people write it in a file (see examples/). */
export function merchantBoardingInput(known = NO_ACCOUNTS) {
  const input = z.strictObject({ externalId, account: knownAccount(known), ...boardingMembers(known) });
  return oneOfEach(input).refine(({ account, merchant: { pos } }) => isPosOf(known, pos, account), {
    path: ['merchant', 'pos'],
    message: POS_OF_ANOTHER,
  });
}

/** The same without an `externalId`, as part of a customer. */
export function boardingPart(known: KnownAccounts) {
  return oneOfEach(z.strictObject(boardingMembers(known)));
}

function boardingMembers(known: KnownAccounts) {
  return {
    merchant: merchantBasics(allPosNames(known)),
    agentProfileId: partnerId.optional(),
    /** Name of an agent profile, to be looked up. */
    agent: lookupName.optional(),
    boardingSettingsId: partnerId.optional(),
    /** Name of boarding settings, to be looked up; `false` creates the merchant without boarding settings. */
    boardingSettings: z.union([lookupName, z.literal(false)]).optional(),
    /** Fees to change; those not named stay as the boarding settings have them. */
    fees: feeChanges.optional(),
    /** The further fields of v2 submit, sent as they are. */
    application: application.optional(),
    /** v1 is deprecated; v2 unless said otherwise. */
    create: z.enum(['v2', 'v1']).optional(),
    /** Adopt this merchant instead of creating one. */
    merchantProfileId: partnerId.optional(),
    dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
  };
}

/** A thing that is named twice could be two things. */
function oneOfEach<
  Schema extends z.ZodType<{
    agentProfileId?: number | undefined;
    agent?: string | undefined;
    boardingSettingsId?: number | undefined;
    boardingSettings?: string | false | undefined;
  }>,
>(schema: Schema): Schema {
  return schema
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
