import type { Client } from '@temporalio/client';
import { documentStore } from '../src/documents/document-store.js';
import type { FileStore } from '../src/documents/file-store.js';
import type { OnboardingState } from '../src/messages/onboarding-state.js';
import { type Answer, type Requirement, resolveRequirement } from '../src/messages/requirements.js';
import type { LedgerEntry } from '../src/sandbox/ledger.js';
import { stateOf } from '../src/temporal/onboardings.js';
import { answerTo } from '../test/rigs/chaos/answers.js';
import type { Party } from '../test/rigs/chaos/cast.js';
import { finalMid } from '../test/rigs/chaos/ledger.js';
import { workersOf } from '../test/rigs/chaos/operator.js';
import { ownersOf } from '../test/rigs/privacy/marked-inputs.js';
import type { Markers } from '../test/rigs/privacy/markers.js';
import type { Partners } from './partners.js';
import type { World } from './world.js';

/** A write takes effect at most so long after the question about it, in milliseconds: its request may still be on its way. */
const SURELY_OVER_MS = 5 * 60_000;

/** The writes that may be asked about: what the ledger has of each, what to adopt, and the events that record it as done. */
const WRITES: readonly {
  readonly title: RegExp;
  readonly effects: (entry: LedgerEntry, about: About) => boolean;
  readonly id?: (entry: LedgerEntry) => string | number | undefined;
  readonly done?: RegExp;
}[] = [
  {
    title: /create the merchant$/,
    effects: ({ operation, guid }, { party }) =>
      /^create-merchant/.test(operation) && guid === party.externalId,
  },
  {
    title: /submit to underwriting$/,
    effects: ({ operation, id }, { state }) =>
      /^submit-merchant/.test(operation) && id === state.merchantProfileId,
    done: /^submitted$/,
  },
  {
    title: /review of the answers$/,
    effects: ({ operation, id }, { state }) =>
      operation === 'request-underwriting-review' && id === state.merchantProfileId,
    done: /^answers-delivered$/,
  },
  {
    title: /upload (.+)$/,
    effects: ({ operation, id, name }, { state, named }) =>
      operation === 'upload-attachment' && id === state.merchantProfileId && name === named,
  },
  {
    title: /submit the business account holder$/,
    effects: ({ operation, name, of }, { party }) =>
      operation === 'submit-business-account-holder' && name === party.businessName && of === party.legalName,
  },
  {
    title: /open the financial account$/,
    effects: ({ operation, id }, { state }) =>
      operation === 'submit-business-customer' && id === state.profileId,
    id: ({ name }) => name,
  },
  {
    title: /reply to ticket (\d+)$/,
    effects: ({ operation, of }, { named }) => operation === 'create-ticket' && String(of) === named,
    id: ({ of }) => of,
    done: /^ticket-answered$/,
  },
  {
    title: /create the payments account$/,
    effects: ({ operation, name }, { mid }) =>
      operation === 'create-account' && mid !== undefined && name?.endsWith(`mid ${mid}`) === true,
  },
  {
    title: /create the terminal$/,
    effects: ({ operation, of }, { state }) =>
      operation === 'create-terminal' && of === state.paymentsAccountId,
  },
];

interface About {
  readonly party: Party;
  readonly state: OnboardingState;
  readonly named: string | undefined;
  readonly mid: string | undefined;
}

/** The people of the payments company, who answer what is open, and those of the partners, who move what waits for them. */
export class People {
  /** Questions that no scenario raises, and answers that were refused. */
  readonly surprises: string[] = [];
  readonly #moved = new Set<string>();
  readonly #answered = new Set<string>();
  /** A business that has continued as new does not keep social security numbers, and asks for them. */
  readonly #knowsNoSsn = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly client: Client,
    private readonly partners: Partners,
    private readonly files: FileStore,
    private readonly cast: readonly Party[],
    private readonly marked: Markers,
    private readonly shiftMs: number,
  ) {}

  /** Works until the world ends. */
  async work(): Promise<void> {
    for (;;) {
      await this.world.sleep(this.world.chance.between(this.shiftMs / 10, this.shiftMs));
      const asking = await this.#asking();
      for (const party of this.cast) {
        for (const id of workersOf(party)) if (asking.has(id)) await this.#lookAt(party, id);
        await this.#move(party);
      }
    }
  }

  /** The inbox: what lists show. */
  async #asking(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const query = "ExecutionStatus = 'Running' AND ActionRequired = true";
    for await (const { workflowId } of this.client.workflow.list({ query })) ids.add(workflowId);
    return ids;
  }

  async #lookAt(party: Party, id: string): Promise<void> {
    const state = await stateOf(this.client, id).catch(() => undefined);
    if (!state || state.outcome) return;
    for (const requirement of state.requirements) {
      const answer = await this.#answerTo(party, state, requirement);
      if (answer) await this.#answer(id, requirement, answer);
    }
  }

  async #answerTo(
    party: Party,
    state: OnboardingState,
    requirement: Requirement,
  ): Promise<Answer | undefined> {
    const answer = answerTo(party, requirement, this.marked);
    if (answer === undefined)
      this.surprises.push(`${party.externalId} asks: ${requirement.title}: ${requirement.detail}`);
    if (answer === undefined || answer === 'moot') return undefined;
    if (answer === 'uncertain') return this.#afterLookingAtTheLedger(party, state, requirement);
    if (answer.kind !== 'document') return answer;
    const documents = documentStore(this.files);
    const document = await this.world.outside(() =>
      documents.put(`${requirement.id}.txt`, Buffer.from(this.marked.noteAnswer)),
    );
    return { kind: 'documents', documents: [document] };
  }

  #afterLookingAtTheLedger(
    party: Party,
    state: OnboardingState,
    { title, raisedAt }: Requirement,
  ): Answer | undefined {
    if (this.world.now - Date.parse(raisedAt) < SURELY_OVER_MS) return undefined;
    const write = WRITES.find((each) => each.title.test(title));
    if (!write) {
      this.surprises.push(`nobody knows how to look up: ${title}`);
      return undefined;
    }
    const [, named] = write.title.exec(title) ?? [];
    const ids = this.partners.ledger.filter(
      ({ guid, operation }) => guid === party.externalId && /^create-merchant/.test(operation),
    );
    const mid = ids[0] && finalMid(Number(ids[0].id));
    const effects = this.partners.ledger.filter((entry) =>
      write.effects(entry, { party, state, named, mid }),
    );
    const known = state.timeline.filter(
      ({ event, detail = '' }) => write.done?.test(event) && (!named || detail.includes(named)),
    ).length;
    const effect = effects[known];
    if (!effect) return { kind: 'retry' };
    return { kind: 'adopt', id: String((write.id ?? (({ id }) => id))(effect)) };
  }

  async #answer(id: string, requirement: Requirement, answer: Answer): Promise<void> {
    const { id: requirementId, raisedAt, kind } = requirement;
    const key = `${id} ${requirementId} ${raisedAt}`;
    if (this.#answered.has(key)) return;
    const { actor, reason } = this.marked;
    const resolution = { requirementId, answer: this.#whole(id, answer), actor, reason };
    // Somebody is slow, and somebody else answers the same.
    const times = this.world.chance.happens(0.1) ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      const handle = this.client.workflow.getHandle(id);
      const accepted = await handle.executeUpdate(resolveRequirement, { args: [resolution] }).then(
        () => true,
        (error: Error) => {
          const why = error.cause instanceof Error ? error.cause.message : error.message;
          if (/ssn: is required/.test(why)) {
            this.#knowsNoSsn.add(id);
            return false;
          }
          const isTooLate = time > 0 || /is not open|has ended|already completed|not found|already/.test(why);
          if (!isTooLate) this.surprises.push(`${id} refuses ${answer.kind} for ${kind}: ${why}`);
          return isTooLate;
        },
      );
      this.world.say('people', `${answer.kind} for ${requirementId} of ${id}${accepted ? '' : ', refused'}`);
      if (accepted) this.#answered.add(key);
    }
  }

  #whole(id: string, answer: Answer): Answer {
    if (answer.kind !== 'correction' || !this.#knowsNoSsn.has(id)) return answer;
    const { holder, beneficialOwners = ownersOf(this.marked), ...rest } = answer.patch;
    const ssn = { ssn: this.marked.ssn, ...(holder as object) };
    return { ...answer, patch: { ...rest, holder: ssn, beneficialOwners } };
  }

  /** What people at the partners do, once all of our writes have taken effect. */
  async #move(party: Party): Promise<void> {
    const { externalId, parts, businessName } = party;
    if (this.#moved.has(externalId) || !Object.values(parts).some(({ moved }) => moved)) return;
    const isMerchant = parts.boarding?.moved === true;
    const effect = this.partners.ledger.find(({ operation, guid, name }) =>
      isMerchant
        ? operation === 'submit-merchant' && guid === externalId
        : operation === 'submit-business-account-holder' && name === businessName,
    );
    if (!effect) return;
    const id = Number(effect.id);
    this.#moved.add(externalId);
    if (isMerchant)
      await this.partners.control('POST', `/sandbox/merchants/${id}/transition`, {
        status: 'Approved',
        mid: finalMid(id),
      });
    else
      await this.partners.control('POST', `/sandbox/profiles/${id}/transition`, {
        bankingStatus: 'Approved',
      });
  }
}
