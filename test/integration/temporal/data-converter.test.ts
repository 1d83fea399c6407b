import { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { dataConverter, generatePayloadKey, parsePayloadKeys } from '../../../src/temporal/payload-codec.js';
import '../../rigs/runtime.js';
import { workflowsOfTests } from '../../rigs/temporal/bundle.js';
import type { TalkativeActivities, talkative } from '../../rigs/temporal/talkative-workflow.ts';

const NAME = 'Ada Lovelace';

let connections: { client: Connection; worker: NativeConnection };
beforeAll(async () => {
  const address = inject('temporalAddress');
  const [client, worker] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ]);
  connections = { client, worker };
});
afterAll(() => Promise.all([connections.client.close(), connections.worker.close()]));

interface Exchanged {
  readonly query: string;
  readonly answer: string;
  readonly refusal: unknown;
  readonly failure: unknown;
  /** All that the server keeps of the workflow, byte by byte. */
  readonly stored: string;
}

/** Runs the talkative workflow to its end with a client and a worker that have this data converter. */
async function run(converter: DataConverter): Promise<Exchanged> {
  const taskQueue = crypto.randomUUID();
  const workflowBundle = await workflowsOfTests(converter.failureConverterPath);
  const activities: TalkativeActivities = {
    greet: async (name) => `hello, ${name}`,
    fail: async (name) => {
      throw new Error(`no bread for ${name}`);
    },
  };
  const connection = connections.worker;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle,
    activities,
    dataConverter: converter,
  });
  const client = new Client({ connection: connections.client, dataConverter: converter });
  return worker.runUntil(async () => {
    const handle = await client.workflow.start<typeof talkative>('talkative', {
      taskQueue,
      workflowId: taskQueue,
      args: [NAME],
      memo: { name: NAME },
      staticSummary: `summary of ${NAME}`,
    });
    const thank = (willing: boolean) => handle.executeUpdate<string, [boolean]>('thank', { args: [willing] });
    const query = await handle.query<string>('who');
    const refusal = await thank(false).catch((error) => error.cause);
    const answer = await thank(true);
    const failure = await handle.result().catch((error) => error);
    return { query, answer, refusal, failure, stored: await keptOf(taskQueue) };
  });
}

async function keptOf(workflowId: string): Promise<string> {
  const { workflowService } = connections.client;
  const request = { namespace: 'default', execution: { workflowId } };
  const history = await workflowService.getWorkflowExecutionHistory(request);
  const description = await workflowService.describeWorkflowExecution(request);
  const messages = proto.temporal.api.workflowservice.v1;
  return Buffer.concat([
    messages.GetWorkflowExecutionHistoryResponse.encode(history).finish(),
    messages.DescribeWorkflowExecutionResponse.encode(description).finish(),
  ]).toString();
}

/** A failure and its causes, in order. */
function causes(failure: unknown): Error[] {
  return failure instanceof Error ? [failure, ...causes(failure.cause)] : [];
}

describe('the data converter', () => {
  it('with keys leaves nothing in plain text, and decrypts everything with the keys', async () => {
    const { query, answer, refusal, failure, stored } = await run(
      dataConverter(parsePayloadKeys(generatePayloadKey())),
    );
    expect([query, answer, (refusal as Error).message]).toEqual([NAME, `thanks, ${NAME}`, `${NAME} may not`]);
    const failures = causes(failure);
    expect(failures.map(({ message }) => message)).toEqual([
      'Workflow execution failed',
      `nothing for ${NAME}`,
      'Activity task failed',
      `no bread for ${NAME}`,
    ]);
    expect(failures[1]).toMatchObject({
      details: [NAME],
      stack: expect.stringContaining('talkative-workflow'),
    });
    for (const clear of ['Ada', 'Lovelace', 'no bread', 'talkative-workflow'])
      expect(stored).not.toContain(clear);
    expect(stored).toContain('Encoded failure');
  });

  it('without keys changes nothing', async () => {
    expect(dataConverter(undefined)).toEqual({});
    const { query, stored } = await run(dataConverter(undefined));
    expect(query).toBe(NAME);
    for (const clear of [`"${NAME}"`, `summary of ${NAME}`, `no bread for ${NAME}`, `nothing for ${NAME}`]) {
      expect(stored).toContain(clear);
    }
  });
});
