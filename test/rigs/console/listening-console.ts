import type { AddressInfo } from 'node:net';
import { consoleServer } from '../../../src/apps/console/server.js';
import { loadConsoleSettings } from '../../../src/apps/console/settings.js';
import type { ArrivalLimits } from '../../../src/platform/http/server.js';
import { createLogger } from '../../../src/platform/process/logging.js';
import { testEnds } from '../shared.js';
import { clientOfCalls, PROVIDER } from './console-of-calls.js';

/**
 * A console that listens, over a Temporal without workflows. Without a provider, everybody is an admin.
 *
 * @returns its port
 */
export async function listeningConsole(
  options: { readonly limits?: ArrivalLimits; readonly hasProvider?: boolean } = {},
): Promise<number> {
  const { limits, hasProvider = true } = options;
  const env = { ...(hasProvider && PROVIDER), DOCUMENT_DIR: '/dev/null/documents' };
  const settings = { ...loadConsoleSettings(env), requestsPerMinute: 100_000 };
  const { client } = clientOfCalls({});
  const logger = createLogger('silent');
  const server = await consoleServer({ settings, client, logger, ...(limits && { limits }) });
  testEnds(() => server.close());
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}
