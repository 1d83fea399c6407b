import type { Client } from '@temporalio/client';
import { decodedPayloads, encryptedIn, type PayloadKey } from '../../../../temporal/payload-codec.js';
import { all, type Condition, compared, IS_RUNNING, is } from '../../../../temporal/query.js';
import { type Raw, rawListed } from '../../../../temporal/search.js';
import { ifFound } from '../../../../temporal/unavailable.js';
import {
  keyCheck,
  parseWorkerIdentity,
  polledQueues,
  pollersOf,
  type WorkerIdentity,
} from '../../../../temporal/workers.js';
import type { WorkerSettings } from '../../../../worker/settings.js';
import { ok, type Verdict, wrong } from './check.js';

export function runningIn(taskQueue: string, ...conditions: readonly Condition[]): Condition {
  return all(is('TaskQueue', taskQueue), IS_RUNNING, ...conditions);
}

/** Workflows whose entry in the list is checked. An entry needs no request of its own. */
const IN_LIST = 5_000;

/** Workflows of these ages, in days, are sampled, because old workflows need old keys. */
const AGES_DAYS = [30, 7, 1, 0];
const OF_EACH_AGE = 5;
const DAY_MS = 86_400_000;

const NAMED = 3;

/**
 * Finds the keys that running workflows need: those of the entries in the list, and those of the whole state and the last events
 * of a sample. Then compares the keys of the workers with those of this command, by the check values in the workers' identities.
 */
export async function examineKeys(
  client: Client,
  { taskQueue, payloadKeys }: Pick<WorkerSettings, 'taskQueue' | 'payloadKeys'>,
): Promise<Verdict[]> {
  const keys = payloadKeys ?? [];
  const everyone = await Array.fromAsync(rawListed(client, runningIn(taskQueue), IN_LIST));
  const sample = await sampleOf(client, taskQueue);
  const sampled = sample.map(async (id) => usesIn(id, await everythingOf(client, id)));
  const listed = everyone.map((each) => usesIn(idOf(each), each.memo));
  const found = Map.groupBy([...listed, ...(await Promise.all(sampled))].flat(), ({ keyId }) => keyId);
  const locked = [...found].filter(([keyId]) => !keys.some(({ id }) => id === keyId));
  if (locked.length > 0) return locked.map(([keyId, uses]) => lacking(keyId, uses, keys.length > 0));
  const proven = await Promise.all([...found].map(([keyId, uses]) => provenBy(client, keyId, uses)));
  // The server may take a minute to show a new worker, but not at each of its task queues.
  const queues = polledQueues(taskQueue, [undefined]);
  const pollers = await Promise.all(queues.map(({ queue, tasks }) => pollersOf(client, queue, tasks)));
  const identities = new Set(pollers.flatMap((each) => each.identities));
  const problems = [
    ...proven.flatMap(unreadable),
    ...[...identities].map(parseWorkerIdentity).flatMap((worker) => comparedWith(worker, keys, proven)),
  ];
  if (problems.length > 0) return problems;
  // A worker that is gone, or not shown yet, has left something behind.
  const foreign = proven.filter(({ mixed }) => mixed.length > 0);
  if (foreign.length > 0)
    return foreign.map(({ keyId, mixed }) =>
      wrong(`another key with the id ${keyId} encrypted something of ${some(mixed)}`, CORRECT_OTHER),
    );
  const inUse = `keys in use: ${found.size}, all can be decrypted`;
  return [
    ok(everyone.length > 0 ? `running workflows checked: ${everyone.length}, ${inUse}` : 'no workflow runs'),
  ];
}

/** A payload that a key encrypted, as its id claims. */
type Use = ReturnType<typeof usesIn>[number];

function usesIn(workflowId: string, message: unknown) {
  return [...encryptedIn(message)].map((encrypted) => ({ workflowId, ...encrypted }));
}

const idOf = ({ execution }: Raw) => execution?.workflowId ?? '';

async function sampleOf(client: Client, taskQueue: string): Promise<string[]> {
  const sampled = await Promise.all(
    AGES_DAYS.map((days) => {
      const before = new Date(Date.now() - days * DAY_MS);
      const query = runningIn(taskQueue, ...(days > 0 ? [compared('StartTime', '<', before)] : []));
      return Array.fromAsync(rawListed(client, query, OF_EACH_AGE));
    }),
  );
  return [...new Set(sampled.flat().map(idOf))];
}

const LAST_EVENTS = 20;

/** The summary and the pending activities of a workflow, and its last events. */
async function everythingOf(client: Client, workflowId: string): Promise<unknown> {
  const request = { namespace: client.options.namespace, execution: { workflowId } };
  const described = client.workflowService.describeWorkflowExecution(request);
  const last = { ...request, maximumPageSize: LAST_EVENTS };
  return ifFound(Promise.all([described, client.workflowService.getWorkflowExecutionHistoryReverse(last)]));
}

/** The workflows of which a key of this command reads all, some or nothing: the memo is the starter's, the rest any worker's. */
type Proven = Awaited<ReturnType<typeof provenBy>>;

async function provenBy(client: Client, keyId: string, uses: readonly Use[]) {
  const byWorkflow = { all: [] as string[], some: [] as string[], none: [] as string[] };
  for (const [id, own] of Map.groupBy(uses, ({ workflowId }) => workflowId)) {
    const opened = await Promise.allSettled(
      own.map(({ payload }) => decodedPayloads(client, [payload], undefined)),
    );
    const failed = opened.filter(({ status }) => status === 'rejected').length;
    byWorkflow[failed === 0 ? 'all' : failed < own.length ? 'some' : 'none'].push(id);
  }
  const { all, some: mixed, none: unreadable } = byWorkflow;
  return { keyId, readable: all.length + mixed.length, unreadable, mixed };
}

/** Whether the key of this command is not the one that most of the workflows were encrypted with. */
const isOursWrong = ({ readable, unreadable }: Proven) => unreadable.length > readable;

function lacking(keyId: string, uses: readonly Use[], hasKeys: boolean): Verdict {
  const ids = [...new Set(uses.map(({ workflowId }) => workflowId))];
  const need = `key ${keyId}${hasKeys ? '' : ' is missing'} of ${some(ids)}`;
  return hasKeys
    ? wrong(`not in PAYLOAD_KEYS: ${need}`, `add ${keyId}:<base64> to PAYLOAD_KEYS, after the first key`)
    : wrong(`PAYLOAD_KEYS is not set: ${need}`, 'set the same PAYLOAD_KEYS as the workers');
}

const CORRECT_OTHER =
  'correct the process that has the other key; then read "A payload key is lost" in docs/disaster.md';

function unreadable(proven: Proven): Verdict[] {
  const { keyId, readable, unreadable: ids } = proven;
  if (ids.length === 0) return [];
  const [detail, fix] = isOursWrong(proven)
    ? [
        `key ${keyId} of this command is not the one that encrypted ${some(ids)}`,
        `correct the value of key ${keyId} in PAYLOAD_KEYS of this command`,
      ]
    : [
        `another key with the id ${keyId} encrypted ${some(ids)}; the one of this command reads ${readable} others`,
        CORRECT_OTHER,
      ];
  return [wrong(detail, fix)];
}

/**
 * A worker needs the keys that are in use, and the one that this command encrypts with. This command needs the one that the worker
 * encrypts with. While keys rotate, both are so.
 */
function comparedWith(
  { name, keyChecks }: WorkerIdentity,
  keys: readonly PayloadKey[],
  proven: readonly Proven[],
): Verdict[] {
  // A worker of another program that does not publish its keys.
  if (keyChecks === undefined) return [];
  const ofId = (keyId: string) => proven.find((each) => each.keyId === keyId);
  const needed = keys.filter(({ id }, index) => index === 0 || ofId(id));
  const lacks = needed.filter((key) => !keyChecks.includes(keyCheck(key)));
  const ours = keys.map(keyCheck);
  const [first] = keyChecks;
  const add = 'add the first key of that worker to PAYLOAD_KEYS of this command, after the first key';
  if (lacks.length === 0 && first !== undefined && !ours.includes(first))
    return [wrong(`worker ${name} encrypts with a key that this command does not have`, add)];
  return lacks.flatMap(({ id }) => {
    const evidence = ofId(id);
    if (evidence && isOursWrong(evidence)) return [];
    const what = `worker ${name} lacks key ${id} of this command, or has another value for it`;
    const [detail, fix] = evidence
      ? [
          `${what}; the value of this command reads ${evidence.readable} running workflows`,
          `correct key ${id} in PAYLOAD_KEYS of that worker, and restart it`,
        ]
      : [what, 'set the same PAYLOAD_KEYS here and for that worker, and restart it'];
    return [wrong(detail, fix)];
  });
}

function some(ids: readonly string[]): string {
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '';
  return ids.slice(0, NAMED).join(', ') + more;
}
