import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import pLimit from 'p-limit';
import { type Party, workersOf } from '../../../simulation/cast.js';
import { auditOf } from '../../../simulation/ledger.js';
import {
  contradicted,
  type Examined,
  evidenceOf,
  examined,
  type Witness,
} from '../../../simulation/writes.js';
import type { ReceivedRequest } from '../../../src/apps/sandbox/faults.js';
import { bankingClient } from '../../../src/partners/banking/client.js';
import { queryState } from '../../../src/temporal/find-onboarding.js';
import type { Markers } from '../privacy/markers.js';
import { pendingWork } from '../still.js';
import { insist } from '../waiting.js';
import { type Standing, waits } from './operator.js';
import type { Stage } from './stage.js';

/** How outcomes differ from the scenarios, and writes from those of the scenarios. Whoever still waits may lack writes. */
export async function misjudged(
  stage: Stage,
  cast: readonly Party[],
  standing: Standing,
  marked: Markers,
): Promise<string[]> {
  const isUnderWay = (party: Party) => waits(party, standing);
  const records = { ledger: await stage.ledger(), tickets: await ticketsOf(stage, marked) };
  const { wrong, unowned } = auditOf(records, cast, isUnderWay);
  const fewAtOnce = pLimit(16);
  const ended = cast.filter((party) => !isUnderWay(party));
  const ends = await Promise.all(
    ended.map((party) => fewAtOnce(() => insist(() => wrongEnds(stage, party)))),
  );
  const ofWrites = [...wrong].map(([party, why]) => `${nameOf(party)}: ${why.join(', ')}`);
  return [...ends.flat(), ...ofWrites, ...unowned];
}

const nameOf = ({ workflowId, kind, scenario }: Party) => `${workflowId} (${kind}, ${scenario})`;

async function ticketsOf({ rig }: Stage, { password, deviceToken }: Markers) {
  const user = { username: 'sandbox', password, deviceToken, deviceName: 'chaos', form: 'user' } as const;
  const client = bankingClient({ url: rig.sandbox.url, ...user });
  const tickets = await insist(() => client.listTickets({}));
  await client.close();
  return tickets;
}

/** How the outcomes of a party and its parts differ from its scenario. */
async function wrongEnds({ rig: { client } }: Stage, party: Party): Promise<string[]> {
  const { workflowId, outcome, parts, type } = party;
  const handle = client.workflow.getHandle(workflowId);
  const { status } = await handle.describe();
  if (status.name !== 'COMPLETED')
    return [`${nameOf(party)} is ${status.name.toLowerCase()}: ${await pendingWork(client, workflowId)}`];
  const result = (await handle.result()) as Record<string, { readonly outcome: string }>;
  const ofParts = type === 'customerOnboarding' ? Object.entries(parts) : [];
  const ends = [
    ['it', result['outcome'], outcome],
    ...ofParts.map(([part, role]) => [part, result[part]?.outcome, role.outcome]),
  ];
  return ends
    .filter(([, is, wanted]) => is !== wanted)
    .map(([what, is, wanted]) => `${nameOf(party)}: ${what} ended ${is}, not ${wanted}`);
}

/** What workflows count as done and ask, compared with what the sandbox has and received. Needs a worker. */
export async function truthOf(stage: Stage, cast: readonly Party[], marked: Markers) {
  const fewAtOnce = pLimit(8);
  const requests = cast.map((party) =>
    fewAtOnce(() => insist(async () => (await witnessesOf(stage, party)).map((one) => ({ ...one, party })))),
  );
  const witnesses: Witness[] = (await Promise.all(requests)).flat();
  const evidence = await evidenceOf(await stage.ledger(), marked.noteAnswer, (path) =>
    stage.control('GET', path),
  );
  const questions: readonly Examined[] = await examined(witnesses, (operation, about) => {
    const words = about.map((word) => ['about', word] as [string, string]);
    const query = new URLSearchParams([['operation', operation], ...words]);
    return stage.control<ReceivedRequest[]>('GET', `/sandbox/requests?${query}`);
  });
  return { contradicted: contradicted(witnesses, evidence), questions };
}

/** The states of the workflows of a party. A part of a customer may never have started. */
async function witnessesOf({ rig: { client } }: Stage, party: Party) {
  const states: Pick<Witness, 'workflowId' | 'state'>[] = [];
  for (const workflowId of new Set([party.workflowId, ...workersOf(party)])) {
    const { count } = await client.workflow.count(`WorkflowId = '${workflowId}'`);
    if (count > 0) states.push({ workflowId, state: await stateOrHistory(client, workflowId) });
  }
  return states;
}

/** Reads a state, which replays its workflow. When that fails, the history stays in a file, for `gangway replay`. */
async function stateOrHistory(client: Client, workflowId: string): Promise<Witness['state']> {
  try {
    return await queryState(client, workflowId);
  } catch (error) {
    const history = await client.workflow.getHandle(workflowId).fetchHistory();
    await mkdir(HISTORIES, { recursive: true });
    const path = `${HISTORIES}/${workflowId}.json`;
    await writeFile(path, historyToJSON(history));
    throw new Error(`${workflowId} cannot be read; its history is in ${path}`, { cause: error });
  }
}

const HISTORIES = fileURLToPath(new URL('../../../.cache/chaos', import.meta.url));
