import { once } from 'node:events';
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Until } from '../shared.js';
import { isSimulated, listenerAt, listening } from '../simulated-place.js';

/** A response of a hostile partner. */
export interface Response {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

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

const JSON_TYPE = { 'content-type': 'application/json' };

/** A proxy between a worker and a sandbox that misbehaves. */
export async function hostilePartner(sandbox: string, until: Until): Promise<HostilePartner> {
  const lines = new Map<string, Misbehaviour>();
  const misbehaviourAt = ({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>) => {
    const misbehaviour = lines.get(`${method} ${url}`) ?? lines.get(`${method} ${url.split('?')[0]}`);
    misbehaviour?.times.push(performance.now());
    return misbehaviour?.respond(misbehaviour.times.length, url);
  };
  const controls: Omit<HostilePartner, 'url'> = {
    misbehave: (line, respond) => void lines.set(line, { respond, times: [] }),
    behave: (line) => void lines.delete(line),
    times: (line) => lines.get(line)?.times ?? [],
  };
  if (isSimulated()) {
    const onward = listenerAt(sandbox);
    const { url, close } = listening(async (request) => {
      const wanted = misbehaviourAt(request);
      if (!wanted) return onward(request);
      const { status = 200, headers = JSON_TYPE, body } = wanted;
      return { status, headers, body: Buffer.from(body) };
    });
    until(close);
    return { url, ...controls };
  }
  const server = createServer((request, response) => {
    const wanted = misbehaviourAt(request);
    if (!wanted) return passOn(sandbox, request, response);
    request.resume();
    const { status = 200, headers = JSON_TYPE, body } = wanted;
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  until(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, ...controls };
}

function passOn(sandbox: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '', headers } = request;
  const onward = ask(sandbox + url, { method, headers }, (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(response);
  });
  onward.on('error', () => request.socket.destroy());
  request.pipe(onward);
}

export const STATUS = 'GET /api/v1/merchant/status';
export const NOTES = 'GET /api/v1/merchant/underwritingNotes';

/** A response of the boarding partner, in its envelope. */
export function boardingResponse(data: unknown): Response {
  return { body: JSON.stringify({ data, status: 'OK', error: null, validationResults: [] }) };
}
