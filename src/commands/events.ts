import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { possibleWorkflowIds } from '../messages/ids.js';
import {
  type DeliveryStatus,
  GIVEN_UP,
  type KnownDelivery,
  listDeliveries,
  redeliver,
} from '../temporal/deliveries.js';
import { positiveInteger } from './arguments.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { CommandFailed } from './errors.js';
import { shortDate } from './output.js';

export function eventsCommand(program: Command, cli: CommandLine): void {
  const events = program
    .command('events')
    .summary('what others were told, and to tell them again')
    .description('List the events that went to EVENTS_URLS, and send them again.');
  events
    .command('list')
    .description('List the events, the newest first, and how their delivery stands.')
    .argument('[id]', 'only those of this onboarding: workflow id or externalId')
    .option('--failed', 'only those that were given up')
    .option('--waiting', 'only those that are tried again')
    .option('--limit <n>', 'at most this many', positiveInteger, 100)
    .option('--json', 'print JSON lines')
    .action((id: string | undefined, options: ListOptions) => list(cli, id, options));
  events
    .command('redeliver')
    .description(
      'Send the events that were given up again, as the same events: a receiver knows them by their id. ' +
        'Their three days begin anew.',
    )
    .argument('[id]', 'only those of this onboarding: workflow id or externalId')
    .option('--waiting', 'also those that are tried again, now instead of later')
    .option('--all', 'also those that were delivered; needs the onboarding’s id')
    .option('--to <destination>', 'only those to this destination, as "events list" names it')
    .option('--json', 'print JSON lines')
    .action((id: string | undefined, options: RedeliverOptions) => sendAgain(cli, id, options));
}

interface ListOptions {
  readonly failed?: true;
  readonly waiting?: true;
  readonly limit: number;
  readonly json?: true;
}

const WAITING: readonly DeliveryStatus[] = ['RUNNING'];

async function list(
  cli: CommandLine,
  id: string | undefined,
  { failed, waiting, limit, json }: ListOptions,
): Promise<void> {
  const wanted = [...(failed ? GIVEN_UP : []), ...(waiting ? WAITING : [])];
  const statuses = failed || waiting ? wanted : undefined;
  const shown: KnownDelivery[] = [];
  await withTemporal(cli, async ({ client }) => {
    for await (const delivery of deliveriesOf(client, id, statuses)) {
      if (shown.push(delivery) === limit) break;
    }
  });
  if (json) for (const delivery of shown) cli.json(toJson(delivery));
  else if (shown.length > 0) cli.table(HEAD, shown.map(row));
  else cli.line('no events');
}

interface RedeliverOptions {
  readonly waiting?: true;
  readonly all?: true;
  readonly to?: string;
  readonly json?: true;
}

async function sendAgain(cli: CommandLine, id: string | undefined, options: RedeliverOptions): Promise<void> {
  const { waiting, all, to, json } = options;
  if (all && id === undefined) throw new CommandFailed('--all needs the id of an onboarding');
  const statuses = all ? undefined : [...GIVEN_UP, ...(waiting ? WAITING : [])];
  let sent = 0;
  await withTemporal(cli, async ({ client, config }) => {
    // All are listed first: what is sent again would be listed again.
    const found: KnownDelivery[] = [];
    for await (const delivery of deliveriesOf(client, id, statuses)) found.push(delivery);
    for (const delivery of found) {
      if (to !== undefined && delivery.destination !== to) continue;
      await redeliver(client, config.taskQueue, delivery);
      sent += 1;
      if (json) cli.json({ ...toJson(delivery), status: 'waiting' });
      else cli.line(`${delivery.news.type} of ${delivery.news.subject} to ${delivery.destination}`);
    }
  });
  if (!json) cli.line(sent === 0 ? 'nothing to send again' : `${sent} on their way again`);
}

async function* deliveriesOf(
  client: Client,
  id: string | undefined,
  statuses: readonly DeliveryStatus[] | undefined,
): AsyncGenerator<KnownDelivery> {
  if (id === undefined) return yield* listDeliveries(client, { statuses });
  for (const workflowId of possibleWorkflowIds(id)) yield* listDeliveries(client, { workflowId, statuses });
}

const HEAD = ['event', 'of', 'at', 'to', 'delivery', 'attempts', 'problem'];

function row({ news, destination, status, attempts, problem }: KnownDelivery): string[] {
  const { type, subject, time } = news;
  return [type, subject, shortDate(time), destination, wordFor(status), `${attempts}`, problem ?? ''];
}

function toJson({ news, destination, status, attempts, problem }: KnownDelivery) {
  return { event: news, destination, status: wordFor(status), attempts, ...(problem && { problem }) };
}

function wordFor(status: KnownDelivery['status']): string {
  if (status === 'COMPLETED') return 'delivered';
  return GIVEN_UP.some((given) => given === status) ? 'given-up' : 'waiting';
}
