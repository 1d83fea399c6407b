import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { type Operation, operationName } from '../../partners/catalogue.js';
import { writeExactly } from '../../partners/json.js';
import { NEUTRAL_KEY_HEADER } from '../../partners/payments/client.js';
import { PAYMENTS_OPERATIONS, type PaymentsOperations } from '../../partners/payments/operations.js';
import {
  AUTHORIZED,
  CAPTURED,
  DECLINED,
  PENDING,
  type page,
  REFUNDED,
  SETTLED,
  SURCHARGE_PENDING,
  VERSIONS,
} from '../../partners/payments/schemas.js';
import {
  type EmulatedPartner,
  type Handlers,
  invalid,
  isKey,
  partnerRoutes,
  plainBody,
  Refusal,
  type World,
} from './routes.js';
import { scenarioOf, unknownMagicValue } from './scenario.js';
import { type Owner, Store, usualHandlers } from './store.js';

/** The payments platform (docs/partner-apis.md#payments-platform): stores of its records, and the actions on a payment. */

type Key = keyof PaymentsOperations & string;
type Request<Of extends Key> = z.output<PaymentsOperations[Of]['request']>;

interface KeyHolder extends Owner {
  readonly permissions: readonly string[];
}

interface ApiKey extends KeyHolder {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
}

/** A record in an account. */
interface InAccount {
  readonly id: string;
  readonly account_id: string;
}

interface Terminal extends InAccount {
  readonly name: string;
}

interface Batch extends InAccount {
  readonly status: 'open' | 'closed';
}

/** Amounts are in cents. */
interface Payment extends InAccount {
  readonly status: string;
  readonly amount: number;
  readonly captured_amount: number;
  readonly refunded_amount: number;
  readonly passthrough: boolean;
}

const ALL = '*';
const RESOURCES = Object.keys(VERSIONS);

/** Keys that exist from the start, by name. The contract does not name permissions: the sandbox's are `accounts:read` and so on. */
const PAYMENTS_KEYS: readonly (KeyHolder & { readonly name: string })[] = [
  { name: 'sandbox', partnerId: 1, permissions: [ALL] },
  { name: 'read-only', partnerId: 1, permissions: RESOURCES.map((resource) => `${resource}:read`) },
  { name: 'other-partner', partnerId: 2, permissions: [ALL] },
];

/** The status of a sale at a terminal whose name ends in the scenario's, as in `Till [declined]`. */
const TERMINAL_SCENARIOS: Readonly<Record<string, string>> = {
  straight: CAPTURED,
  declined: DECLINED,
  surcharge: SURCHARGE_PENDING,
  // The platform only forwards card data, and PUT /v1/transactions/{id} enters the outcome.
  passthrough: PENDING,
};

interface Asked {
  readonly amount?: number | null;
  readonly tip_amount?: number;
  readonly confirm?: boolean;
}

type Change = (payment: Payment, fields: Asked) => Partial<Payment>;

/**
 * Each action on a payment by the last segment of its paths: the statuses that allow it, and what it changes
 * (docs/partner-apis.md#payments-platform-assumptions).
 */
const ACTIONS: Readonly<Record<string, readonly [from: readonly string[], change: Change]>> = {
  capture: [
    [AUTHORIZED],
    (payment, { amount, tip_amount = 0 }) => ({
      status: CAPTURED,
      captured_amount: upTo(payment.amount, amount) + tip_amount,
    }),
  ],
  auth: [[AUTHORIZED], (payment, { amount }) => ({ amount: payment.amount + (amount ?? 0) })],
  refund: [
    [CAPTURED, SETTLED],
    ({ status, captured_amount, refunded_amount }, { amount }) => {
      const refunded = refunded_amount + upTo(captured_amount - refunded_amount, amount);
      return { refunded_amount: refunded, status: refunded === captured_amount ? REFUNDED : status };
    },
  ],
  // No document names the status of a payment that was reversed.
  reverse: [
    [AUTHORIZED, CAPTURED],
    (payment, { amount }) => {
      const left = payment.amount - upTo(payment.amount, amount);
      return left === 0 ? { status: 'reversed' } : { amount: left };
    },
  ],
  adjust: [[AUTHORIZED, CAPTURED], (payment, { amount }) => ({ amount: amount ?? payment.amount })],
  confirm: [
    [SURCHARGE_PENDING],
    (payment, { confirm }) => (confirm ? captured(payment) : { status: DECLINED }),
  ],
};

function upTo(all: number, amount: number | null = all): number {
  const part = amount ?? all;
  if (part > all) throw invalid('amount', `is more than ${all}`);
  return part;
}

function captured({ amount }: Payment): Partial<Payment> {
  return { status: CAPTURED, captured_amount: amount };
}

/** A record of another partner gets a 404, like one that does not exist (docs/partner-apis.md#payments-platform-rules). */
const resource = (kind: string) =>
  ({
    kind,
    hidesOthers: true,
    id: (number: number) => `${kind}-${1_000 + number}`,
    list: (records: readonly object[], wanted: z.output<z.ZodObject<typeof page>>) =>
      pageOf(`${kind}s`, records, wanted),
  }) as const;

function pageOf(
  name: string,
  records: readonly object[],
  { search = '', limit = 50, offset = 0, ...fields }: z.output<z.ZodObject<typeof page>>,
) {
  const match = records.filter(
    (record) =>
      Object.entries(fields).every(([field, value]) => record[field as keyof typeof record] === value) &&
      writeExactly(record).toLowerCase().includes(search.toLowerCase()),
  );
  const page = { limit, offset, page: Math.floor(offset / limit) + 1 };
  return { ...page, [name]: match.slice(offset, offset + limit), total: match.length };
}

/** The operations that start a payment or act on one. */
function paymentHandlers(
  transactions: Store<Payment>,
  terminals: Store<Terminal>,
  record: (operation: Key, id: string) => void,
): Partial<Handlers<PaymentsOperations, KeyHolder>> {
  /** The same call again gets the first response and does nothing. A refused call may be tried again. */
  const responses = new Map<string, object>();
  const once = (operation: Key, owner: Owner, of: readonly string[], perform: () => Payment): object => {
    const call = writeExactly([owner.partnerId, operation, ...of]);
    const response = responses.get(call);
    if (response) return response;
    const payment = perform();
    record(operation, payment.id);
    responses.set(call, { ...payment });
    return payment;
  };

  const starts = (operation: 'startPayment' | 'startPreauth', approved: string) => {
    return ({ event_id, ...fields }: Request<'startPayment'>, owner: Owner) =>
      once(operation, owner, [event_id], () => {
        if (!terminals.has(fields.terminal_id, owner)) throw invalid('terminal_id', 'is unknown');
        const { account_id, name } = terminals.get(fields.terminal_id, owner);
        const scenario = scenarioOf(TERMINAL_SCENARIOS, name);
        const status = scenario === CAPTURED ? approved : scenario;
        const captured_amount = status === CAPTURED ? fields.amount : 0;
        const amounts = { captured_amount, refunded_amount: 0, passthrough: status === PENDING };
        return transactions.create({ ...fields, account_id, status, ...amounts }, owner);
      });
  };

  const actions = Object.entries(PAYMENTS_OPERATIONS).flatMap(([operation, { path }]) => {
    const [from, change] = ACTIONS[path.split('/').at(-1) ?? ''] ?? [];
    if (!from || !change) return [];
    const act = ({ transaction_id: id, event_id, ...fields }: Request<'refundTransaction'>, owner: Owner) =>
      once(operation as Key, owner, [id, event_id], () => {
        const payment = transactions.get(id, owner);
        if (!from.includes(payment.status))
          throw new Refusal(400, `The payment is ${payment.status}, not ${from.join(' or ')}`);
        return Object.assign(payment, change(payment, fields as Asked));
      });
    return [[operation, act]];
  });

  return {
    ...Object.fromEntries(actions),
    startPayment: starts('startPayment', CAPTURED),
    startPreauth: starts('startPreauth', AUTHORIZED),
    updateTransaction: ({ transaction_id: id, ...fields }, owner) => {
      if (!transactions.get(id, owner).passthrough)
        throw new Refusal(401, 'The processor manages this transaction directly');
      const payment = transactions.update(id, fields, owner);
      record('updateTransaction', id);
      return payment.status === CAPTURED ? Object.assign(payment, captured(payment)) : payment;
    },
  };
}

function paymentsService(world: World) {
  const accounts: Store<{ readonly id: string; readonly name: string }> = new Store({
    ...resource('account'),
    initial: () => ({ status: 'active', created_at: new Date().toISOString() }),
  });
  const check = ({ account_id: id }: { readonly account_id?: unknown }, owner: Owner) => {
    if (id !== undefined && !accounts.has(id, owner)) throw invalid('account_id', 'is unknown');
  };
  const terminals = new Store<Terminal>({
    ...resource('terminal'),
    initial: () => ({ status: 'active' }),
    check: (fields, owner) => {
      check(fields, owner);
      const { name = '' } = fields as Partial<Terminal>;
      if (!scenarioOf(TERMINAL_SCENARIOS, name))
        throw invalid('name', unknownMagicValue(TERMINAL_SCENARIOS, name));
    },
  });
  const keys = new Store<ApiKey>({
    ...resource('apikey'),
    initial: ({ partnerId }) => ({ partnerId, secret: `made-${randomUUID()}` }),
    render: ({ id, name, permissions }) => ({ id, name, permissions }),
  });
  const batches = new Store<Batch>({ ...resource('batch'), check, initial: () => ({ status: 'open' }) });
  const transactions = new Store<Payment>(resource('transaction'));

  const record = (operation: Key, id: number | string) =>
    world.ledger.record({ system: 'payments', operation: operationName(operation), id });

  const own: Partial<Handlers<PaymentsOperations, KeyHolder>> = {
    ...paymentHandlers(transactions, terminals, record),
    createApiKey: (fields, owner) => {
      const { secret, ...key } = keys.create(fields, owner);
      record('createApiKey', key.id);
      return { ...keys.render({ secret, ...key }), key: secret };
    },
    // v2 also makes an organization, a webhook application and an API key (docs/partner-apis.md#payments-platform).
    createAccount: (fields, owner) => {
      const account = accounts.create(fields, owner);
      record('createAccount', account.id);
      const { id, name, secret } = keys.create({ name: account.name, permissions: [ALL] }, owner);
      return {
        ...account,
        organization: { id: `organization-${account.id}`, name },
        webhook_app: { id: `webhook-app-${account.id}` },
        api_key: { id, name, key: secret },
      };
    },
    closeBatch: ({ batch_id: id }, owner) => {
      const batch = batches.get(id, owner);
      for (const payment of transactions.of(owner))
        if (payment.account_id === batch.account_id && payment.status === CAPTURED)
          Object.assign(payment, { status: SETTLED });
      record('closeBatch', id);
      return Object.assign(batch, { status: 'closed' });
    },
  };
  const stores = {
    '/v1/accounts': accounts,
    '/v5/apikeys': keys,
    '/v2/terminals': terminals,
    '/v1/locations': new Store({ ...resource('location'), check }),
    '/v1/batches': batches,
    '/v1/transactions': transactions,
  };
  addMerchants(accounts, terminals);
  return {
    handlers: { ...usualHandlers(PAYMENTS_OPERATIONS, stores, record), ...own } as Handlers<
      PaymentsOperations,
      KeyHolder
    >,
    holderOf: (key: unknown): KeyHolder | undefined =>
      PAYMENTS_KEYS.find(({ name }) => isKey(name, String(key), world.password)) ??
      keys.of().find(({ secret }) => secret === key),
  };
}

/** The initial state: for each partner a merchant with one terminal of either flow. */
function addMerchants(accounts: Store<{ readonly id: string }>, terminals: Store<Terminal>): void {
  const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
  const bakery = { type: 'merchant', name: 'Corner Bakery', description: 'Bakes bread', address };
  for (const partnerId of new Set(PAYMENTS_KEYS.map((key) => key.partnerId))) {
    const { id: account_id } = accounts.create(bakery, { partnerId });
    for (const name of ['Counter', 'Old till [passthrough]'])
      terminals.create({ name, account_id }, { partnerId });
  }
}

function permits({ permissions }: KeyHolder, { path, effect }: Operation): boolean {
  const [, , resource] = path.split('/');
  const needed = `${resource}:${effect === 'read' ? 'read' : 'write'}`;
  return permissions.includes(ALL) || permissions.includes(needed);
}

/** Serves the payments platform. A path without a version, or with one that its resource lacks, has no route: 404. */
export const paymentsPartner: EmulatedPartner = {
  credentials: { PAYMENTS_API_KEY: 'sandbox' },
  scenarios: {
    terminals: Object.keys(TERMINAL_SCENARIOS),
    paymentsKeys: PAYMENTS_KEYS.map(({ name, ...key }) => ({ key: name, ...key })),
  },
  start(server, world) {
    const { handlers, holderOf } = paymentsService(world);
    partnerRoutes(server, world, {
      name: 'payments',
      operations: PAYMENTS_OPERATIONS,
      handlers,
      admit: ({ headers }, operation) => {
        const caller = holderOf(headers[NEUTRAL_KEY_HEADER]);
        if (!caller) throw new Refusal(401, 'The API key is missing or invalid');
        if (!permits(caller, operation)) throw new Refusal(403, 'The API key has no permission for this');
        return caller;
      },
      envelope: plainBody,
    });
  },
};
