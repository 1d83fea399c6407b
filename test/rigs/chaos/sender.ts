import { event, STRUCTURED, signed } from '../receiver/running-receiver.js';
import { insist } from './insist.js';

const DEADLINE_MS = 20_000;

/** Sends events as a sender does that loses nothing: repeats an event until the receiver accepts it or refuses it for good. */
export class Sender {
  /** Number of requests. */
  requests = 0;

  constructor(private readonly receiverUrl: string) {}

  /** @returns the HTTP status: 202, or one of a final refusal */
  send(type: string, id: string, data: unknown): Promise<number> {
    const body = JSON.stringify(event(type, data, { id, source: '/chaos' }));
    return insist(async () => {
      this.requests += 1;
      const { status } = await fetch(`${this.receiverUrl}/events`, {
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
