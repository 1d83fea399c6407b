import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { FaultKind } from '../../src/apps/sandbox/fault-kinds.js';
import { FAMILIES, habitOutcome } from '../../src/apps/sandbox/habits/habits.js';
import type { Answer, Requirement } from '../../src/messages/requirements.js';
import { documentStore } from '../../src/partners/documents/document-store.js';
import { folder } from '../../src/platform/documents/file-store.js';
import { describe, queryState } from '../../src/temporal/find-onboarding.js';
import { runsOf } from '../../src/temporal/history.js';
import { KINDS } from '../../src/temporal/kinds/kinds.js';
import { nudge } from '../../src/temporal/nudge.js';
import type { RigPlace } from '../../test/rigs/rig.js';
import { answerTo } from '../answers.js';
import { castOf, type Party, KINDS as ROLES, workersOf } from '../cast.js';
import { twisted } from '../existing.js';
import { MARKERS } from '../markers.js';
import { type Plan, planOf, type Slip } from '../plan.js';
import type { Scene } from '../scene.js';
import { Seeded } from '../seeded.js';
import { Answering } from '../slips.js';
import { type Witness, writtenAs } from '../writes.js';
import { factsOf, type History } from './facts.js';

/** A plan as far as a real server can follow it: one onboarding, in minutes, and nothing that depends on the time of day. */
export interface Walk {
  readonly plan: Plan;
  readonly party: Party;
  /** By the operation that each of them hits, because a server in real time makes its calls in another order. */
  readonly faults: readonly { readonly fault: FaultKind; readonly operation: string }[];
  readonly habits: readonly string[];
  /** Workflows continue as new from this many events on. */
  readonly continueAfter: number;
}

/** The faults that do not depend on how long a walk takes. */
const FAULTS: readonly string[] = [
  'drop-before-commit',
  'drop-after-commit',
  '500-after-commit',
  '429',
  '503',
  '400',
  'expired-token',
];

const READS = { boarding: ['get-status'], business: ['search-business-account-holders', 'list-new-tickets'] };

/** No walk has as many events. */
const NEVER = 10_000;

/** More of them change nothing but the time that a walk takes. */
const MOST_FAULTS = 3;

/** What people do whatever the time is. */
const SLIPS: readonly Slip[] = ['wrong', 'again', 'proposed', 'claimed', 'abandoned'];

const TWISTS = ['agent', 'nobody', 'undue', 'unclaimed', 'fees', 'cancels'];

/** Habits of time and pace depend on how long a walk takes. */
const isComparable = (habit: string) =>
  habitOutcome(habit) === 'tolerated' && !(habit in (FAMILIES['pace'] ?? {}));

export function walkOf(seed: number): Walk {
  const drawn = planOf(seed);
  const plan = { ...drawn, twists: drawn.twists.filter((twist) => TWISTS.includes(twist)) };
  const cast = castOf(seed, 4 * ROLES.length, MARKERS).filter(
    ({ twin, parts }) => !twin && !parts.boarding?.moved && !parts.business?.moved,
  );
  const party = twisted(cast[plan.parties[0] ?? 0] as Party, plan);
  const writes = Object.keys({ ...party.parts.boarding?.writes, ...party.parts.business?.writes });
  const reads = Object.keys(party.parts).flatMap((part) => READS[part as keyof typeof READS]);
  const faults = plan.faults.flatMap(({ of, number, fault }) => {
    const all = of === 'write' ? writes : reads;
    const operation = all[number % all.length];
    return FAULTS.includes(fault) && operation ? [{ fault: fault as FaultKind, operation }] : [];
  });
  return {
    plan,
    party,
    faults: faults.slice(0, MOST_FAULTS),
    habits: plan.habits.filter(isComparable),
    // Where a run ends depends on the number of its workflow tasks, which the speed of a machine decides when much happens at once.
    continueAfter: faults.length === 0 && party.type !== 'customerOnboarding' ? plan.continueAfter : NEVER,
  };
}

const { PENDING_ACTIVITY_STATE_SCHEDULED: SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/** How long somebody waits before they look again, in milliseconds. */
const LOOK_MS = 40;

/** Nothing reads by itself: the speed of a machine would decide how often. */
const POLL = { minMs: 3_600_000, maxMs: 3_600_000 };

/** Nobody tries the same more often. */
const MOST_TIMES = 3;

/**
 * Onboards the party of a walk, in a place of its own, to its end.
 *
 * @returns the history of each run, or undefined when it takes longer
 */
export async function walked(
  walk: Walk,
  place: RigPlace,
  taskQueue: string,
  withinMs: number,
): Promise<readonly History[] | undefined> {
  const until = Date.now() + withinMs;
  const { party, faults, habits } = walk;
  const documentDir = await mkdtemp(join(tmpdir(), 'gangway-compared-'));
  const dirs = { taskQueue, documentDir, statementDir: documentDir };
  const worker = await place.runWorker(dirs, { payloadKeys: '', poll: POLL });
  try {
    await place.sandbox.habits(...habits);
    for (const { fault, operation } of faults) await place.sandbox.plan(fault, operation);
    const options = { fourEyes: [], taskQueue, dbaForm: 'shown' } as const;
    await KINDS[party.type].start(place.client, party.input as never, options);
    const person = new Person(walk, place, documentDir);
    const handle = place.client.workflow.getHandle(party.workflowId);
    for (; (await handle.describe()).status.name === 'RUNNING'; await sleep(LOOK_MS)) {
      await person.look();
      if (Date.now() > until) return undefined;
    }
    return (await Promise.all(workflowsOf(party).map((id) => historiesOf(place, id)))).flat();
  } finally {
    await worker.stop();
    await place.close();
    await rm(documentDir, { recursive: true, force: true });
  }
}

const workflowsOf = (party: Party) => [...new Set([party.workflowId, ...workersOf(party)])];

/** The history of each run of a workflow. A part of a customer may never have started. */
async function historiesOf({ client }: RigPlace, workflowId: string): Promise<History[]> {
  const described = await describe(client, workflowId);
  if (!described) return [];
  const { runs } = await runsOf(client, workflowId, described.runId);
  return runs.map(({ events }, index) => ({
    name: `${workflowId}, run ${index + 1}`,
    facts: factsOf(events),
  }));
}

/** Whether a workflow waits for a person or its partner: only a poll is under way, which waits for its next read. */
async function isIdle(client: Client, workflowId: string): Promise<boolean> {
  const described = await describe(client, workflowId);
  if (described?.status.name !== 'RUNNING') return true;
  const { pendingActivities, pendingWorkflowTask } = described.raw;
  const isPolling = (pendingActivities ?? []).every(
    ({ activityType, state }) => state === SCHEDULED && activityType?.name?.startsWith('await'),
  );
  return !pendingWorkflowTask && isPolling;
}

/** Answers what is open as soon as it is. */
class Person {
  readonly #answering: Answering;
  /** How often each question was asked. */
  readonly #times = new Map<string, number>();
  /** The requirements that have been looked at, and how many of them were answered in each workflow. */
  readonly #seen = new Set<string>();
  readonly #answers = new Map<string, number>();

  constructor(
    private readonly walk: Walk,
    private readonly place: RigPlace,
    private readonly documentDir: string,
  ) {
    const world = {
      chance: new Seeded(walk.plan.seed),
      say: () => {},
      sleep: () => sleep(1),
      get now() {
        return Date.now();
      },
    };
    const others = { service: { latest: () => undefined }, partners: { ledgerOfGangway: [] } };
    this.#answering = new Answering({ world, client: place.client, ...others } as unknown as Scene, {
      decide: async () => {},
      cancel: async () => {},
      giveUp: () => ({ kind: 'abandon' }),
      isRefusedRightly: () => true,
    });
  }

  /** Answers one question, or has everything look at the partners again, once nothing else is under way. */
  async look(): Promise<void> {
    const { client } = this.place;
    const ids = workflowsOf(this.walk.party);
    const areIdle = await Promise.all(ids.map((id) => isIdle(client, id)));
    if (areIdle.includes(false)) return;
    for (const id of workersOf(this.walk.party)) if (await this.#answerIn(id)) return;
    for (const id of ids) await nudge(client, id).catch(() => false);
  }

  async #answerIn(workflowId: string): Promise<boolean> {
    const { party, plan } = this.walk;
    const state = await queryState(this.place.client, workflowId).catch(() => undefined);
    if (!state || state.outcome) return false;
    for (const requirement of state.requirements) {
      const key = `${workflowId} ${requirement.id} ${requirement.raisedAt}`;
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      const answer = await this.#answerTo({ party, workflowId, state }, requirement);
      if (!answer) continue;
      const number = increment(this.#answers, workflowId);
      const slip = plan.slips.find((each) => each.answer === number && SLIPS.includes(each.slip))?.slip;
      await this.#answering.give({ party, workflowId, requirement, answer }, slip);
      return true;
    }
    return false;
  }

  async #answerTo(witness: Witness, requirement: Requirement): Promise<Answer | undefined> {
    const { id, title, answers } = requirement;
    const times = increment(this.#times, `${witness.workflowId} ${title}`);
    if (times > MOST_TIMES && answers.includes('abandon')) return { kind: 'abandon' };
    const answer = answerTo(this.walk.party, requirement, MARKERS);
    if (answer === 'superseded') return undefined;
    if (answer === 'uncertain') {
      const written = writtenAs(title, witness, await this.place.sandbox.ledger()) ?? 'none';
      return written === 'none' ? { kind: 'retry' } : { kind: 'confirm', id: written };
    }
    if (answer?.kind !== 'document')
      return answer ?? { kind: answers.includes('retry') ? 'retry' : 'abandon' };
    const store = documentStore(folder(this.documentDir));
    return { kind: 'documents', documents: [await store.put(`${id}.txt`, Buffer.from(MARKERS.noteAnswer))] };
  }
}

function increment(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
