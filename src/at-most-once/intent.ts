/** When a request was sent, and what the caller read just before it: the baseline for a later read that looks for changes. */
export type Sent<Baseline> = { /** ISO 8601. */ readonly sentAt: string } & Baseline;

/** An attempt's record in the heartbeat details of its activity. */
export type Intent<Baseline = object> = Sent<Baseline> & {
  /** The request may have been sent. False once the attempt knows that the request had no effect. */
  readonly sending: boolean;
  /** The partner's response. Only the read after the write is left to do. */
  readonly response?: object;
};

/** Returns the part of an intent that a failure reports. */
export function sentIn<Baseline>(intent: Intent<Baseline>): Sent<Baseline> {
  const { sending: _, response: __, ...sent } = intent;
  return sent as unknown as Sent<Baseline>;
}

/** Failure types of attempts without an intent: the server asked the attempt to end, or has closed it. */
export const UNSENT = { stopped: 'NotSent', closed: 'GivenUp' } as const;
