import { z } from 'zod';
import { newAccount, newTerminal } from '../partners/payments/requests.js';
import { furtherJson, text } from '../partners/request-members.js';
import { dueInHours, externalId } from './external-id.js';
import { DEFAULT_DUE_IN_HOURS } from './requirements.js';

const { name, description } = newAccount.shape;

/**
 * A payments account with a terminal in it (apis/3), as part of a customer. Where the platform may know more members than
 * we do, they travel as they are.
 */
export const terminalPart = z.strictObject({
  account: newAccount
    .extend({
      type: z.never('is always merchant').optional(),
      /** Default: the dba. */
      name: name.optional(),
      /** The `mid` is added to it, by which the account is found again. */
      description: description.optional(),
    })
    .catchall(furtherJson),
  /** Found again by its `name`, so no other of the account may have it. */
  terminal: newTerminal
    .extend({ account_id: z.never('is the account above').optional() })
    .catchall(furtherJson),
  /** Without it, nothing is written to the platform's production. */
  toProduction: z.boolean().optional(),
  dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
});

/** What a merchant that is boarded gets at the payments platform. */
export const terminalProvisioningInput = z.strictObject({
  externalId,
  /** The merchant's. */
  mid: text,
  /** Under this name in the customer's input as well, so that its fields are called the same. */
  provisionTerminal: terminalPart,
});

export type TerminalProvisioningInput = z.output<typeof terminalProvisioningInput>;
