import type { z } from 'zod';
import { writeExactly } from '../../partners/json.js';
import type { PaymentsOperations } from '../../partners/payments/operations.js';
import {
  AUTHORIZED,
  CAPTURED,
  DECLINED,
  PENDING,
  REFUNDED,
  SETTLED,
  SURCHARGE_PENDING,
} from '../../partners/payments/schemas.js';
import { type Handlers, invalid, Refusal } from '../routes.js';
import { type Pace, Script } from '../scenario.js';
import type { Recorder } from './accounts.js';
import { type Accounts, type KeyHolder, Owned, type Owner, pageOf } from './accounts.js';
import type { Places, Scenario } from './places.js';

type Asked<Key extends keyof PaymentsOperations> = z.output<PaymentsOperations[Key]['request']>;

type PaymentHandlers = Pick<
  Handlers<PaymentsOperations, KeyHolder>,
  | 'startPayment'
  | 'startPreauth'
  | 'capturePayment'
  | 'incrementAuthorization'
  | 'refundPayment'
  | 'reversePayment'
  | 'adjustPayment'
  | 'confirmPayment'
  | 'capturePaymentV1'
  | 'incrementAuthorizationV1'
  | 'refundPaymentV1'
  | 'reversePaymentV1'
  | 'adjustPaymentV1'
  | 'confirmPaymentV1'
  | 'refundTransaction'
  | 'listTransactions'
  | 'getTransaction'
  | 'updateTransaction'
>;

/** Payments from their start to their refund, and as the transactions that are reported. */
export class Payments {
  readonly #payments = new Owned<Payment>('transaction');
  /** The first response to each call with an `event_id`. */
  readonly #answers = new Map<string, Payment['record']>();

  constructor(
    private readonly places: Places,
    private readonly pace: () => Pace,
    private readonly record: Recorder,
  ) {}

  /** One of any partner, for the sandbox's own controls. */
  find(id: string): Payment | undefined {
    return this.#payments.find((payment) => payment.id === id);
  }

  /** Settles what was captured on an account. Returns the number of payments. */
  settle(accountId: string, owner: Owner): number {
    const captured = this.#all(owner).filter((payment) => payment.accountId === accountId);
    return captured.filter((payment) => payment.settle()).length;
  }

  get handlers(): PaymentHandlers {
    return {
      startPayment: (asked, owner) => this.#start('startPayment', asked, owner),
      startPreauth: (asked, owner) => this.#start('startPreauth', asked, owner),
      capturePayment: this.#acting('capturePayment', capture),
      capturePaymentV1: this.#acting('capturePaymentV1', capture),
      incrementAuthorization: this.#acting('incrementAuthorization', increment),
      incrementAuthorizationV1: this.#acting('incrementAuthorizationV1', increment),
      refundPayment: this.#acting('refundPayment', refund),
      refundPaymentV1: this.#acting('refundPaymentV1', refund),
      reversePayment: this.#acting('reversePayment', reverse),
      reversePaymentV1: this.#acting('reversePaymentV1', reverse),
      adjustPayment: this.#acting('adjustPayment', adjust),
      adjustPaymentV1: this.#acting('adjustPaymentV1', adjust),
      confirmPayment: this.#acting('confirmPayment', confirm),
      confirmPaymentV1: this.#acting('confirmPaymentV1', confirm),
      refundTransaction: this.#acting('refundTransaction', refund),
      listTransactions: (wanted, owner) => {
        const records = this.#all(owner).map((payment) => payment.record);
        return pageOf('transactions', records, wanted);
      },
      getTransaction: ({ transaction_id }, owner) => this.#get(transaction_id, owner, true).record,
      updateTransaction: ({ transaction_id, status, ...more }, owner) => {
        const payment = this.#get(transaction_id, owner);
        payment.enter(status, more);
        this.record('updateTransaction', payment.id);
        return payment.record;
      },
    };
  }

  #start(operation: 'startPayment' | 'startPreauth', asked: Asked<'startPayment'>, owner: KeyHolder) {
    const { terminal_id: terminalId, amount, event_id, ...more } = asked;
    return this.#once([owner.partnerId, operation, event_id], () => {
      const terminal = this.places.terminalAt(terminalId, owner);
      if (!terminal) throw invalid('terminal_id', 'is unknown');
      const isSale = operation === 'startPayment';
      const payment = this.#payments.add(owner, (id) => {
        const basics = { id, accountId: terminal.accountId, terminalId, amount, isSale, more };
        return new Payment(basics, terminal.scenario, this.pace);
      });
      this.record(operation, payment.id);
      return payment;
    });
  }

  /** A handler that acts on a payment. */
  #acting<Action extends { transaction_id: string; event_id: string }>(
    operation: keyof PaymentHandlers,
    act: (payment: Payment, asked: Action) => void,
  ) {
    return (asked: Action, owner: KeyHolder) =>
      this.#once([owner.partnerId, operation, asked.transaction_id, asked.event_id], () => {
        const payment = this.#get(asked.transaction_id, owner);
        act(payment, asked);
        this.record(operation, payment.id);
        return payment;
      });
  }

  /** The same call again gets the first response and does nothing. A rejected call may be tried again. */
  #once(call: readonly unknown[], perform: () => Payment): Payment['record'] {
    const key = writeExactly(call);
    const answer = this.#answers.get(key) ?? perform().record;
    this.#answers.set(key, answer);
    return answer;
  }

  #all(owner: Owner): Payment[] {
    const payments = this.#payments.of(owner);
    for (const payment of payments) payment.advance(false);
    return payments;
  }

  #get(id: string, owner: Owner, isRead = false): Payment {
    const payment = this.#payments.get(id, owner);
    payment.advance(isRead);
    return payment;
  }
}

const capture = (payment: Payment, { amount, tip_amount }: Asked<'capturePayment'>) =>
  payment.capture(amount, tip_amount);
const increment = (payment: Payment, { amount }: Asked<'incrementAuthorization'>) =>
  payment.increment(amount);
const refund = (payment: Payment, { amount }: Asked<'refundPayment'>) => payment.refund(amount);
const reverse = (payment: Payment, { amount }: Asked<'reversePayment'>) => payment.reverse(amount);
const adjust = (payment: Payment, { amount }: Asked<'adjustPayment'>) => payment.adjust(amount);
const confirm = (payment: Payment, asked: Asked<'confirmPayment'>) => payment.confirm(asked.confirm);

/** The status of a payment that was reversed as a whole. No document names it. */
const REVERSED = 'reversed';

export interface PaymentBasics {
  readonly id: string;
  readonly accountId: string;
  readonly terminalId: string;
  /** Cents. */
  readonly amount: number;
  /** Approved means captured, and not authorized only. */
  readonly isSale: boolean;
  /** Further fields of the request. */
  readonly more: Readonly<Record<string, unknown>>;
}

type Cents = number | null | undefined;

/** A payment, which is a transaction once it is reported. An action that its state does not allow is refused with 400 (apis/4). */
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

  /** Takes the step that is due. A read of this transaction counts for a pace in reads. */
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

  /** Parts may be refunded until the whole captured amount is. */
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

  /** Returns whether there was something to settle. */
  settle(): boolean {
    if (this.#status !== CAPTURED) return false;
    this.#status = SETTLED;
    return true;
  }

  /** The outcome that the processor reported. */
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

const OPEN = 'open';
const CLOSED = 'closed';

interface Batch {
  readonly id: string;
  status: typeof OPEN | typeof CLOSED;
  account_id: string;
  settled: number;
  [field: string]: unknown;
}

type BatchHandlers = Pick<
  Handlers<PaymentsOperations, KeyHolder>,
  'openBatch' | 'closeBatch' | 'updateBatch'
>;

/** Settlement batches, no more than one open for each account. Closing one settles what was captured on its account. */
export class Batches {
  readonly #batches = new Owned<Batch>('batch');

  constructor(
    private readonly accounts: Accounts,
    private readonly payments: Payments,
    private readonly record: Recorder,
  ) {}

  readonly handlers: BatchHandlers = {
    openBatch: (fields, owner) => {
      this.accounts.check(fields.account_id, owner);
      const isOpen = ({ account_id, status }: Batch) => account_id === fields.account_id && status === OPEN;
      if (this.#batches.of(owner).some(isOpen)) throw invalid('account_id', 'has an open batch');
      const batch = this.#batches.add(owner, (id) => ({ ...fields, id, status: OPEN, settled: 0 }));
      this.record('openBatch', batch.id);
      return batch;
    },
    closeBatch: ({ batch_id }, owner) => {
      const batch = this.#batches.get(batch_id, owner);
      if (batch.status === CLOSED) return batch;
      batch.status = CLOSED;
      batch.settled = this.payments.settle(batch.account_id, owner);
      this.record('closeBatch', batch.id);
      return batch;
    },
    updateBatch: ({ batch_id, ...fields }, owner) => {
      const batch = this.#batches.get(batch_id, owner);
      if (batch.status === CLOSED) throw new Refusal(400, 'The batch is closed');
      this.accounts.check(fields.account_id, owner);
      Object.assign(batch, fields, { id: batch.id, status: OPEN });
      this.record('updateBatch', batch.id);
      return batch;
    },
  };
}
