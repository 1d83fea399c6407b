import type { Client } from '@temporalio/client';
import { createLogger } from '../src/process/logging.js';
import { startReceiver } from '../src/receiver/server.js';
import { loadReceiverSettings } from '../src/receiver/settings.js';
import { SECRET } from '../test/rigs/receiver/running-receiver.js';
import type { Bench } from './bench.js';

/** Starts a receiver that takes as much as comes. @returns its URL */
export async function receiving(bench: Bench, client: Client, taskQueue: string): Promise<string> {
  const settings = loadReceiverSettings({
    ...{ RECEIVER_ADDRESS: '127.0.0.1:0', RECEIVER_SECRETS: SECRET, RECEIVER_BANKING_AUTH: 'none' },
    RECEIVER_REQUESTS_PER_MINUTE: '9999999',
  });
  const receiver = await startReceiver({ ...settings, client, taskQueue, logger: createLogger('error') });
  bench.atEnd(() => receiver.close());
  return receiver.url;
}
