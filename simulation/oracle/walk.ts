import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { OnboardingState } from '../../src/messages/onboarding-state.js';
import type { Answer, Requirement } from '../../src/messages/requirements.js';
import { documentStore } from '../../src/partners/documents/document-store.js';
import { folder } from '../../src/platform/documents/file-store.js';
import { queryState } from '../../src/temporal/find-onboarding.js';
import { KINDS } from '../../src/temporal/kinds/kinds.js';
import { nudge } from '../../src/temporal/nudge.js';
import type { RigPlace } from '../../test/rigs/rig.js';
import { answerTo } from '../answers.js';
import { workersOf } from '../cast.js';
import { finalMid } from '../ledger.js';
import { MARKERS } from '../markers.js';
import type { Scene } from '../scene.js';
import { Seeded } from '../seeded.js';
import { Answering } from '../slips.js';
import { writtenAs } from '../writes.js';
import { factsOf, type History } from './facts.js';
import { SLIPS, type Walk } from './walks.js';

const { PENDING_ACTIVITY_STATE_SCHEDULED: SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/** How long somebody waits before they look again, in milliseconds. */
const LOOK_MS = 40;

/** Nothing reads by itself: the speed of a machine would decide how often. */
const POLL = { minMs: 3_600_000, maxMs: 3_600_000 };

/** Nobody tries the same more often. */
const MOST_TIMES = 3;

/** Onboards the party of a walk, in a place of its own, to its end. @returns the history of each run, or undefined when it takes longer */
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
    await KINDS[party.type].start(place.client, party.input as never, {
      fourEyes: [],
      taskQueue,
      dbaForm: 'shown',
    });
    const person = new Person(walk, place, documentDir);
    const handle = place.client.workflow.getHandle(party.workflowId);
    for (; (await handle.describe()).status.name === 'RUNNING'; await sleep(LOOK_MS)) {
      await person.look();
      if (Date.now() > until) return undefined;
    }
    const ids = [...new Set([party.workflowId, ...workersOf(party)])];
    return (await Promise.all(ids.map((id) => historiesOf(place, id)))).flat();
  } finally {
    await worker.stop();
    await place.close();
    await rm(documentDir, { recursive: true, force: true });
  }
}

/** Of all runs of a workflow, the last one first. */
async function historiesOf({ client }: RigPlace, workflowId: string): Promise<History[]> {
  const histories: History[] = [];
  for (let runId: string | null | undefined; runId !== null && runId !== ''; ) {
    const handle = client.workflow.getHandle(workflowId, runId);
    // A part of a customer may never have started.
    const { events } = await handle.fetchHistory().catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError || isGrpcServiceError(error)) return { events: [] };
      throw error;
    });
    if (!events?.length) break;
    histories.push({ name: `${workflowId}, run -${histories.length}`, facts: factsOf(events ?? []) });
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? null;
  }
  return histories;
}

/** Whether a workflow waits for a person or its partner: only a poll is under way, which waits for its next read. */
async function isIdle(client: Client, workflowId: string): Promise<boolean> {
  const described = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  if (described?.status.name !== 'RUNNING') return true;
  const { pendingActivities, pendingWorkflowTask } = described.raw;
  const isWaiting = ({ activityType, state }: NonNullable<typeof pendingActivities>[number]) =>
    state === SCHEDULED && activityType?.name?.startsWith('await');
  return !pendingWorkflowTask && (pendingActivities ?? []).every(isWaiting);
}

/** Answers what is open as soon as it is. */
class Person {
  readonly #answering: Answering;
  readonly #times = new Map<string, number>();
  /** The questions that have been looked at, and those among them that were answered, by workflow. */
  readonly #seen = new Set<string>();
  readonly #answers = new Map<string, number>();

  constructor(
    private readonly walk: Walk,
    private readonly place: RigPlace,
    private readonly documentDir: string,
  ) {
    const chance = new Seeded(walk.plan.seed);
    const world = {
      chance,
      say: () => {},
      sleep: () => sleep(1),
      get now() {
        return Date.now();
      },
    };
    const service = { latest: () => undefined };
    const scene = { world, service, client: place.client, partners: { ledgerOfGangway: [] } };
    this.#answering = new Answering(scene as unknown as Scene, {
      decide: async () => {},
      cancel: async () => {},
      giveUp: () => ({ kind: 'abandon' }),
      isRefusedRightly: () => true,
    });
  }

  /** Answers one question, or has everything look at the partners again, once nothing else is under way. */
  async look(): Promise<void> {
    const { client } = this.place;
    const all = [...new Set([this.walk.party.workflowId, ...workersOf(this.walk.party)])];
    const areIdle = await Promise.all(all.map((id) => isIdle(client, id)));
    if (areIdle.includes(false)) return;
    for (const id of all) if (await this.#answerIn(id)) return;
    for (const id of all) await nudge(client, id).catch(() => false);
  }

  async #answerIn(workflowId: string): Promise<boolean> {
    const { party, plan } = this.walk;
    if (!workersOf(party).includes(workflowId)) return false;
    const state = await queryState(this.place.client, workflowId).catch(() => undefined);
    for (const requirement of state && !state.outcome ? state.requirements : []) {
      const key = `${workflowId} ${requirement.id} ${requirement.raisedAt}`;
      if (!state || this.#seen.has(key)) continue;
      this.#seen.add(key);
      const answer = await this.#answerTo(workflowId, state, requirement);
      if (!answer) continue;
      const number = (this.#answers.get(workflowId) ?? 0) + 1;
      this.#answers.set(workflowId, number);
      const slip = plan.slips.find((each) => each.answer === number && SLIPS.includes(each.slip))?.slip;
      await this.#answering.give({ party, workflowId, requirement, answer }, slip);
      return true;
    }
    return false;
  }

  async #answerTo(
    workflowId: string,
    state: OnboardingState,
    requirement: Requirement,
  ): Promise<Answer | undefined> {
    const { party } = this.walk;
    const { id, title, answers } = requirement;
    const question = `${workflowId} ${title}`;
    this.#times.set(question, (this.#times.get(question) ?? 0) + 1);
    if ((this.#times.get(question) ?? 0) > MOST_TIMES && answers.includes('abandon'))
      return { kind: 'abandon' };
    const facts = answerTo(party, requirement, MARKERS);
    if (facts === 'superseded') return undefined;
    if (facts === 'uncertain') {
      const mid = state.merchantProfileId ? finalMid(state.merchantProfileId) : undefined;
      const ledger = await this.place.sandbox.ledger();
      const result = writtenAs(title, { party, workflowId, state, mid }, ledger) ?? 'none';
      return result === 'none' ? { kind: 'retry' } : { kind: 'confirm', id: result };
    }
    if (facts?.kind !== 'document') return facts ?? { kind: answers.includes('retry') ? 'retry' : 'abandon' };
    const store = documentStore(folder(this.documentDir));
    return { kind: 'documents', documents: [await store.put(`${id}.txt`, Buffer.from(MARKERS.noteAnswer))] };
  }
}
