import type { BankingOperations } from '../../partners/banking/operations.js';
import type { Handlers } from '../routes.js';
import { invalid } from '../routes.js';
import { pageOf, Store } from '../store.js';
import type { Accounts, FinancialAccount } from './accounts.js';
import { boarded, refused } from './holder-record.js';
import { userProfileIdOf } from './profile.js';
import type { BankingUser } from './users.js';

/** Card statuses (apis/1) with the names that lists have for them (apis/4). */
const ACTIVE = 1;
const SUSPENDED = 2;
const CLOSED = 3;
const STATUS_NAMES = ['UNKNOWN', 'ACTIVE', 'SUSPENDED', 'CLOSED'];

const VIRTUAL = 2;
const OTHER = 4;
const FORM_FACTORS: Readonly<Record<number, string>> = {
  1: 'PHYSICAL_MSR',
  2: 'VIRTUAL',
  3: 'VIRTUAL',
  4: 'OTHER',
};

const PAGE = 20;
const LIFE_YEARS = 4;

export interface Card {
  readonly paymentCardId: string;
  readonly partnerId: number;
  readonly profileId: number;
  readonly userProfileId: number;
  paymentCardName: string | null;
  /** 1 Physical, 2 Virtual, 3 Burner, 4 Other. */
  readonly type: number;
  readonly last4: string;
  readonly financialAccountId: string;
  readonly expirationDate: string;
  status: number;
  reissuedCardId: string | null;
  authorizationControls: unknown[];
  /** In cents. */
  readonly maxTotalSpending: bigint | null;
}

type CardHandlers = Pick<
  Handlers<BankingOperations, BankingUser>,
  | 'setCardNickname'
  | 'closeCard'
  | 'createCard'
  | 'listCards'
  | 'setCardStatus'
  | 'setCardAuthorizationControls'
  | 'suspendCard'
  | 'activateCard'
  | 'reissueCard'
  | 'listPaymentCards'
>;

interface Page {
  readonly userProfileId?: number | undefined;
  readonly skip?: number | undefined;
  readonly count?: number | undefined;
}

interface CardsContext {
  readonly accounts: Accounts;
  /** By the partner's clock. */
  readonly now: () => number;
  record(operation: keyof BankingOperations & string, id: string): void;
  report(card: Card): void;
}

export class Cards {
  readonly #cards = new Store<Card>({ kind: 'payment card', id: (number) => `card-${1_000 + number}` });

  constructor(private readonly context: CardsContext) {}

  issue(
    { partnerId, profileId, id }: FinancialAccount,
    type = VIRTUAL,
    name?: string | null,
    maxTotalSpending?: bigint | null,
  ): Card {
    const expiration = new Date(this.context.now());
    expiration.setUTCFullYear(expiration.getUTCFullYear() + LIFE_YEARS);
    return this.#cards.add({ partnerId }, (paymentCardId) => ({
      paymentCardId: String(paymentCardId),
      partnerId,
      profileId,
      userProfileId: userProfileIdOf(profileId),
      paymentCardName: name ?? null,
      type,
      last4: String(paymentCardId).slice(-4),
      financialAccountId: id,
      expirationDate: expiration.toISOString(),
      status: ACTIVE,
      reissuedCardId: null,
      authorizationControls: [],
      maxTotalSpending: maxTotalSpending ?? null,
    }));
  }

  readonly handlers: CardHandlers = {
    setCardNickname: ({ paymentCardId, nickName }, user) => {
      const card = this.#cards.get(paymentCardId, user);
      card.paymentCardName = nickName ?? null;
      this.context.record('setCardNickname', paymentCardId);
      return this.#record(card);
    },
    closeCard: ({ paymentCardId, last4 }, user) => {
      const card = this.#cards.get(paymentCardId, user);
      if (last4 !== undefined && last4 !== card.last4) throw invalid('last4', 'is not that of the card');
      if (card.type === OTHER) throw invalid('paymentCardId', 'is a card of a type that cannot be closed');
      if (card.status === CLOSED) return refused(card.profileId, 'the card is closed already');
      return this.#move('closeCard', card, CLOSED);
    },
    suspendCard: ({ paymentCardId }, user) => {
      const card = this.#cards.get(paymentCardId, user);
      if (card.status !== ACTIVE) return refused(card.profileId, 'the card is not active');
      return this.#move('suspendCard', card, SUSPENDED);
    },
    activateCard: ({ paymentCardId }, user) => {
      const card = this.#cards.get(paymentCardId, user);
      if (card.status !== SUSPENDED) return refused(card.profileId, 'the card is not suspended');
      return this.#move('activateCard', card, ACTIVE);
    },
    reissueCard: ({ paymentCardId }, user) => {
      const card = this.#cards.get(paymentCardId, user);
      if (card.status === CLOSED) return refused(card.profileId, 'the card is closed');
      const account = this.context.accounts.get(card.financialAccountId, user);
      const { type, paymentCardName, maxTotalSpending } = card;
      card.reissuedCardId = this.issue(account, type, paymentCardName, maxTotalSpending).paymentCardId;
      return this.#move('reissueCard', card, CLOSED);
    },
    setCardStatus: ({ paymentCardId, status }, user) => {
      const card = this.#cards.get(paymentCardId, user);
      if (status === 0) throw invalid('status', 'must be 1, 2 or 3');
      if (card.status === CLOSED) throw invalid('paymentCardId', 'is a closed card');
      this.#move('setCardStatus', card, status);
      return { success: true };
    },
    setCardAuthorizationControls: ({ paymentCardId, authorizationControls }, user) => {
      this.#cards.get(paymentCardId, user).authorizationControls = authorizationControls;
      this.context.record('setCardAuthorizationControls', paymentCardId);
      return { success: true };
    },
    createCard: ({ financialAccountId, paymentCardName, type, maxTotalSpending }, user) => {
      const account = this.context.accounts.get(financialAccountId, user);
      const kind = type === undefined ? VIRTUAL : Number(type);
      const card = this.issue(account, kind, paymentCardName, maxTotalSpending);
      this.context.record('createCard', card.paymentCardId);
      return this.#record(card);
    },
    listCards: (page, user) => this.#page(page, user),
    listPaymentCards: (page, user) => this.#page(page, user),
  };

  #move(operation: keyof CardHandlers, card: Card, status: number) {
    const hasChanged = card.status !== status;
    card.status = status;
    this.context.record(operation, card.paymentCardId);
    if (hasChanged) this.context.report(card);
    return boarded(card.profileId);
  }

  #page({ userProfileId, skip = 0, count = PAGE }: Page, user: BankingUser) {
    const isWanted = (card: Card) => [undefined, card.userProfileId].includes(userProfileId);
    const wanted = this.#cards.of(user).filter(isWanted);
    const records = pageOf(wanted, skip, count).map((card) => ({
      ...this.#record(card),
      status: STATUS_NAMES[card.status],
    }));
    return { totalCount: wanted.length, errorMessage: null, records };
  }

  #record({ profileId: _, ...card }: Card) {
    return {
      ...card,
      maxTransactionsCount: null,
      totalSpending: 0,
      totalTransactionsCount: 0,
      active: card.status === ACTIVE,
      bin: '445566',
      network: 'VISA',
      formFactor: FORM_FACTORS[card.type] ?? 'VIRTUAL',
      cardProfileSetId: 'card-set-1',
      cardProfileSet: null,
      syncSubDate: new Date(this.context.now()).toISOString(),
    };
  }
}
