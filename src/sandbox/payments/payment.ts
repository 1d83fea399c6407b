import {
  AUTHORIZED,
  CAPTURED,
  DECLINED,
  PENDING,
  REFUNDED,
  SETTLED,
  SURCHARGE_PENDING,
} from '../../partners/payments/statuses.js';
import type { Pace } from '../pace.js';
import { invalid, Refusal } from '../refusal.js';
import { Script } from '../script.js';
import type { Scenario } from './scenarios.js';

/** Of a payment that was reversed as a whole. No document names it. */
export const REVERSED = 'reversed';

export interface PaymentBasics {
  readonly id: string;
  readonly accountId: string;
  readonly terminalId: string;
  /** Cents. */
  readonly amount: number;
  /** Approved means captured, and not authorized only. */
  readonly isSale: boolean;
  /** Further members that the caller gave. */
  readonly more: Readonly<Record<string, unknown>>;
}

type Cents = number | null | undefined;

/** A payment, which is a transaction once it is reported. What its state does not allow is refused with 400 (apis/4). */
export class Payment {
  readonly id: string;
  #status = PENDING;
  #authorized: number;
  #captured = 0;
  #refunded = 0;
  #more: Readonly<Record<string, unknown>>;
  readonly #script: Script<NonNullable<Scenario['becomes']>>;

  constructor(
    private readonly basics: PaymentBasics,
    private readonly scenario: Scenario,
    pace: () => Pace,
  ) {
    this.id = basics.id;
    this.#authorized = basics.amount;
    this.#more = basics.more;
    this.#script = new Script(pace);
    this.#script.play(scenario.becomes ? [scenario.becomes] : []);
  }

  /** Takes the step that is due by now. A read of this one transaction counts for a pace in reads. */
  advance(isRead: boolean): void {
    for (const step of this.#script.due(isRead)) {
      if (step === 'approved') this.#approve();
      else this.#status = step;
    }
  }

  get accountId(): string {
    return this.basics.accountId;
  }

  get record() {
    return {
      ...this.#more,
      id: this.id,
      status: this.#status,
      amount: this.#authorized,
      captured_amount: this.#captured,
      refunded_amount: this.#refunded,
      account_id: this.basics.accountId,
      terminal_id: this.basics.terminalId,
      passthrough: this.scenario.isPassthrough ?? false,
    };
  }

  capture(amount: Cents, tip = 0): void {
    this.#needs(AUTHORIZED);
    this.#captured = upTo(this.#authorized, amount) + tip;
    this.#status = CAPTURED;
  }

  increment(amount: number): void {
    this.#needs(AUTHORIZED);
    this.#authorized += amount;
  }

  /** Parts may be refunded until all that was captured is. */
  refund(amount: Cents): void {
    this.#needs(CAPTURED, SETTLED);
    this.#refunded += upTo(this.#captured - this.#refunded, amount);
    if (this.#refunded === this.#captured) this.#status = REFUNDED;
  }

  /** A capture is reversed as a whole, of an authorization a part may be. */
  reverse(amount: Cents): void {
    this.#needs(AUTHORIZED, CAPTURED);
    const part = upTo(this.#authorized, amount);
    if (part === this.#authorized) this.#status = REVERSED;
    else if (this.#status === CAPTURED) throw invalid('amount', 'must be all of a captured payment');
    else this.#authorized -= part;
  }

  adjust(amount: number): void {
    this.#needs(AUTHORIZED, CAPTURED);
    if (amount < this.#refunded) throw invalid('amount', 'is less than was refunded');
    this.#authorized = amount;
    if (this.#status === CAPTURED) this.#captured = amount;
  }

  confirm(isConfirmed: boolean): void {
    this.#needs(SURCHARGE_PENDING);
    if (isConfirmed) this.#approve();
    else this.#status = DECLINED;
  }

  /** Answers whether there was something to settle. */
  settle(): boolean {
    if (this.#status !== CAPTURED) return false;
    this.#status = SETTLED;
    return true;
  }

  /** The outcome as the processor told it. */
  enter(status: string | undefined, more: Readonly<Record<string, unknown>>): void {
    if (!this.scenario.isPassthrough)
      throw new Refusal(401, 'The processor manages this transaction directly');
    this.#more = { ...this.#more, ...more };
    if (status !== undefined) this.set(status);
  }

  /** Moves it to any status. */
  set(status: string): void {
    this.#script.play([]);
    this.#status = status;
    if ((status === CAPTURED || status === SETTLED) && this.#captured === 0)
      this.#captured = this.#authorized;
  }

  #approve(): void {
    this.set(this.basics.isSale ? CAPTURED : AUTHORIZED);
  }

  #needs(...statuses: string[]): void {
    if (statuses.includes(this.#status)) return;
    throw new Refusal(400, `The payment is ${this.#status}, not ${statuses.join(' or ')}`);
  }
}

/** The amount, or all there is without one. */
function upTo(all: number, amount: Cents): number {
  if (amount === null || amount === undefined) return all;
  if (amount > all) throw invalid('amount', `is more than ${all}`);
  return amount;
}
