import type { Command } from 'commander';
import { z } from 'zod';
import type { EnsureWebhooksInput, WebhookRequest } from '../messages/banking-operations.js';
import { webhook } from '../partners/banking/requests.js';
import type { CommandLine } from './command-line.js';
import { check, readJson, sourceName } from './input-file.js';
import { keyOf, type OperationOptions, runOperation, withOperationOptions } from './operation.js';
import { tableOf } from './output.js';

const webhooks = z.array(webhook).min(1, 'must name a webhook');

const webhooksInMember = z.strictObject({ webhooks });

/** What became of one. */
interface Ensured extends WebhookRequest {
  readonly existed: boolean;
}

export function ensureWebhooksCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('ensure-webhooks')
    .summary('register webhooks at the bank')
    .description(
      'Register the webhooks of FILE (see examples/webhooks.json). One whose url and type are registered ' +
        'already is left as it is, so this is safe to run again.',
    )
    .argument('<file>', 'JSON file with a list of {name, url, notificationType}, or - for standard input');
  withOperationOptions(command).action((file: string, options: OperationOptions) =>
    ensureWebhooks(cli, file, options),
  );
}

async function ensureWebhooks(cli: CommandLine, file: string, options: OperationOptions): Promise<void> {
  const input = webhooksFrom(await readJson(cli, file), sourceName(file));
  const count = input.webhooks.length;
  await runOperation<{ readonly webhooks: readonly Ensured[] }>(
    cli,
    {
      start: {
        type: 'ensureWebhooks',
        key: keyOf(input.webhooks.map(({ name, url, notificationType }) => [name, url, notificationType])),
        args: [input],
        summary: count === 1 ? 'ensure a webhook' : `ensure ${count} webhooks`,
      },
      done: ({ webhooks: ensured }) => `${count} registered\n${tableOf(HEAD, ensured.map(row))}`,
    },
    options,
  );
}

function webhooksFrom(given: unknown, source: string): EnsureWebhooksInput {
  if (Array.isArray(given)) return { webhooks: check(webhooks, given, source) };
  return check(webhooksInMember, given, source);
}

const HEAD = ['name', 'type', 'url', ''];

function row({ name, notificationType, url, existed }: Ensured): string[] {
  return [name, notificationType, url, existed ? 'existed' : 'created'];
}
