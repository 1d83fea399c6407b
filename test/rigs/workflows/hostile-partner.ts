import { countingProxy, type Response } from '../counting-proxy.js';
import type { Until } from '../shared.js';

export type { Response };

export interface HostilePartner {
  readonly url: string;
  /**
   * From now on responds to this line in place of the sandbox. A line is `GET /api/v1/merchant/status`, or
   * `GET /api/v1/merchant/status?id=1001` for one merchant.
   *
   * @param respond `number` counts the requests of the line from 1; undefined lets the sandbox respond
   */
  misbehave(line: string, respond: (number: number, url: string) => Response | undefined): void;
  /** Lets the sandbox respond again. */
  behave(line: string): void;
  /** When requests of this line arrived since it misbehaves, in milliseconds of `performance.now()`. */
  times(line: string): readonly number[];
}

interface Misbehaviour {
  readonly respond: (number: number, url: string) => Response | undefined;
  readonly times: number[];
}

/** A proxy between a worker and a sandbox that misbehaves. */
export async function hostilePartner(sandbox: string, until: Until): Promise<HostilePartner> {
  const lines = new Map<string, Misbehaviour>();
  const { url } = await countingProxy(sandbox, until, ({ method, url: question = '' }) => {
    const misbehaviour =
      lines.get(`${method} ${question}`) ?? lines.get(`${method} ${question.split('?')[0]}`);
    misbehaviour?.times.push(performance.now());
    return misbehaviour?.respond(misbehaviour.times.length, question);
  });
  return {
    url,
    misbehave: (line, respond) => void lines.set(line, { respond, times: [] }),
    behave: (line) => void lines.delete(line),
    times: (line) => lines.get(line)?.times ?? [],
  };
}

export const STATUS = 'GET /api/v1/merchant/status';
export const NOTES = 'GET /api/v1/merchant/underwritingNotes';

/** A response of the boarding partner, in its envelope. */
export function boardingResponse(data: unknown): Response {
  return { body: JSON.stringify({ data, status: 'OK', error: null, validationResults: [] }) };
}
