/**
 * When a request was sent, and what the caller read just before. A later read compares with it to find what the request changed.
 */
export type Sent<Baseline> = { /** ISO 8601. */ readonly sentAt: string } & Baseline;

/** The record of an attempt, in the heartbeat details of its activity. */
export type Intent<Baseline = object> = Sent<Baseline> & {
  /** The request may be on its way. False once the attempt knows that it had no effect. */
  readonly sending: boolean;
  /** The partner refused the request, and may have saved it. `sentAt` and the baseline are those of the first such request. */
  readonly refused?: true;
  /** The result of the activity: the request has its response, and only a read is left to do. */
  readonly response?: object;
};

/** What a failure reports of an intent. */
export function sentIn<Baseline>(intent: Intent<Baseline>): Sent<Baseline> {
  const { sending: _, refused: __, response: ___, ...sent } = intent;
  return sent as unknown as Sent<Baseline>;
}

/** The types of the failures of attempts that recorded no intent: the server asked them to end, or has closed them. */
export const UNSENT = { stopped: 'NotSent', closed: 'GivenUp' } as const;
