import { TestWorkflowEnvironment } from '@temporalio/testing';
import { SEARCH_ATTRIBUTES } from '../src/messages/search-attributes.js';
import { addSearchAttributes } from '../src/temporal/search-attributes.js';
import { timeSkippingServer } from '../test/rigs/time-skipping-server.js';
import type { Bench } from './bench.js';

/** A server that skips time, with Gangway's search attributes. */
export async function skippingTime(bench: Bench): Promise<TestWorkflowEnvironment> {
  const executable = { type: 'existing-path', path: await timeSkippingServer() } as const;
  const environment = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  bench.atEnd(() => environment.teardown());
  // This server cannot list its search attributes.
  const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
  await addSearchAttributes(environment.client, names);
  return environment;
}
