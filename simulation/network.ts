import { FormData, Response } from 'undici';
import { CALL_FAULTS, type CallFault, type Fault } from '../src/apps/sandbox/fault-kinds.js';
import { STRUCK } from '../src/apps/sandbox/habits/habits.js';
import { decodeBody } from '../src/partners/encoding.js';
import {
  DEFAULT_HTTP_LIMITS,
  type HttpLimits,
  type HttpRequest,
  type HttpResponse,
  PartnerHttp,
  TOO_LARGE,
  TransportError,
} from '../src/partners/http.js';
import { grpcError } from '../test/rigs/temporal/answering-service.js';
import { type Loss, OUTAGES, type Outage, type Plan, type RequestFault, refuses } from './plan.js';
import type { Link } from './service/requests.js';
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
export class Network implements Link {
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
    // The response belongs to the process that asked, however long it takes.
    const answer = await request().then(
      (response) => () => response,
      (error: unknown) => () => {
        throw error;
      },
    );
    await this.world.sleep(chance.between(1, 10));
    if (loss === 'unanswered') throw grpcError('UNAVAILABLE', `the response to ${name} is lost`);
    return answer();
  }

  /** A request to a partner, as {@link PartnerHttp.send} makes it. */
  async send(
    request: HttpRequest,
    { headersTimeoutMs, totalTimeoutMs, maxBodyBytes }: HttpLimits = DEFAULT_HTTP_LIMITS,
  ): Promise<HttpResponse> {
    const { world } = this;
    const { chance } = world;
    const of = request.beforeSending ? 'write' : 'read';
    const number = ++this.#toPartners[of];
    if (of === 'write') this.onWrite(number);
    const planned = this.#faults.get(`${of} ${number}`) ?? (of === 'write' ? this.next : undefined);
    if (of === 'write') this.next = undefined;
    const what = `${request.method} ${request.path}`;
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
      const text = `${request.path} ${textOf(request)}`;
      const { method, path } = request;
      const departure: Departure = { at: world.now, method, path, text, process: World.process };
      this.left.push(departure);
      if (planned) world.say(who, `${what}: ${planned.fault}`);
      if (planned) this.onStrike(planned.fault);
      const delivered = this.#deliver(request, planned, who);
      const result = await limited(delivered, world, headersTimeoutMs, 'UND_ERR_HEADERS_TIMEOUT');
      for (const habit of String(result.headers[STRUCK] ?? '').split(' ')) if (habit) this.onStrike(habit);
      await world.sleep(chance.between(5, 60));
      if (result.body.length > (request.maxBytes ?? maxBodyBytes)) throw codeError(TOO_LARGE);
      const { isUnclear }: Fault = CALL_FAULTS[planned?.fault as CallFault] ?? {};
      // A write without an id, or of a form that it does not have, is as uncertain as one without a response.
      const isEmpty = result.status === 201 && result.body.length === 0;
      if (!(isUnclear || isEmpty) || result.status >= 300) departure.status = result.status;
      return result;
    };
    try {
      return await limited(exchange(), world, totalTimeoutMs, 'ABORT_ERR', request.signal);
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

  /** What a request meets at the partner: an outage, which may begin with it, or its own fault. */
  #met({ path, beforeSending }: HttpRequest, planned: RequestFault | undefined): RequestFault | undefined {
    const { now } = this.world;
    if (planned && isOutage(planned.fault)) this.outages.push({ kind: planned.fault, since: now });
    const what = `${beforeSending ? 'write' : 'read'} ${path}`;
    const outage = this.#under.find((kind) => OUTAGES[kind].of.test(what));
    if (outage) return { fault: OUTAGES[outage].fault, milliseconds: 0 };
    return planned;
  }

  get #under(): Outage[] {
    const { now } = this.world;
    const isIn = (kind: Outage) =>
      this.outages.some((each) => each.kind === kind && now - each.since < OUTAGES[kind].milliseconds);
    return this.isClear ? [] : (Object.keys(OUTAGES) as Outage[]).filter(isIn);
  }
}

/** Names the fault of a request, for the sandbox's handlers. */
export const FAULT = 'simulated-fault';

function isOutage(fault: RequestFault['fault']): fault is Outage {
  return fault in OUTAGES;
}

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

/** @throws an error with the code once the time is over, or the signal is aborted */
function limited<Value>(
  call: Promise<Value>,
  world: World,
  limitMs: number,
  code: string,
  signal?: AbortSignal,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = () => reject(codeError(code));
    const cancel = world.after(limitMs, end);
    signal?.addEventListener('abort', end, { once: true });
    call.then(resolve, reject).finally(() => {
      cancel();
      signal?.removeEventListener('abort', end);
    });
  });
}

/** From now on, every client of a partner sends through the network of the running world. */
export function replaceTransport(networkOf: (world: World, origin: string) => Network | undefined): void {
  const carriedState = (http: PartnerHttp, request: HttpRequest): Promise<HttpResponse> => {
    const network = World.current && networkOf(World.current, http.origin);
    if (!network) throw new TransportError('ECONNREFUSED', false);
    return network.send(request, http.limits);
  };
  PartnerHttp.prototype.send = async function send(request: HttpRequest): Promise<HttpResponse> {
    const { body, ...response } = await carriedState(this, request);
    return {
      ...response,
      body: decodeBody(body, response.headers, request.maxBytes ?? this.limits.maxBodyBytes),
    };
  };
  PartnerHttp.prototype.download = async function download(request) {
    const { body, ...response } = await carriedState(this, request);
    if (response.status >= 300) return { ...response, body };
    const readers: ((chunk?: Buffer) => void)[] = [];
    async function* chunks() {
      for (const seen of readers) seen(body);
      yield body;
      for (const seen of readers) seen();
    }
    return { ...response, chunks: chunks(), eachChunk: (seen) => void readers.push(seen), cancel() {} };
  };
}
