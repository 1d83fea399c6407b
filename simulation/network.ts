import { FormData, Response } from 'undici';
import { STRUCK } from '../src/apps/sandbox/habits/habits.js';
import { decoded } from '../src/partners/encoding.js';
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
import { MARKERS } from './markers.js';
import { type Fate, type Loss, OUTAGES, type Outage, type Plan } from './plan.js';
import type { Seeded } from './seeded.js';
import type { Link } from './service/requests.js';
import { Process, World } from './world.js';

/** When a worker gives up on a request to Temporal, in milliseconds (failures.ts). */
const DEADLINE_MS = 5_000;

/** What a partner, or a proxy before it, responds to a request of a certain fate: without its effect, and after it. */
const BEFORE: Readonly<Partial<Record<Fate, number>>> = {
  ...{ down: 503, locked: 401, suspended: 403, limited: 429, broken: 503, expired: 401 },
};
const AFTER: Readonly<Partial<Record<Fate, number>>> = { failed: 500, timedOut: 408 };

/** A request that has left for a partner. */
export interface Departure {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Its path and body. */
  readonly text: string;
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
  readonly #fates: Map<string, Fate>;
  readonly #losses: Map<number, Loss>;
  readonly #toPartners = { write: 0, read: 0 };
  #toTemporal = 0;
  /** What the next write meets that has no fate in the plan. */
  next: Fate | undefined;
  readonly outages: { readonly kind: Outage; readonly since: number }[] = [];
  /** Nothing fails any more. */
  isClear = false;
  /** A fate or a habit meets a request. */
  onStrike: (what: string) => void = () => {};
  /** A worker begins its next write. */
  onWrite: (number: number) => void = () => {};
  readonly #partner = new Process('partner');
  /** Until then it accepts no connection, in milliseconds since 1970. */
  refusesUntil = 0;

  constructor(
    private readonly world: World,
    private readonly partner: Listener,
    { fates, losses }: Pick<Plan, 'fates' | 'losses'>,
  ) {
    this.#fates = new Map(fates.map(({ of, number, fate }) => [`${of} ${number}`, fate]));
    this.#losses = new Map(losses.map(({ request, loss }) => [request, loss]));
  }

  /** No more faults. */
  clears(): void {
    this.isClear = true;
    this.next = undefined;
    this.#fates.clear();
    this.#losses.clear();
  }

  #isIn(kind: Outage): boolean {
    const { now } = this.world;
    return (
      !this.isClear && this.outages.some((each) => each.kind === kind && now - each.since < OUTAGES[kind])
    );
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
    const { chance } = this.world;
    const of = request.beforeSending ? 'write' : 'read';
    this.#toPartners[of] += 1;
    if (of === 'write') this.onWrite(this.#toPartners.write);
    const fate = this.#fates.get(`${of} ${this.#toPartners[of]}`) ?? (of === 'write' ? this.next : undefined);
    if (of === 'write') this.next = undefined;
    const what = `${request.method} ${request.path}`;
    const who = World.process?.name ?? 'people';
    let sent = false;
    const exchange = async (): Promise<HttpResponse> => {
      await this.world.sleep(chance.between(5, 40));
      if (fate === 'refused' || this.world.now < this.refusesUntil) throw codeError('ECONNREFUSED');
      request.signal?.throwIfAborted();
      await request.beforeSending?.();
      request.signal?.throwIfAborted();
      sent = true;
      const text = `${request.path} ${textOf(request)}`;
      const departure: Departure = { at: this.world.now, method: request.method, path: request.path, text };
      this.left.push(departure);
      if (fate) this.world.say(who, `${what}: ${fate}`);
      if (fate) this.onStrike(fate);
      const response = this.#deliver(request, fate, who);
      if (fate === 'lost' || fate === 'unanswered') {
        await this.world.sleep(headersTimeoutMs);
        throw codeError('UND_ERR_HEADERS_TIMEOUT');
      }
      const result = await response;
      for (const habit of String(result.headers[STRUCK] ?? '').split(' ')) if (habit) this.onStrike(habit);
      await this.world.sleep(
        fate === 'slow'
          ? chance.between(headersTimeoutMs / 2, headersTimeoutMs - 2_000)
          : chance.between(5, 60),
      );
      if (fate === 'reset') throw codeError('ECONNRESET');
      if (result.body.length > (request.maxBytes ?? maxBodyBytes)) throw codeError(TOO_LARGE);
      if (fate === 'cut') return { ...result, body: result.body.subarray(0, result.body.length / 2) };
      if (result.status < 300 && (fate === 'garbled' || (of === 'read' && this.#isIn('unreadable'))))
        return { ...result, body: Buffer.from(chance.pick(STRANGE)) };
      if (fate === 'warned') return edited(result, withWarning);
      // A write without an id, or of a form that it does not have, is as uncertain as one without a response.
      if (fate === 'blank') return edited(result, withoutIds(request));
      if (fate === 'unsuccessful' && of === 'write') return result;
      departure.status = result.status;
      return fate === 'paged' && result.status < 300 ? firstPageOf(result) : result;
    };
    try {
      return await untilAborted(exchange(), request.signal, this.world, totalTimeoutMs);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'ABORT_ERR';
      throw new TransportError(code, sent, { cause: error });
    }
  }

  /** The request is on its way, whatever becomes of its sender. */
  #deliver(request: HttpRequest, fate: Fate | undefined, who: string): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const { method, path, headers } = request;
      const take = async (): Promise<HttpResponse> => {
        const { type, payload } = await this.world.outside(() => bodyOf(request));
        const sent = { ...headers, ...(type && { 'content-type': type }) };
        const response = await this.partner({ method, url: path, body: payload, headers: sent });
        this.world.say(
          who,
          `${method} ${path} ${response.status}`,
          !request.beforeSending && response.status < 400,
        );
        return response;
      };
      const arrive = async () => {
        if (fate === 'lost') return;
        if (fate && isOutage(fate)) this.outages.push({ kind: fate, since: this.world.now });
        const kind = (Object.keys(OUTAGES) as Outage[]).find((each) => BEFORE[each] && this.#isIn(each));
        const [before, after] = kind ? [BEFORE[kind]] : fate ? [BEFORE[fate], AFTER[fate]] : [];
        if (before) return resolve(answer(before, before === 429 ? { 'retry-after': '90' } : {}));
        if (this.#isIn('code') && path.startsWith('/api/auth') && !textOf(request).includes(CODE))
          return resolve(answer(403, JSON_TYPE, '{"message":"The multi-factor code is missing or wrong"}'));
        if (fate === 'rejected' && request.beforeSending)
          return resolve(answer(400, JSON_TYPE, refusal(textOf(request), this.world.chance)));
        const failure =
          request.beforeSending && fate === 'unsuccessful' && failureOf(path, this.world.chance);
        if (failure) return resolve(answer(200, JSON_TYPE, JSON.stringify(failure)));
        if (fate === 'repeated' && method !== 'POST') await take();
        const response = await take();
        resolve(after ? answer(after) : response);
      };
      const delay = this.world.chance.between(5, 60);
      this.world.within(this.#partner, () => this.world.after(delay, () => arrive().catch(reject)));
    });
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** What the bank sends to a phone. */
export const CODE = '000000';

/** What no document says of a response. */
const STRANGE = ['{}', '[]', '{"data":"later"}', '<html>Please come back later.</html>'] as const;

function isOutage(fate: Fate): fate is Outage {
  return fate in OUTAGES;
}

/** What a partner says that does not take a write, for no reason of the input. */
export const NOT_TODAY = 'cannot be taken today';

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

function answer(status: number, headers: HttpResponse['headers'] = {}, body = ''): HttpResponse {
  return { status, headers, body: Buffer.from(body) };
}

/** A refusal that no scenario calls for: without a reason, about fields, or with a name that the request has. */
function refusal(text: string, chance: Seeded): string {
  const name = text.includes(MARKERS.firstName) ? MARKERS.firstName : 'This';
  const fields = ['email', 'Owner1.HomeAddress', '$.dba', 'id', 'Nobody'];
  return JSON.stringify(
    chance.pick<unknown>([
      { message: `${name} ${NOT_TODAY}`, errors: {} },
      { errors: Object.fromEntries(fields.map((field) => [field, [NOT_TODAY]])) },
      `${name} ${NOT_TODAY}`,
      {},
    ]),
  );
}

/** The same in a successful response, as two of the partners write it. */
function failureOf(path: string, chance: Seeded): object | undefined {
  if (/^\/v\d/.test(path)) return undefined;
  const error = chance.pick([null, `email: ${NOT_TODAY}; fields: ${NOT_TODAY}`, `This ${NOT_TODAY}`]);
  const { label, ...problem } = { label: 'BadRequest', message: `This ${NOT_TODAY}` };
  return /^\/api\/v\d\/merchant/.test(path)
    ? { data: null, status: label, error: label, ...problem, validationResults: [] }
    : { success: false, errors: error };
}

type Json = Record<string, unknown>;

/** A body that a habit has encoded, or wrapped, stays as it is. */
function edited(response: HttpResponse, edit: (body: Json) => Json): HttpResponse {
  const json = jsonOf(response);
  if (response.status >= 300 || !json) return response;
  return { ...response, body: Buffer.from(JSON.stringify(edit(json))) };
}

function jsonOf({ body }: HttpResponse): Json | undefined {
  try {
    const json: unknown = JSON.parse(`${body}`);
    return typeof json === 'object' && json !== null ? (json as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** A new merchant comes with problems, although it is there. */
function withWarning(body: Json): Json {
  const problem = { memberNames: ['dba'], errorMessage: 'Check it.' };
  const isNew = JSON.stringify(body.data ?? null).startsWith('{"merchantProfileId":');
  return { ...body, warning: 'Check it.', ...(isNew && { validationResults: [problem] }) };
}

/** What a response may leave open: a status, a subject, how many there are; of a write, the id of what it has made. */
function withoutIds({ beforeSending }: HttpRequest): (body: Json) => Json {
  const open = ['bankingStatus', 'topic', 'total', 'comment'];
  const blank = beforeSending ? ['profileId', 'financialAccountId', ...open] : open;
  return (body) => JSON.parse(JSON.stringify(body, (key, value) => (blank.includes(key) ? null : value)));
}

/** Of a list with more than one element, the first element and how many there are. */
function firstPageOf(response: HttpResponse): HttpResponse {
  const { data, ...around } = jsonOf(response) ?? {};
  if (!Array.isArray(data) || data.length < 2) return response;
  const page = { ...around, data: data.slice(0, 1), totalCount: data.length };
  return { ...response, body: Buffer.from(JSON.stringify(page)) };
}

export function codeError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function untilAborted<Value>(
  call: Promise<Value>,
  signal: AbortSignal | undefined,
  world: World,
  limitMs: number,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(codeError('ABORT_ERR'));
    const cancel = world.after(limitMs, abort);
    signal?.addEventListener('abort', abort, { once: true });
    call.then(resolve, reject).finally(() => {
      cancel();
      signal?.removeEventListener('abort', abort);
    });
  });
}

/** From now on, every client of a partner sends through the network of the running world. */
export function replaceTransport(networkOf: (world: World, origin: string) => Network | undefined): void {
  const carried = (http: PartnerHttp, request: HttpRequest): Promise<HttpResponse> => {
    const network = World.current && networkOf(World.current, http.origin);
    if (!network) throw new TransportError('ECONNREFUSED', false);
    return network.send(request, http.limits);
  };
  PartnerHttp.prototype.send = async function send(request: HttpRequest): Promise<HttpResponse> {
    const { body, ...response } = await carried(this, request);
    return {
      ...response,
      body: decoded(body, response.headers, request.maxBytes ?? this.limits.maxBodyBytes),
    };
  };
  PartnerHttp.prototype.download = async function download(request) {
    const { body, ...response } = await carried(this, request);
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
