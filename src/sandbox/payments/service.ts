import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { operationName } from '../../partners/catalogue.js';
import { NEUTRAL_KEY_HEADER } from '../../partners/payments/client.js';
import { PAYMENTS_OPERATIONS, type PaymentsOperations } from '../../partners/payments/operations.js';
import type { Answer } from '../fault-injection.js';
import type { Ledger } from '../ledger.js';
import type { EmulatedPartner, World } from '../partner.js';
import { type Handlers, invalidControl, notFound, partnerRoutes } from '../routes.js';
import type { Pace } from '../scenario.js';
import {
  Accounts,
  ApiKeys,
  type KeyHolder,
  PAYMENTS_KEYS,
  PERMISSIONS,
  permits,
  type Recorder,
} from './accounts.js';
import { Batches, Payments } from './payments.js';
import { Places, TERMINAL_SCENARIOS } from './places.js';

/** The payments platform behind its API. */
class PaymentsService {
  readonly apiKeys: ApiKeys;
  readonly payments: Payments;
  readonly handlers: Handlers<PaymentsOperations, KeyHolder>;

  constructor(ledger: Ledger, pace: () => Pace, password?: string) {
    const record: Recorder = (operation, id, signs) =>
      ledger.record({ system: 'payments', operation: operationName(operation), id, ...signs });
    this.apiKeys = new ApiKeys(record, password);
    const accounts = new Accounts(this.apiKeys, record);
    const places = new Places(accounts, record);
    this.payments = new Payments(places, pace, record);
    this.handlers = {
      ...accounts.handlers,
      ...this.apiKeys.handlers,
      ...places.handlers,
      ...this.payments.handlers,
      ...new Batches(accounts, this.payments, record).handlers,
    };
    addMerchants(accounts, places);
  }
}

/** The initial state: for each partner a merchant with one terminal of either flow. */
function addMerchants(accounts: Accounts, places: Places): void {
  const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
  for (const partnerId of new Set(PAYMENTS_KEYS.map((key) => key.partnerId))) {
    const description = 'Bakes bread';
    const bakery = { type: 'merchant', name: 'Corner Bakery', description, address } as const;
    const { id: account_id } = accounts.add({ partnerId }, bakery);
    for (const name of ['Counter', 'Old till [passthrough]'])
      places.addTerminal({ partnerId }, { name, account_id });
  }
}

/** Serves the payments platform (apis/3). A path without a version, or with one that its resource lacks, has no route: 404. */
function paymentsRoutes(server: FastifyInstance, service: PaymentsService, world: World): void {
  partnerRoutes(server, world, {
    name: 'payments',
    operations: PAYMENTS_OPERATIONS,
    handlers: service.handlers,
    admit: ({ headers }, operation) => {
      const shown = headers[NEUTRAL_KEY_HEADER];
      const caller = service.apiKeys.holderOf(typeof shown === 'string' ? shown : undefined);
      if (!caller) return refused(401, 'The API key is missing or invalid');
      return permits(caller, operation) ? { caller } : refused(403, 'The API key has no permission for this');
    },
    envelope: (_, { data, error, fields }) => {
      if (error === null) return data as object;
      const errors = Object.fromEntries(fields.map(({ field, message }) => [field, [message]]));
      return { message: error, errors };
    },
  });
}

function refused(status: number, message: string): { refused: Answer } {
  return { refused: { status, body: { message, errors: {} } } };
}

const transition = z.strictObject({ status: z.string().min(1) });

export const paymentsPartner: EmulatedPartner = {
  credentials: { PAYMENTS_API_KEY: 'sandbox' },
  scenarios: {
    terminals: Object.entries(TERMINAL_SCENARIOS).map(([name, { description }]) => ({ name, description })),
    paymentsKeys: PAYMENTS_KEYS.map(({ name, ...key }) => ({ key: name, ...key })),
    paymentsPermissions: PERMISSIONS,
  },
  start(world) {
    const service = new PaymentsService(world.ledger, world.pace, world.password);
    return {
      routes: (server) => paymentsRoutes(server, service, world),
      controls: (server) => paymentsControlRoutes(server, service),
    };
  },
};

/** `/sandbox/transactions/...`: the payments part of what tests and demos steer. */
function paymentsControlRoutes(server: FastifyInstance, { payments }: PaymentsService): void {
  server.post<{ Params: { id: string } }>(
    '/sandbox/transactions/:id/transition',
    ({ params, body }, reply) => {
      const payment = payments.find(params.id);
      if (!payment) return notFound(reply, 'transaction');
      const change = transition.safeParse(body);
      if (!change.success) return invalidControl(reply, change.error);
      payment.set(change.data.status);
      return payment.record;
    },
  );
}
