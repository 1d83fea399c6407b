/** An HTTP exchange with a partner as it begins. It has nothing of what is asked: no path, no id, no value. */
export interface Exchange {
  /** As in the catalogue: `boarding`. */
  readonly system: string;
  /** As in the catalogue: `create-merchant`. */
  readonly operation: string;
  readonly method: string;
}

/** How it ended: with an HTTP status, or without an answer, by a kind of failure and a code such as `ECONNREFUSED`. */
export type ExchangeEnd =
  | {
      readonly status: number;
      /** Header `Date`: what the partner's clock shows. */
      readonly date?: string | undefined;
    }
  | { readonly failure: 'NotSent' | 'Uncertain'; readonly code: string };

/**
 * Is told of each exchange as it begins, and by the function that it answers how that ended. A call has one, two when its
 * credentials were refused; what is refused before it is sent has none. A file counts until its first byte.
 */
export type PartnerObserver = (exchange: Exchange) => (end: ExchangeEnd) => void;

/** Tells all of them. */
export function observers(...all: readonly PartnerObserver[]): PartnerObserver {
  return (exchange) => {
    const begun = all.map((observe) => observe(exchange));
    return (end) => {
      for (const ended of begun) ended(end);
    };
  };
}
