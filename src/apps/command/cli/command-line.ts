import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { z } from 'zod';
import { readAccounts } from '../../../partners/account-settings.js';
import { recordSettings } from '../../../partners/har-recording.js';
import { readSettings } from '../../../platform/settings/settings.js';
import { inSpan, startTracing } from '../../../platform/tracing/spans.js';
import { clientSettings, clientSettingsFrom } from '../../../services/client/settings.js';
import { peopleSettings } from '../../../services/inbox/people.js';
import { linkCreationSettings, linksFrom } from '../../../services/links/create-link.js';
import { prometheusSettings } from '../../../services/reports/webhooks.js';
import { requireKeys, temporalSettings, withClient } from '../../../temporal/connection.js';
import { webUiSettings, workflowPage, workflowsPage } from '../../../temporal/web-ui.js';
import { type Output, Printer } from './output.js';

/** The settings of `gangway`, without those of each account (partners/account-settings.ts) and those of Temporal. */
export const commandSettings = z.object({
  ...clientSettings.shape,
  ...recordSettings.shape,
  ...webUiSettings.shape,
  ...prometheusSettings.shape,
  ...peopleSettings.shape,
  ...linkCreationSettings.shape,
});

export type CommandSettings = Readonly<ReturnType<typeof loadCommandSettings>>;

/** @throws {BadSetting} that names the first invalid setting */
export function loadCommandSettings(environment: NodeJS.ProcessEnv) {
  const set = readSettings(commandSettings, environment);
  return {
    ...readAccounts(environment),
    ...clientSettingsFrom(set),
    uiUrl: set.GANGWAY_UI_URL,
    peopleFile: set.GANGWAY_PEOPLE_FILE,
    ...linksFrom(set),
  };
}

/** Replaces the process's globals, so that one process can run many commands. */
export interface CommandIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Ends the command. The reason is an `Interrupted` with the exit code. */
  readonly signal: AbortSignal;
}

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export class CommandLine extends Printer {
  readonly signal: AbortSignal;
  readonly #stdin: CommandIo['stdin'];
  #isInputRead = false;

  constructor({ env, stdin, stdout, stderr, signal }: CommandIo) {
    super({ stdout, stderr, env });
    this.signal = signal;
    this.#stdin = stdin;
  }

  /** The terminal at which to ask a person; undefined if nobody would see the question or could answer it. */
  get terminal(): Terminal | undefined {
    const isThere = this.#stdin.isTTY && this.stderr.isTTY && !this.#isInputRead;
    return isThere ? { input: this.#stdin, output: this.stderr } : undefined;
  }

  config(): CommandSettings {
    return loadCommandSettings(this.env);
  }

  input(): Promise<Buffer> {
    this.#isInputRead = true;
    return buffer(addAbortSignal(this.signal, this.#stdin));
  }
}

/** For commands that work with Temporal: the settings, a client, and links to the Web UI, if its address is known. */
export interface CommandContext {
  readonly cli: CommandLine;
  readonly config: CommandSettings;
  readonly client: Client;
  readonly link: (workflowId: string, runId: string) => string | undefined;
  /** Returns the link to a list, which the browser stores as a saved view with this name. */
  readonly view: (name: string, query: string) => string | undefined;
}

/** Runs a command with a connection. @param finishes it handles interruptions itself, and its calls to Temporal continue */
export async function withTemporal<T>(
  cli: CommandLine,
  command: (context: CommandContext) => Promise<T>,
  { finishes }: { readonly finishes?: true } = {},
): Promise<T> {
  const { env, signal } = cli;
  const config = cli.config();
  const { address } = temporalSettings(env).connectionOptions;
  requireKeys(address, config.payloadKeys);
  return withClient({ env, keys: config.payloadKeys, signal, finishes }, (client) => {
    const { namespace } = client.options;
    const list = workflowsPage(config.uiUrl, namespace);
    return command({
      cli,
      config,
      client,
      link: (workflowId, runId) => workflowPage(config.uiUrl, namespace, { workflowId, runId }),
      view: (name, query) => list && `${list}?${new URLSearchParams({ query, savedQuery: name })}`,
    });
  });
}

/** Returns the action of a command that needs Temporal throughout. */
export function atTemporal<Given extends unknown[]>(
  action: (context: CommandContext, ...args: Given) => unknown,
) {
  return (cli: CommandLine, ...args: Given) => withTemporal(cli, async (context) => action(context, ...args));
}

/** Runs the action of a command in its own span. */
export async function perform(
  io: CommandIo,
  command: Command,
  action: (cli: CommandLine) => unknown,
): Promise<void> {
  const stopTracing = await startTracing('gangway', io.env);
  const cli = new CommandLine(io);
  try {
    const name = `gangway ${mainName(command)}`;
    await inSpan({ name }, async () => action(cli));
  } finally {
    cli.status.end();
    await stopTracing();
  }
}

function mainName(command: Command): string {
  const { parent } = command;
  return parent?.parent ? mainName(parent) : command.name();
}
