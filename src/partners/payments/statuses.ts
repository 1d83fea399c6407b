/**
 * Statuses of a transaction (apis/4). The contract leaves them out, so the list is open: every other name is kept and shown.
 */
export const PENDING = 'pending';
export const SURCHARGE_PENDING = 'surcharge_pending';
export const AUTHORIZED = 'authorized';
export const CAPTURED = 'captured';
export const SETTLED = 'settled';
export const DECLINED = 'declined';
export const REFUNDED = 'refunded';
