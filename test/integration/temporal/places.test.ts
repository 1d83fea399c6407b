import { randomUUID } from 'node:crypto';
import { activityInfo, CompleteAsyncError, heartbeat } from '@temporalio/activity';
import { WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  dataConverter,
  decodeFailure,
  decodePayloads,
  encryptedIn,
  FAILURE_CONVERTER,
  parsePayloadKeys,
  payloadCodec,
  replayConverter,
} from '../../../src/temporal/payload-codec.js';
import { is } from '../../../src/temporal/query.js';
import { listOnboardings } from '../../../src/temporal/search.js';
import { gangway } from '../../rigs/command.js';
import { merchant } from '../../rigs/inputs.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { workflowsOfTests } from '../../rigs/temporal/bundle.js';
import type { RoadActivities, roads } from '../../rigs/temporal/roads-workflow.ts';
import { eventually } from '../../rigs/waiting.js';

const NAMESPACE = 'default';

const rig = await sharedRig();
const { client } = rig;
const { workflowService } = client;
const keys = parsePayloadKeys(rig.env['PAYLOAD_KEYS'] ?? '');
/** Of the workflow of the test. */
const taskQueue = `roads-${randomUUID()}`;

/** The converter with which another program completes an activity, as it is. */
let forged: temporal.api.common.v1.IPayloads | undefined;

const activities: RoadActivities = {
  echo: async (text) => text,
  resumed: async (text) => {
    const { heartbeatDetails, attempt } = activityInfo();
    if (attempt > 1) return heartbeatDetails;
    heartbeat(text);
    throw new Error('once');
  },
  refuse: async (text) => {
    throw ApplicationFailure.nonRetryable('refused', 'Refused', text);
  },
  completed: async (by) => {
    const { taskToken, activityId, workflowExecution } = activityInfo();
    const { workflowId = '', runId = '' } = workflowExecution ?? {};
    const raw = { namespace: NAMESPACE, workflowId, runId, activityId };
    if (forged) await workflowService.respondActivityTaskCompletedById({ ...raw, result: forged });
    else if (by === 'id') await client.activity.complete({ workflowId, runId, activityId }, by);
    else await client.activity.complete(taskToken, by);
    throw new CompleteAsyncError();
  },
};

const workflowBundle = await workflowsOfTests(FAILURE_CONVERTER);

let stop: () => Promise<void>;
beforeAll(async () => {
  const native = await NativeConnection.connect({ address: inject('temporalAddress') });
  const worker = await Worker.create({
    connection: native,
    namespace: NAMESPACE,
    taskQueue,
    activities,
    workflowBundle,
    dataConverter: dataConverter(keys),
    // Each task replays the whole history.
    maxCachedWorkflows: 0,
  });
  const running = worker.run();
  stop = async () => {
    worker.shutdown();
    await running;
    await native.close();
  };
});
afterAll(() => stop());

/** A signal as the Web UI and `temporal` send it, to all workflows of a query: its payload has no workflow. */
async function signalBatch(workflowId: string, text: string): Promise<void> {
  const codec = payloadCodec(keys);
  const payload = client.options.loadedDataConverter.payloadConverter.toPayload(text);
  const payloads = await codec.encode([payload], { namespace: NAMESPACE });
  await workflowService.startBatchOperation({
    namespace: NAMESPACE,
    jobId: randomUUID(),
    reason: 'a test',
    executions: [{ workflowId }],
    signalOperation: { signal: 'note', input: { payloads } },
  });
}

/** The memo of a workflow, as the server has it. */
async function memoOf(workflowId: string) {
  const request = { namespace: NAMESPACE, execution: { workflowId } };
  const { workflowExecutionInfo } = await workflowService.describeWorkflowExecution(request);
  return workflowExecutionInfo?.memo?.fields ?? {};
}

/** The places of all encrypted payloads in a history: the names of their workflows. */
async function placesIn(handle: WorkflowHandle): Promise<string[]> {
  const places = encryptedIn(await handle.fetchHistory()).map(({ payload }) => {
    const place = Buffer.from(payload.metadata?.['place'] ?? []).toString();
    const [namespace, workflowId] = JSON.parse(place);
    return `${namespace}: ${workflowId}`;
  });
  return [...new Set(places)].sort();
}

describe('what belongs to a workflow', () => {
  it('takes every road, also in a replay, after a new run and after a reset', async () => {
    const id = randomUUID();
    const workflowId = `merchant-boarding-${id}`;
    const partId = `business-onboarding-${id}`;
    const options = { workflowId, taskQueue, args: [id, partId] as [string, string], memo: { name: id } };
    const started = new WithStartWorkflowOperation('roads', {
      ...options,
      workflowIdConflictPolicy: 'FAIL',
    });
    const question = { args: [id] as [string], startWorkflowOperation: started };
    expect(await client.workflow.executeUpdateWithStart('ask', question)).toBe(`${id}, answered`);
    const handle = client.workflow.getHandle<typeof roads>(workflowId);
    expect(await handle.executeUpdate<string, [string]>('ask', { args: ['again'] })).toBe('again, answered');
    await handle.signal<[string]>('note', 'first');
    await client.workflow.signalWithStart('roads', { ...options, signal: 'note', signalArgs: ['second'] });
    expect(await handle.query<string[]>('noted')).toEqual(['first', 'second']);
    await signalBatch(workflowId, 'third');
    const arrived = {
      input: id,
      memo: id,
      signals: ['first', 'second', 'third'],
      activity: id,
      local: id,
      heartbeat: id,
      failure: [id],
      'completed by id': 'id',
      'completed by token': 'token',
      child: { input: id, memo: id, signals: [id, id] },
      'signal of the child': [id],
      'failed child': [id],
    };
    expect(await handle.result()).toEqual(arrived);
    expect(await handle.query<string[]>('noted')).toEqual(['first', 'second', 'third', id]);
    const { name, changed } = await memoOf(workflowId);
    expect(await decodePayloads(client, [name ?? {}, changed ?? {}], workflowId)).toEqual([id, id]);

    const replay = Worker.runReplayHistories({ workflowBundle, dataConverter: replayConverter(keys) }, [
      { workflowId: 'merchant-boarding-replayed', history: await handle.fetchHistory() },
    ]);
    expect((await Array.fromAsync(replay)).map(({ error }) => error)).toEqual([undefined]);

    const places = [`default: ${partId}`, `default: ${partId}-failing`, `default: ${workflowId}`];
    // The token shows the client no workflow.
    expect(await placesIn(handle)).toEqual([': ', ...places]);
    const { runId } = await handle.describe();
    await workflowService.resetWorkflowExecution({
      namespace: NAMESPACE,
      workflowExecution: { workflowId, runId },
      requestId: randomUUID(),
      reason: 'a test',
      workflowTaskFinishEventId: 4 as never,
    });
    const reset = client.workflow.getHandle<typeof roads>(workflowId);
    expect((await reset.describe()).runId).not.toBe(runId);
    // Temporal applies the signal of the first child again.
    expect(await reset.result()).toEqual({ ...arrived, 'signal of the child': [id, id] });
  });

  it('reaches an activity without a workflow', async () => {
    const id = `event-${randomUUID()}`;
    const options = { id, taskQueue, startToCloseTimeout: '1 minute', args: [id] } as const;
    expect(await client.activity.execute('echo', options)).toBe(id);
  });
});

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads;

/** What the history of a workflow has, as it is there. */
async function kept(
  handle: WorkflowHandle,
  payloadsOf: (event: Event) => Payloads | null | undefined,
): Promise<Payloads> {
  const { events } = await handle.fetchHistory();
  const [result] = (events ?? []).flatMap((event) => payloadsOf(event) ?? []);
  if (!result) throw new Error('the history has none');
  return result;
}

const inputOf = ({ workflowExecutionStartedEventAttributes: started }: Event) => started?.input;

const endsWith = (handle: WorkflowHandle) =>
  onTestFinished(() => void handle.terminate().catch(() => undefined));

describe('what belongs to another workflow', () => {
  const two = () => {
    const [one, other] = [randomUUID(), randomUUID()].map((id) => `merchant-boarding-${id}`);
    return [one ?? '', other ?? ''] as const;
  };
  const start = async (workflowId: string) => {
    const args: [string, string] = [workflowId, `business-onboarding-${randomUUID()}`];
    const handle = await client.workflow.start<typeof roads>('roads', { workflowId, taskQueue, args });
    endsWith(handle);
    await handle.executeUpdate<string, [string]>('ask', { args: ['asked'] });
    await handle.signal<[string]>('note', 'noted');
    return handle;
  };
  /** Why the task of a workflow failed. */
  const refusal = async (workflowId: string) => {
    const handle = client.workflow.getHandle(workflowId);
    const failures = await eventually(
      async () =>
        ((await handle.fetchHistory()).events ?? []).flatMap(
          ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure ?? [],
        ),
      (matches) => matches.length > 0,
      `a refusal in ${workflowId}`,
    );
    return (await decodeFailure(client, failures[0], workflowId))?.message;
  };
  const named = (one: string, other: string) =>
    `a payload of workflow ${one} of namespace default was found in workflow ${other} of namespace default`;

  it("is refused by a reader as an update's result, and not as what it is", async () => {
    const [one, other] = two();
    const { payloads } = await kept(
      await start(one),
      ({ workflowExecutionUpdateCompletedEventAttributes: update }) => update?.outcome?.success,
    );
    expect(await decodePayloads(client, payloads, one)).toEqual(['asked, answered']);
    await expect(decodePayloads(client, payloads, other)).rejects.toThrow(named(one, other));
  });

  it('is refused as the input and the memo of an onboarding, and the command names both', async () => {
    const boarding = await rig.board(merchant('waiting'));
    const input = await kept(boarding.handle, inputOf);
    const [, other] = two();
    const fields = await memoOf(boarding.workflowId);
    await workflowService.startWorkflowExecution({
      namespace: NAMESPACE,
      workflowId: other,
      requestId: randomUUID(),
      memo: { fields },
      workflowType: { name: 'merchantBoarding' },
      taskQueue: { name: rig.taskQueue },
      input,
    });
    expect(await refusal(other)).toBe(named(boarding.workflowId, other));
    const { code, stderr } = await gangway(rig.env, ['status', other]);
    const why = named(boarding.workflowId, other);
    expect([code, stderr]).toEqual([1, `${other} cannot be read: its workflow task fails: ${why}\n`]);
    await client.workflow.getHandle(other).terminate();
    const [entry] = await eventually(
      () => Array.fromAsync(listOnboardings(client, is('WorkflowId', other))),
      ([result]) => result?.state === 'terminated',
      `${other} in the list`,
    );
    expect(entry?.dba).toBeUndefined();
    const memo = Object.values(fields);
    expect(await decodePayloads(client, memo, boarding.workflowId)).toContain('Corner Bakery [waiting]');
  });
});
