import type { Client } from '@temporalio/client';
import type { Config } from '../config.js';
import { requireKeys, temporalSettings, withClient } from '../temporal/connection.js';
import type { CommandLine } from './command-line.js';

/** What a command needs that works with Temporal: the settings, a client, and links to the Web UI. */
export interface CommandContext {
  readonly cli: CommandLine;
  readonly config: Config;
  readonly client: Client;
  /** Address of a workflow in the Web UI; undefined when nobody said where the UI is. */
  readonly link: (workflowId: string, runId: string) => string | undefined;
}

/**
 * Runs a command with a connection, and closes the connection afterwards.
 *
 * @param finishes the command handles the interruption itself; its calls of Temporal go on
 */
export async function withTemporal<T>(
  cli: CommandLine,
  command: (context: CommandContext) => Promise<T>,
  { finishes }: { readonly finishes?: true } = {},
): Promise<T> {
  const { env, signal } = cli;
  const config = cli.config();
  const { address } = temporalSettings(env).connectionOptions;
  requireKeys(address, config.payloadKeys);
  return withClient({ env, keys: config.payloadKeys, signal, finishes }, (client) =>
    command({
      cli,
      config,
      client,
      link: linker(config.uiUrl ?? localUi(address), client.options.namespace),
    }),
  );
}

function linker(base: string | undefined, namespace: string): CommandContext['link'] {
  return (workflowId, runId) =>
    base &&
    `${base.replace(/\/+$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}/${runId}`;
}

/** A development server has its Web UI 1000 ports above. */
function localUi(address: string): string | undefined {
  const local = /^(?:localhost|127\.0\.0\.1):(\d+)$/.exec(address);
  return local ? `http://127.0.0.1:${Number(local[1]) + 1_000}` : undefined;
}
