import { DECLINED, SURCHARGE_PENDING } from '../../partners/payments/statuses.js';

/** What becomes by itself, at the sandbox's pace, of a payment that is started at a terminal. */
export interface Scenario {
  readonly description: string;
  /** The status after `pending`; `approved` is authorized, or captured, as was asked for. None stays pending. */
  readonly becomes?: 'approved' | typeof DECLINED | typeof SURCHARGE_PENDING;
  /** The platform only forwards card data; the outcome is entered by updateTransaction. */
  readonly isPassthrough?: true;
}

/** A terminal whose name ends in `[name]` plays the scenario of that name; one without brackets plays `straight`. */
export const TERMINAL_SCENARIOS: Readonly<Record<string, Scenario>> = {
  straight: { description: 'payments are authorized or captured', becomes: 'approved' },
  declined: { description: 'payments are declined', becomes: DECLINED },
  surcharge: { description: 'payments wait for confirm at surcharge_pending', becomes: SURCHARGE_PENDING },
  waiting: {
    description: 'payments stay pending until POST /sandbox/transactions/{id}/transition moves them',
  },
  passthrough: {
    description: 'payments stay pending until PUT /v1/transactions/{id} enters the outcome',
    isPassthrough: true,
  },
};
