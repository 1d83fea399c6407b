import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { z } from 'zod';
import { metricLabels, POLLS, possibleWorkflowIds, workflowId } from '../../messages/ids.js';
import { externalId } from '../../messages/inputs.js';
import type { IdField } from '../../partners/partner.js';
import { errorKind } from '../../platform/http/server.js';
import { NUDGES, nudge, type Pending, readsChange } from '../../temporal/nudge.js';
import type { Backend } from '../../temporal/program-requests.js';
import { all, type Condition, either, IS_RUNNING, is, isIn } from '../../temporal/query.js';
import { listOnboardings } from '../../temporal/search.js';
import { isNotFound } from '../../temporal/unavailable.js';
import { parse } from './cloud-events.js';
import { callTemporal } from './problems.js';

/** IDs of the partners are digits, as a number or a text (docs/partner-apis.md#merchant-boarding), of at most this length. */
const digits = z
  .union([z.string(), z.int(), z.bigint()])
  .transform((id) => String(id).trim())
  .pipe(z.string().regex(/^\d{1,20}$/));
const number = digits.transform((id) => id.replace(/^0+(?=\d)/, ''));

const KINDS: Readonly<Record<IdField['kind'], z.ZodType<string>>> = {
  MerchantProfileId: number,
  BankingProfileId: number,
  Mid: digits,
  externalId,
};

const MAX_IDS = 100;

const MAX_DEPTH = 16;

/** The maximum length of a field's path, in characters. A longer path loses its beginning. */
const MAX_PATH = 200;

/** The maximum number of texts to parse as JSON, because the parser throws for each other text. */
const MAX_TEXTS = 100;

type Field = { readonly path: string; readonly value: unknown };

type NamedId = Pick<IdField, 'kind'> & { readonly id: string };

/** The IDs in a webhook, each once, by kind and ID. */
export type NamedIds = ReadonlyMap<string, NamedId>;

/** Matches a name and its value in a form, in XML, or in invalid JSON. */
const PAIR = /(?<![\w-])([\w-]{1,64})["']?\s{0,8}[:=>]\s{0,8}["']?([\w.-]{1,128})/g;

/** Reads as much as it can of any body, because only IDs are used, and senders disable a webhook after a 4xx. */
export function webhookIn(body: string): unknown {
  const text = body.replace(/^\uFEFF/, '');
  try {
    return parse(text);
  } catch {
    const decoded = text.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Array.from(decoded.matchAll(PAIR), ([, name = '', value]) => ({ [name]: value }));
  }
}

/**
 * Returns the first IDs in a webhook, at any depth, in lists and in JSON texts. Field names can be in any case, also `snake_case` and
 * `kebab-case`. A value without the form of its ID is ignored, because the shapes of webhooks are not documented.
 */
export function idsInWebhook(webhook: unknown, fields: readonly IdField[]): NamedIds {
  const named = new Map<string, NamedId>();
  for (const { path, value } of fieldsOf(webhook)) {
    for (const { kind } of fields.filter((field) => path.endsWith(`.${plain(field.path)}`))) {
      const id = KINDS[kind].safeParse(value).data;
      if (id !== undefined) addIds(named, new Map([[`${kind} ${id}`, { kind, id }]]), MAX_IDS);
    }
  }
  return named;
}

const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

export function addIds(named: Map<string, NamedId>, more: NamedIds, most: number): void {
  for (const [key, id] of more) if (named.size < most) named.set(key, id);
}

/**
 * Returns the visibility query for the running workflows of a task queue that have one of the IDs. A webhook does not name its
 * account, so an `externalId` matches the workflows of every account.
 */
export function runningWith(named: NamedIds, taskQueue: string, accounts: readonly string[]): Condition {
  const clauses = [...Map.groupBy(named.values(), ({ kind }) => kind)].map(([kind, of]) => {
    const ids = of.map(({ id }) => id);
    return kind === 'externalId'
      ? isIn(
          'WorkflowId',
          ids.flatMap((id) => possibleWorkflowIds(id, accounts)),
        )
      : isIn({ name: kind }, ids);
  });
  return all(IS_RUNNING, is('TaskQueue', taskQueue), either(...clauses));
}

/** Yields all fields at any depth. A path has a dot before each lower-case name, from the outside in, and leaves out lists. */
function* fieldsOf(value: unknown, path = '', depth = 0, texts = { left: MAX_TEXTS }): Generator<Field> {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string' && /^\s*[[{"]/.test(value) && texts.left-- > 0)
    yield* fieldsOf(webhookIn(value), path, depth + 1, texts);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    const inner = Array.isArray(value) ? path : `${path}.${plain(name)}`.slice(-MAX_PATH);
    if (!Array.isArray(value)) yield { path: inner, value: field };
    yield* fieldsOf(field, inner, depth + 1, texts);
  }
}

/**
 * Creates the metrics of nudges, and of the use of webhooks: when the last one arrived, and the status changes that one reported first.
 * A worker counts all changes. The account comes from the nudged workflows, because a webhook does not name it.
 */
export function nudgeMetrics(registry: Registry, accounts: readonly string[]) {
  const labelNames = ['workflowType', 'system', 'account'] as const;
  const how = { labelNames, registers: [registry] };
  const changes = new Counter({
    name: 'gangway_receiver_changes_nudged_total',
    ...how,
    help: 'Status changes that were read because of a partner webhook',
  });
  // Prometheus notices an increase only from a known value.
  for (const { type } of POLLS)
    for (const account of [undefined, ...accounts])
      changes.inc(metricLabels(workflowId(type, 'any', account)), 0);
  const last = new Gauge({
    name: 'gangway_receiver_webhook_last_timestamp_seconds',
    ...how,
    help: 'When the last partner webhook about a running workflow arrived',
  });
  return { changes, last, nudges: new Counter({ ...NUDGES, ...how, labelNames: ['result'] }) };
}

type NudgeMetrics = ReturnType<typeof nudgeMetrics>;

const MAX_WORKFLOWS = 100;

/** The time until a search finds new workflows, in milliseconds. */
const VISIBLE_AFTER_MS = 2_000;

/** The time for which IDs are gathered for one second search, in milliseconds. Temporal limits the searches per second. */
const GATHERING_MS = 1_000;

interface SecondSearch {
  readonly ids: Map<string, NamedId>;
  readonly workflowIds: Set<string>;
}

/**
 * Nudges the workflows that a partner webhook may be about. The webhook is never trusted: the workflow reads its status from the
 * partner.
 */
export class WebhookNudges {
  readonly #queue: NudgeQueue;
  readonly #closing = new AbortController();
  #gathering: SecondSearch | undefined;

  constructor(
    private readonly backend: Backend,
    private readonly logger: Logger,
    metrics: NudgeMetrics,
  ) {
    this.#queue = new NudgeQueue(backend.client, logger, metrics);
  }

  /**
   * Nudges the running workflows that have one of these IDs, in the background. Searches this task queue only, because
   * another one may belong to another environment, where the same IDs mean other onboardings.
   *
   * @throws {Problem} `temporal-unavailable`
   */
  async nudgeWorkflowsOf(ids: NamedIds): Promise<number> {
    if (ids.size === 0) return 0;
    const workflowIds = await this.#find(ids);
    for (const workflowId of workflowIds) this.#queue.add(workflowId);
    this.#searchAgain(ids, workflowIds);
    return workflowIds.length;
  }

  close(): void {
    this.#closing.abort();
    this.#queue.close();
  }

  #find(ids: NamedIds): Promise<string[]> {
    const { client, taskQueue, accounts } = this.backend;
    const query = runningWith(ids, taskQueue, accounts);
    return callTemporal(client, async () => {
      const onboardings = await Array.fromAsync(listOnboardings(client, query, MAX_WORKFLOWS));
      return onboardings.map(({ workflowId }) => workflowId);
    });
  }

  /**
   * Searches a second time, because a partner that decides at once sends its webhook before the workflow can be found by its new ID.
   * Drops IDs beyond the limit of one search. Their workflows read at the next poll.
   */
  #searchAgain(ids: NamedIds, workflowIds: readonly string[]): void {
    if (!this.#gathering) {
      this.#gathering = { ids: new Map(), workflowIds: new Set() };
      this.#searchLater(this.#gathering).catch((error: unknown) => {
        if (this.#closing.signal.aborted) return;
        this.logger.warn({ kind: errorKind(error) }, 'second search for IDs of partner webhooks failed');
      });
    }
    addIds(this.#gathering.ids, ids, MAX_IDS);
    for (const workflowId of workflowIds) this.#gathering.workflowIds.add(workflowId);
  }

  async #searchLater({ ids, workflowIds }: SecondSearch): Promise<void> {
    const { signal } = this.#closing;
    await sleep(GATHERING_MS, undefined, { signal });
    this.#gathering = undefined;
    await sleep(VISIBLE_AFTER_MS, undefined, { signal });
    for (const workflowId of await this.#find(ids)) {
      if (!workflowIds.has(workflowId)) this.#queue.add(workflowId);
    }
  }
}

/** The number of nudges in flight. Each may wait for a read at the partner to end. */
const AT_ONCE = 16;

/** The maximum number of workflows with a pending nudge, or a read that is followed. Others read at the next poll. */
const MAX_PENDING = 1_000;

/**
 * Nudges workflows in the background. A workflow never has two nudges at a time, because the second one could meet the read
 * that the first one caused. A request during a nudge causes one more nudge after it.
 */
export class NudgeQueue {
  readonly #limit = pLimit(AT_ONCE);
  readonly #closing = new AbortController();
  /** Keyed by workflow ID: whether another nudge was requested since the current one began. */
  readonly #requested = new Map<string, boolean>();
  readonly #followed = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly logger: Logger,
    private readonly metrics: NudgeMetrics,
  ) {}

  add(workflowId: string): void {
    const about = metricLabels(workflowId);
    // The customer of a merchant has the same IDs, and polls nothing.
    if (POLLS.some(({ type }) => type === about.workflowType))
      this.metrics.last.set(about, Math.floor(Date.now() / 1_000));
    const isPending = this.#requested.has(workflowId);
    if (!isPending && this.#requested.size >= MAX_PENDING) return;
    this.#requested.set(workflowId, true);
    if (!isPending) void this.#limit(() => this.#nudgeWhileRequested(workflowId));
  }

  /** Drops waiting nudges, and abandons those in flight. */
  close(): void {
    this.#closing.abort();
  }

  async #nudgeWhileRequested(workflowId: string): Promise<void> {
    while (this.#requested.get(workflowId) && !this.#closing.signal.aborted) {
      this.#requested.set(workflowId, false);
      await this.#nudge(workflowId);
    }
    this.#requested.delete(workflowId);
  }

  async #nudge(workflowId: string): Promise<void> {
    const { signal } = this.#closing;
    try {
      const follow = (poll: Pending) => void this.#follow(workflowId, poll);
      const isNudged = await nudge(this.client, workflowId, { signal, follow });
      this.metrics.nudges.inc({ result: isNudged ? 'nudged' : 'nobody' });
    } catch (error) {
      if (signal.aborted) return;
      // The workflow or its poll has ended meanwhile.
      const hasEnded = isNotFound(error);
      this.metrics.nudges.inc({ result: hasEnded ? 'nobody' : 'failed' });
      if (hasEnded) return;
      this.logger.warn({ kind: errorKind(error) }, 'nudge failed: the workflow reads at its next poll');
    }
  }

  /** Counts a change if the read after a nudge shows one. A read that cannot be followed counts for nothing. */
  async #follow(workflowId: string, before: Pending): Promise<void> {
    if (this.#followed.has(workflowId) || this.#followed.size >= MAX_PENDING) return;
    this.#followed.add(workflowId);
    const handle = this.client.workflow.getHandle(workflowId);
    const isChange = await readsChange(handle, before, this.#closing.signal).catch(() => false);
    this.#followed.delete(workflowId);
    if (isChange) this.metrics.changes.inc(metricLabels(workflowId));
  }
}
