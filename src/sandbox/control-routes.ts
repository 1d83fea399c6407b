import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { operationName } from '../partners/catalogue.js';
import { catalogue, SYSTEM_NAMES } from '../partners/systems.js';
import { FAULTS, type Faults, faultPlan } from './faults.js';
import type { Ledger } from './ledger.js';
import { invalidControl } from './routes.js';
import { type Pace, pace } from './scenario.js';
import { EMULATED } from './systems.js';

export interface Controls {
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly setPace: (pace: Pace) => void;
  readonly refuse: (milliseconds: number) => void;
}

/** Words that a request has in its URL or JSON body, all of them. */
interface RequestQuery {
  Querystring: { operation?: string; about?: string | string[] };
}

/** `/sandbox/...`: what tests and demos control and read, beside the partners' own APIs. */
export function controlRoutes(server: FastifyInstance, controls: Controls): void {
  const { faults, ledger } = controls;
  const operations = Object.values(catalogue()).flatMap((all) => Object.keys(all).map(operationName));
  const plans = faultPlan(SYSTEM_NAMES, operations);

  server.get('/sandbox/scenarios', () => ({
    usage:
      'let the dba, doingBusinessAsName or name of a terminal end in the name in brackets, as in "Corner Bakery [notes]"',
    ...Object.assign({}, ...Object.values(EMULATED).map(({ scenarios }) => scenarios)),
    faults: FAULTS,
  }));

  server.get('/sandbox/ledger', ({ query }) => ledger.entries(query as Record<string, string>));

  server.get<RequestQuery>('/sandbox/requests', ({ query: { operation, about = [] } }) =>
    faults.requests.about(operation, [about].flat()),
  );

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
