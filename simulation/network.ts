import { Readable } from 'node:stream';
import { FormData, Response } from 'undici';
import { CALL_FAULTS, type CallFault, type Fault } from '../src/apps/sandbox/fault-kinds.js';
import { STRUCK } from '../src/apps/sandbox/habits/habits.js';
import { decodeBody } from '../src/partners/encoding.js';
import {
  chunksOf,
  type HttpLimits,
  type HttpRequest,
  type HttpResponse,
  PartnerHttp,
  TOO_LARGE,
  TransportError,
} from '../src/partners/http.js';
import { grpcError } from '../test/rigs/temporal/answering-service.js';
import { type Loss, OUTAGES, type Outage, type Plan, type RequestFault, refuses } from './plan.js';
import { Process, World } from './world.js';

/** When a worker gives up on a request to Temporal, in milliseconds (failures.ts). */
const DEADLINE_MS = 5_000;

/** A request that has left for a partner. */
export interface Departure {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Its path and body. */
  readonly text: string;
  readonly process: Process | undefined;
  /** The status of its response, once the sender has read that. */
  status?: number;
}

/** What a partner is asked, and responds. Rejects when it cuts the connection. */
export type Listener = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}) => Promise<HttpResponse>;

/** The network: between workers and partners, and between workers and Temporal. */
export class Network {
  /** Every request that has left for a partner. */
  readonly left: Departure[] = [];
  readonly #faults: Map<string, RequestFault>;
  readonly #losses: Map<number, Loss>;
  readonly #toPartners = { write: 0, read: 0 };
  #toTemporal = 0;
  /** What the next write meets that has no fault in the plan. */
  next: RequestFault | undefined;
  readonly outages: { readonly kind: Outage; readonly since: number }[] = [];
  /** Nothing fails any more. */
  isClear = false;
  /** A fault or a habit meets a request. */
  onStrike: (what: string) => void = () => {};
  /** A worker begins its next write. */
  onWrite: (number: number) => void = () => {};
  readonly #partner = new Process('partner');
  /** Until then it accepts no connection, in milliseconds since 1970. */
  refusesUntil = 0;

  constructor(
    private readonly world: World,
    private readonly partner: Listener,
    { faults, losses }: Pick<Plan, 'faults' | 'losses'>,
  ) {
    // Nobody is asked about a read that the partner refuses.
    const those = faults.filter(({ of, fault }) => of === 'write' || !refuses(fault));
    this.#faults = new Map(those.map((fault) => [`${fault.of} ${fault.number}`, fault]));
    this.#losses = new Map(losses.map(({ request, loss }) => [request, loss]));
  }

  /** No more faults. */
  clears(): void {
    this.isClear = true;
    this.next = undefined;
    this.refusesUntil = 0;
    this.#faults.clear();
    this.#losses.clear();
  }

  /** A request to Temporal. @throws when it, or its response, is lost */
  async carry<Response>(name: string, request: () => Promise<Response>): Promise<Response> {
    const { chance } = this.world;
    this.#toTemporal += 1;
    const loss = this.#losses.get(this.#toTemporal);
    if (loss) this.world.say(World.process?.name ?? 'people', `${name}: ${loss}`);
    if (loss === 'overdue') {
      this.world.after(chance.between(DEADLINE_MS, 30 * DEADLINE_MS), () => request().catch(() => {}), null);
      await this.world.sleep(DEADLINE_MS);
      throw grpcError('DEADLINE_EXCEEDED', `${name} takes too long`);
    }
    await this.world.sleep(loss ? chance.between(100, 3_000) : chance.between(1, 10));
    if (loss === 'lost') throw grpcError('UNAVAILABLE', `${name} is lost`);
    const response = request();
    await response.catch(() => {});
    await this.world.sleep(chance.between(1, 10));
    if (loss === 'unanswered') throw grpcError('UNAVAILABLE', `the response to ${name} is lost`);
    return response;
  }

  /** A request to a partner, as {@link PartnerHttp.send} makes it. */
  async send(request: HttpRequest, limits: HttpLimits): Promise<HttpResponse> {
    const { world } = this;
    const { chance } = world;
    const { method, path } = request;
    const of = request.beforeSending ? 'write' : 'read';
    const number = ++this.#toPartners[of];
    let planned = this.#faults.get(`${of} ${number}`);
    if (of === 'write') {
      this.onWrite(number);
      planned ??= this.next;
      this.next = undefined;
    }
    const who = World.process?.name ?? 'people';
    let sent = false;
    const exchange = async (): Promise<HttpResponse> => {
      await world.sleep(chance.between(5, 40));
      if (planned?.fault === 'refuse') this.refusesUntil = world.now + planned.milliseconds;
      if (planned?.fault === 'refuse' || world.now < this.refusesUntil) throw codeError('ECONNREFUSED');
      request.signal?.throwIfAborted();
      await request.beforeSending?.();
      request.signal?.throwIfAborted();
      sent = true;
      const text = `${path} ${textOf(request)}`;
      const departure: Departure = { at: world.now, method, path, text, process: World.process };
      this.left.push(departure);
      if (planned) {
        world.say(who, `${method} ${path}: ${planned.fault}`);
        this.onStrike(planned.fault);
      }
      const delivered = this.#deliver(request, planned, who);
      const response = await this.#limited(delivered, limits.headersTimeoutMs, 'UND_ERR_HEADERS_TIMEOUT');
      const { status, headers, body } = response;
      const habits = String(headers[STRUCK] ?? '').split(' ');
      for (const habit of habits) if (habit) this.onStrike(habit);
      await world.sleep(chance.between(5, 60));
      const most = request.maxBytes ?? limits.maxBodyBytes;
      if (body.length > most) throw codeError(TOO_LARGE);
      const { isUnclear }: Fault = CALL_FAULTS[planned?.fault as CallFault] ?? {};
      // A write without an id or an envelope, or with a page in place of its response, is as uncertain as one without a response.
      const decoded = decodeBody(body, headers, most);
      const isEmpty = (status === 201 && decoded.length === 0) || decoded.equals(SAYS_NOTHING);
      const isRefusal = habits.includes('errors-with-200');
      const isPage = String(headers['content-type']).startsWith('text/html');
      if (!(isUnclear || isEmpty || isPage || isRefusal) || status >= 300) departure.status = status;
      return { status, headers, body: decoded };
    };
    try {
      return await this.#limited(exchange(), limits.totalTimeoutMs, 'ABORT_ERR', request.signal);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'ABORT_ERR';
      throw new TransportError(code, sent, { cause: error });
    }
  }

  /** The request is on its way, whatever becomes of its sender. */
  #deliver(request: HttpRequest, planned: RequestFault | undefined, who: string): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const { method, path, headers } = request;
      const arrive = async () => {
        const { type, payload } = await this.world.outside(() => bodyOf(request));
        const met = this.#met(request, planned);
        const sent = {
          ...headers,
          ...(type && { 'content-type': type }),
          ...(met && { [FAULT]: JSON.stringify(met) }),
        };
        const response = await this.partner({ method, url: path, body: payload, headers: sent });
        const isRoutine = !request.beforeSending && response.status < 400;
        this.world.say(who, `${method} ${path} ${response.status}`, isRoutine);
        resolve(response);
      };
      const delay = this.world.chance.between(5, 60);
      this.world.within(this.#partner, () => this.world.after(delay, () => arrive().catch(reject)));
    });
  }

  /** @throws an error with the code once the time is over, or the signal is aborted */
  #limited<Value>(call: Promise<Value>, limitMs: number, code: string, signal?: AbortSignal): Promise<Value> {
    return new Promise((resolve, reject) => {
      const end = () => reject(codeError(code));
      const cancel = this.world.after(limitMs, end);
      signal?.addEventListener('abort', end, { once: true });
      call.then(resolve, reject).finally(() => {
        cancel();
        signal?.removeEventListener('abort', end);
      });
    });
  }

  /** What a request meets at the partner: an outage, which may begin with it, or its own fault. */
  #met({ path, beforeSending }: HttpRequest, planned: RequestFault | undefined): RequestFault | undefined {
    const { now } = this.world;
    if (planned && planned.fault in OUTAGES) this.outages.push({ kind: planned.fault as Outage, since: now });
    if (this.isClear) return planned;
    const what = `${beforeSending ? 'write' : 'read'} ${path}`;
    const outage = this.outages
      .map(({ kind, since }) => ({ ...OUTAGES[kind], since }))
      .find(({ of, since, milliseconds }) => now - since < milliseconds && of.test(what));
    return outage ? { fault: outage.fault, milliseconds: 0 } : planned;
  }
}

/** An envelope without its empty fields. Any service may respond so. */
const SAYS_NOTHING = Buffer.from('{"status":"OK"}');

/** Names the fault of a request, for the sandbox's handlers. */
export const FAULT = 'simulated-fault';

/** The fields of a body, as far as they are text. */
function textOf({ body }: HttpRequest): string {
  return body instanceof FormData ? JSON.stringify([...body]) : (body ?? '');
}

async function bodyOf({ body }: HttpRequest): Promise<{ readonly type?: string; readonly payload: Buffer }> {
  if (!(body instanceof FormData)) return { payload: Buffer.from(body ?? '') };
  const encoded = new Response(body as never);
  const type = encoded.headers.get('content-type') ?? '';
  return { type, payload: Buffer.from(await encoded.arrayBuffer()) };
}

export function codeError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** From now on, every client of a partner sends through the network of the running world. */
export function replaceTransport(networkOf: (world: World, origin: string) => Network | undefined): void {
  PartnerHttp.prototype.send = async function send(request) {
    const network = World.current && networkOf(World.current, this.origin);
    if (!network) throw new TransportError('ECONNREFUSED', false);
    return network.send(request, this.limits);
  };
  PartnerHttp.prototype.download = async function download(request) {
    const { body, ...response } = await this.send(request);
    if (response.status >= 300) return { ...response, body };
    const readers: ((chunk?: Buffer) => void)[] = [];
    const chunks = chunksOf(Readable.from([body]), readers);
    return { ...response, chunks, eachChunk: (seen) => void readers.push(seen), cancel() {} };
  };
}
