import type { Logger } from 'pino';
import { kindOf } from '../http/error-kind.js';
import type { Desk } from './event-types.js';
import { type NamedIds, runningWith } from './hint-ids.js';
import { Nudges } from './nudges.js';
import { ask } from './temporal.js';

/** Workflows that one delivery may nudge. */
const MAX_WORKFLOWS = 100;

/** How long search attributes may take, in milliseconds, until workflows are found by them. */
const VISIBLE_AFTER_MS = 2_000;

/** Second looks that may be due at once. What is too much is dropped: the polls come round. */
const MAX_SECOND_LOOKS = 100;

/** What partners say has changed. It is never believed: the workflow that it may be about reads at the partner. */
export class Hints {
  readonly #nudges: Nudges;
  readonly #secondLooks = new Set<NodeJS.Timeout>();

  constructor(
    private readonly desk: Desk,
    private readonly logger: Logger,
  ) {
    this.#nudges = new Nudges(desk.client, logger);
  }

  /**
   * Nudges the workflows of our task queue that run with one of these ids, in the background. Another queue may be of
   * another environment, where the same ids are of others.
   *
   * @returns how many there are
   * @throws {Problem} `temporal-away`
   */
  async pass(ids: NamedIds): Promise<number> {
    if (ids.size === 0) return 0;
    const query = runningWith(ids, this.desk.taskQueue);
    const found = await this.#find(query);
    for (const workflowId of found) this.#nudges.ask(workflowId);
    this.#lookAgain(query, found);
    return found.length;
  }

  close(): void {
    for (const timer of this.#secondLooks) clearTimeout(timer);
    this.#nudges.close();
  }

  #find(query: string): Promise<string[]> {
    const { client } = this.desk;
    return ask(client, async () => {
      const found: string[] = [];
      for await (const { workflowId } of client.workflow.list({ query, pageSize: MAX_WORKFLOWS })) {
        found.push(workflowId);
        if (found.length === MAX_WORKFLOWS) break;
      }
      return found;
    });
  }

  /**
   * An application that is decided at once is told of before its workflow can be found by the id it has just got, and
   * without this the workflow would wait a whole poll.
   */
  #lookAgain(query: string, found: readonly string[]): void {
    if (this.#secondLooks.size >= MAX_SECOND_LOOKS) return;
    const look = async () => {
      for (const workflowId of await this.#find(query)) {
        if (!found.includes(workflowId)) this.#nudges.ask(workflowId);
      }
    };
    const timer = setTimeout(() => {
      look()
        .catch((error: unknown) => this.logger.warn({ kind: kindOf(error) }, 'a second look failed'))
        .finally(() => this.#secondLooks.delete(timer));
    }, VISIBLE_AFTER_MS);
    this.#secondLooks.add(timer);
  }
}
