/** Exists only as a type. At run time, the permit is the function that records the intent. */
declare const permitsOneRequest: unique symbol;

/**
 * The permit to send a write that must not be repeated. The transport calls it once the connection is established, and awaits it
 * before the first byte. It resolves when Temporal has acknowledged the intent. If it rejects, the transport sends nothing. A
 * client may call it a second time only after a response that proves that the first request had no effect, such as a 401.
 */
export type Permit = (() => Promise<void>) & { readonly [permitsOneRequest]: true };

/** Turns the function that records the intent into a permit. Only `activity.ts` may call it. */
export function permitOf(recordIntent: () => Promise<void>): Permit {
  return recordIntent as Permit;
}
