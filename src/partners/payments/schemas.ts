import { z } from 'zod';
import type { FailureMeaning, Operation } from '../catalogue.js';
import {
  absent,
  email,
  idText,
  json,
  list,
  open,
  someCode,
  someId,
  someInt64,
  someNumber,
  someText,
  sometimes,
  statusName,
  text,
} from '../field-schemas.js';

/** Operations of the payments platform. A path without a version, or with one that its resource lacks, does not compile. */
export type PaymentsCatalogue = Readonly<Record<string, Operation & { readonly path: VersionedPath }>>;

/** Returns the meaning of a 404 for a record that is named in the path or body (docs/partner-apis.md#payments-platform-rules). */
export function missing(thing: string): Readonly<Record<404, FailureMeaning>> {
  return { 404: { message: `there is no such ${thing}, or this API key may not see it` } };
}

/**
 * The versions of each resource of the payments platform: the first two segments of every path
 * (docs/partner-apis.md#payments-platform-rules). `payments` has the actions on a payment; `payment` and `preauth` initiate one.
 */
export const VERSIONS = {
  accounts: ['v1', 'v2'],
  terminals: ['v2'],
  locations: ['v1'],
  transactions: ['v1'],
  payment: ['v3'],
  preauth: ['v3'],
  payments: ['v1', 'v3'],
  refund: ['v3'],
  batches: ['v1'],
  apikeys: ['v5'],
} as const satisfies Readonly<Record<string, readonly `v${number}`[]>>;

type Resource = keyof typeof VERSIONS;

type Prefix = { [Name in Resource]: `/${(typeof VERSIONS)[Name][number]}/${Name}` }[Resource];

export type VersionedPath = Prefix | `${Prefix}/${string}`;

/** Reports whether a path has a version that its resource has, as the types require. */
export function isVersioned(path: string): path is VersionedPath {
  const [start, version, resource] = path.split('/');
  return (
    start === '' &&
    Object.entries(VERSIONS).some(
      ([name, versions]) => name === resource && versions.some((one) => one === version),
    )
  );
}

/** Returns the existing versions for an error message: `/v1/accounts, /v2/accounts, ...` */
export function versionedPrefixes(): string {
  return Object.entries(VERSIONS)
    .flatMap(([name, versions]) => versions.map((version) => `/${version}/${name}`))
    .join(', ');
}

/**
 * Statuses of a transaction (docs/partner-apis.md#payments-platform-assumptions). The contract leaves them out, so any other name
 * is accepted too.
 */
const TRANSACTION_STATUSES = [
  'pending',
  'surcharge_pending',
  'authorized',
  'captured',
  'settled',
  'declined',
  'refunded',
];

/** Requests of the payments platform (assumed: docs/partner-apis.md#payments-platform). Further fields are sent unchanged. */

const cents = z.int().min(1, 'must be cents, 1 or more');

export const pageQuery = {
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

export const newPayment = z.looseObject({ terminal_id: text, amount: cents, event_id: text });

const ofPayment = { transaction_id: text, event_id: text };

/** null or absent means the full amount. */
const upToAll = cents.nullish();

/** The actions on a payment. `event_id` makes each of them safe to repeat. */
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

/**
 * Responses of the payments platform (assumed: docs/partner-apis.md#payments-platform). The contract shows no fields, so unknown
 * ones are kept, and absent ones read as null.
 */
const record = <Shape extends z.ZodRawShape>(shape: Shape) => open(z.looseObject(shape));

/** `status` is open, like all statuses of this platform. `created_at` is ISO 8601. */
export const account = record({
  id: idText,
  status: someText,
  created_at: someText,
  name: someText,
  description: z.string().nullish(),
});

export const terminal = record({
  id: idText,
  status: someText,
  name: someText,
  account_id: someId,
});

export const location = record({ id: idText, name: someText, account_id: someId });

/** Amounts are in cents. */
export const transaction = record({
  id: idText,
  status: statusName(someText, TRANSACTION_STATUSES),
  amount: someInt64,
  account_id: someId,
  terminal_id: someId,
});

export const paymentBatch = record({ id: idText, status: someText, account_id: someId });

/** `key` is the secret itself. Only the response to the create contains it. */
export const apiKey = record({
  id: idText,
  name: someText,
  permissions: list(z.string()),
  status: sometimes(someCode),
  key: sometimes(absent(z.string())),
});

/** A page of a list. Its list is required, so that a wrong assumption does not read as "none". */
const pageFields = { limit: someNumber, offset: someNumber, page: someNumber, total: someNumber };

export const accounts = z.looseObject({ ...pageFields, accounts: z.array(account) });
export const terminals = z.looseObject({ ...pageFields, terminals: z.array(terminal) });
export const transactions = z.looseObject({ ...pageFields, transactions: z.array(transaction) });
export const apiKeys = z.looseObject({ ...pageFields, apikeys: z.array(apiKey) });
