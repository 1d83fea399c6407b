import type { Client } from '@temporalio/client';
import { type Config, loadConfig } from '../config.js';
import { connectClient, requireKeys, temporalSettings } from '../temporal/connection.js';

/** What every command gets: the settings, Temporal, and how to link to the Web UI. */
export interface CommandContext {
  readonly config: Config;
  readonly client: Client;
  /** Address of a workflow in the Web UI; undefined when nobody said where the UI is. */
  readonly link: (workflowId: string, runId: string) => string | undefined;
}

/** Runs a command with a connection that is closed afterwards. */
export async function withTemporal<T>(command: (context: CommandContext) => Promise<T>): Promise<T> {
  const config = loadConfig();
  requireKeys(temporalSettings().connectionOptions.address, config.payloadKeys);
  const client = await connectClient(config.payloadKeys);
  try {
    return await command({ config, client, link: linker(config, client.options.namespace) });
  } finally {
    await client.connection.close();
  }
}

function linker({ uiUrl }: Config, namespace: string): CommandContext['link'] {
  const base = uiUrl ?? localUi();
  return (workflowId, runId) =>
    base &&
    `${base.replace(/\/+$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}/${runId}`;
}

/** A development server has its Web UI 1000 ports above. */
function localUi(): string | undefined {
  const { address } = temporalSettings().connectionOptions;
  const local = /^(?:localhost|127\.0\.0\.1):(\d+)$/.exec(address);
  return local ? `http://127.0.0.1:${Number(local[1]) + 1_000}` : undefined;
}
