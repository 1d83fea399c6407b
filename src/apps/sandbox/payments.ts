import type { z } from 'zod';
import { operationName } from '../../partners/catalogue.js';
import { writeExactly } from '../../partners/json.js';
import { NEUTRAL_KEY_HEADER } from '../../partners/payments/client.js';
import { PAYMENTS_OPERATIONS, type PaymentsOperations } from '../../partners/payments/operations.js';
import type { pageQuery } from '../../partners/payments/schemas.js';
import {
  type EmulatedPartner,
  type Handlers,
  invalidField,
  isKey,
  partnerRoutes,
  plainBody,
  Refusal,
  type World,
} from './routes.js';
import { type Owner, type Rules, Store, usualHandlers } from './store.js';

/**
 * The payments platform (docs/partner-apis.md#payments-platform), which no workflow calls: stores of its records, and actions that
 * only change the status of a payment.
 */

interface KeyHolder extends Owner {
  readonly isReadOnly?: true;
}

interface InAccount {
  readonly id: string;
  readonly account_id?: string;
}

const KEYS: Readonly<Record<string, KeyHolder>> = {
  sandbox: { partnerId: 1 },
  'read-only': { partnerId: 1, isReadOnly: true },
  'other-partner': { partnerId: 2 },
};

/** The status of a payment after each action, by the last segment of its paths. */
const STATUS_AFTER: Readonly<Record<string, string>> = {
  payment: 'captured',
  preauth: 'authorized',
  capture: 'captured',
  auth: 'authorized',
  refund: 'refunded',
  // The status of a reversed payment is undocumented.
  reverse: 'reversed',
  adjust: 'authorized',
  confirm: 'captured',
};

/** A record of another partner gets a 404, like one that does not exist (docs/partner-apis.md#payments-platform-rules). */
function storeOf(kind: string, rules: Partial<Rules<InAccount>> = {}) {
  return new Store<InAccount>({
    kind,
    hidesOthers: true,
    id: (number) => `${kind}-${1_000 + number}`,
    list: (records, wanted) => pageOf(`${kind}s`, records, wanted),
    ...rules,
  });
}

function pageOf(
  name: string,
  records: readonly object[],
  { search = '', limit = 50, offset = 0, ...fields }: z.output<z.ZodObject<typeof pageQuery>>,
) {
  const match = records.filter(
    (record) =>
      Object.entries(fields).every(([field, value]) => record[field as keyof typeof record] === value) &&
      writeExactly(record).toLowerCase().includes(search.toLowerCase()),
  );
  const page = { limit, offset, page: Math.floor(offset / limit) + 1 };
  return { ...page, [name]: match.slice(offset, offset + limit), total: match.length };
}

function paymentsHandlers(world: World) {
  const accounts = storeOf('account', {
    initial: () => ({ status: 'active', created_at: new Date().toISOString() }),
  });
  const inAccount = {
    check: ({ account_id: id }: Partial<InAccount>, owner: Owner) => {
      if (id !== undefined && !accounts.has(id, owner)) throw invalidField('account_id', 'is unknown');
    },
    initial: () => ({ status: 'active' }),
  };
  const terminals = storeOf('terminal', inAccount);
  const batches = storeOf('batch', inAccount);
  const transactions = storeOf('transaction');
  const stores = {
    '/v1/accounts': accounts,
    '/v2/accounts': accounts,
    '/v5/apikeys': storeOf('apikey'),
    '/v2/terminals': terminals,
    '/v1/locations': storeOf('location', inAccount),
    '/v1/batches': batches,
    '/v1/transactions': transactions,
  };
  const record = (operation: string, id: number | string) =>
    world.ledger.record({ system: 'payments', operation: operationName(operation), id });

  /** A repeated call gets the first response, without effect. A refused call may be tried again. */
  const responses = new Map<string, object>();
  const actions = Object.entries(PAYMENTS_OPERATIONS).flatMap(([operation, { path }]) => {
    const status = STATUS_AFTER[path.split('/').at(-1) ?? ''];
    if (!status) return [];
    const act = (
      { transaction_id: id, event_id, ...fields }: Readonly<Record<string, unknown>>,
      owner: Owner,
    ) => {
      const call = writeExactly([owner.partnerId, operation, id, event_id]);
      const response = responses.get(call);
      if (response) return response;
      const started = () => {
        if (!terminals.has(fields.terminal_id, owner)) throw invalidField('terminal_id', 'is unknown');
        const { account_id } = terminals.get(String(fields.terminal_id), owner);
        return transactions.create({ ...fields, account_id, status }, owner);
      };
      const payment = id ? Object.assign(transactions.get(String(id), owner), { status }) : started();
      record(operation, payment.id);
      responses.set(call, { ...payment });
      return payment;
    };
    return [[operation, act]];
  });

  // The initial state: a merchant with two terminals for each partner.
  for (const partnerId of [1, 2]) {
    accounts.create({ type: 'merchant', name: 'Corner Bakery', description: 'Bakes bread' }, { partnerId });
    for (const name of ['Counter', 'Old till'])
      terminals.create({ name, account_id: `account-${1_000 + partnerId}` }, { partnerId });
  }
  return {
    ...usualHandlers(PAYMENTS_OPERATIONS, stores, record),
    ...Object.fromEntries(actions),
    closeBatch: ({ batch_id: id }: { readonly batch_id: string }, owner: Owner) => {
      const batch = batches.get(id, owner);
      record('closeBatch', id);
      return Object.assign(batch, { status: 'closed' });
    },
  } as Handlers<PaymentsOperations, KeyHolder>;
}

/** Serves the payments platform. A path without a version, or with one that its resource lacks, has no route: 404. */
export const paymentsPartner: EmulatedPartner = {
  credentials: { PAYMENTS_API_KEY: 'sandbox' },
  scenarios: { paymentsKeys: Object.entries(KEYS).map(([key, holder]) => ({ key, ...holder })) },
  start(server, world) {
    partnerRoutes(server, world, {
      name: 'payments',
      operations: PAYMENTS_OPERATIONS,
      handlers: paymentsHandlers(world),
      admit: ({ headers }, { effect }) => {
        const key = String(headers[NEUTRAL_KEY_HEADER]);
        const [, caller] = Object.entries(KEYS).find(([name]) => isKey(name, key, world.password)) ?? [];
        if (!caller) throw new Refusal(401, 'The API key is missing or invalid');
        if (caller.isReadOnly && effect !== 'read')
          throw new Refusal(403, 'The API key has no permission for this');
        return caller;
      },
      envelope: plainBody,
    });
  },
};
