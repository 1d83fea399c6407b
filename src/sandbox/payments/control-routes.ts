import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { invalidControl, notFound } from '../control-answers.js';
import { PAYMENTS_KEYS, PERMISSIONS } from './api-keys.js';
import { TERMINAL_SCENARIOS } from './scenarios.js';
import type { PaymentsService } from './service.js';

const transition = z.strictObject({ status: z.string().min(1) });

/** What of the payments platform is listed at `GET /sandbox/scenarios`. */
export const PAYMENTS_SCENARIOS = {
  terminals: Object.entries(TERMINAL_SCENARIOS).map(([name, { description }]) => ({ name, description })),
  paymentsKeys: PAYMENTS_KEYS.map(({ name, ...key }) => ({ key: name, ...key })),
  paymentsPermissions: PERMISSIONS,
} as const;

/** `/sandbox/transactions/...`: the payments part of what tests and demos steer. */
export function paymentsControlRoutes(server: FastifyInstance, { payments }: PaymentsService): void {
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
