import type { Client } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { documentStore } from '../src/documents/document-store.js';
import type { FileStore } from '../src/documents/file-store.js';
import {
  addRemark,
  claimRequirement,
  confirmAnswer,
  LONGEST_REMARK,
  proposeAnswer,
  proposedAnswer,
  withdrawProposal,
} from '../src/messages/claims.js';
import { type Answer, type Requirement, resolveRequirement } from '../src/messages/requirements.js';
import { nudge } from '../src/temporal/nudge.js';
import { stateOf } from '../src/temporal/onboardings.js';
import { ownersOf } from '../test/rigs/privacy/marked-inputs.js';
import { answerTo, type OperatorAnswer } from './answers.js';
import type { Witness } from './beliefs.js';
import type { Party } from './cast.js';
import { workersOf } from './cast.js';
import { approvalOf, finalMid } from './ledger.js';
import { MARKERS } from './markers.js';
import type { Departure, Network } from './network.js';
import { CODE, NOT_TODAY } from './network.js';
import type { Partners } from './partners.js';
import { OUTAGES, type Plan, type Slip } from './plan.js';
import { writtenAs } from './questions.js';
import type { Service } from './service/service.js';
import type { World } from './world.js';

/** A write takes effect at most so long after the question about it, in milliseconds: its request may still be on its way. */
const SURELY_OVER_MS = 5 * 60_000;

const HOUR_MS = 3_600_000;

/** The longest time until somebody looks again, in milliseconds. */
const LONGEST_SHIFT_MS = 6 * HOUR_MS;

/** Nobody answers more often in a run. */
const MOST_ANSWERS = 150;

/** Somebody else was faster, or the partner was. */
const TOO_LATE = /is not open|is open; open|has ended|already|not found|unsent|to take back|proposed|claimed/;

/**
 * The partner does not take it, for no reason of the input. It may be on hold for a moment only. Two 401 in a row look like a merchant
 * of another organization.
 */
const FOR_NO_REASON = new RegExp(
  `${NOT_TODAY}|^the partner gave no reason$|is On Hold|^the partner does not let us read it \\(401\\)`,
  'm',
);

/** Who opens tickets: nobody, another customer, and a customer of another partner. */
const OPENERS = [null, 10_501, 10_601];

/** What the partner says of a merchant or a profile while it does not let us in. It says the same of those of others. */
const SHUT_OUT = /^the partner does not let us read it \(403\)|^the bank shows no banking profile/;

/** Writes about what the partner asked of one run, and not of the one before. */
const OF_ONE_RUN = ['submit-merchant', 'request-underwriting-review', 'upload-attachment', 'create-ticket'];

/** Questions about writes of which an id is adopted only once it has been looked up. */
const ADOPTED = /^Outcome unknown: (create the merchant|submit the business account holder)$/;

/** What somebody mistypes. */
const WRONG_CODE = '111111';

/** What the sandbox says while a merchant is on hold for a moment (`refusedReview`). */
const REFUSED_REVIEW = 'BadRequest\nTo change an answer, take it back.';

/** What is asked about the holder whose social security numbers a new run did not get. */
const LACKS_SSN = /^((holder|beneficialOwners\.\d)\.ssn: is required(\n|$))+$/;

/** A requirement of a workflow, and the answer that its person has in mind. */
interface Case {
  /** Absent for the workflow of an account, which asks on behalf of all. */
  readonly party: Party | undefined;
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly answer: Answer;
}

/** The people of the payments company, who answer what is open, and those of the partners, who move what they have to decide. */
export class People {
  /** Questions that no scenario raises, answers that were refused, and wrong ones that were not. */
  readonly surprises = new Set<string>();
  /** What people were told was accepted: workflows and requirements. */
  readonly receipts: { readonly workflowId: string; readonly id: string }[] = [];
  /** What they were asked. */
  readonly asked = new Set<string>();
  /** Of these somebody has abandoned something. */
  readonly abandoned = new Set<Party>();
  /** Of these a write may be missing: the partner decided before all answers had reached it. */
  readonly spared = new Set<Party>();
  /** Workflows that were asked to adopt something else, or in vain. */
  readonly mistaken = new Set<string>();
  readonly #slips: ReadonlyMap<number, Slip>;
  /** Parts that the partner has approved. */
  readonly #moved = new Set<object>();
  /** Of these the bank has the business. */
  readonly #met = new Set<Party>();
  /** A business that has continued as new does not keep social security numbers, and has asked for them. */
  readonly #knowsNoSsn = new Set<string>();
  /** A correction was given, and has got lost on its way to the partner. */
  readonly #isCorrected = new Set<string>();
  /** Somebody chose that a merchant on hold takes answers, so a review that is refused then is asked about. */
  #heldTakesAnswers = false;
  #answers = 0;
  /** The answers that did more than try again. */
  readonly #given = new Set<string>();
  /** When an onboarding was started again, in milliseconds. */
  readonly #startedAgainAt = new Map<Party, number>();
  #last: Case | undefined;

  constructor(
    private readonly world: World,
    private readonly client: Client,
    private readonly partners: Partners,
    private readonly network: Pick<Network, 'next' | 'left' | 'outages'>,
    private readonly files: FileStore,
    private readonly cast: readonly Party[],
    private readonly plan: Pick<Plan, 'slips' | 'shiftMs' | 'existing' | 'twists'>,
    private readonly service: Pick<Service, 'latest'>,
  ) {
    this.#slips = new Map(plan.slips.map(({ answer, slip }) => [answer, slip]));
  }

  /** The onboarding starts again: what people were told before is over. */
  forget(party: Party): void {
    const ids = workersOf(party);
    const isOther = ({ workflowId }: { readonly workflowId: string }) => !ids.includes(workflowId);
    this.receipts.splice(0, Number.POSITIVE_INFINITY, ...this.receipts.filter(isOther));
    this.#startedAgainAt.set(party, this.world.now);
  }

  /** Works until the world ends. */
  async work(): Promise<void> {
    let { shiftMs } = this.plan;
    for (;;) {
      await this.world.sleep(this.world.chance.between(shiftMs / 10, shiftMs));
      const [asking, before] = [await this.#asking(), this.#given.size];
      for (const party of this.cast) {
        for (const id of workersOf(party)) if (asking.has(id)) await this.#lookAt(party, id);
        await this.#moveWaiting(party);
        await this.#interfere(party);
      }
      for (const id of asking) if (/^(partner|operation)-/.test(id)) await this.#lookAt(undefined, id);
      // Nobody looks, or tries the same again, every minute for days.
      const isIdle = this.#given.size === before;
      shiftMs = isIdle ? Math.min(2 * shiftMs, LONGEST_SHIFT_MS) : this.plan.shiftMs;
    }
  }

  /** The inbox: what lists show. */
  async #asking(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const query = "ExecutionStatus = 'Running' AND ActionRequired = true";
    for await (const { workflowId } of this.client.workflow.list({ query })) ids.add(workflowId);
    return ids;
  }

  async #lookAt(party: Party | undefined, workflowId: string): Promise<void> {
    const state = await stateOf(this.client, workflowId).catch(() => undefined);
    if (!state || state.outcome) return;
    for (const requirement of state.requirements) {
      this.asked.add(requirement.detail);
      const answer = party
        ? await this.#answerTo({ party, workflowId, state, mid: this.#midOf(party) }, requirement)
        : this.#answerForAll(workflowId, requirement);
      if (answer) await this.#handle({ party, workflowId, requirement, answer });
    }
  }

  /** Some of these close by themselves, once the partner has changed its mind. */
  #answerForAll(workflowId: string, { kind, title, detail, raisedAt }: Requirement): Answer | undefined {
    const [, id] = /^operation-/.test(workflowId) ? (/, adopt (\S+)\./.exec(detail) ?? []) : [];
    if (kind === 'uncertain-write' && id !== undefined) {
      if (this.world.now - Date.parse(raisedAt) < SURELY_OVER_MS) return undefined;
      // Only whoever gets the statement knows that it has arrived.
      const isDone = this.partners.ledgerOfGangway.some((entry) => entry.id === id);
      return isDone ? { kind: 'adopt', id } : { kind: 'retry' };
    }
    if (kind === 'new-status') {
      const choice = this.world.chance.pick(['under-review', 'needs-answers']);
      if (choice === 'needs-answers') this.#heldTakesAnswers = true;
      return { kind: 'choice', choice };
    }
    if (kind === 'waiting') return undefined;
    if (kind === 'one-time-code')
      return { kind: 'code', code: this.world.chance.pick([CODE, CODE, CODE, WRONG_CODE]) };
    if (kind === 'ticket' && this.plan.twists.includes('tickets') && this.world.chance.happens(0.5))
      return { kind: 'text', text: MARKERS.ticketAnswer };
    if (!['credentials', 'unreadable', 'ticket', 'rejected-input', 'uncertain-write'].includes(kind))
      this.surprises.add(`${workflowId} asks: ${title}`);
    return this.world.chance.happens(0.5) ? { kind: 'retry' } : undefined;
  }

  #midOf({ externalId }: Party): string | undefined {
    const isCreate = /^create-merchant/;
    const created = this.partners.ledger.find(
      ({ guid, operation }) => guid === externalId && isCreate.test(operation),
    );
    return created && finalMid(Number(created.id));
  }

  async #answerTo(
    witness: Witness & { readonly party: Party },
    requirement: Requirement,
  ): Promise<Answer | undefined> {
    // It closes by itself, once the partner is there again.
    if (['waiting', 'locked-profile'].includes(requirement.kind)) return undefined;
    const { party, workflowId } = witness;
    if (requirement.kind === 'not-submitted' && this.plan.existing === 'followed') return { kind: 'retry' };
    if (this.#isWithoutSsn(workflowId, requirement)) {
      this.#knowsNoSsn.add(workflowId);
      return withSsn({ patch: {} });
    }
    const mid = this.#midOf(party);
    if (requirement.kind === 'unclear-mid' && mid && this.world.chance.happens(0.5))
      return { kind: 'adopt', id: mid };
    if (requirement.kind === 'rejected-input' && /none has this name/.test(requirement.detail))
      return { kind: 'correction', patch: { agent: null, agentProfileId: 101 } };
    const answer = this.#isForNoReason(requirement)
      ? this.#inAnotherWay(party, requirement)
      : withFees(party, answerTo(party, requirement, MARKERS));
    if (answer === undefined)
      this.surprises.add(`${party.externalId} asks: ${requirement.title}: ${requirement.detail}`);
    if (answer === undefined || answer === 'moot') return undefined;
    if (answer === 'uncertain') return this.#afterLookingAtTheLedger(witness, requirement);
    if (answer.kind === 'correction' && this.#knowsNoSsn.has(workflowId)) return withSsn(answer);
    if (answer.kind === 'correction' && this.#isCorrected.has(workflowId))
      return requirement.answers.includes('retry')
        ? { kind: 'retry' }
        : { kind: 'text', text: MARKERS.ticketAnswer };
    if (answer.kind !== 'document') return answer;
    const documents = documentStore(this.files);
    const document = await this.world.outside(() =>
      documents.put(`${requirement.id}.txt`, Buffer.from(MARKERS.noteAnswer)),
    );
    return { kind: 'documents', documents: [document] };
  }

  /** The same once more, or something else that may do. */
  #inAnotherWay(party: Party, { answers, title }: Requirement): OperatorAnswer {
    const { chance } = this.world;
    if (answers.includes('documents') && chance.happens(0.5)) return { kind: 'document' };
    const fees = hasFees(party) && /^Rejected: (create the merchant|set the fees|submit to)/.test(title);
    if (fees && answers.includes('correction') && chance.happens(0.5))
      return { kind: 'correction', patch: { fees: { minimumDiscountAmount: chance.between(26, 90) } } };
    return { kind: 'retry' };
  }

  #isForNoReason({ kind, detail, raisedAt }: Requirement): boolean {
    if (kind !== 'rejected-input') return false;
    if (detail === REFUSED_REVIEW) return this.#heldTakesAnswers || this.#isStatusReadLate(raisedAt);
    return FOR_NO_REASON.test(detail) || (SHUT_OUT.test(detail) && this.#isShutOut(Date.parse(raisedAt)));
  }

  #isShutOut(at: number): boolean {
    const { suspended } = OUTAGES;
    return this.network.outages.some(
      ({ kind, since }) => kind === 'suspended' && at >= since && at <= since + suspended,
    );
  }

  /**
   * Whoever reads the status right after a refused review sees that the merchant is on hold. When that read is late or repeated, it may
   * take answers again, and only a person can say whether to send the same once more.
   */
  #isStatusReadLate(raisedAt: string): boolean {
    const { left } = this.network;
    const refused = left.findLastIndex(({ path, status }) => /Review\?/.test(path) && status === 400);
    const { at: refusedAt = 0, path: address = '' } = left[refused] ?? {};
    const [, id] = address.split('?');
    const isRead = ({ at, path }: Departure) =>
      path === `/api/v1/merchant/status?${id}` && at < Date.parse(raisedAt);
    const reads = left.slice(refused + 1).filter(isRead);
    return reads.length > 1 || reads.some(({ at }) => at > refusedAt + 1_000);
  }

  /** A followed business accepts a correction without them, because nobody knows all of it, and asks before it sends the holder. */
  #isWithoutSsn(workflowId: string, { kind, detail }: Requirement): boolean {
    const isFollowed = this.plan.existing === 'followed';
    return kind === 'rejected-input' && isFollowed && LACKS_SSN.test(detail) && this.#isNewRun(workflowId);
  }

  #isNewRun(workflowId: string): boolean {
    return this.service.latest(workflowId)?.start.before !== undefined;
  }

  #afterLookingAtTheLedger(
    witness: Witness & { readonly party: Party },
    { title, detail, raisedAt }: Requirement,
  ): Answer | undefined {
    if (this.world.now - Date.parse(raisedAt) < SURELY_OVER_MS) return undefined;
    const [, asked] = /^Whose banking profile/.test(title) ? (/, adopt (\d+)\./.exec(detail) ?? []) : [];
    if (asked !== undefined)
      return this.#isOf(asked, witness) ? { kind: 'adopt', id: asked } : { kind: 'retry' };
    const since = this.#startedAgainAt.get(witness.party) ?? 0;
    const ledger = this.partners.ledgerOfGangway.filter(
      ({ operation, at }) => !OF_ONE_RUN.includes(operation) || Date.parse(at) >= since,
    );
    const id = writtenAs(title, witness, ledger);
    if (id === undefined) this.surprises.add(`nobody knows how to look up: ${title}`);
    return id === undefined ? undefined : id === 'none' ? { kind: 'retry' } : { kind: 'adopt', id };
  }

  #isOf(profileId: string, { party }: Witness): boolean {
    return this.partners.ledger.some(
      ({ operation, id, name, of }) =>
        operation === 'submit-business-account-holder' &&
        String(id) === profileId &&
        name === party.businessName &&
        of === party.legalName,
    );
  }

  /** Answers, in the way that the plan has for it. */
  async #handle(it: Case): Promise<void> {
    const { workflowId, requirement, answer } = it;
    // Nobody can propose a code.
    const mayClaim = answer.kind !== 'code';
    this.#answers += 1;
    const key = JSON.stringify([workflowId, requirement.title, answer]);
    // It was in vain, because the partner does not let us in.
    if (answer.kind === 'adopt' && this.#given.has(key)) this.mistaken.add(workflowId);
    if (answer.kind !== 'retry' && answer.kind !== 'code') this.#given.add(key);
    if (this.#answers === MOST_ANSWERS) this.surprises.add(`${workflowId} asks without an end`);
    const slip = this.#slips.get(this.#answers);
    if (slip) this.world.say('people', `${slip}: ${requirement.id} of ${workflowId}`);
    const before = this.#last;
    this.#last = it;
    if (slip === 'late') this.#later(HOUR_MS, 8 * HOUR_MS, () => this.#tell(it));
    else if (slip === 'twice') {
      const receipts = await Promise.all([this.#tell(it), this.#tell(it)]);
      if (receipts.every(Boolean))
        this.surprises.add(`${workflowId} takes two answers for ${requirement.id}`);
    } else if (slip === 'proposed' && mayClaim) await this.#proposeAndConfirm(it);
    else if (slip === 'abandoned' && requirement.answers.includes('abandon')) await this.#abandon(it);
    else {
      if (slip === 'claimed' && mayClaim) await this.#claim(it);
      if (slip === 'wrong') await this.#tellWrongly(it);
      if (slip === 'again' && before) await this.#tell(before);
      if (slip === 'decided' || slip === 'unheard')
        this.network.next = slip === 'decided' ? 'slow' : 'unanswered';
      if (slip === 'decided') this.#later(0, 2_000, () => this.#decide(it));
      // A document may be with the partner although its answer waits. The next one is then uploaded as well.
      if (slip === 'takenBack' && answer.kind !== 'documents')
        this.#later(0, 2_000, () => this.#tell({ ...it, answer: { kind: 'take-back' } }));
      await this.#tell({ ...it, answer: slip === 'wrong' ? this.#mistaken(it) : answer });
    }
  }

  #later(leastMs: number, mostMs: number, run: () => Promise<unknown>): void {
    this.world.after(this.world.chance.between(leastMs, mostMs), () => void run());
  }

  /** Somebody who looks for what was written finds something else, and is asked about the same again. */
  #mistaken({ workflowId, requirement, answer }: Case): Answer {
    if (!ADOPTED.test(requirement.title)) return answer;
    this.mistaken.add(workflowId);
    return { kind: 'adopt', id: '3' };
  }

  /** Every answer that breaks a rule, and right ones of nobody, or for no reason. */
  async #tellWrongly(it: Case): Promise<void> {
    const { answers, blank } = it.requirement;
    const patches = [
      'text',
      {},
      { nobodyKnowsThis: MARKERS.ssn },
      { '': MARKERS.ssn },
      { application: null },
    ];
    const nested = [
      { holder: { nobodyKnowsThis: 'x' } },
      { merchant: { '': 'x' } },
      ...(blank ? [blank] : []),
    ];
    const misfits: readonly unknown[] = [
      ...[
        null,
        'text',
        { kind: 'text', text: ' ' },
        { kind: 'adopt', id: 'no id' },
        { kind: 'code', code: ' ' },
      ],
      ...[{ kind: 'choice', choice: 'none' }, { kind: 'documents' }, { kind: 'documents', documents: [{}] }],
      ...[...patches, ...nested].map((patch) => ({ kind: 'correction', patch })),
      ...(answers.includes('retry') ? [] : [{ kind: 'retry' }]),
    ];
    const { actor, reason } = MARKERS;
    const requests = misfits.map((answer) => ({ answer, actor, reason }));
    const { answer } = it;
    await this.#refused(resolveRequirement, it, [
      ...[...requests, { answer, actor: ' ', reason }, { answer, actor, reason: '' }],
      { answer: { kind: 'take-back' }, actor, reason },
    ]);
  }

  /** Requests that break a rule, one after the other. */
  async #refused<Request extends object>(
    definition: UpdateDefinition<unknown, [Request]>,
    it: Case,
    requests: readonly object[],
  ): Promise<void> {
    const { name } = definition;
    for (const request of requests)
      if (await this.#update(definition, it, request as never, name, /./))
        this.surprises.add(`${it.workflowId} takes ${JSON.stringify(request)} for ${it.requirement.id}`);
  }

  async #abandon(it: Case): Promise<void> {
    if (it.party) for (const those of [this.abandoned, this.spared]) those.add(it.party);
    await this.#tell({ ...it, answer: { kind: 'abandon' } });
  }

  /** What people do with a question before they answer it, some of it in vain. */
  async #claim(it: Case): Promise<void> {
    const { actor, reason } = MARKERS;
    const until = new Date(this.world.now + 24 * HOUR_MS).toISOString();
    const another = `${actor} 2`;
    const claim = (request: object, what: string) =>
      this.#update(claimRequirement, it, { actor, ...request }, what);
    const untils = ['soon', until.replace('20', '19'), until.replace('20', '21')];
    await this.#refused(claimRequirement, it, [
      ...untils.map((each) => ({ actor, until: each })),
      ...[
        { actor: ' ', until },
        { actor, until, override: 'yes' },
      ],
    ]);
    await claim({}, 'releases');
    if (!(await claim({ until }, 'claims'))) return;
    await this.#refused(claimRequirement, it, [{ actor: another, until }]);
    await claim({ actor: another, until, override: true }, 'takes over');
    if (this.world.chance.happens(0.5)) await claim({ actor: another }, 'releases');
    await this.#update(addRemark, it, { actor, text: `Ask ${reason}` }, 'remarks on');
    const texts = [' ', 'x'.repeat(LONGEST_REMARK + 1)];
    await this.#refused(addRemark, it, [...texts.map((text) => ({ actor, text })), { actor: '', text: 'x' }]);
    await this.#refused(confirmAnswer, it, [{ actor: another, proposedAt: until }]);
    const code = { kind: 'code', code: '123456' };
    await this.#refused(proposeAnswer, it, [
      { answer: code, actor, reason },
      { answer: 'text', actor, reason },
    ]);
    const proposedAt = await this.#propose(it);
    if (!proposedAt) return;
    await this.#refused(confirmAnswer, it, [
      ...[
        { actor, proposedAt },
        { actor: another, proposedAt: until },
      ],
      { actor: another, proposedAt, reason: 1 },
    ]);
    await this.#refused(withdrawProposal, it, [{ actor: another, proposedAt: until }]);
    // The answer itself is given although it is proposed.
    if (this.world.chance.happens(0.3)) return;
    await this.#update(withdrawProposal, it, { actor: another, reason }, 'withdraws');
    const { id } = it.requirement;
    const handle = this.client.workflow.getHandle(it.workflowId);
    const isOpen = this.service.latest(it.workflowId)?.isOpen;
    if (isOpen && (await handle.query(proposedAnswer, id).catch(() => null)))
      this.surprises.add(`${it.workflowId} still proposes an answer for ${id}`);
  }

  /** @returns when it was proposed, which identifies it */
  async #propose(it: Case): Promise<string | undefined> {
    const { actor, reason } = MARKERS;
    const proposal = { answer: it.answer, actor, reason };
    return (await this.#update(proposeAnswer, it, proposal, `proposes ${it.answer.kind}`))?.proposedAt;
  }

  async #proposeAndConfirm(it: Case): Promise<void> {
    const proposedAt = await this.#propose(it);
    if (!proposedAt) return;
    const { chance } = this.world;
    await this.world.sleep(chance.between(0, HOUR_MS));
    const { actor, reason } = MARKERS;
    const confirmation = { proposedAt, actor: `${actor} 2`, ...(chance.happens(0.5) && { reason }) };
    const confirm = () => this.#update(confirmAnswer, it, confirmation, 'confirms');
    const receipts = await Promise.all(chance.happens(0.3) ? [confirm(), confirm()] : [confirm()]);
    for (const receipt of receipts) if (receipt) this.#receive(it);
    if (receipts.length > 1 && receipts.every(Boolean))
      this.surprises.add(`${it.workflowId} takes two confirmations for ${it.requirement.id}`);
  }

  /** @returns whether it was accepted */
  async #tell(it: Case, refusal?: RegExp): Promise<boolean> {
    const { actor, reason } = MARKERS;
    const { answer, party } = it;
    // A customer passes it on.
    const isPassedOn = party?.type === 'customerOnboarding' && this.world.chance.happens(0.3);
    const receipt = await this.#update(
      resolveRequirement,
      it,
      { answer, actor, reason },
      answer.kind,
      refusal,
      isPassedOn ? party.workflowId : undefined,
    );
    if (receipt && answer.kind !== 'take-back') this.#receive(it);
    return receipt !== undefined;
  }

  #receive({ workflowId, requirement: { id } }: Case): void {
    this.receipts.push({ workflowId, id });
  }

  async #update<Receipt, Request extends object>(
    definition: UpdateDefinition<Receipt, [Request]>,
    { workflowId, requirement: { id, kind } }: Case,
    request: Omit<Request, 'requirementId'>,
    what: string,
    refusal = TOO_LATE,
    receiver = workflowId,
  ): Promise<Receipt | undefined> {
    const say = (end: string) => this.world.say('people', `${what} for ${id} of ${receiver}${end}`);
    const args: [Request] = [{ requirementId: id, ...request } as unknown as Request];
    try {
      const receipt = await this.client.workflow.getHandle(receiver).executeUpdate(definition, { args });
      say('');
      return receipt;
    } catch (error) {
      const { message, cause } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      say(', refused');
      if (/ssn: is required/.test(why) && this.#isNewRun(workflowId)) this.#knowsNoSsn.add(workflowId);
      else if (/changes nothing/.test(why)) this.#isCorrected.add(workflowId);
      else if (!refusal.test(why)) this.surprises.add(`${receiver} refuses ${what} for ${kind}: ${why}`);
      return undefined;
    }
  }

  /** What people at the partners do, once all of our writes have taken effect. */
  async #moveWaiting(party: Party): Promise<void> {
    const { boarding, business } = party.parts;
    if (boarding?.moved) await this.#approve(party, 'boarding');
    else if (business?.moved) await this.#approve(party, 'business');
  }

  /** What the bank does besides, once it has the business. */
  async #interfere(party: Party): Promise<void> {
    const { twists } = this.plan;
    const holder = this.partners.ledgerOfGangway.find(
      ({ operation, name }) => operation === 'submit-business-account-holder' && name === party.businessName,
    );
    if (!holder || this.#met.has(party)) return;
    this.#met.add(party);
    const change = (what: object) =>
      this.partners.control('POST', `/sandbox/profiles/${holder.id}/transition`, what);
    if (twists.includes('closes')) {
      await change({ isLocked: true });
      this.#later(HOUR_MS, 8 * HOUR_MS, () => change({ isLocked: false }));
    }
    const about = `Please call us about profile ${holder.id}.`;
    const tickets = OPENERS.map((userProfileId) => ({ text: about, userProfileId }));
    if (twists.includes('tickets'))
      await change({ tickets: [...tickets, { text: 'Please call us.', userProfileId: null }] });
  }

  /** The partner decides, although answers are on their way. */
  async #decide({ party, workflowId, requirement: { kind } }: Case): Promise<void> {
    const part = PARTS[kind];
    if (!part || !party) return;
    this.spared.add(party);
    await this.#approve(party, part);
    // A webhook says so.
    await nudge(this.client, workflowId).catch(() => false);
  }

  /** Once, after its submission. */
  async #approve(party: Party, part: 'boarding' | 'business'): Promise<void> {
    const approval = approvalOf(party, part, this.partners.ledger);
    if (!approval || this.#moved.has(approval.submission)) return;
    this.#moved.add(approval.submission);
    this.world.say('partner', `approves ${party.externalId}`);
    await this.partners.control('POST', approval.path, approval.change);
  }
}

function hasFees({ type, input }: Party): boolean {
  if (type === 'businessOnboarding') return false;
  return (type === 'customerOnboarding' ? input.boarding : input).fees !== undefined;
}

/** Somebody who changes the application changes the fees, too. */
function withFees(party: Party, answer: ReturnType<typeof answerTo>): ReturnType<typeof answerTo> {
  const isApplication =
    typeof answer === 'object' && answer.kind === 'correction' && answer.patch['application'];
  if (!isApplication || !hasFees(party)) return answer;
  return { ...answer, patch: { ...answer.patch, fees: { minimumDiscountAmount: 91 } } };
}

/** The partner that waits for the answer to a requirement. */
const PARTS: Readonly<Partial<Record<Requirement['kind'], 'boarding' | 'business'>>> = {
  ...{ 'underwriting-note': 'boarding', 'request-changes': 'boarding', ticket: 'business' },
};

function withSsn({ patch }: { readonly patch: Readonly<Record<string, unknown>> }): Answer {
  const { holder, beneficialOwners = ownersOf(MARKERS), ...rest } = patch;
  const whole = { ssn: MARKERS.ssn, ...(holder as object) };
  return { kind: 'correction', patch: { ...rest, holder: whole, beneficialOwners } };
}
