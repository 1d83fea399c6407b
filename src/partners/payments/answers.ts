import { z } from 'zod';
import {
  absent,
  idText,
  list,
  someCode,
  someId,
  someInt64,
  someNumber,
  someText,
} from '../answer-members.js';

/** Answers of the payments platform (assumed, apis/4). Members we do not know are kept; what is absent reads as null. */

/** `status` is open, as those of everything here. `created_at` is ISO 8601. */
export const account = z.looseObject({ id: idText, status: someText, created_at: someText, name: someText });

export const terminal = z.looseObject({ id: idText, status: someText, name: someText, account_id: someId });

export const location = z.looseObject({ id: idText, name: someText, account_id: someId });

/** Amounts are in cents. For `status` see `statuses.ts`. */
export const transaction = z.looseObject({
  id: idText,
  status: someText,
  amount: someInt64,
  account_id: someId,
  terminal_id: someId,
});

export const batch = z.looseObject({ id: idText, status: someText, account_id: someId });

/** `key` is the secret itself, which is told once, when the key is made. */
export const apiKey = z.looseObject({
  id: idText,
  name: someText,
  permissions: list(z.string()),
  status: someCode,
  key: absent(z.string()),
});

/** A page of a listing. Without its list it is no answer, lest a wrong assumption reads as "none". */
const page = { limit: someNumber, offset: someNumber, page: someNumber, total: someNumber };

export const accounts = z.looseObject({ ...page, accounts: z.array(account) });
export const terminals = z.looseObject({ ...page, terminals: z.array(terminal) });
export const transactions = z.looseObject({ ...page, transactions: z.array(transaction) });
export const apiKeys = z.looseObject({ ...page, apikeys: z.array(apiKey) });
