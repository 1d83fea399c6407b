import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { writeExactly } from '../../partners/json.js';
import { escapeText } from '../../platform/privacy/private-fields.js';
import type { Answer } from './answer.js';
import { CALL_FAULTS, type CallFault, FAULTS, type FaultKind, OTHER_FAULTS } from './fault-kinds.js';
import type { Call, Fields, Perform } from './habits/habit.js';
import type { ActiveHabits } from './habits/habits.js';

/** Body of `POST /sandbox/faults`, for a sandbox that has these systems with these operations. */
export function faultPlan(systems: readonly string[], operations: readonly string[]) {
  return z
    .strictObject({
      fault: z.enum(Object.keys(FAULTS) as [FaultKind, ...FaultKind[]]),
      /** The name in the catalogue: `create-merchant`. */
      operation: z.enum(operations).optional(),
      /** The system's name in the ledger: `boarding`. Needed only if two systems have the operation. Default: both. */
      system: z.enum(systems).optional(),
      /** Affects only calls with this text in their URL or JSON body, such as an `externalId`. Default: any call. */
      about: z.string().min(1).optional(),
      times: z.int().min(1).default(1),
      milliseconds: z.int().min(0).default(1_000),
      /** The change of the merchant before the call, as if its underwriters made it in that moment. */
      meanwhile: z
        .strictObject({
          status: z.string().min(1),
          /** The number of sandbox steps after which the merchant returns to its previous status. Default: never. */
          steps: z.int().min(1).optional(),
        })
        .optional(),
    })
    .refine(({ fault, operation }) => fault in OTHER_FAULTS === (operation === undefined), {
      path: ['operation'],
      message: `is needed for every fault but ${Object.keys(OTHER_FAULTS).join(', ')}`,
    });
}

export type FaultPlan = z.output<ReturnType<typeof faultPlan>>;

export interface Called {
  readonly system: string;
  /** The name in the catalogue: `create-merchant`. */
  readonly operation: string;
  /** Keeps its requests in the log. */
  readonly isWrite?: boolean;
}

/** Pending faults, for the next calls of their operation or the next deliveries, and the writes that arrived. */
export class Faults {
  readonly requests = new RequestLog();
  #planned: { plan: FaultPlan; left: number }[] = [];
  readonly #delayed = new Set<{ readonly plan: FaultPlan; readonly letGo: () => void }>();
  #calls = 0;

  plan(plan: FaultPlan): void {
    this.#planned.push({ plan, left: plan.times });
  }

  /** The number of calls, the pending faults with their remaining number of calls, and the faults of delayed calls. */
  get report(): {
    readonly calls: number;
    readonly waiting: readonly FaultPlan[];
    readonly delayed: readonly FaultPlan[];
  } {
    return {
      calls: this.#calls,
      waiting: this.#planned.map(({ plan, left }) => ({ ...plan, times: left })),
      delayed: [...this.#delayed].map(({ plan }) => plan),
    };
  }

  /**
   * Deletes pending faults, and releases delayed calls.
   *
   * @param about only faults planned with this text. Default: all
   */
  clear(about?: string): void {
    const isMeant = (plan: FaultPlan) => about === undefined || plan.about === about;
    this.#planned = this.#planned.filter(({ plan }) => !isMeant(plan));
    for (const { plan, letGo } of this.#delayed) if (isMeant(plan)) letGo();
  }

  /** Waits as long as the plan says, or until it is deleted. */
  async delay(plan: FaultPlan): Promise<void> {
    const delay = new AbortController();
    const delayed = { plan, letGo: () => delay.abort() };
    this.#delayed.add(delayed);
    await sleep(plan.milliseconds, undefined, { signal: delay.signal, ref: false }).catch(() => undefined);
    this.#delayed.delete(delayed);
  }

  /**
   * Takes the next fault for this call, if any.
   *
   * @param text returns the call's URL and body, in which a plan may search
   */
  next({ system, operation }: Called, text: () => string): FaultPlan | undefined {
    this.#calls += 1;
    return this.#use(
      (plan) =>
        plan.operation === operation &&
        (plan.system ?? system) === system &&
        (plan.about === undefined || text().includes(plan.about)),
    );
  }

  /** Takes the next fault for this webhook delivery, if any. */
  nextOfDelivery(): FaultPlan | undefined {
    return this.#use(({ fault }) => fault === 'duplicate-webhooks' || fault === 'reorder-webhooks');
  }

  #use(hits: (plan: FaultPlan) => boolean): FaultPlan | undefined {
    const planned = this.#planned.find(({ plan }) => hits(plan));
    if (!planned) return undefined;
    planned.left -= 1;
    if (planned.left === 0) this.#planned = this.#planned.filter((other) => other !== planned);
    return planned.plan;
  }
}

/** A write that reached the sandbox, whether it took effect or not. */
export interface ReceivedRequest {
  /** Counts from 1 in the order of arrival. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly system: string;
  /** The name in the catalogue: `create-merchant`. */
  readonly operation: string;
  readonly url: string;
  readonly fault?: FaultKind;
  readonly status?: number;
}

type Kept = { -readonly [Key in keyof ReceivedRequest]: ReceivedRequest[Key] } & { readonly text: string };

/** Every write that arrived, in order: the proof that the caller sent a request. */
class RequestLog {
  readonly #requests: Kept[] = [];

  /**
   * Logs a request that has just arrived.
   *
   * @param text its URL and body, in which {@link about} searches
   * @returns a function that logs the HTTP status of the response
   */
  receive(called: Called, url: string, text: string, fault?: FaultKind): (status: number) => void {
    const { system, operation } = called;
    const place = { seq: this.#requests.length + 1, at: new Date().toISOString() };
    const request: Kept = { ...place, system, operation, url, ...(fault && { fault }), text };
    this.#requests.push(request);
    return (status) => {
      request.status = status;
    };
  }

  /**
   * The requests of an operation that have all of these words in their URL or JSON body; default: all of them. A word is not
   * found within a longer word or number. The bodies stay here.
   */
  about(operation: string | undefined, words: readonly string[]): ReceivedRequest[] {
    const hasAll = allIn(words);
    return this.#requests
      .filter((one) => operation === undefined || one.operation === operation)
      .filter(({ text }) => hasAll(text))
      .map(({ text: _, ...request }) => request);
  }
}

/** Reports whether a text has all of these words. A word is not found within a longer word or number. */
export function allIn(words: readonly string[]): (text: string) => boolean {
  const patterns = words.map((word) => new RegExp(`(?<![\\w-])${escapeText(word)}(?![\\w-])`));
  return (text) => patterns.every((pattern) => pattern.test(text));
}

/** The partners' behavior: habits, faults of single calls, and responses. */
export interface Behavior {
  readonly faults: Faults;
  readonly habits: ActiveHabits;
  /** The default for a call without a planned fault. */
  readonly faultOf: (request: FastifyRequest) => FaultPlan | undefined;
  readonly now: () => number;
  readonly send: (reply: FastifyReply, answer: Answer) => Promise<FastifyReply>;
}

export type Meanwhile = NonNullable<FaultPlan['meanwhile']>;

interface Served {
  fields(request: FastifyRequest): Promise<Fields>;
  perform(request: FastifyRequest, fields: Fields): Promise<Answer>;
  errorBody(status: number): Answer['body'];
  /** First changes the record that the call is about, as a plan says. */
  move(request: FastifyRequest, meanwhile: Meanwhile): Promise<void>;
}

/** Serves calls of one operation, with the partner's habits and planned faults, before or after the call takes effect. */
export function withFaults(behavior: Behavior, called: Called, served: Served) {
  const { faults, habits, send, now, faultOf } = behavior;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const text = () => `${request.url} ${writeExactly(request.body)}`;
    const plan = faults.next(called, text) ?? faultOf(request);
    const answered = called.isWrite
      ? faults.requests.receive(called, request.url, text(), plan?.fault)
      : undefined;
    if (plan?.meanwhile) await served.move(request, plan.meanwhile);
    const fields = await served.fields(request);
    const { method, url } = request;
    const call: Call = {
      isWrite: false,
      ...called,
      fields,
      method,
      url,
      authorization: request.headers.authorization ?? '',
    };
    const perform: Perform = (own = fields) =>
      habits.perform({ ...call, fields: own }, (wanted = own) => served.perform(request, wanted));
    const { milliseconds = 0 } = plan ?? {};
    const wrap = CALL_FAULTS[plan?.fault as CallFault]?.start({
      now,
      milliseconds,
      wait: async () => plan && faults.delay(plan),
      refusal: (status) => ({ status, body: served.errorBody(status) }),
    });
    const answer = await (wrap ? wrap(call, perform) : perform());
    if (answer.status > 0) answered?.(answer.status);
    return send(reply, answer);
  };
}
