import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { TestProject } from 'vitest/node';
import { ensureFreshBuild } from '../../scripts/build-stamp.js';
import {
  type DevServer,
  type DevServerOptions,
  startDevServer,
  temporalCli,
} from '../../src/apps/demo/dev-server.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { indexedFields } from './temporal/answering-service.js';
import { eventually, insist } from './waiting.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether rigs have the simulated service in place of a server. */
    readonly isSimulated: boolean;
    /** Address of the Temporal development server that all test files share. */
    readonly temporalAddress: string;
    /** The `temporal` command. */
    readonly temporalCli: string;
  }
}

/** How often a run under npm checks that npm still runs. */
const ORPHAN_CHECK_MS = 500;

/** npm does not forward SIGTERM: a run that npm has started ends when npm does. */
function endWithNpm(): void {
  const { ppid } = process;
  if (!process.env['npm_command']) return;
  setInterval(() => process.ppid !== ppid && process.kill(process.pid, 'SIGTERM'), ORPHAN_CHECK_MS).unref();
}

const report = (line: string) => process.stderr.write(`${line}\n`);

/** By default, the deletion of a workflow waits half a minute for tasks of its end, which have been done at once. */
const DELETE_AT_ONCE = {
  'history.transferProcessorEnsureCloseBeforeDelete': false,
  'history.visibilityProcessorEnsureCloseBeforeDelete': false,
};

/**
 * The development server reads the namespace and its search attributes again for each request that has some, which is a third of what
 * it reads. Without that, a part of the server can be seconds behind, so `startTemporal` and `registerNamespace` wait for it.
 */
const READS_ATTRIBUTES_ONCE = { 'system.forceSearchAttributesCacheRefreshOnRead': false };

/** A poll without a task ends after some seconds, and the server forgets a stopped worker soon, which takes minutes otherwise. */
export const FORGETFUL = { 'matching.longPollExpirationInterval': '5s', 'matching.PollerHistoryTTL': '10s' };

/** A development server with the search attributes of Gangway. */
export async function startTemporal(options: DevServerOptions = {}): Promise<DevServer> {
  const server = await startDevServer({
    ...options,
    dynamicConfig: { ...DELETE_AT_ONCE, ...READS_ATTRIBUTES_ONCE, ...options.dynamicConfig },
  });
  const connection = await Connection.connect({ address: server.address });
  await registerSearchAttributes(new Client({ connection }));
  await takesAttributes(connection, 'default');
  await connection.close();
  return server;
}

const { COMMAND_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION } =
  proto.temporal.api.enums.v1.CommandType;

/** A poll needs a deadline. */
const POLL_MS = 60_000;

/** Waits until the server starts a workflow with search attributes and lets it change them. Leaves no workflow behind. */
async function takesAttributes(connection: Connection, namespace: string): Promise<void> {
  const { workflowService } = connection;
  const [workflowId, taskQueue] = [`probe-${randomUUID()}`, { name: `probe-${randomUUID()}` }];
  const searchAttributes = { indexedFields: indexedFields({ ActionRequired: true }) };
  const start = { namespace, workflowId, taskQueue, workflowType: { name: 'probe' }, searchAttributes };
  await insist(() => workflowService.startWorkflowExecution({ ...start, requestId: randomUUID() }));
  const commands = [
    {
      commandType: COMMAND_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
      upsertWorkflowSearchAttributesCommandAttributes: { searchAttributes },
    },
    {
      commandType: COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION,
      completeWorkflowExecutionCommandAttributes: {},
    },
  ];
  // The server hands out the task again when it refuses its commands.
  await insist(async () => {
    const poll = () => workflowService.pollWorkflowTaskQueue({ namespace, taskQueue });
    const { taskToken } = await connection.withDeadline(Date.now() + POLL_MS, poll);
    await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands });
  });
  await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  const query = `WorkflowId = '${workflowId}'`;
  await eventually(
    async () => Number((await workflowService.countWorkflowExecutions({ namespace, query })).count),
    (count) => count === 0,
    'the deletion of the probe',
  );
}

/** Registers a namespace with the search attributes of Gangway. */
export async function registerNamespace(connection: Connection, namespace: string): Promise<void> {
  const workflowExecutionRetentionPeriod = msToTs('1 day');
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  await registerSearchAttributes(new Client({ connection, namespace }));
  await takesAttributes(connection, namespace);
}

/** One Temporal server for all test files; each has its own task queue on it. The tests run dist/, which is built if it is stale. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  endWithNpm();
  ensureFreshBuild();
  // Servers collect garbage a quarter as often: their heaps are small, and the rarer collection saves a tenth of their time.
  process.env['GOGC'] ??= '400';
  const server = await startTemporal({ report });
  project.provide('temporalAddress', server.address);
  project.provide('temporalCli', await temporalCli());
  return () => server.stop();
}
