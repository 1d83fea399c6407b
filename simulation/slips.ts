import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import {
  addRemark,
  assignRequirement,
  confirmAnswer,
  proposeAnswer,
  proposedAnswer,
  withdrawProposal,
} from '../src/messages/claims.js';
import { type Answer, type Requirement, resolveRequirement } from '../src/messages/requirements.js';
import type { RequirementUpdate } from '../src/temporal/updates.js';
import type { Party } from './cast.js';
import { MARKERS } from './markers.js';
import { HOUR_MS, MINUTE_MS, SLOW, type Slip, TOO_SLOW } from './plan.js';
import type { Scene } from './scene.js';

/** A requirement of a workflow, and the answer that its person has in mind. */
export interface Case {
  /** Absent for the workflow of an account, which asks on behalf of all. */
  readonly party: Party | undefined;
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly answer: Answer;
}

const { actor, reason, ssn } = MARKERS;
const another = `${actor} 2`;

/** Questions about writes of which an id is confirmed only once it has been looked up. */
const CONFIRMED =
  /^Outcome unknown: (create the merchant|open the financial account|submit the business account holder)$/;

/** Somebody else was faster, or the partner was. */
const TOO_LATE = /is not open|is open; open|has ended|already|not found|unsent|to take back|proposed|claimed/;

/** Gives answers, in every way that people have, and keeps what they were told. */
/** What else follows from an answer. */
interface Effects {
  cancel(party: Party): Promise<void>;
  decide(it: Case): Promise<void>;
  giveUp(party: Party): unknown;
  isRefusedRightly(workflowId: string, why: string): boolean;
}

export class Answering {
  /** Answers that were refused, and wrong ones that were not. */
  readonly surprises = new Set<string>();
  /** What people were told was accepted: workflows and requirements. */
  receipts: { readonly workflowId: string; readonly id: string }[] = [];
  /** Workflows that were asked to confirm something else. */
  readonly mistaken = new Set<string>();
  /** IDs that nobody confirms a second time. */
  readonly #wrongIds = new Set<string>();
  #last: Case | undefined;

  constructor(
    private readonly scene: Pick<Scene, 'world' | 'client' | 'partners' | 'network' | 'service'>,
    private readonly people: Effects,
  ) {}

  /** Answers in the way that the plan has for it, where it fits. */
  async give(it: Case, slip: Slip | undefined): Promise<unknown> {
    const before = this.#last;
    this.#last = it;
    const { party, answer, requirement } = it;
    const { network } = this.scene;
    switch (slip) {
      case 'late':
        return this.#later(HOUR_MS, 8 * HOUR_MS, () => this.#tell(it));
      case 'twice': {
        const receipts = await Promise.all([this.#tell(it), this.#tell(it)]);
        if (receipts.every(Boolean)) this.#surprise(it, 'takes two answers');
        return;
      }
      case 'wrong':
        await this.#tellWrongly(it);
        return this.#tell({ ...it, answer: this.#mistake(it) });
      case 'abandoned':
        if (!requirement.answers.includes('abandon')) break;
        if (party) this.people.giveUp(party);
        return this.#tell({ ...it, answer: { kind: 'abandon' } });
      case 'proposed':
        // Nobody can propose a code.
        if (answer.kind === 'code') break;
        return this.#proposeAndConfirm(it);
      case 'claimed':
        if (answer.kind !== 'code') await this.#claim(it);
        break;
      case 'again':
        if (before) await this.#tell(before);
        break;
      case 'decided':
        network.next = { fault: 'delay-after-commit', milliseconds: SLOW };
        this.#later(0, 2_000, () => this.people.decide(it));
        break;
      case 'unheard':
        network.next = { fault: 'delay-after-commit', milliseconds: TOO_SLOW };
        break;
      case 'cancelled':
        if (party) this.#later(0, 2_000, () => this.people.cancel(party));
        break;
      case 'takenBack':
        // A document may be with the partner although its answer waits. The next one is then uploaded as well.
        if (answer.kind !== 'documents')
          this.#later(0, 2_000, () => this.#tell({ ...it, answer: { kind: 'take-back' } }));
    }
    return this.#tell(it);
  }

  #later(leastMs: number, mostMs: number, run: () => Promise<unknown>): void {
    const { world } = this.scene;
    world.after(world.chance.between(leastMs, mostMs), () => void run());
  }

  #surprise({ workflowId, requirement: { id } }: Case, what: string): void {
    this.surprises.add(`${workflowId} ${what} for ${id}`);
  }

  /** Somebody who looks for what was written finds something else, and is asked about the same again. */
  #mistake({ party, workflowId, requirement: { title, idFormat }, answer }: Case): Answer {
    if (!CONFIRMED.test(title)) return answer;
    this.mistaken.add(workflowId);
    const { world, partners, service } = this.scene;
    const create = /merchant/.test(title) ? /^create-merchant/ : /^submit-business-account-holder/;
    const isOthers = ({ operation, at, id, guid, name }: LedgerEntry) =>
      create.test(operation) &&
      // Lists show by now whose it is.
      Date.parse(at) < world.now - MINUTE_MS &&
      // Nothing speaks against a record that nobody has reserved, and its owner could not have it back.
      service.runs.some(({ start }) => start.workflowId.endsWith(`.${id}`)) &&
      ![party?.externalId, party?.businessName].includes(guid ?? name) &&
      !this.#wrongIds.has(`${id}`);
    const id = `${partners.ledgerOfGangway.find(isOthers)?.id ?? 3}`;
    this.#wrongIds.add(id);
    return { kind: 'confirm', id: idFormat === 'text' ? `wrong-${this.#wrongIds.size}-${world.now}` : id };
  }

  /** Every answer that breaks a rule, and right ones of nobody, or for no reason. */
  async #tellWrongly(it: Case): Promise<void> {
    const { answer, requirement } = it;
    const { answers, blank } = requirement;
    // The tests of the rules have all of them.
    const misfits = [
      null,
      { kind: 'text', text: ' ' },
      { kind: 'confirm', id: 'no id' },
      { kind: 'correction', patch: { nobodyKnowsThis: ssn } },
      ...(blank ? [{ kind: 'correction', patch: blank }] : []),
      { kind: 'take-back' },
      ...(answers.includes('retry') ? [] : [{ kind: 'retry' }]),
    ];
    await this.#refused(resolveRequirement, it, [
      null,
      ...misfits.map((misfit) => ({ answer: misfit, actor, reason })),
      { answer, actor: ' ', reason },
      { answer, actor, reason: '' },
    ]);
  }

  /** What people do with a question before they answer it, some of it in vain. */
  async #claim(it: Case): Promise<void> {
    const { chance, now } = this.scene.world;
    const until = new Date(now + 24 * HOUR_MS).toISOString();
    const claim = (what: string, request: object) => this.#update(assignRequirement, it, what, request);
    await claim('releases', { actor });
    if (!(await claim('claims', { actor, until }))) return;
    const colleague = { actor, assignee: 'Ada Park (ada-17)', text: 'Please answer it.', until };
    await this.#refused(assignRequirement, it, [
      { actor: another, until },
      { ...colleague, assignee: 'Ada' },
    ]);
    if (chance.happens(0.5)) await claim('assigns', colleague);
    await claim('takes over', { actor: another, until, override: true });
    if (chance.happens(0.5)) await claim('releases', { actor: another });
    await this.#update(addRemark, it, 'remarks on', { actor, text: `Ask ${reason}` });
    await this.#proposeInVain(it, until);
  }

  /** Mostly withdraws the proposal. Otherwise, the answer itself is given although it is proposed. */
  async #proposeInVain(it: Case, until: string): Promise<void> {
    const { service, client, world } = this.scene;
    await this.#refused(confirmAnswer, it, [{ actor: another, proposedAt: until }]);
    const proposedAt = await this.#propose(it);
    if (!proposedAt) return;
    await this.#refused(confirmAnswer, it, [
      { actor, proposedAt },
      { actor: another, proposedAt: until },
    ]);
    await this.#refused(withdrawProposal, it, [{ actor: another, proposedAt: until }]);
    if (world.chance.happens(0.3)) return;
    await this.#update(withdrawProposal, it, 'withdraws', { actor: another, reason });
    const { workflowId, requirement } = it;
    const proposed = () => client.workflow.getHandle(workflowId).query(proposedAnswer, requirement.id);
    if (service.latest(workflowId)?.isOpen && (await proposed().catch(() => null)))
      this.#surprise(it, 'still proposes an answer');
  }

  /** @returns when it was proposed, which identifies it */
  async #propose(it: Case): Promise<string | undefined> {
    const request = { answer: it.answer, actor, reason };
    return (await this.#update(proposeAnswer, it, `proposes ${it.answer.kind}`, request))?.proposedAt;
  }

  async #proposeAndConfirm(it: Case): Promise<void> {
    const proposedAt = await this.#propose(it);
    if (!proposedAt) return;
    const { world } = this.scene;
    const { chance } = world;
    await world.sleep(chance.between(0, HOUR_MS));
    const request = { proposedAt, actor: another, ...(chance.happens(0.5) && { reason }) };
    const confirm = async () => {
      const receipt = await this.#update(confirmAnswer, it, 'confirms', request);
      if (receipt) this.#receive(it);
      return receipt;
    };
    const receipts = await Promise.all(chance.happens(0.3) ? [confirm(), confirm()] : [confirm()]);
    if (receipts.length > 1 && receipts.every(Boolean)) this.#surprise(it, 'takes two confirmations');
  }

  /** @returns whether it was accepted */
  async #tell(it: Case): Promise<boolean> {
    const { answer, party } = it;
    // A customer passes it on.
    const isPassedOn = party?.type === 'customerOnboarding' && this.scene.world.chance.happens(0.3);
    const receiver = isPassedOn ? party.workflowId : it.workflowId;
    const request = { answer, actor, reason };
    const receipt = await this.#update(resolveRequirement, it, answer.kind, request, TOO_LATE, receiver);
    if (receipt && answer.kind !== 'take-back') this.#receive(it);
    return receipt !== undefined;
  }

  #receive({ workflowId, requirement: { id } }: Case): void {
    this.receipts.push({ workflowId, id });
  }

  /** Requests that break a rule, one after the other. */
  async #refused<Receipt, Request extends object>(
    definition: RequirementUpdate<Receipt, Request>,
    it: Case,
    requests: readonly (object | null)[],
  ): Promise<void> {
    for (const request of requests)
      if (await this.#update(definition, it, definition.name, request, /./))
        this.#surprise(it, `takes ${JSON.stringify(request)}`);
  }

  /** @param request without the id of the requirement */
  async #update<Receipt, Request extends object>(
    definition: RequirementUpdate<Receipt, Request>,
    { workflowId, requirement: { id, kind } }: Case,
    what: string,
    request: object | null,
    refusal = TOO_LATE,
    receiver = workflowId,
  ): Promise<Receipt | undefined> {
    const { client, world } = this.scene;
    const say = (end: string) => world.say('people', `${what} for ${id} of ${receiver}${end}`);
    const args = [request && { requirementId: id, ...request }] as unknown as [Request];
    try {
      const receipt = await client.workflow.getHandle(receiver).executeUpdate(definition, { args });
      say('');
      return receipt;
    } catch (error) {
      const { message, cause } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      say(', refused');
      if (!this.people.isRefusedRightly(workflowId, why) && !refusal.test(why))
        this.surprises.add(`${receiver} refuses ${what} for ${kind}: ${why}`);
      return undefined;
    }
  }
}
