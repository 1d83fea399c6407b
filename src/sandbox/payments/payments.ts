import type { z } from 'zod';
import { writeExactly } from '../../partners/json.js';
import { PAYMENTS_OPERATIONS, type PaymentsOperations } from '../../partners/payments/operations.js';
import {
  AUTHORIZED,
  CAPTURED,
  DECLINED,
  PENDING,
  REFUNDED,
  SETTLED,
  SURCHARGE_PENDING,
} from '../../partners/payments/schemas.js';
import { invalid, Refusal } from '../routes.js';
import { type Pace, Script } from '../scenario.js';
import type { Owner, Store } from '../store.js';

interface At {
  readonly accountId: string;
  readonly scenario: Scenario;
}

type Asked<Key extends keyof PaymentsOperations> = z.output<PaymentsOperations[Key]['request']>;
type Key = keyof PaymentsOperations & string;

/** Each action on a payment, by the last segment of its paths. */
const ACTIONS: Readonly<Record<string, (payment: Payment, asked: never) => void>> = {
  capture: (payment, { amount, tip_amount }: Asked<'capturePayment'>) => payment.capture(amount, tip_amount),
  auth: (payment, { amount }: Asked<'incrementAuthorization'>) => payment.increment(amount),
  refund: (payment, { amount }: Asked<'refundPayment'>) => payment.refund(amount),
  reverse: (payment, { amount }: Asked<'reversePayment'>) => payment.reverse(amount),
  adjust: (payment, { amount }: Asked<'adjustPayment'>) => payment.adjust(amount),
  confirm: (payment, asked: Asked<'confirmPayment'>) => payment.confirm(asked.confirm),
};

/** The operations that start a payment or act on one. The same call again gets the first response and does nothing. */
export function paymentHandlers(
  payments: Store<Payment>,
  terminalAt: (id: string, owner: Owner) => At | undefined,
  pace: () => Pace,
  record: (operation: Key, id: string) => void,
) {
  const answers = new Map<string, object>();

  /** A refused call may be tried again. */
  function once(operation: Key, owner: Owner, of: readonly string[], perform: () => Payment): object {
    const key = writeExactly([owner.partnerId, operation, ...of]);
    const known = answers.get(key);
    if (known) return known;
    const payment = perform();
    record(operation, payment.id);
    answers.set(key, payment.record);
    return payment.record;
  }

  const starts = (operation: Key, isSale: boolean) => (asked: Asked<'startPayment'>, owner: Owner) => {
    const { terminal_id: terminalId, amount, event_id, ...more } = asked;
    return once(operation, owner, [event_id], () => {
      const terminal = terminalAt(terminalId, owner);
      if (!terminal) throw invalid('terminal_id', 'is unknown');
      const { accountId, scenario } = terminal;
      return payments.add(owner, (id) => {
        const basics = { id: String(id), accountId, terminalId, amount, isSale, more };
        return new Payment(basics, scenario, pace);
      });
    });
  };

  const acts = (operation: Key, act: (payment: Payment, asked: never) => void) => {
    return (asked: { transaction_id: string; event_id: string }, owner: Owner) =>
      once(operation, owner, [asked.transaction_id, asked.event_id], () => {
        const payment = payments.get(asked.transaction_id, owner);
        payment.advance(false);
        act(payment, asked as never);
        return payment;
      });
  };

  const actions = Object.entries(PAYMENTS_OPERATIONS).flatMap(([key, { path }]) => {
    const act = ACTIONS[path.split('/').at(-1) ?? ''];
    return act ? [[key, acts(key as Key, act)]] : [];
  });
  return {
    ...Object.fromEntries(actions),
    startPayment: starts('startPayment', true),
    startPreauth: starts('startPreauth', false),
    updateTransaction: (asked: Asked<'updateTransaction'>, owner: Owner) => {
      const { transaction_id, status, ...more } = asked;
      const payment = payments.get(transaction_id, owner);
      payment.advance(false);
      payment.enter(status, more);
      record('updateTransaction', payment.id);
      return payment.record;
    },
  };
}

/** The status of a payment that was reversed as a whole. No document names it. */
const REVERSED = 'reversed';

interface PaymentBasics {
  readonly id: string;
  readonly accountId: string;
  readonly terminalId: string;
  /** Cents. */
  readonly amount: number;
  /** Approved means captured, and not authorized only. */
  readonly isSale: boolean;
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

  /** A capture is reversed as a whole. Part of an authorization may be reversed. */
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

  settle(accountId: string): boolean {
    this.advance(false);
    if (this.#status !== CAPTURED || this.basics.accountId !== accountId) return false;
    this.#status = SETTLED;
    return true;
  }

  enter(status: string | undefined, more: Readonly<Record<string, unknown>>): void {
    if (!this.scenario.isPassthrough)
      throw new Refusal(401, 'The processor manages this transaction directly');
    this.#more = { ...this.#more, ...more };
    if (status !== undefined) this.set(status);
  }

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

function upTo(all: number, amount: Cents): number {
  if (amount === null || amount === undefined) return all;
  if (amount > all) throw invalid('amount', `is more than ${all}`);
  return amount;
}

/** The changes that happen, at the sandbox's pace, to a payment that is started at a terminal. */
interface Scenario {
  readonly description: string;
  /** The status after `pending`; `approved` is authorized, or captured, as was asked for. None stays pending. */
  readonly becomes?: 'approved' | typeof DECLINED | typeof SURCHARGE_PENDING;
  /** The platform only forwards card data; the outcome is entered by updateTransaction. */
  readonly isPassthrough?: true;
}

/** A terminal whose name ends in `[name]` plays the scenario of that name; one without brackets plays `straight`. */
export const TERMINAL_SCENARIOS: Readonly<Record<string, Scenario>> = {
  straight: { description: 'payments are authorized or captured', becomes: 'approved' },
  declined: { description: 'payments are declined', becomes: DECLINED },
  surcharge: { description: 'payments wait for confirm at surcharge_pending', becomes: SURCHARGE_PENDING },
  waiting: {
    description: 'payments stay pending until POST /sandbox/transactions/{id}/transition moves them',
  },
  passthrough: {
    description: 'payments stay pending until PUT /v1/transactions/{id} enters the outcome',
    isPassthrough: true,
  },
};
