/** Only a type: at run time, the permit is the function that records the intent. */
declare const permitsOneRequest: unique symbol;

/**
 * The permit for one request of a write that must not be repeated. The transport calls it once the connection is established, and
 * awaits it before the first byte. It resolves when the server has acknowledged the intent to send. If it rejects, nothing is sent.
 */
export type Permit = (() => Promise<void>) & { readonly [permitsOneRequest]: true };

/** Turns the function that records the intent into a permit. Only for `activity.ts`. */
export function permitOf(recordIntent: () => Promise<void>): Permit {
  return recordIntent as Permit;
}
