import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { answerTo, type OperatorAnswer } from '../../../simulation/answers.js';
import { type Party, workersOf } from '../../../simulation/cast.js';
import { approvalOf } from '../../../simulation/ledger.js';
import { AWAIT_STATUS_ACTIVITY_ID } from '../../../src/messages/ids.js';
import type { Requirement } from '../../../src/messages/requirements.js';
import { documentStore } from '../../../src/partners/documents/document-store.js';
import { folder } from '../../../src/platform/documents/file-store.js';
import { queryState } from '../../../src/temporal/find-onboarding.js';
import type { Markers } from '../privacy/markers.js';
import { insist } from '../waiting.js';
import type { Merchants } from './merchants.js';
import type { Sender } from './sender.js';
import type { Stage } from './stage.js';

const ROUND_MS = 1_000;

/** The running workflows, and those of them that wait only for answers to uncertain writes. */
export interface Standing {
  readonly running: ReadonlySet<string>;
  readonly uncertain: ReadonlySet<string>;
}

/** Whether a party waits only for a person to resolve an uncertain write. */
export function waits(party: Party, { running, uncertain }: Standing): boolean {
  const left = workersOf(party).filter((id) => running.has(id));
  return left.length > 0 && left.every((id) => uncertain.has(id));
}

/** Answers requirements, except those about uncertain writes, and moves merchants and profiles that the sandbox leaves waiting. */
export class Operator {
  /** Requirements that no scenario raises, and answers that were refused. */
  readonly surprises = new Set<string>();
  readonly #answered = new Set<string>();
  #uncertain: ReadonlySet<string> = new Set();
  /** Every requirement that was raised. */
  readonly #asked = new Set<string>();
  readonly #moved = new Set<Party>();
  readonly #parties: ReadonlyMap<string, Party>;

  constructor(
    private readonly stage: Stage,
    private readonly sender: Sender,
    private readonly cast: readonly Party[],
    private readonly marked: Markers,
    /** Those who answer some of the questions themselves. */
    private readonly merchants?: Merchants,
  ) {
    this.#parties = new Map(cast.flatMap((party) => workersOf(party).map((id) => [id, party] as const)));
  }

  /**
   * Continues until every onboarding has ended or waits for an uncertain write, twice in a row: one that has just started may
   * not be listed yet.
   *
   * @param start whether all onboardings have been requested
   * @param timeoutMs how long no onboarding may progress
   */
  async attend(start: () => boolean, timeoutMs: number): Promise<Standing> {
    let stable = 0;
    let until = 0;
    let before = '';
    for (; ; await sleep(ROUND_MS)) {
      const wasBegun = start();
      const standing = await insist(() => this.#round());
      const now = [standing.running, this.#asked, this.#answered].map(({ size }) => size).join();
      if (!wasBegun || now !== before) until = Date.now() + timeoutMs;
      before = now;
      const isStable = this.cast.every(
        (party) => !standing.running.has(party.workflowId) || waits(party, standing),
      );
      stable = wasBegun && isStable ? stable + 1 : 0;
      if (stable === 2 || Date.now() > until) return standing;
    }
  }

  async #round(): Promise<Standing> {
    const running = await this.#listed("ExecutionStatus = 'Running'");
    const asking = await this.#listed("ExecutionStatus = 'Running' AND ActionRequired = true");
    const uncertain = new Set<string>();
    const oneAfterTheOther = pLimit(8);
    const queries = [...asking]
      .filter((id) => this.#parties.has(id))
      .map((id) =>
        oneAfterTheOther(async () => {
          // A query may fail on a busy machine: the onboarding counts as before until the next round.
          if (await this.#isUncertain(id).catch(() => this.#uncertain.has(id))) uncertain.add(id);
        }),
      );
    await Promise.all(queries);
    this.#uncertain = uncertain;
    await this.#moveOn();
    return { running, uncertain };
  }

  async #listed(query: string): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const { workflowId } of this.stage.rig.client.workflow.list({ query })) ids.add(workflowId);
    return ids;
  }

  /** Answers the requirements of a workflow. @returns whether only uncertain writes are left */
  async #isUncertain(id: string): Promise<boolean> {
    const { client } = this.stage.rig;
    const party = this.#parties.get(id);
    const state = await queryState(client, id);
    if (!party) return false;
    for (const requirement of state.requirements) this.#asked.add(keyOf(id, requirement));
    const answers = state.requirements.map((one) => [one, answerTo(party, one, this.marked)] as const);
    for (const [requirement, answer] of answers) {
      if (answer === undefined) this.surprises.add(`${id} asks: ${requirement.title}`);
      else if (typeof answer !== 'string') await this.#answer(id, requirement, answer);
    }
    if (answers.length === 0 || answers.some(([, answer]) => answer !== 'uncertain')) return false;
    const { raw } = await client.workflow.getHandle(id).describe();
    const busy = raw.pendingActivities?.filter(({ activityId }) => activityId !== AWAIT_STATUS_ACTIVITY_ID);
    return (busy ?? []).length === 0;
  }

  async #answer(id: string, requirement: Requirement, answer: OperatorAnswer): Promise<void> {
    const { id: requirementId, kind } = requirement;
    const key = keyOf(id, requirement);
    if (this.#answered.has(key)) return;
    const { actor, reason } = this.marked;
    const about = { id, requirementId, actor, reason };
    if (
      answer.kind !== 'correction' &&
      answer.kind !== 'retry' &&
      this.merchants?.answer(id, requirementId, answer.kind)
    ) {
      this.#answered.add(key);
      return;
    }
    const status =
      answer.kind === 'document'
        ? await this.sender.send('documents.received.v1', key, {
            ...about,
            documents: [await this.#document(requirementId)],
          })
        : await this.sender.send('requirement.resolved.v1', key, { ...about, answer });
    this.#answered.add(key);
    // 409: the partner has moved on, or the answer came before it got lost.
    if (status !== 202 && status !== 409)
      this.surprises.add(`${id} refuses an answer to ${kind} with ${status}`);
  }

  #document(requirementId: string) {
    const documents = documentStore(folder(this.stage.rig.documentDir));
    return documents.put(`${requirementId}.txt`, Buffer.from(this.marked.noteAnswer));
  }

  /** Does at the partners what their people do there, once all of our writes have taken effect. */
  async #moveOn(): Promise<void> {
    const left = this.cast.filter((party) => !this.#moved.has(party) && partToMove(party));
    const ledger = left.length > 0 ? await this.stage.ledger() : [];
    for (const party of left) {
      const approval = approvalOf(party, partToMove(party) ?? 'boarding', ledger);
      if (!approval) continue;
      await this.stage.control('POST', approval.path, approval.change);
      this.#moved.add(party);
    }
  }
}

/** What stays in its status until somebody at the partner moves it. */
function partToMove({ parts: { boarding, business } }: Party) {
  return boarding?.moved ? 'boarding' : business?.moved ? 'business' : undefined;
}

/** The same requirement may be raised again after it was closed or answered. */
function keyOf(workflowId: string, { id, raisedAt }: Requirement): string {
  return `${workflowId}-${id}-${raisedAt}`;
}
