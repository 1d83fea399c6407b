import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { BANKING_SCENARIOS, bankingControlRoutes } from './banking/routes.js';
import type { BankingService } from './banking/service.js';
import { SCENARIOS } from './boarding/merchants.js';
import { USERS } from './boarding/reference-data.js';
import type { BoardingService } from './boarding/service.js';
import { FAULTS, type Faults, faultPlan } from './faults.js';
import type { Ledger } from './ledger.js';
import type { PaymentsService } from './payments/service.js';
import { PAYMENTS_SCENARIOS, paymentsControlRoutes } from './payments/service.js';
import { PROCESSOR_EVENTS } from './processor.js';
import { invalidControl, notFound } from './routes.js';
import { type Pace, pace } from './scenario.js';

export interface Controls {
  readonly boarding: BoardingService;
  readonly banking: BankingService;
  readonly payments: PaymentsService;
  /** Names of all partner systems, as in the ledger. */
  readonly systems: readonly string[];
  /** Names of all operations, as in the catalogue. */
  readonly operations: readonly string[];
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly setPace: (pace: Pace) => void;
  readonly refuse: (milliseconds: number) => void;
}

/** Words that a request has in its URL or JSON body, all of them. */
interface RequestQuery {
  Querystring: { operation?: string; about?: string | string[] };
}

interface MerchantPath {
  Params: { id: string };
}

const transition = z.strictObject({
  status: z.string().min(1).optional(),
  comment: z.string().nullable().optional(),
  /** A partner may write any text or number there. */
  mid: z.union([z.string(), z.number(), z.bigint()]).nullable().optional(),
  /** Texts of notes to leave. */
  notes: z.array(z.string().min(1)).optional(),
});

/** `/sandbox/...`: what tests and demos control and read, beside the partners' own APIs. */
export function controlRoutes(server: FastifyInstance, controls: Controls): void {
  const { boarding, banking, payments, systems, operations, faults, ledger } = controls;
  const plans = faultPlan(systems, operations);

  server.get('/sandbox/scenarios', () => ({
    usage:
      'let the dba, doingBusinessAsName or name of a terminal end in the name in brackets, as in "Corner Bakery [notes]"',
    merchants: Object.entries(SCENARIOS).map(([name, { description }]) => ({ name, description })),
    users: USERS.map(({ name, isoId, mayWrite }) => ({ username: name, password: name, isoId, mayWrite })),
    ...BANKING_SCENARIOS,
    ...PAYMENTS_SCENARIOS,
    processorEvents: PROCESSOR_EVENTS,
    faults: FAULTS,
  }));

  server.get('/sandbox/ledger', ({ query }) => ledger.entries(query as Record<string, string>));

  server.get<RequestQuery>('/sandbox/requests', ({ query: { operation, about = [] } }) =>
    faults.requests.about(operation, [about].flat()),
  );

  server.get<MerchantPath>('/sandbox/merchants/:id', ({ params }, reply) => {
    const merchant = boarding.find(Number(params.id));
    if (!merchant) return notFound(reply, 'merchant');
    const { id, isoId, basics, fees, notes, application, attachments, reviewComments, statusData } = merchant;
    return { id, isoId, basics, ...statusData, fees, notes, application, attachments, reviewComments };
  });

  server.post<MerchantPath>('/sandbox/merchants/:id/transition', ({ params, body }, reply) => {
    const merchant = boarding.find(Number(params.id));
    if (!merchant) return notFound(reply, 'merchant');
    const change = transition.safeParse(body);
    if (!change.success) return invalidControl(reply, change.error);
    const { status, comment, mid, notes } = change.data;
    merchant.set({
      ...(status !== undefined && { status }),
      ...(comment !== undefined && { comment }),
      ...(mid !== undefined && { mid }),
      ...(notes !== undefined && { notes }),
    });
    return merchant.statusData;
  });

  bankingControlRoutes(server, banking);
  paymentsControlRoutes(server, payments);

  server.post('/sandbox/faults', ({ body }, reply) => {
    const plan = plans.safeParse(body);
    if (!plan.success) return invalidControl(reply, plan.error);
    // The response goes out first, because the listener is about to close.
    if (plan.data.fault === 'refuse') reply.raw.once('finish', () => controls.refuse(plan.data.milliseconds));
    else faults.plan(plan.data);
    return reply.code(201).send(plan.data);
  });

  server.get('/sandbox/faults', () => faults.report);

  server.delete<{ Querystring: { about?: string } }>('/sandbox/faults', ({ query }) => {
    const { report } = faults;
    faults.clear(query.about);
    return report;
  });

  server.put('/sandbox/pace', ({ body }, reply) => {
    const wanted = z.strictObject({ pace }).safeParse(body);
    if (!wanted.success) return invalidControl(reply, wanted.error);
    controls.setPace(wanted.data.pace);
    return wanted.data;
  });
}
