import { event, STRUCTURED, signed } from '../receiver/running-receiver.js';
import { insist } from '../waiting.js';

const DEADLINE_MS = 20_000;

/**
 * Sends events as a sender does that loses nothing: repeats an event until a receiver accepts it or refuses it for good. The
 * receivers take turns.
 */
export class Sender {
  /** Number of requests. */
  requests = 0;

  constructor(private readonly receiverUrls: readonly string[]) {}

  /** @returns the HTTP status: 202, or one of a final refusal */
  send(type: string, id: string, data: unknown): Promise<number> {
    const body = JSON.stringify(event(type, data, { id, source: '/chaos' }));
    return insist(async () => {
      const url = this.receiverUrls[this.requests % this.receiverUrls.length];
      this.requests += 1;
      const { status } = await fetch(`${url}/events`, {
        method: 'POST',
        headers: { 'content-type': STRUCTURED, ...signed(body, { id }) },
        body,
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      if (status >= 500 || status === 429) throw new Error(`the receiver responds with ${status}`);
      return status;
    });
  }
}
