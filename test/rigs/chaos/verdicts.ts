import pLimit from 'p-limit';
import { bankingClient } from '../../../src/partners/banking/client.js';
import { stateOf } from '../../../src/temporal/onboardings.js';
import type { Markers } from '../privacy/markers.js';
import type { Party } from './cast.js';
import { insist } from './insist.js';
import { auditOf } from './ledger.js';
import { type Standing, waits } from './operator.js';
import type { Stage } from './stage.js';

/** How the onboarding of a party ended. */
export interface Verdict {
  readonly party: Party;
  readonly end: 'as expected' | 'waits' | 'wrong';
  /** The problems. */
  readonly why: readonly string[];
}

export interface Verdicts {
  readonly verdicts: readonly Verdict[];
  /** Writes that belong to no party. */
  readonly unowned: readonly string[];
  /** How many writes took effect. */
  readonly effects: number;
}

/** Compares each outcome with the scenario, and each write with the ledger of the sandbox. */
export async function judge(
  stage: Stage,
  cast: readonly Party[],
  standing: Standing,
  marked: Markers,
): Promise<Verdicts> {
  const isUnderWay = (party: Party) => waits(party, standing);
  const records = { ledger: await stage.ledger(), tickets: await ticketsOf(stage, marked) };
  const { wrong, unowned } = auditOf(records, cast, isUnderWay);
  const fewAtOnce = pLimit(16);
  const ends = cast.map((party) =>
    fewAtOnce(async (): Promise<Verdict> => {
      const problem = isUnderWay(party) ? undefined : await insist(() => wrongEnd(stage, party));
      const why = [...(problem === undefined ? [] : [problem]), ...(wrong.get(party) ?? [])];
      return { party, end: why.length > 0 ? 'wrong' : isUnderWay(party) ? 'waits' : 'as expected', why };
    }),
  );
  return { verdicts: await Promise.all(ends), unowned, effects: records.ledger.length };
}

async function ticketsOf({ rig }: Stage, { password, deviceToken }: Markers) {
  const credentials = {
    username: 'sandbox',
    password,
    deviceToken,
    deviceName: 'chaos',
    form: 'user',
  } as const;
  const client = bankingClient({ url: rig.sandbox.url, ...credentials });
  const tickets = await insist(() => client.listTickets({}));
  await client.close();
  return tickets;
}

/** How the outcome of a party differs from its scenario; undefined when it does not. */
async function wrongEnd(
  { rig }: Stage,
  { workflowId, outcome, parts, type }: Party,
): Promise<string | undefined> {
  const handle = rig.client.workflow.getHandle(workflowId);
  const { status, raw } = await handle.describe();
  if (status.name !== 'COMPLETED') {
    // A workflow may be too broken to be queried.
    const state = await stateOf(rig.client, workflowId).catch(() => undefined);
    const pending = raw.pendingActivities?.map(({ activityId, attempt, lastFailure }) => [
      activityId,
      attempt,
      lastFailure?.message,
    ]);
    const { requirements, waiting, timeline } = state ?? {};
    const standing = { requirements, waiting, pending, latest: timeline?.slice(-12) };
    return `is ${status.name.toLowerCase()}: ${JSON.stringify(standing)}`;
  }
  const result = (await handle.result()) as Record<string, { readonly outcome: string }>;
  const wanted = type === 'customerOnboarding' ? Object.entries(parts) : [];
  const ended = (name: string, is: unknown, expected: string) =>
    is === expected ? [] : [`${name} ended ${is}, not ${expected}`];
  const problems = [
    ...ended('it', result['outcome'], outcome),
    ...wanted.flatMap(([part, role]) => ended(part, result[part]?.outcome, role.outcome)),
  ];
  return problems.length > 0 ? problems.join(', ') : undefined;
}
