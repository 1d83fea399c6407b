import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { InboxItem } from '../inbox/inbox.js';
import { stateQuery } from '../messages/onboarding-state.js';

/** The number of concurrent queries: a query may replay a workflow that its worker no longer has in memory. */
const AT_ONCE = 2;

const TIMEOUT_MS = 3_000;

/** The pause before a workflow that did not respond is asked again. */
const PAUSE_MS = 60_000;

const MOST = 20_000;

interface Known {
  /** By workflow id and requirement id. */
  readonly titles: Map<string, string>;
  /** By workflow id: when it may be asked again. */
  readonly pauses: Map<string, number>;
  readonly limit: ReturnType<typeof pLimit>;
  readonly asking: Set<Promise<void>>;
}

const known = new WeakMap<Client, Known>();

function knownTo(client: Client): Known {
  const kept = known.get(client) ?? {
    ...{ titles: new Map(), pauses: new Map(), limit: pLimit(AT_ONCE), asking: new Set() },
  };
  known.set(client, kept);
  return kept;
}

const keyOf = ({ workflowId, id }: InboxItem) => `${workflowId} ${id}`;

/**
 * Adds to the rows that people see what is asked, where that is known. The list of workflows has no question, because it may be
 * private. So each workflow with a question that is not known yet is asked in the background, once and not for each view, and the
 * next look at the list has the answer.
 */
export function withQuestions(client: Client, rows: readonly InboxItem[]): readonly InboxItem[] {
  const { titles, pauses, limit, asking } = knownTo(client);
  const unknown = rows.filter((row) => row.id !== undefined && !titles.has(keyOf(row)));
  for (const workflowId of new Set(unknown.map((row) => row.workflowId))) {
    if ((pauses.get(workflowId) ?? 0) > Date.now()) continue;
    pauses.set(workflowId, Date.now() + PAUSE_MS);
    void limit(() => {
      const learning = learn(client, workflowId).finally(() => asking.delete(learning));
      asking.add(learning);
      return learning;
    });
  }
  return rows.map((row) => {
    const title = titles.get(keyOf(row));
    return title === undefined ? row : { ...row, title };
  });
}

/** Before its connection is closed: the SDK would repeat a query at a closed one, and throw where nobody can catch it. */
export async function endQuestions(client: Client): Promise<void> {
  const { limit, asking } = knownTo(client);
  limit.clearQueue();
  await Promise.all(asking);
}

async function learn(client: Client, workflowId: string): Promise<void> {
  const { titles, pauses } = knownTo(client);
  const query = () => client.workflow.getHandle(workflowId).query(stateQuery);
  // The page of the requirement shows why it cannot be read.
  const state = await client.withDeadline(Date.now() + TIMEOUT_MS, query).catch(() => undefined);
  if (!state) return;
  pauses.delete(workflowId);
  for (const { id, title } of state.requirements) {
    titles.set(`${workflowId} ${id}`, title);
    const [oldest] = titles.keys();
    if (titles.size > MOST && oldest !== undefined) titles.delete(oldest);
  }
}
