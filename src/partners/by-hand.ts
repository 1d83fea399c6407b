import type { CallOptions, OnceOptions } from './client.js';

export type ByHand<Clients> = {
  readonly [Key in keyof Clients]: Clients[Key] extends (...args: infer Given) => infer Response
    ? Given extends [infer Request, OnceOptions]
      ? (request: Request, options?: CallOptions) => Response
      : Clients[Key]
    : ByHand<Clients[Key]>;
};

/**
 * Returns a client, or an account's clients, for a person who sends each call by hand. It records no intent, and only that person
 * may repeat a call. This is the only way to call a once-only operation without a permit.
 */
export function byHand<Clients>(clients: Clients): ByHand<Clients> {
  return clients as ByHand<Clients>;
}
