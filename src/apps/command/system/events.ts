import { partsOfId, possibleWorkflowIds } from '../../../messages/ids.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import {
  type DeliveryStatus,
  GIVEN_UP,
  type KnownDelivery,
  listDeliveries,
  redeliver,
} from '../../../temporal/deliveries.js';
import {
  findById,
  type IdOptions,
  idInAccount,
  type PartnerAccountOptions,
  partnerAccountOf,
} from '../cli/arguments.js';
import { atTemporal, type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import type { Flags } from '../cli/options.js';
import type { RecordFormat, TableColumns } from '../cli/output.js';

interface ListOptions extends PartnerAccountOptions, RecordFormat, Flags<'failed' | 'waiting'> {
  readonly limit: number;
}

const WAITING: readonly DeliveryStatus[] = ['RUNNING'];

export const listEvents = atTemporal(async (context, id: string | undefined, options: ListOptions) => {
  const { failed, waiting, limit, json, csv } = options;
  const wanted = [...(failed ? GIVEN_UP : []), ...(waiting ? WAITING : [])];
  const deliveries: KnownDelivery[] = [];
  for await (const delivery of deliveriesOf(context, id, options, failed || waiting ? wanted : undefined))
    if (deliveries.push(delivery) > limit) break;
  // A mistyped ID must not look like an onboarding without events.
  if (id !== undefined && deliveries.length === 0) await findById(context, id, options);
  context.cli.records(deliveries.slice(0, limit), {
    columns: COLUMNS,
    json,
    csv,
    toJson,
    fields: FIELDS,
    none: 'no events',
    total: deliveries.length > limit ? 'more' : undefined,
  });
});

const COLUMNS: TableColumns<KnownDelivery> = {
  event: ({ event: { type } }) => type,
  of: { value: ({ event: { subject } }) => subject, keep: true },
  at: { value: ({ event: { time } }) => new Date(time), priority: 3 },
  to: { value: ({ destination }) => destination, priority: 4 },
  delivery: {
    value: ({ status }) => deliveryState(status),
    style: ({ status }) => (deliveryState(status) === 'given-up' ? 'red' : undefined),
  },
  attempts: { value: ({ attempts }) => attempts, priority: 5 },
  problem: { value: ({ problem }) => problem, priority: 2 },
};

/** The fields of {@link toJson}, without the event's own data. */
const FIELDS = [
  'event.type',
  'event.subject',
  'event.time',
  'event.id',
  'destination',
  'status',
  'attempts',
  'problem',
];

type RedeliverOptions = IdOptions & Flags<'waiting' | 'all'>;

export async function sendAgain(cli: CommandLine, id: string | undefined, options: RedeliverOptions) {
  const { waiting, all, json } = options;
  if (all && id === undefined)
    throw new InvalidInput('--all needs the id of an onboarding: gangway events redeliver ID --all');
  const statuses = all ? undefined : [...GIVEN_UP, ...(waiting ? WAITING : [])];
  let sent = 0;
  await withTemporal(cli, async (context) => {
    const { client, config } = context;
    // List all first, because a resent event would be listed again.
    const deliveries = await Array.fromAsync(deliveriesOf(context, id, options, statuses));
    if (id !== undefined) {
      if (deliveries.length === 0) await findById(context, id, options);
      const subjects = [...new Set(deliveries.map(({ event: { subject } }) => subject))].join(', ');
      const how = 'give --partner-account, or the whole workflow id';
      if (new Set(deliveries.map(accountOf)).size > 1)
        throw new CommandFailed(`${JSON.stringify(id)} may mean ${subjects}: ${how}`);
    }
    for (const delivery of deliveries) {
      await redeliver(client, config.taskQueue, delivery);
      sent += 1;
      if (json) cli.json({ ...toJson(delivery), status: 'waiting' });
      else cli.line(`${delivery.event.type} of ${delivery.event.subject} to ${delivery.destination}`);
    }
  });
  if (!json) cli.line(sent === 0 ? 'no events to send again' : `sending ${sent} again`);
}

async function* deliveriesOf(
  { client, config }: CommandContext,
  id: string | undefined,
  options: PartnerAccountOptions,
  statuses: readonly DeliveryStatus[] | undefined,
): AsyncGenerator<KnownDelivery> {
  if (id === undefined) {
    const account = partnerAccountOf(config, options, 'events', 'nothing was done');
    for await (const delivery of listDeliveries(client, { statuses }))
      if (account === undefined || accountOf(delivery) === account) yield delivery;
    return;
  }
  const ids = possibleWorkflowIds(idInAccount(config, id, options), Object.keys(config.accounts));
  for (const workflowId of ids) yield* listDeliveries(client, { workflowId, statuses });
}

const accountOf = ({ event: { subject } }: KnownDelivery) => partsOfId(subject)?.account;

function toJson({ event, destination, status, attempts, problem }: KnownDelivery) {
  return { event, destination, status: deliveryState(status), attempts, ...(problem && { problem }) };
}

function deliveryState(status: KnownDelivery['status']): string {
  if (status === 'COMPLETED') return 'delivered';
  return GIVEN_UP.some((value) => value === status) ? 'given-up' : 'waiting';
}
