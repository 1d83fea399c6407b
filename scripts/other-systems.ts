import { PAYMENTS_OPERATIONS } from '../src/partners/payments/operations.js';
import { PLANT_STORE_OPERATIONS } from '../src/partners/plant-store/operations.js';
import { PROCESSOR_OPERATIONS } from '../src/partners/processor/operations.js';
import type { System } from './partner-apis.js';

const NEW_ACCOUNT =
  'Takes `type`, `name`, `description` and `address`, optionally `admin_email`, `mcc`, `parent_id`, `tax_id`, and further fields as they are.';
const CHANGES = 'Takes those fields of the creation that change, and returns the whole.';
const PAGE = '`search`, `account_id`, `status`, `limit` (1 to 200) and `offset`';
const LIKE_V3 = 'Takes and returns what v3 does.';

/** The systems of apis/3. */
export const OTHER_SYSTEMS: readonly System[] = [
  {
    title: 'Payments platform',
    catalogue: 'src/partners/payments/operations.ts',
    schemas: 'src/partners/payments/schemas.ts',
    operations: PAYMENTS_OPERATIONS,
    assumptions: {
      'list-accounts':
        'Takes `search`, `status`, `limit` and `offset`, and returns a page, as list-terminals does, with `accounts`.',
      'get-account': 'Returns `id`, `status`, `created_at`, `name`. The address is printed.',
      'create-account-v1': `${NEW_ACCOUNT} Returns the account.`,
      'create-account': `${NEW_ACCOUNT} Returns \`id\`, \`status\` and \`created_at\`; Gangway keeps the fields of the organisation, webhook application and API key as they are.`,
      'update-account': `Is a PUT, in v1. ${CHANGES}`,
      'list-api-keys':
        'Takes `limit` and `offset`, and returns a page, as list-terminals does, with `apikeys`.',
      'get-api-key': 'Returns `id`, `name` and `permissions`.',
      'create-api-key':
        'Takes `name` and `permissions`, a list of names. Returns the key with its secret as `key`.',
      'update-api-key': `Is a PUT. ${CHANGES}`,
      'delete-api-key': 'The shape of the response is unknown; Gangway keeps it as it is.',
      'list-terminals': `Takes ${PAGE}; \`search\` is what the contract names as an operation. Returns \`limit\`, \`offset\`, \`page\`, \`terminals\`, \`total\`. The address is printed.`,
      'create-terminal':
        'Takes `account_id` and `name`, optionally `location_id`, and further fields as they are. Returns the terminal.',
      'get-terminal': 'Returns the terminal.',
      'update-terminal': `Is a PUT. ${CHANGES}`,
      'delete-terminal': 'The shape of the response is unknown; Gangway keeps it as it is.',
      'create-location':
        'Takes `account_id`, `name` and `address` (as of an account), and further fields as they are. Returns the location.',
      'update-location': `Is a PUT. ${CHANGES}`,
      'get-location': 'Returns the location.',
      'list-transactions': `Takes ${PAGE}, and returns a page, as list-terminals does, with \`transactions\`; \`search\` is what the contract names as an operation.`,
      'get-transaction': 'Returns the transaction.',
      'update-transaction':
        'Takes a `status` and further fields as they are. Returns the transaction. Method and address are printed.',
      'open-batch':
        'Is a POST to the resource. Takes `account_id` and further fields as they are. Returns `id`, `status` and `account_id`.',
      'close-batch':
        'Is a POST to `close` below the batch, without a body. Closing it again leaves it closed. Returns the batch.',
      'update-batch': `Is a PUT. ${CHANGES}`,
      'start-payment':
        'Is a POST. Takes `terminal_id`, `amount`, `event_id`, and further fields as they are. Returns the transaction. Gangway does not rely on `event_id` to make a repetition safe.',
      'start-preauth': 'Takes and returns what start-payment does.',
      'capture-payment':
        'Takes `event_id`, optionally `amount` (absent or null: all), `tip_amount`, `breakdown`. Returns the transaction. Method and address are printed.',
      'increment-authorization':
        'The last segment is `auth`. Takes `event_id` and the `amount` to add. Returns the transaction.',
      'refund-payment': 'Takes `event_id` and optionally `amount`. Returns the transaction.',
      'reverse-payment': 'Takes `event_id` and optionally `amount`. Returns the transaction.',
      'adjust-payment':
        'Takes `event_id` and the `amount` that the payment then has. Returns the transaction.',
      'confirm-payment': 'Takes `event_id` and `confirm`, a boolean. Returns the transaction.',
      'capture-payment-v1': LIKE_V3,
      'increment-authorization-v1': LIKE_V3,
      'refund-payment-v1': LIKE_V3,
      'reverse-payment-v1': LIKE_V3,
      'adjust-payment-v1': LIKE_V3,
      'confirm-payment-v1': LIKE_V3,
      'refund-transaction':
        'Is a POST. Takes `transaction_id`, `event_id` and optionally `amount`. Returns the transaction. Gangway does not rely on `event_id` to make a repetition safe.',
    },
    alsoAssumed: [
      'One table lists the versions of each resource (`src/partners/payments/schemas.ts`). Every action on a payment exists in v1 and in v3.',
      'Amounts are whole cents, 1 or more. An `event_id` is a text that the platform remembers. Gangway uses a UUID made from workflow ID and step (`src/partners/payments/schemas.ts`).',
      'Status names of transactions; Gangway keeps and shows any other: `pending`, `surcharge_pending`, `authorized`, `captured`, `settled`, `declined`, `refunded` (`src/partners/payments/schemas.ts`).',
      'Errors have the forms of the banking API (`src/partners/fields.ts`). A 404 means that the thing is missing or not accessible. A 401 of update-transaction means that the flow is no passthrough.',
      'The names of permissions are unknown. Gangway sends any as they are.',
      'A customer’s account is found by `search` of list-accounts for its `mid`, and by a `description` in the response that ends in `mid <mid>`; its terminal by `search` and `account_id` of list-terminals, and by `name` and `account_id` in the response. If the platform does not return these fields, Gangway finds nothing: a person decides about a write with an unknown outcome, and `--again` for the same merchant creates a second account (`src/activities/payments.ts`).',
    ],
  },
  {
    title: 'Processor',
    catalogue: 'src/partners/processor/operations.ts',
    schemas: 'src/partners/processor/operations.ts',
    operations: PROCESSOR_OPERATIONS,
    assumptions: {},
    alsoAssumed: [
      'The envelope’s `status` decides, and not the HTTP status. `errors` is null, absent, an empty list, or messages by field. Gangway keeps `error_code` and `data` as they are (`src/partners/processor/client.ts`).',
      'A refusal with a 2xx that mentions a token is about the API key.',
      'Gangway sends any event name, because the contract has three examples and no complete list.',
    ],
  },
  {
    title: 'Plant store',
    catalogue: 'src/partners/plant-store/operations.ts',
    schemas: 'src/partners/plant-store/operations.ts',
    operations: PLANT_STORE_OPERATIONS,
    assumptions: {},
    alsoAssumed: [
      'A plant in a response has no `id`, as printed. If there is one, Gangway keeps it as the text of its digits, also beyond 2^53.',
    ],
  },
];
