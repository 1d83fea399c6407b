import { SHORT_MESSAGE_CODE as CODE, NOT_TODAY } from '../src/apps/sandbox/fault-kinds.js';
import { habitOutcome } from '../src/apps/sandbox/habits/habits.js';
import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import type { OnboardingState } from '../src/messages/onboarding-state.js';
import type { Answer, Requirement } from '../src/messages/requirements.js';
import { documentStore } from '../src/partners/documents/document-store.js';
import { queryState } from '../src/temporal/find-onboarding.js';
import { ownersOf } from '../test/rigs/privacy/marked-inputs.js';
import { answerTo, corrected, type OperatorAnswer, STORE_FAILS } from './answers.js';
import { inputsOf, type Party, workersOf } from './cast.js';
import { createOf, finalMid, holderOf } from './ledger.js';
import { MARKERS } from './markers.js';
import { PartnerStaff } from './partner-staff.js';
import { HOUR_MS, OUTAGES } from './plan.js';
import type { Scene } from './scene.js';
import { Answering, type Case } from './slips.js';
import { indistinct, NOBODY, type Witness, writtenAs } from './writes.js';

/** The latest moment at which a write takes effect after the question about it, in milliseconds: its request may still be on its way. */
const SURELY_OVER_MS = 5 * 60_000;

/** The longest time until somebody looks again, in milliseconds. */
const LONGEST_SHIFT_MS = 6 * HOUR_MS;

/**
 * The partner does not take it, for no reason of the input. It may be on hold for a moment only. Two 401 in a row look like a merchant
 * of another organization.
 */
const FOR_NO_REASON = new RegExp(
  `${NOT_TODAY}|^BadRequest$|: Check it\\.$|${STORE_FAILS}|is not in the document store$|^the partner gave no reason$|is On Hold|no Route matched with those values$|^the partner does not let us read it \\(401\\)`,
  'm',
);

/**
 * What the partner says of a merchant, a profile or a create while it does not let us in. It says the same of those of others, and of
 * an agent profile of another organization.
 */
const SHUT_OUT =
  /^the partner does not let us read it \(403\)|^the bank shows no banking profile|^agentProfileId: the partner does not permit it \(403\)/;

/** It has decided, and does not show it yet. */
const DECIDED = /: is Approved, not under underwriting$/m;

/** Another workflow follows the merchant. */
const CLAIMED =
  /has this merchant$|^workflow \S+ has \d+ as well; |^it is the merchant|^\d+ cannot be confirmed: /;

/** Where a person has to look before a create is sent again. */
const PORTAL =
  /confirm its (merchant )?profile id\. Correct it or retry only if it is not there|If it is the merchant of this boarding, confirm/;

/** The partner refuses a create, or returns another record, by a habit. */
const SAVED =
  /^(The application was saved|The partner responded to the create with merchant|nothing was sent, because the partner shows merchant)/m;

/** Habits by which a read may show what was before, however soon after a write it is. */
export const SHOWS_OLD = ['replicas', 'reads-go-back', 'cached-status', 'shows-later', 'status-goes-back'];

/** What is asked about the holder whose social security numbers a new run did not get. */
const LACKS_SSN = /^((holder|beneficialOwners\.\d)\.ssn: is required(\n|$))+$/;

/** Writes about what the partner asked of one run, and not of the one before. */
const OF_ONE_RUN = ['submit-merchant', 'request-underwriting-review', 'upload-attachment', 'create-ticket'];

const RETRY: Answer = { kind: 'retry' };

/** Without an id, nothing was written. */
const confirmOrRetry = (id: string | undefined): Answer =>
  id === undefined ? RETRY : { kind: 'confirm', id };

/** What a workflow of a party asks. */
type Question = Witness & {
  readonly party: Party;
  /** The one that the partner gives its merchant in the end. */
  readonly mid: string | undefined;
  readonly requirement: Requirement;
};

/** The people of the payments company, who answer what is open. */
export class People {
  /** What they were asked. */
  readonly asked = new Set<string>();
  /** Of these somebody has abandoned something. */
  readonly abandoned = new Set<Party>();
  /** Of these a write may be missing: the partner decided before all answers had reached it. */
  readonly spared = new Set<Party>();
  readonly answering: Answering;
  readonly #staff: PartnerStaff;
  /** A business that has continued as new does not keep social security numbers, and has asked for them. */
  readonly #knowsNoSsn = new Set<string>();
  /** A correction was given, and has got lost on its way to the partner. */
  readonly #isCorrected = new Set<string>();
  #answers = 0;
  /** The answers that did more than try again. */
  readonly #given = new Set<string>();
  /** When an onboarding was started again, in milliseconds. */
  readonly #startedAgainAt = new Map<Party, number>();

  constructor(
    private readonly scene: Scene,
    /** Cancels an onboarding, or a part of it. */
    readonly cancel: (party: Party) => Promise<void>,
  ) {
    this.#staff = new PartnerStaff(scene);
    this.answering = new Answering(scene, this);
  }

  /** Questions that no scenario raises, answers that were refused, and wrong ones that were not. */
  get surprises(): Set<string> {
    return this.answering.surprises;
  }

  /** The partner decides, although an answer is on its way. */
  async decide(it: Case): Promise<void> {
    if (await this.#staff.decide(it)) this.spared.add(it.party as Party);
  }

  /** Somebody gives up on a party. @returns the answer that says so */
  giveUp(party: Party): Answer {
    this.abandoned.add(party);
    this.spared.add(party);
    return { kind: 'abandon' };
  }

  /** Whether the refusal of an answer is right, for a reason of its workflow. */
  isRefusedRightly(workflowId: string, why: string): boolean {
    const lacksSsn = /ssn: is required/.test(why) && this.#isNewRun(workflowId);
    if (lacksSsn) this.#knowsNoSsn.add(workflowId);
    const changesNothing = /changes nothing/.test(why);
    if (changesNothing) this.#isCorrected.add(workflowId);
    return lacksSsn || changesNothing;
  }

  /** The onboarding starts again: what people were told before is over. */
  forget(party: Party): void {
    const ids = workersOf(party);
    const { answering } = this;
    answering.receipts = answering.receipts.filter(({ workflowId }) => !ids.includes(workflowId));
    this.#startedAgainAt.set(party, this.scene.world.now);
  }

  /** Works until the world ends. */
  async work(): Promise<void> {
    const { world, plan, cast } = this.scene;
    for (let { shiftMs } = plan; ; ) {
      await world.sleep(world.chance.between(shiftMs / 10, shiftMs));
      const [asking, before] = [await this.#asking(), this.#given.size];
      for (const party of cast) {
        for (const id of workersOf(party)) if (asking.has(id)) await this.#lookAt(party, id);
        await this.#staff.work(party);
      }
      for (const id of asking) if (/^(partner|operation)-/.test(id)) await this.#lookAt(undefined, id);
      // Nobody looks, or tries the same again, every minute for days.
      const isIdle = this.#given.size === before;
      shiftMs = isIdle ? Math.min(2 * shiftMs, LONGEST_SHIFT_MS) : plan.shiftMs;
    }
  }

  /** The inbox: what lists show. */
  async #asking(): Promise<ReadonlySet<string>> {
    const query = "ExecutionStatus = 'Running' AND ActionRequired = true";
    const all = await Array.fromAsync(this.scene.client.workflow.list({ query }));
    return new Set(all.map(({ workflowId }) => workflowId));
  }

  async #lookAt(party: Party | undefined, workflowId: string): Promise<void> {
    const { client, partners } = this.scene;
    const state = await queryState(client, workflowId).catch(() => undefined);
    if (!state || state.outcome) return;
    const created = party && createOf(party, partners.ledger);
    const mid = created && finalMid(Number(created.id));
    for (const requirement of state.requirements) {
      this.asked.add(requirement.detail);
      const answer = party
        ? await this.#answerTo({ party, workflowId, state, mid, requirement })
        : this.#answerForAll(workflowId, state, requirement);
      if (answer) await this.#give({ party, workflowId, requirement, answer });
    }
  }

  async #give(it: Case): Promise<void> {
    const { workflowId, requirement, answer } = it;
    const { world, plan } = this.scene;
    this.#answers += 1;
    // A correction that has not helped is no other one with another number.
    const what = answer.kind === 'correction' && this.#isForNoReason(requirement) ? answer.kind : answer;
    const key = JSON.stringify([workflowId, requirement.title, what]);
    // It was in vain, because the partner does not let us in.
    if (answer.kind === 'confirm' && this.#given.has(key)) this.answering.mistaken.add(workflowId);
    if (answer.kind !== 'retry' && answer.kind !== 'code') this.#given.add(key);
    const slip = plan.slips.findLast((each) => each.answer === this.#answers)?.slip;
    if (slip) world.say('people', `${slip}: ${requirement.id} of ${workflowId}`);
    await this.answering.give(it, slip);
  }

  /** Some of these close by themselves, once the partner has changed its mind. */
  #answerForAll(workflowId: string, state: OnboardingState, requirement: Requirement): Answer | undefined {
    const { plan, partners, world } = this.scene;
    const { chance } = world;
    const { kind, title, detail } = requirement;
    switch (kind) {
      case 'waiting':
        return undefined;
      case 'new-status':
        return { kind: 'choice', choice: chance.pick(['under-review', 'needs-answers']) };
      case 'one-time-code':
        return { kind: 'code', code: chance.pick([CODE, CODE, CODE, '111111']) };
      case 'ticket':
        if (plan.twists.includes('tickets') && chance.happens(0.5))
          return { kind: 'text', text: MARKERS.ticketAnswer };
        break;
      case 'uncertain-write': {
        const [, id] = /^operation-/.test(workflowId) ? (/, confirm (\S+)\./.exec(detail) ?? []) : [];
        const reply = writtenAs(title, { party: NOBODY, workflowId, state }, partners.ledgerOfGangway);
        if (id === undefined && reply === undefined) break;
        if (!this.#isSurelyOver(requirement)) return undefined;
        if (reply !== undefined) return confirmOrRetry(reply === 'none' ? undefined : reply);
        // Only whoever gets the statement knows that it has arrived.
        return confirmOrRetry(partners.ledgerOfGangway.some((entry) => entry.id === id) ? id : undefined);
      }
      default:
        if (!['credentials', 'unreadable', 'rejected-input'].includes(kind))
          this.surprises.add(`${workflowId} asks: ${title}`);
    }
    return chance.happens(0.5) ? RETRY : undefined;
  }

  async #answerTo(question: Question): Promise<Answer | undefined> {
    const { party, requirement } = question;
    const special = await this.#withoutScenario(question);
    if (special !== undefined) return special === 'none' ? undefined : special;
    const answer = this.#isForNoReason(requirement)
      ? this.#inAnotherWay(question)
      : answerTo(party, requirement, MARKERS);
    if (answer === undefined) return this.#toUnknown(question);
    if (answer === 'superseded') return undefined;
    if (answer === 'uncertain') return this.#afterLookingAtTheLedger(question);
    if (answer.kind === 'correction') return this.#corrected(question, answer.patch);
    if (answer.kind !== 'document') return answer;
    const { files, world } = this.scene;
    const put = () => documentStore(files).put(`${requirement.id}.txt`, Buffer.from(MARKERS.noteAnswer));
    return { kind: 'documents', documents: [await world.outside(put)] };
  }

  /** The answer to what no scenario asks, or `none` to what closes by itself. */
  async #withoutScenario(question: Question): Promise<Answer | 'none' | undefined> {
    const { party, workflowId, mid, requirement } = question;
    const { kind, detail, answers } = requirement;
    const { client, partners, plan, world } = this.scene;
    const has = (habit: string) => plan.habits.includes(habit);
    switch (kind) {
      case 'waiting':
        // The question says so: to give up, cancel the workflow.
        if (this.#isUnknownNumber(detail)) {
          this.giveUp(party);
          await client.workflow.getHandle(workflowId).cancel();
        }
        return 'none';
      case 'locked-profile':
        return 'none';
      case 'not-submitted': {
        if (!answers.includes('confirm'))
          return plan.existing === 'followed' || ['submit-lost', 'errors-with-200'].some(has)
            ? RETRY
            : undefined;
        // Whoever asks about a pending merchant looks it up. One that existed was submitted by somebody else.
        const [, id] = /^Merchant (\d+)/.exec(detail) ?? [];
        const isSubmission = (entry: LedgerEntry) =>
          /^submit-merchant/.test(entry.operation) && String(entry.id) === id;
        const isSubmitted = /reads as Pending\./.test(detail) || partners.ledger.some(isSubmission);
        return confirmOrRetry(isSubmitted ? id : undefined);
      }
      case 'unclear-mid':
        if (plan.habits.includes('mid-changes-once')) return 'none';
        return mid && world.chance.happens(0.5) ? { kind: 'confirm', id: mid } : undefined;
      case 'rejected-input':
        return this.#toRejection(question);
      default:
        return undefined;
    }
  }

  #toRejection({ party, workflowId, requirement }: Question): Answer | 'none' | undefined {
    const { detail } = requirement;
    const { partners, plan } = this.scene;
    if (this.#isUnknownNumber(detail)) return this.giveUp(party);
    if (/none has this name/.test(detail)) return corrected({ agent: null, agentProfileId: 101 });
    if (PORTAL.test(detail)) {
      const find = /merchant (profile id|of this boarding)/.test(detail) ? createOf : holderOf;
      const record = find(party, partners.ledgerOfGangway);
      if (record) return { kind: 'confirm', id: String(record.id) };
    }
    if (SAVED.test(detail)) {
      // What the partner takes for the same merchant is made another one.
      if (/^The partner|the partner shows merchant/m.test(detail) && plan.habits.includes('same-email'))
        return corrected({ merchant: { email: `again-${this.#answers}@example.com` } });
      // Nobody tries again what a habit of the partner makes fail each time.
      return partners.habits.some((habit) => habitOutcome(habit) !== 'tolerated') ? 'none' : RETRY;
    }
    // It accepts a correction without them, because nobody knows all of it, and asks before it sends the holder.
    if (LACKS_SSN.test(detail) && this.#isNewRun(workflowId)) this.#knowsNoSsn.add(workflowId);
    return undefined;
  }

  #toUnknown(question: Question): Answer | undefined {
    const { party, workflowId, requirement } = question;
    const { title, detail, answers } = requirement;
    // The correction that it asks about has reached it, and lacks only them.
    if (this.#knowsNoSsn.has(workflowId) && LACKS_SSN.test(detail)) return withSsn({});
    // They see that the merchant, which the partner gave to two creates at once, is another one's.
    const isGiven = CLAIMED.test(detail) && this.scene.plan.habits.some((habit) => habit.startsWith('same-'));
    if (answers.includes('abandon') && (isGiven || indistinct(this.scene, [question]).has(party)))
      return this.giveUp(party);
    this.surprises.add(`${party.externalId} asks: ${title}: ${detail}`);
    return undefined;
  }

  #corrected({ party, workflowId, requirement }: Question, patch: Record<string, unknown>): Answer {
    if (this.#knowsNoSsn.has(workflowId)) return withSsn(patch);
    if (this.#isCorrected.has(workflowId))
      return requirement.answers.includes('retry') ? RETRY : { kind: 'text', text: MARKERS.ticketAnswer };
    // Somebody who changes the application changes the fees, too.
    const changesFees = patch['application'] !== undefined && hasFees(party);
    return corrected({ ...patch, ...(changesFees && { fees: { minimumDiscountAmount: 91 } }) });
  }

  /** The same once more, or something else that may do. */
  #inAnotherWay({ party, requirement: { answers, title } }: Question): OperatorAnswer {
    const { chance } = this.scene.world;
    if (answers.includes('documents') && chance.happens(0.5)) return { kind: 'document' };
    const fees = hasFees(party) && /^Rejected: (create the merchant|set the fees|submit to)/.test(title);
    if (fees && answers.includes('correction') && chance.happens(0.5))
      return corrected({ fees: { minimumDiscountAmount: chance.between(26, 90) } });
    return { kind: 'retry' };
  }

  /** The partner never learns the number that it gave. */
  #isUnknownNumber(detail: string): boolean {
    return (
      this.scene.plan.habits.includes('numbers-of-v1') && /HTTP 404|^merchant \d+ not found$/.test(detail)
    );
  }

  #isSurelyOver({ raisedAt }: Requirement): boolean {
    return this.scene.world.now - Date.parse(raisedAt) >= SURELY_OVER_MS;
  }

  #isForNoReason({ kind, detail, raisedAt }: Requirement): boolean {
    if (kind !== 'rejected-input') return false;
    const { plan, network } = this.scene;
    const at = Date.parse(raisedAt);
    const isShutOut =
      plan.faults.some(({ fault }) => fault === '403') ||
      network.outages.some(
        ({ kind: outage, since }) =>
          outage === 'suspended' && at >= since && at <= since + OUTAGES.suspended.milliseconds,
      );
    return (
      FOR_NO_REASON.test(detail) ||
      (plan.existing === 'claimed' && CLAIMED.test(detail)) ||
      (SHOWS_OLD.some((habit) => plan.habits.includes(habit)) && DECIDED.test(detail)) ||
      (isShutOut && SHUT_OUT.test(detail))
    );
  }

  #isNewRun(workflowId: string): boolean {
    return this.scene.service.latest(workflowId)?.start.before !== undefined;
  }

  #afterLookingAtTheLedger(question: Question): Answer | undefined {
    const { partners, world } = this.scene;
    const { party, requirement } = question;
    const { title, detail } = requirement;
    if (!this.#isSurelyOver(requirement)) return undefined;
    const [, several] = (/^Several found/.test(title) && /: (\S+(?:, \S+)*)\. Confirm/.exec(detail)) || [];
    if (several)
      return confirmOrRetry(world.chance.happens(0.2) ? undefined : world.chance.pick(several.split(', ')));
    const since = this.#startedAgainAt.get(party) ?? 0;
    const ledger = partners.ledgerOfGangway.filter(
      ({ operation, at }) => !OF_ONE_RUN.includes(operation) || Date.parse(at) >= since,
    );
    const [, profileId] = (/^Whose banking profile/.test(title) && /, confirm (\d+)\./.exec(detail)) || [];
    if (profileId) {
      // The submission may have made another one, which the bank has not named.
      const isMadeElse = /Retry only if it is not there/.test(detail);
      const those = isMadeElse ? ledger : partners.ledger.filter((entry) => String(entry.id) === profileId);
      const record = holderOf(party, those);
      return confirmOrRetry(record && String(record.id));
    }
    const id = writtenAs(title, question, ledger);
    if (id !== undefined) return confirmOrRetry(id === 'none' ? undefined : id);
    this.surprises.add(`nobody knows how to look up: ${title}`);
    return undefined;
  }
}

function hasFees(party: Party): boolean {
  return inputsOf(party).boarding?.fees !== undefined;
}

function withSsn({ holder, beneficialOwners = ownersOf(MARKERS), ...rest }: Record<string, unknown>): Answer {
  const whole = { ssn: MARKERS.ssn, ...(holder as object) };
  return corrected({ ...rest, holder: whole, beneficialOwners });
}
