import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Operation, operationName } from '../../partners/catalogue.js';
import { writeExactly } from '../../partners/json.js';
import { NEUTRAL_KEY_HEADER } from '../../partners/payments/client.js';
import { PAYMENTS_OPERATIONS, type PaymentsOperations } from '../../partners/payments/operations.js';
import { type newAccount, type page, VERSIONS } from '../../partners/payments/schemas.js';
import type { Signs } from '../ledger.js';
import {
  controlsOf,
  type EmulatedPartner,
  type Handlers,
  invalid,
  isKey,
  partnerRoutes,
  plainBody,
  Refusal,
  type World,
} from '../routes.js';
import { scenarioOf, unknownMagicValue } from '../scenario.js';
import { type Owner, Store, usualHandlers } from '../store.js';
import { type Payment, paymentHandlers, TERMINAL_SCENARIOS } from './payments.js';

type Request<Key extends keyof PaymentsOperations> = z.output<PaymentsOperations[Key]['request']>;

interface KeyHolder extends Owner {
  readonly permissions: readonly string[];
}

interface ApiKey extends KeyHolder {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
}

type Account = z.output<typeof newAccount> & { readonly id: string };

interface Place {
  readonly id: string;
  readonly name: string;
  readonly account_id: string;
}

interface Batch {
  readonly id: string;
  readonly account_id: string;
  status: 'open' | 'closed';
  settled: number;
}

const ALL = '*';
const RESOURCES = Object.keys(VERSIONS);

/** The contract leaves the names of permissions out; these are the sandbox's own: `accounts:read` and so on, or all. */
const PERMISSIONS: readonly string[] = [
  ALL,
  ...RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
];

/** Keys that are there from the start. The name is the key. */
const PAYMENTS_KEYS: readonly (KeyHolder & { readonly name: string })[] = [
  { name: 'sandbox', partnerId: 1, permissions: [ALL] },
  { name: 'read-only', partnerId: 1, permissions: RESOURCES.map((resource) => `${resource}:read`) },
  { name: 'other-partner', partnerId: 2, permissions: [ALL] },
];

/** Things of another partner are as if they were not there, as the contract has it (apis/3, 404). */
const resource = (kind: string, list: string = `${kind}s`) =>
  ({
    kind,
    hidesOthers: true,
    id: (number: number) => `${kind}-${1_000 + number}`,
    list: (shown: readonly object[], wanted: Wanted) => pageOf(list, shown, wanted),
  }) as const;

type Wanted = z.output<z.ZodObject<typeof page>>;

const DEFAULT_LIMIT = 50;

function pageOf(name: string, records: readonly object[], wanted: Wanted) {
  const { search = '', limit = DEFAULT_LIMIT, offset = 0, ...fields } = wanted;
  const found = records.filter(
    (record) =>
      Object.entries(fields).every(([field, value]) => record[field as keyof typeof record] === value) &&
      writeExactly(record).toLowerCase().includes(search.toLowerCase()),
  );
  const page = { limit, offset, page: Math.floor(offset / limit) + 1 };
  return { ...page, [name]: found.slice(offset, offset + limit), total: found.length };
}

class PaymentsService {
  readonly #accounts: Store<Account> = new Store<Account>({
    ...resource('account'),
    initial: () => ({ status: 'active', created_at: new Date().toISOString() }),
    check: ({ parent_id }, owner) => this.#checkAccount(parent_id, owner, 'parent_id'),
    signs: ({ description }) => ({ name: description }),
  });
  readonly #keys = new Store<ApiKey>({
    ...resource('apikey'),
    initial: ({ partnerId }) => ({ partnerId, secret: `made-${randomUUID()}` }),
    check: ({ permissions = [] }) => {
      const unknown = (permissions as string[]).findIndex((each) => !PERMISSIONS.includes(each));
      if (unknown >= 0) throw invalid(`permissions.${unknown}`, `must be one of ${PERMISSIONS.join(', ')}`);
    },
    shown: ({ id, name, permissions }) => ({ id, name, permissions }),
  });
  readonly #locations = new Store<Place>({
    ...resource('location'),
    check: ({ account_id }, owner) => this.#checkAccount(account_id, owner),
  });
  readonly #terminals = new Store<Place>({
    ...resource('terminal'),
    initial: () => ({ status: 'active' }),
    check: ({ account_id, location_id, name }, owner) => {
      this.#checkAccount(account_id, owner);
      if (location_id !== undefined && !this.#locations.has(location_id, owner)) {
        throw invalid('location_id', 'is unknown');
      }
      if (name !== undefined && !scenarioOf(TERMINAL_SCENARIOS, String(name))) {
        throw invalid('name', unknownMagicValue(TERMINAL_SCENARIOS, String(name)));
      }
    },
    signs: ({ name, account_id }) => ({ name, of: account_id }),
  });
  readonly #batches: Store<Batch> = new Store<Batch>({
    ...resource('batch', 'batches'),
    initial: () => ({ status: 'open', settled: 0 }),
    check: ({ account_id }, owner, batch) => {
      if (batch?.status === 'closed') throw new Refusal(400, 'The batch is closed');
      this.#checkAccount(account_id, owner);
      const isOpen = (each: Batch) => each.account_id === account_id && each.status === 'open';
      if (!batch && this.#batches.of(owner).some(isOpen)) throw invalid('account_id', 'has an open batch');
    },
  });
  readonly payments = new Store<Payment>({
    ...resource('transaction'),
    shown: (payment, isStatusRead) => {
      payment.advance(isStatusRead);
      return payment.record;
    },
  });
  readonly handlers: Handlers<PaymentsOperations, KeyHolder>;

  constructor(private readonly world: World) {
    const record = (operation: keyof PaymentsOperations, id: number | string, signs?: Signs) =>
      world.ledger.record({ system: 'payments', operation: operationName(operation), id, ...signs });
    const terminalAt = (id: string, owner: Owner) => {
      if (!this.#terminals.has(id, owner)) return undefined;
      const { account_id: accountId, name } = this.#terminals.get(id, owner);
      const scenario = scenarioOf(TERMINAL_SCENARIOS, name);
      return scenario && { accountId, scenario };
    };
    const own: Partial<Handlers<PaymentsOperations, KeyHolder>> = {
      createApiKey: (fields, owner) => {
        const key = this.#keys.create(fields, owner);
        record('createApiKey', key.id);
        return { ...this.#keys.shown(key), key: key.secret };
      },
      createAccount: (fields, owner) => this.#provision(fields, owner, record),
      closeBatch: ({ batch_id }, owner) => {
        const batch = this.#batches.get(batch_id, owner);
        if (batch.status === 'closed') return batch;
        batch.status = 'closed';
        batch.settled = this.payments.of(owner).filter((payment) => payment.settle(batch.account_id)).length;
        record('closeBatch', batch.id);
        return batch;
      },
    };
    const stores = {
      '/v1/accounts': this.#accounts,
      '/v5/apikeys': this.#keys,
      '/v2/terminals': this.#terminals,
      '/v1/locations': this.#locations,
      '/v1/batches': this.#batches,
      '/v1/transactions': this.payments,
    };
    this.handlers = {
      ...usualHandlers(PAYMENTS_OPERATIONS, stores, record),
      ...paymentHandlers(this.payments, terminalAt, world.pace, record),
      ...own,
    } as Handlers<PaymentsOperations, KeyHolder>;
    this.#addMerchants();
  }

  holderOf(shown: string | undefined): KeyHolder | undefined {
    return (
      PAYMENTS_KEYS.find(({ name }) => isKey(name, shown, this.world.password)) ??
      this.#keys.of().find(({ secret }) => secret === shown)
    );
  }

  /** v2 also makes an organization, a webhook application and an API key (apis/3). */
  #provision(
    fields: Request<'createAccount'>,
    owner: Owner,
    record: (operation: 'createAccount', id: string, signs: Signs) => void,
  ) {
    const account = this.#accounts.create(fields, owner);
    record('createAccount', account.id, { name: account.description });
    const { id, name, secret } = this.#keys.create({ name: account.name, permissions: [ALL] }, owner);
    return {
      ...account,
      organization: { id: `organization-${account.id}`, name },
      webhook_app: { id: `webhook-app-${account.id}` },
      api_key: { id, name, key: secret },
    };
  }

  #checkAccount(id: unknown, owner: Owner, field = 'account_id'): void {
    if (id !== undefined && !this.#accounts.has(id, owner)) throw invalid(field, 'is unknown');
  }

  /** The initial state: for each partner a merchant with one terminal of either flow. */
  #addMerchants(): void {
    const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
    const bakery = { type: 'merchant', name: 'Corner Bakery', description: 'Bakes bread', address };
    for (const partnerId of new Set(PAYMENTS_KEYS.map((key) => key.partnerId))) {
      const { id: account_id } = this.#accounts.create(bakery, { partnerId });
      for (const name of ['Counter', 'Old till [passthrough]'])
        this.#terminals.create({ name, account_id }, { partnerId });
    }
  }
}

function permits({ permissions }: KeyHolder, { path, effect }: Operation): boolean {
  const [, , resource] = path.split('/');
  const needed = `${resource}:${effect === 'read' ? 'read' : 'write'}`;
  return permissions.includes(ALL) || permissions.includes(needed);
}

/** Serves the payments platform (apis/3). A path without a version, or with one that its resource lacks, has no route: 404. */
function paymentsRoutes(server: FastifyInstance, service: PaymentsService, world: World): void {
  partnerRoutes(server, world, {
    name: 'payments',
    operations: PAYMENTS_OPERATIONS,
    handlers: service.handlers,
    admit: ({ headers }, operation) => {
      const shown = headers[NEUTRAL_KEY_HEADER];
      const caller = service.holderOf(typeof shown === 'string' ? shown : undefined);
      if (!caller) throw new Refusal(401, 'The API key is missing or invalid');
      if (!permits(caller, operation)) throw new Refusal(403, 'The API key has no permission for this');
      return caller;
    },
    envelope: plainBody,
  });
}

export const paymentsPartner: EmulatedPartner = {
  credentials: { PAYMENTS_API_KEY: 'sandbox' },
  scenarios: {
    terminals: Object.entries(TERMINAL_SCENARIOS).map(([name, { description }]) => ({ name, description })),
    paymentsKeys: PAYMENTS_KEYS.map(({ name, ...key }) => ({ key: name, ...key })),
    paymentsPermissions: PERMISSIONS,
  },
  start(server, world) {
    const service = new PaymentsService(world);
    paymentsRoutes(server, service, world);
    controlsOf(server, {
      kind: 'transaction',
      find: (id) => service.payments.find(id),
      change: z.strictObject({ status: z.string().min(1) }),
      apply: (payment, { status }) => {
        payment.set(status);
        return payment.record;
      },
    });
  },
};
