/** Only a type: the permit itself is the function that records the mark. */
declare const permitsOneCall: unique symbol;

/**
 * The permit for a call of a once-only operation: the catalogue's `effect: 'once'` requires it, and a call without one does not
 * compile. It records the durable mark of the call. Only `activities/write.ts` makes one, for as long as the call may be sent.
 */
export type OncePermit = (() => Promise<void>) & { readonly [permitsOneCall]: true };

// Keeps P1.
/** Makes a mark a permit. Only for `activities/write.ts`. @param mark rejects when the call must not be sent */
export function permitOf(mark: () => Promise<void>): OncePermit {
  return mark as OncePermit;
}
