import { z } from 'zod';
import { email, json, text } from '../request-members.js';

/** Requests of the payments platform (assumed, apis/4). Where it is not known what more there is, members travel as they are. */

/** Money is in cents. */
const cents = z.int().min(1, 'must be cents, 1 or more');

export const page = {
  search: text.optional(),
  account_id: text.optional(),
  status: text.optional(),
  limit: z.int().min(1).max(200).optional(),
  offset: z.int().min(0).optional(),
};

const address = z.strictObject({
  street_line1: text,
  street_line2: z.string().optional(),
  city: text,
  state: text,
  zip: text,
});

/** v1 and v2 of creating an account. */
export const newAccount = z.looseObject({
  type: z.enum(['admin', 'psp', 'partner', 'merchant']),
  name: text,
  description: text,
  address,
  admin_email: email.optional(),
  mcc: text.optional(),
  parent_id: text.optional(),
  tax_id: text.optional(),
});

export const newTerminal = z.looseObject({ account_id: text, name: text, location_id: text.optional() });

export const newLocation = z.looseObject({ account_id: text, name: text, address });

export const newBatch = z.looseObject({ account_id: text });

/** `permissions` are the scopes of the key, whose names the contract leaves out. */
export const newApiKey = z.strictObject({
  name: text,
  permissions: z.array(text).min(1, 'must name a permission'),
});

/** Initiation of a contactless card-present payment at a terminal. */
export const newPayment = z.looseObject({ terminal_id: text, amount: cents, event_id: text });

const ofPayment = { transaction_id: text, event_id: text };

/** All of it when `amount` is null or absent. */
const upToAll = cents.nullish();

/** The actions on a payment. `event_id` makes each of them safe to repeat, see `event-id.ts`. */
export const capture = z.strictObject({
  ...ofPayment,
  amount: upToAll,
  tip_amount: z.int().min(0, 'must be cents, 0 or more').optional(),
  breakdown: json.optional(),
});
export const increment = z.strictObject({ ...ofPayment, amount: cents });
export const refund = z.strictObject({ ...ofPayment, amount: upToAll });
export const reversal = z.strictObject({ ...ofPayment, amount: upToAll });
export const adjustment = z.strictObject({ ...ofPayment, amount: cents });
export const confirmation = z.strictObject({ ...ofPayment, confirm: z.boolean() });
