import type { Client } from '@temporalio/client';
import { type Config, servedAccounts } from '../config.js';
import { deployedVersions } from '../temporal/deployed-versions.js';
import { nameOf, polledQueues, pollersOf, whyNobodyTakes } from '../temporal/pollers.js';

/** @throws {Error} naming a task queue whose new tasks nobody takes, and why */
export async function examineWorkers(client: Client, config: Config): Promise<string> {
  const { taskQueue } = config;
  const taking = async (queue: string, tasks: 'workflow' | 'activity') => {
    const pollers = await pollersOf(client, queue, tasks);
    if (pollers.taking === 0) throw new Error(whyNobodyTakes(queue, pollers));
    return pollers.taking;
  };
  const accounts = servedAccounts(config).map(([name]) => name);
  const [workers] = await Promise.all(
    polledQueues(taskQueue, accounts).map(({ queue, tasks }) => taking(queue, tasks)),
  );
  return `${workers} heard of in the last minute on task queue ${taskQueue} and its lanes`;
}

/**
 * How the builds of a deployment stand.
 *
 * @param at as in {@link pollersOf}
 * @throws {Error} naming a build that running workflows are pinned to and that no worker runs
 */
export async function examineVersions(client: Client, taskQueue: string, at?: number): Promise<string> {
  const { target, versions: polling } = await pollersOf(client, taskQueue, 'workflow', at);
  const names = new Set([target, ...polling].flatMap((version) => version?.deploymentName ?? []));
  const deployed = await Promise.all(
    [...names].map(async (deploymentName) => {
      const versions = await deployedVersions(client, deploymentName);
      return versions.map((version) => ({ ...version, name: nameOf({ deploymentName, ...version }) }));
    }),
  );
  const running = new Set(polling.map(nameOf));
  const orphaned = deployed.flat().find(({ name, pinned }) => pinned > 0 && !running.has(name));
  if (orphaned) {
    throw new Error(
      `no worker runs ${orphaned.name}, and workflows are pinned to it: ${orphaned.pinned}; run it until they have ended`,
    );
  }
  const shown = deployed.flat().filter(({ status }) => status !== 'drained');
  const pinnedTo = (pinned: number) => (pinned > 0 ? `, pinned to it: ${pinned}` : '');
  if (shown.length === 0) return 'off: GANGWAY_BUILD_ID is not set, so any worker takes any task';
  return shown.map(({ name, status, pinned }) => `${name} is ${status}${pinnedTo(pinned)}`).join('; ');
}
