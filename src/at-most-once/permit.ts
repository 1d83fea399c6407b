/** Only a type: at run time, the permit is the function that records the intent. */
declare const permitsOneRequest: unique symbol;

/**
 * The permit for a request of a write that must not be repeated. The transport calls it once the connection is established, and
 * awaits it before the first byte. It resolves when the server has acknowledged the intent to send. If it rejects, nothing is sent.
 * A client asks again only for a request after a response that proves that the one before had no effect, such as a 401.
 */
export type Permit = (() => Promise<void>) & { readonly [permitsOneRequest]: true };

/** Turns the function that records the intent into a permit. Only for `activity.ts`. */
export function permitOf(recordIntent: () => Promise<void>): Permit {
  return recordIntent as Permit;
}
