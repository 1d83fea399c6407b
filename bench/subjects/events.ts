import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { merchant } from '../../test/rigs/inputs.js';
import { event, STRUCTURED, signed } from '../../test/rigs/receiver/running-receiver.js';
import type { Bench } from '../bench.js';
import { receiving, rigOn } from '../gangway.js';
import { type Line, line } from '../line.js';
import { AT_ONCE, inTurns, median, perSecond } from '../timing.js';

/** How many events the receiver accepts, compared with bare calls of the client. */
export async function* events(bench: Bench): AsyncGenerator<Line> {
  const { client } = await rigOn(bench, { worker: false });
  const taskQueue = `nobody-${randomUUID()}`;
  const url = await receiving(bench, client, taskQueue);
  const starts = bench.size(1_000, 20);
  const received = () => perSecond(starts, AT_ONCE, () => send(url));
  const bare = () => perSecond(starts, AT_ONCE, () => signalWithStart(client, taskQueue));
  // The first turn, which warms both up, is not measured.
  await inTurns(1, received, bare);
  const rates = await inTurns(bench.size(5, 1), received, bare);
  yield line({
    what: 'events accepted',
    figure: median(rates.ours),
    unit: 'a second',
    baseline: { what: 'bare signalWithStart', figure: median(rates.other) },
  });
}

function signalWithStart(client: Client, taskQueue: string): Promise<unknown> {
  const input = merchant();
  const workflowId = `bare-${input.externalId}`;
  const start = { workflowId, taskQueue, args: [input], signal: 'go', signalArgs: [] };
  return client.workflow.signalWithStart('merchantBoarding', start);
}

async function send(url: string): Promise<void> {
  const body = JSON.stringify(event('merchant.boarding.requested.v1', merchant()));
  const headers = { 'content-type': STRUCTURED, ...signed(body) };
  const response = await fetch(`${url}/events`, { method: 'POST', headers, body });
  if (response.status !== 202) throw new Error(`the receiver responded with ${response.status} to an event`);
  await response.arrayBuffer();
}
