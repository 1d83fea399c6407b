import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { kindOf } from '../http/error-kind.js';
import { nudge } from '../temporal/nudge.js';

/** Nudges under way at once: each may wait out a read at the partner. */
const AT_ONCE = 16;

/** Workflows that a nudge is under way for, or waits its turn. What is too much is dropped: their polls come round. */
const MAX_PENDING = 1_000;

/** gRPC's NOT_FOUND. */
const NOT_FOUND = 5;

/**
 * Nudges workflows in the background. For one workflow there is never more than one at a time, for a second could meet
 * the read that the first has caused; whoever asks meanwhile gets one more, after it.
 */
export class Nudges {
  readonly #limit = pLimit(AT_ONCE);
  readonly #closing = new AbortController();
  /** By workflow id: whether someone has asked since its nudge began. */
  readonly #asked = new Map<string, boolean>();

  constructor(
    private readonly client: Client,
    private readonly logger: Logger,
    private readonly count: Counter<'result'>,
  ) {}

  ask(workflowId: string): void {
    const isPending = this.#asked.has(workflowId);
    if (!isPending && this.#asked.size >= MAX_PENDING) return;
    this.#asked.set(workflowId, true);
    if (!isPending) void this.#limit(() => this.#serve(workflowId));
  }

  /** Drops those that wait, and lets go of those under way. */
  close(): void {
    this.#closing.abort();
    this.#limit.clearQueue();
  }

  async #serve(workflowId: string): Promise<void> {
    while (this.#asked.get(workflowId) && !this.#closing.signal.aborted) {
      this.#asked.set(workflowId, false);
      await this.#nudge(workflowId);
    }
    this.#asked.delete(workflowId);
  }

  async #nudge(workflowId: string): Promise<void> {
    const { signal } = this.#closing;
    try {
      const isNudged = await nudge(this.client, workflowId, { signal });
      this.count.inc({ result: isNudged ? 'nudged' : 'nobody' });
    } catch (error) {
      if (signal.aborted) return;
      this.count.inc({ result: isGone(error) ? 'nobody' : 'failed' });
      if (isGone(error)) return;
      this.logger.warn({ kind: kindOf(error) }, 'a hint got lost: the poll will notice by itself');
    }
  }
}

/** The workflow, or its wait for a change, has ended meanwhile. */
function isGone(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || (isGrpcServiceError(error) && error.code === NOT_FOUND);
}
