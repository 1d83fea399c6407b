import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CloudEvent, HTTP } from 'cloudevents';
import pLimit from 'p-limit';
import { Webhook } from 'standardwebhooks';
import { merchant } from '../inputs.js';
import { eventually } from '../waiting.js';
import { OTHER_SECRET, SECRET } from './running-receiver.js';

const AT_ONCE = 64;

/** The result of a flood of events. */
export interface Flood {
  /** Deliveries. `repeated` of them repeat the event of another one, and `forged` have a wrong signature. */
  readonly sent: number;
  readonly repeated: number;
  readonly forged: number;
  /** Deliveries by the status of their last responses. */
  readonly responses: Readonly<Record<number, number>>;
  /** How often a delivery was repeated because the response was 503. */
  readonly sentAgain: number;
  /** Distinct events whose response was 202, and workflows that Temporal counts. */
  readonly accepted: number;
  readonly started: number;
  /** Accepted events without a workflow, and workflows without a valid event. */
  readonly lost: number;
  readonly doubled: number;
  readonly seconds: number;
}

interface Delivery {
  readonly externalId: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * Sends events as the packages `cloudevents` and `standardwebhooks` make them, alternately structured and binary, 64 at a time.
 * One in ten is a repetition, and one in a hundred is signed with a wrong secret. After a response of 503 an event is sent again,
 * as every sender does. The task queue has no worker, so that workflows are only started.
 *
 * @param onAccepted gets the number of events that were accepted so far
 */
export async function flood(
  client: Client,
  taskQueue: string,
  url: string,
  count: number,
  onAccepted: (count: number) => void = () => {},
): Promise<Flood> {
  const [forgedCount, repeated] = [count / 100, count / 10];
  const forged = Array.from({ length: forgedCount }, (_, position) => delivery(position, OTHER_SECRET));
  const valid = Array.from({ length: count - forgedCount - repeated }, (_, position) =>
    delivery(position, SECRET),
  );
  const deliveries = shuffled([...valid, ...valid.slice(0, repeated), ...forged]);

  const responses: Record<number, number> = {};
  const accepted = new Set<string>();
  let sentAgain = 0;
  const limit = pLimit(AT_ONCE);
  const start = performance.now();
  await limit.map(deliveries, async ({ externalId, headers, body }) => {
    const send = async () => {
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response;
    };
    let response = await send();
    for (; response.status === 503; response = await send()) {
      sentAgain += 1;
      await setTimeout(Number(response.headers.get('retry-after')) * 1_000);
    }
    responses[response.status] = (responses[response.status] ?? 0) + 1;
    if (response.status !== 202) return;
    accepted.add(externalId);
    onAccepted(accepted.size);
  });
  const seconds = (performance.now() - start) / 1_000;

  const query = `TaskQueue = '${taskQueue}'`;
  const countAll = async () => (await client.workflow.count(query)).count;
  const started = await eventually(countAll, (seen) => seen >= accepted.size, 'all to be visible');
  const workflows = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query })) workflows.add(workflowId);
  const expected = valid.map(({ externalId }) => `merchant-boarding-${externalId}`);
  return {
    sent: deliveries.length,
    repeated,
    forged: forgedCount,
    responses,
    sentAgain,
    seconds,
    accepted: accepted.size,
    started,
    lost: [...accepted].filter((id) => !workflows.has(`merchant-boarding-${id}`)).length,
    doubled: started - expected.filter((id) => workflows.has(id)).length,
  };
}

function delivery(position: number, secret: string): Delivery {
  const data = merchant();
  const event = new CloudEvent({
    id: randomUUID(),
    source: '/crm',
    type: 'merchant.boarding.requested.v1',
    datacontenttype: 'application/json',
    data,
  });
  const message = position % 2 === 0 ? HTTP.structured(event) : HTTP.binary(event);
  const body = String(message.body);
  const at = new Date();
  return {
    externalId: data.externalId,
    body,
    headers: {
      ...(message.headers as Record<string, string>),
      'webhook-id': event.id,
      'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
      'webhook-signature': new Webhook(secret).sign(event.id, at, body),
    },
  };
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
