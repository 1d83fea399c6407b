import type { z } from 'zod';
import { writeExactly } from '../../partners/exact-json.js';
import type { PaymentsOperations } from '../../partners/payments/operations.js';
import type { Pace } from '../pace.js';
import { invalid } from '../refusal.js';
import type { Handlers } from '../routes.js';
import type { KeyHolder } from './api-keys.js';
import { Owned, type Owner } from './owned.js';
import { pageOf } from './pages.js';
import { Payment } from './payment.js';
import type { Places } from './places.js';
import type { Recorder } from './service.js';

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
  /** The first answer to each call with an `event_id`. */
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

  /** Settles what was captured on an account; answers how many payments that were. */
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

  /** The same call again gets the first answer and does nothing. What was refused may be tried again. */
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
