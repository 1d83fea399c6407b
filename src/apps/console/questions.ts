import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { stateQuery } from '../../messages/onboarding-state.js';
import { detailBeside } from '../../messages/requirements.js';
import { truncate } from '../../partners/text-limits.js';
import type { InboxItem } from '../../services/inbox/inbox.js';
import { remarksOn } from '../../services/texts/timeline-entries.js';
import { withLabels } from './pages/input-fields.js';

/** The number of concurrent queries: a query may replay a workflow that its worker no longer has in memory. */
const AT_ONCE = 8;

const TIMEOUT_MS = 1_000;

/** The pause before a workflow that did not respond is queried again. */
const PAUSE_MS = 60_000;

const MOST = 20_000;

/** The maximum length of the text in a row, in characters. */
const LONGEST_DETAIL = 200;

/** A waiting page does not keep the process alive. */
const QUIETLY = { ref: false };

interface Question {
  readonly facts: Pick<InboxItem, 'title' | 'detail' | 'answers' | 'hasRemark'>;
  /** The hand-over at the time of the query. */
  readonly handover: string;
}

const nothingKnown = () => ({
  /** By workflow ID and requirement ID. */
  questions: new Map<string, Question>(),
  /** The time from which a workflow may be queried again, by workflow ID. */
  pauses: new Map<string, number>(),
  /** Queries that run or wait for their turn, by workflow ID. */
  wanted: new Map<string, Promise<unknown>>(),
  limit: pLimit({ concurrency: AT_ONCE, rejectOnClear: true }),
});

const caches = new WeakMap<Client, ReturnType<typeof nothingKnown>>();

function knownTo(client: Client) {
  const cache = caches.get(client) ?? nothingKnown();
  caches.set(client, cache);
  return cache;
}

const keyOf = ({ workflowId, id }: InboxItem) => `${workflowId} ${id}`;

/** A new assignment or mention can have a remark, so it asks the workflow again. */
const handoverOf = ({ assignedBy, claimedUntil, mentioned = [] }: InboxItem) =>
  [assignedBy && claimedUntil, ...mentioned].join(' ');

/**
 * Adds the questions and allowed answers to the rows that people see. The list of workflows has no questions, because they may be
 * private, so this queries each workflow with an unknown question, or with a new hand-over, once, not for each view. A page waits a
 * second for the responses. Later responses appear at the next view.
 */
export async function withQuestions(client: Client, rows: readonly InboxItem[]) {
  const { questions, pauses, limit, wanted } = knownTo(client);
  const unknown = rows.filter(
    (row) => row.id !== undefined && questions.get(keyOf(row))?.handover !== handoverOf(row),
  );
  const workflowIds = new Set(unknown.map((row) => row.workflowId));
  for (const workflowId of workflowIds) {
    if ((pauses.get(workflowId) ?? 0) > Date.now()) continue;
    pauses.set(workflowId, Date.now() + PAUSE_MS);
    const answer = limit(() => learn(client, workflowId, unknown)).catch(() => undefined);
    wanted.set(workflowId, answer);
    void answer.then(() => wanted.delete(workflowId));
  }
  const answers = [...workflowIds].flatMap((workflowId) => wanted.get(workflowId) ?? []);
  if (answers.length > 0)
    await Promise.race([Promise.all(answers), setTimeout(TIMEOUT_MS, undefined, QUIETLY)]);
  return rows.map((row) => ({ ...row, ...questions.get(keyOf(row))?.facts }));
}

/** Call this before closing the client's connection: the SDK would retry a query on it, and throw an error nobody can catch. */
export async function endQuestions(client: Client): Promise<void> {
  const { limit, wanted } = knownTo(client);
  limit.clearQueue();
  await Promise.all(wanted.values());
}

async function learn(client: Client, workflowId: string, rows: readonly InboxItem[]): Promise<void> {
  const { questions, pauses } = knownTo(client);
  const query = () => client.workflow.getHandle(workflowId).query(stateQuery);
  // The requirement's page shows why the state cannot be read.
  const state = await client.withDeadline(Date.now() + 3_000, query).catch(() => undefined);
  if (!state) return;
  pauses.delete(workflowId);
  for (const requirement of state.requirements) {
    const { id, title, answers } = requirement;
    const detail = truncate(withLabels(requirement, detailBeside(requirement)), LONGEST_DETAIL);
    const row = rows.find((each) => each.workflowId === workflowId && each.id === id);
    const key = `${workflowId} ${id}`;
    const handover = row ? handoverOf(row) : (questions.get(key)?.handover ?? '');
    const hasRemark = remarksOn(state.timeline, id).length > 0;
    questions.set(key, { facts: { title, detail, answers, hasRemark }, handover });
    const [oldest] = questions.keys();
    if (questions.size > MOST && oldest !== undefined) questions.delete(oldest);
  }
}
