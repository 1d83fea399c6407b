import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { stateOf } from '../../../temporal/onboardings.js';
import { decodedPayloads, encryptedIn, isUnreadablePayload } from '../../../temporal/payload-codec.js';
import { all, type Condition, compared, IS_RUNNING, is } from '../../../temporal/query.js';
import { type Raw, rawListed } from '../../../temporal/search.js';
import { isNotFound } from '../../../temporal/unavailable.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { pollersOf } from '../../../temporal/workers.js';
import type { WorkerSettings } from '../../../worker/settings.js';
import { ok, type Verdict, wrong } from './check.js';

/** A query for the running workflows of a task queue. */
export function runningIn(taskQueue: string, ...conditions: readonly Condition[]): Condition {
  return all(is('TaskQueue', taskQueue), IS_RUNNING, ...conditions);
}

/** Workflows whose entry in the list is checked. An entry needs no request of its own. */
const IN_LIST = 5_000;

/** Workflows of these ages, in days, are sampled, because old workflows need old keys. */
const AGES_DAYS = [30, 7, 1, 0];
const OF_EACH_AGE = 5;
const DAY_MS = 86_400_000;

/** Workflows that a worker is asked about, and how long it may take, in milliseconds. */
const ASKED = 3;
const ASKED_TIMEOUT_MS = 5_000;

/** How many workflows are named for each key. */
const NAMED = 3;

/** A key that something is encrypted with: a payload to try, and the workflows that need it. */
interface KeyInUse {
  readonly payload: Payload;
  readonly workflowIds: Set<string>;
}

/**
 * Finds the keys that running workflows need: those of the entries in the list, and those of the whole state and the last events
 * of a sample. Then asks the workers about some workflows, because a worker may have other keys than this command.
 */
export async function examineKeys(
  client: Client,
  { taskQueue, payloadKeys }: WorkerSettings,
): Promise<Verdict[]> {
  const everyone = await Array.fromAsync(rawListed(client, runningIn(taskQueue), IN_LIST));
  const sample = await sampleOf(client, taskQueue);
  const inUse = new Map<string, KeyInUse>();
  const note = (workflowId: string, found: unknown) => {
    for (const { keyId, payload } of encryptedIn(found)) {
      const key = inUse.get(keyId) ?? { payload, workflowIds: new Set() };
      key.workflowIds.add(workflowId);
      inUse.set(keyId, key);
    }
  };
  for (const each of everyone) note(idOf(each), each.memo);
  await Promise.all(sample.map(async (id) => note(id, await everythingOf(client, id))));
  const locked = await Promise.all(
    [...inUse].map(async ([keyId, key]) =>
      lockedBy(keyId, key, await opens(client, key), payloadKeys !== undefined),
    ),
  );
  if (locked.some(({ length }) => length > 0)) return locked.flat();
  const ids = await asked(client, taskQueue, sample);
  const ofWorkers = (await Promise.all(ids.map((id) => examineWorkerKeys(client, id)))).flat();
  if (ofWorkers.length > 0) return ofWorkers;
  if (everyone.length === 0) return [ok('no workflow runs')];
  return [
    ok(`running workflows checked: ${everyone.length}, keys in use: ${inUse.size}, all can be decrypted`),
  ];
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

/** How many events are read, from the end of a history. */
const LAST_EVENTS = 20;

/** The summary and the pending activities of a workflow, and its last events. */
async function everythingOf(client: Client, workflowId: string): Promise<unknown> {
  const request = { namespace: client.options.namespace, execution: { workflowId } };
  try {
    return await Promise.all([
      client.workflowService.describeWorkflowExecution(request),
      client.workflowService.getWorkflowExecutionHistoryReverse({ ...request, maximumPageSize: LAST_EVENTS }),
    ]);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** @returns why a payload cannot be decrypted; undefined when it can be */
async function opens(client: Client, { payload }: KeyInUse): Promise<string | undefined> {
  return decodedPayloads(client, [payload]).then(
    () => undefined,
    (error: unknown) => {
      if (isUnreadablePayload(error)) return error.message;
      throw error;
    },
  );
}

function lockedBy(
  keyId: string,
  { workflowIds }: KeyInUse,
  why: string | undefined,
  hasKeys: boolean,
): Verdict[] {
  if (why === undefined) return [];
  const ids = [...workflowIds];
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '';
  const need = `of ${ids.slice(0, NAMED).join(', ')}${more}`;
  if (!hasKeys)
    return [
      wrong(
        `PAYLOAD_KEYS is not set: key ${keyId} is missing ${need}`,
        'set PAYLOAD_KEYS as the workers have it',
      ),
    ];
  const isMissing = why.includes('not among the keys');
  return isMissing
    ? [
        wrong(
          `not in PAYLOAD_KEYS: key ${keyId} ${need}`,
          `add ${keyId}:<base64> to PAYLOAD_KEYS, behind the first key`,
        ),
      ]
    : [wrong(`${why}: ${need}`, `correct the value of key ${keyId} in PAYLOAD_KEYS`)];
}

/** Asks about none when no worker runs, which another check reports. */
async function asked(client: Client, taskQueue: string, sample: readonly string[]): Promise<string[]> {
  if ((await pollersOf(client, taskQueue, 'workflow')).taking === 0) return [];
  // The oldest come first.
  return [...new Set([...sample.slice(0, 1), ...sample.slice(1 - ASKED)])];
}

/** Other obstacles than a key have checks of their own. */
async function examineWorkerKeys(client: Client, workflowId: string): Promise<Verdict[]> {
  try {
    await stateOf(client, workflowId, ASKED_TIMEOUT_MS);
    return [];
  } catch (error) {
    if (isNotFound(error)) return [];
    if (!(error instanceof UnreadableOnboarding)) throw error;
    return error.obstacle === 'no-key' ? [wrong(error.message, SAME_KEYS)] : [];
  }
}

const SAME_KEYS = 'set the same PAYLOAD_KEYS here and for each worker, and start the workers again';
