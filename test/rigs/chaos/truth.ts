import pLimit from 'p-limit';
import type { ReceivedRequest } from '../../../src/sandbox/faults.js';
import type { LedgerEntry } from '../../../src/sandbox/ledger.js';
import { stateOf } from '../../../src/temporal/onboardings.js';
import type { Markers } from '../privacy/markers.js';
import { contradicted, type Witness } from './beliefs.js';
import type { Party } from './cast.js';
import { insist } from './insist.js';
import { workersOf } from './operator.js';
import { type Examined, examined } from './questions.js';
import type { Stage } from './stage.js';

/** What workflows count as done and ask, compared with what the sandbox has and received. */
export interface Truth {
  /** A line for each step that counts as done although the sandbox has no record of it. */
  readonly contradicted: readonly string[];
  /** Every question about a write. */
  readonly questions: readonly Examined[];
}

/** Queries every workflow, and reads from the sandbox. Needs a worker. */
export async function truthOf(stage: Stage, cast: readonly Party[], marked: Markers): Promise<Truth> {
  const fewAtOnce = pLimit(8);
  const ids = cast.flatMap((party) =>
    [...new Set([party.workflowId, ...workersOf(party)])].map((workflowId) => ({ party, workflowId })),
  );
  const asked = ids.map(({ party, workflowId }) =>
    fewAtOnce(async () => {
      const state = await insist(() => stateIfAny(stage, workflowId));
      return state && { party, workflowId, state };
    }),
  );
  const all = (await Promise.all(asked)).filter((one) => one !== undefined);
  const mids = new Map(all.flatMap(({ party, state }) => (state.mid ? [[party, state.mid]] : [])));
  const witnesses = all.map((one): Witness => ({ ...one, mid: mids.get(one.party) }));
  const ledger = await stage.ledger();
  const evidence = {
    ledger,
    comments: await shown(
      stage,
      ledger,
      'request-underwriting-review',
      ({ id }) => `merchants/${id}`,
      comments,
    ),
    accounts: await shown(
      stage,
      ledger,
      'submit-business-account-holder',
      ({ id }) => `profiles/${id}`,
      account,
    ),
    noteAnswer: marked.noteAnswer,
  };
  const questions = await examined(witnesses, (operation, about) => {
    const words = about.map((word) => ['about', word] as [string, string]);
    const query = new URLSearchParams([['operation', operation], ...words]);
    return stage.control<ReceivedRequest[]>('GET', `/sandbox/requests?${query}`);
  });
  return { contradicted: contradicted(witnesses, evidence), questions };
}

/** Undefined for a part of a customer that was never started. */
async function stateIfAny({ rig: { client } }: Stage, workflowId: string) {
  const started = await client.workflow.count(`WorkflowId = '${workflowId}'`);
  return started.count > 0 ? stateOf(client, workflowId) : undefined;
}

const comments = ({ reviewComments }: { readonly reviewComments: readonly string[] }) => reviewComments;
const account = ({ financialAccountId }: { readonly financialAccountId: string | null }) =>
  financialAccountId;

/** Reads a value from each record that an operation wrote, by ID. */
async function shown<Thing, Value>(
  stage: Stage,
  ledger: readonly LedgerEntry[],
  operation: string,
  place: (entry: LedgerEntry) => string,
  read: (thing: Thing) => Value,
): Promise<Map<number, Value>> {
  const entries = new Map(
    ledger.filter((one) => one.operation === operation).map((one) => [Number(one.id), one]),
  );
  const values = [...entries].map(
    async ([id, entry]) => [id, read(await stage.control<Thing>('GET', `/sandbox/${place(entry)}`))] as const,
  );
  return new Map(await Promise.all(values));
}
