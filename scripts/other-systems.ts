import { PAYMENTS_OPERATIONS } from '../src/partners/payments/operations.js';
import { PLANT_STORE_OPERATIONS } from '../src/partners/plant-store/operations.js';
import { PROCESSOR_OPERATIONS } from '../src/partners/processor/operations.js';
import type { System } from './partner-apis.js';

const NEW_ACCOUNT =
  'Takes `type`, `name`, `description` and `address`, optionally `admin_email`, `mcc`, `parent_id`, `tax_id`, and further members as they are.';
const CHANGES = 'Takes those members of the creation that change, and answers the whole.';
const PAGE = '`search`, `account_id`, `status`, `limit` (1 to 200) and `offset`';
const LIKE_V3 = 'Takes and answers what v3 does.';

/** The systems of apis/3. */
export const OTHER_SYSTEMS: readonly System[] = [
  {
    title: 'Payments platform',
    catalogue: 'src/partners/payments/operations.ts',
    schemas: 'src/partners/payments/schemas.ts',
    operations: PAYMENTS_OPERATIONS,
    assumptions: {
      'list-accounts':
        'Takes `search`, `status`, `limit` and `offset`, and answers a page, as list-terminals does, with `accounts`.',
      'get-account': 'Answers `id`, `status`, `created_at`, `name`. The address is printed.',
      'create-account-v1': `${NEW_ACCOUNT} Answers the account.`,
      'create-account': `${NEW_ACCOUNT} Answers \`id\`, \`status\` and \`created_at\`; what is told of the organisation, webhook application and API key is kept as it is.`,
      'update-account': `Is a PUT, in v1. ${CHANGES}`,
      'list-api-keys':
        'Takes `limit` and `offset`, and answers a page, as list-terminals does, with `apikeys`.',
      'get-api-key': 'Answers `id`, `name` and `permissions`.',
      'create-api-key':
        'Takes `name` and `permissions`, a list of names. Answers the key with its secret as `key`.',
      'update-api-key': `Is a PUT. ${CHANGES}`,
      'delete-api-key': 'The response is not shown, and is kept as it comes.',
      'list-terminals': `Takes ${PAGE}; \`search\` is what the contract names as an operation. Answers \`limit\`, \`offset\`, \`page\`, \`terminals\`, \`total\`. The address is printed.`,
      'create-terminal':
        'Takes `account_id` and `name`, optionally `location_id`, and further members as they are. Answers the terminal.',
      'get-terminal': 'Answers the terminal.',
      'update-terminal': `Is a PUT. ${CHANGES}`,
      'delete-terminal': 'The response is not shown, and is kept as it comes.',
      'create-location':
        'Takes `account_id`, `name` and `address` (as of an account), and further members as they are. Answers the location.',
      'update-location': `Is a PUT. ${CHANGES}`,
      'get-location': 'Answers the location.',
      'list-transactions': `Takes ${PAGE}, and answers a page, as list-terminals does, with \`transactions\`; \`search\` is what the contract names as an operation.`,
      'get-transaction': 'Answers the transaction.',
      'update-transaction':
        'Takes a `status` and further members as they are. Answers the transaction. Method and address are printed.',
      'open-batch':
        'Is a POST to the resource. Takes `account_id` and further members as they are. Answers `id`, `status` and `account_id`.',
      'close-batch':
        'Is a POST to `close` below the batch, without a body. Closing it again leaves it closed. Answers the batch.',
      'update-batch': `Is a PUT. ${CHANGES}`,
      'start-payment':
        'Is a POST. Takes `terminal_id`, `amount`, `event_id`, and further members as they are. Answers the transaction. That `event_id` makes it safe to repeat is not relied upon.',
      'start-preauth': 'Takes and answers what start-payment does.',
      'capture-payment':
        'Takes `event_id`, optionally `amount` (absent or null: all), `tip_amount`, `breakdown`. Answers the transaction. Method and address are printed.',
      'increment-authorization':
        'The last segment is `auth`. Takes `event_id` and the `amount` to add. Answers the transaction.',
      'refund-payment': 'Takes `event_id` and optionally `amount`. Answers the transaction.',
      'reverse-payment': 'Takes `event_id` and optionally `amount`. Answers the transaction.',
      'adjust-payment':
        'Takes `event_id` and the `amount` that the payment then has. Answers the transaction.',
      'confirm-payment': 'Takes `event_id` and `confirm`, a boolean. Answers the transaction.',
      'capture-payment-v1': LIKE_V3,
      'increment-authorization-v1': LIKE_V3,
      'refund-payment-v1': LIKE_V3,
      'reverse-payment-v1': LIKE_V3,
      'adjust-payment-v1': LIKE_V3,
      'confirm-payment-v1': LIKE_V3,
      'refund-transaction':
        'Is a POST. Takes `transaction_id`, `event_id` and optionally `amount`. Answers the transaction. That `event_id` makes it safe to repeat is not relied upon.',
    },
    alsoAssumed: [
      'Which versions a resource has is fixed in one table (`src/partners/payments/schemas.ts`). Every action on a payment exists in v1 and in v3.',
      'Amounts are whole cents, 1 or more. An `event_id` is a text that the platform remembers; ours is a UUID made from workflow id and step (`src/partners/payments/schemas.ts`).',
      'Status names of transactions, beside which any other is kept and shown: `pending`, `surcharge_pending`, `authorized`, `captured`, `settled`, `declined`, `refunded` (`src/partners/payments/schemas.ts`).',
      'Errors are understood in the forms of the banking API (`src/partners/fields.ts`). A 404 means that the thing is missing or not accessible. A 401 of update-transaction means that the flow is no passthrough.',
      'The names of permissions are not known; any are sent as they are.',
      'A customer’s account is found again by `search` of list-accounts for its `mid`, and a `description` in the answer that ends in `mid <mid>`; its terminal by `search` and `account_id` of list-terminals, and `name` and `account_id` in the answer. Where the platform does not tell these, nothing is found: a write that got lost is then for a person to decide, and `--again` for the same merchant would make a second account (`src/activities/payments.ts`).',
    ],
  },
  {
    title: 'Processor',
    catalogue: 'src/partners/processor/operations.ts',
    schemas: 'src/partners/processor/operations.ts',
    operations: PROCESSOR_OPERATIONS,
    assumptions: {},
    alsoAssumed: [
      'The envelope’s `status` decides, whatever the HTTP status is. `errors` may be null, absent, an empty list, or messages by field; `error_code` and `data` are kept as they come (`src/partners/processor/client.ts`).',
      'A refusal that comes with a 2xx and speaks of a token is one of the API key.',
      'Any event name is sent: the contract names three and no complete list.',
    ],
  },
  {
    title: 'Plant store',
    catalogue: 'src/partners/plant-store/operations.ts',
    schemas: 'src/partners/plant-store/operations.ts',
    operations: PLANT_STORE_OPERATIONS,
    assumptions: {},
    alsoAssumed: [
      'A plant in an answer has no `id`, as printed; should there be one, it is kept as the text of its digits, also beyond 2^53.',
    ],
  },
];
