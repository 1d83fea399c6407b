/** Only a type: the permit itself is the function that records the mark. */
declare const permitsOneCall: unique symbol;

/**
 * What a once-only operation is called with: the catalogue's `effect: 'once'` asks for it, and a call without one does not
 * compile. It records the durable mark of the call. `writeOnce()` (activities/write.ts) alone makes one, and hands it out for as
 * long as the call may be sent.
 */
export type OncePermit = (() => Promise<void>) & { readonly [permitsOneCall]: true };

/** Makes a mark a permit. Only for `writeOnce()`. @param mark rejects when the call must not be sent */
export function permitOf(mark: () => Promise<void>): OncePermit {
  return mark as OncePermit;
}
