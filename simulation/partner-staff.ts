import type { Requirement } from '../src/messages/requirements.js';
import { nudge } from '../src/temporal/nudge.js';
import { SUPERSEDED } from './answers.js';
import type { Party } from './cast.js';
import { approvalOf, holderOf } from './ledger.js';
import { HOUR_MS } from './plan.js';
import type { Scene } from './scene.js';
import type { Case } from './slips.js';

/** Who opens tickets: nobody, another customer, and a customer of another partner. */
const OPENERS = [null, 10_501, 10_601];

/** The partner that waits for the answer to a requirement. */
const PARTS: Readonly<Partial<Record<Requirement['kind'], 'boarding' | 'business'>>> = {
  'underwriting-note': 'boarding',
  'changes-requested': 'boarding',
  ticket: 'business',
};

/** The people of the partners, who move what they have to decide. */
export class PartnerStaff {
  /** What happens only once. */
  readonly #done = new Set<object>();

  constructor(private readonly scene: Scene) {}

  /** True the first time. */
  #once(what: object): boolean {
    const isFirst = !this.#done.has(what);
    this.#done.add(what);
    return isFirst;
  }

  #later(leastHours: number, mostHours: number, run: () => Promise<unknown>): void {
    const { world } = this.scene;
    world.after(world.chance.between(leastHours * HOUR_MS, mostHours * HOUR_MS), () => void run());
  }

  /** What they do for a party, once all of our writes have taken effect. */
  async work(party: Party): Promise<void> {
    const { boarding, business } = party.parts;
    if (boarding?.moved && this.scene.plan.twists.includes('verbose')) await this.#leaveNotes(party);
    else if (boarding?.moved) await this.#approve(party, 'boarding');
    else if (business?.moved) await this.#approve(party, 'business');
    await this.#interfere(party);
  }

  /** Nobody answers these: the underwriters decide some hours later. */
  async #leaveNotes(party: Party): Promise<void> {
    const { partners, world } = this.scene;
    const approval = approvalOf(party, 'boarding', partners.ledger);
    if (!approval || !this.#once(party.parts)) return;
    const rest = 'Take your time. '.repeat(world.chance.pick([1, 40]));
    const length = world.chance.pick([3, 30, 205]);
    const notes = Array.from({ length }, (_, index) => `${SUPERSEDED} ${index}. ${rest}`);
    await partners.control('POST', approval.path, { notes });
    this.#later(5, 10, () => this.#approve(party, 'boarding'));
  }

  /** What the bank does besides, once it has the business. */
  async #interfere(party: Party): Promise<void> {
    const { plan, partners } = this.scene;
    const holder = holderOf(party, partners.ledgerOfGangway);
    if (!holder || !this.#once(party)) return;
    const change = (what: object) =>
      partners.control('POST', `/sandbox/profiles/${holder.id}/transition`, what);
    if (plan.twists.includes('closes')) {
      await change({ isLocked: true });
      this.#later(1, 8, () => change({ isLocked: false }));
    }
    if (plan.twists.includes('tickets')) {
      const text = `Please call us about profile ${holder.id}.`;
      const about = OPENERS.map((userProfileId) => ({ text, userProfileId }));
      await change({ tickets: [...about, { text: 'Please call us.', userProfileId: null }] });
    }
  }

  /** Decides, although answers are on their way, and sends a webhook. @returns whether there is something to decide */
  async decide({ party, workflowId, requirement: { kind } }: Case): Promise<boolean> {
    const part = PARTS[kind];
    if (!part || !party) return false;
    await this.#approve(party, part);
    await nudge(this.scene.client, workflowId).catch(() => false);
    return true;
  }

  /** Once, after its submission. */
  async #approve(party: Party, part: 'boarding' | 'business'): Promise<void> {
    const { world, partners } = this.scene;
    const approval = approvalOf(party, part, partners.ledger);
    if (!approval || !this.#once(approval.submission)) return;
    world.say('partner', `approves ${party.externalId}`);
    await partners.control('POST', approval.path, approval.change);
  }
}
