import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { TestProject } from 'vitest/node';
import { ensureFreshBuild } from '../../scripts/build-stamp.js';
import {
  type DevServer,
  type DevServerOptions,
  startDevServer,
  temporalCli,
} from '../../src/apps/demo/dev-server.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';

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

/** A poll without a task ends after some seconds, and the server forgets a stopped worker soon, which takes minutes otherwise. */
export const FORGETFUL = { 'matching.longPollExpirationInterval': '5s', 'matching.PollerHistoryTTL': '10s' };

/** A development server with the search attributes of Gangway. */
export async function startTemporal(options: DevServerOptions = {}): Promise<DevServer> {
  const server = await startDevServer({
    ...options,
    dynamicConfig: { ...DELETE_AT_ONCE, ...options.dynamicConfig },
  });
  const connection = await Connection.connect({ address: server.address });
  await registerSearchAttributes(new Client({ connection }));
  await connection.close();
  return server;
}

/** Registers a namespace with the search attributes of Gangway. */
export async function registerNamespace(connection: Connection, namespace: string): Promise<void> {
  const workflowExecutionRetentionPeriod = msToTs('1 day');
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  await registerSearchAttributes(new Client({ connection, namespace }));
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
