import type { z } from 'zod';
import type { BankingOperations } from '../../../partners/banking/operations.js';
import { invalidField } from '../routes.js';
import { pageOfItems, Store } from '../store.js';
import type { Accounts, FinancialAccount } from './accounts.js';
import { boardedResponse, refusedResponse } from './holder-record.js';
import { userProfileIdOf } from './profile.js';
import type { BankingHandlers, BankingUser } from './users.js';

/** Card statuses (docs/partner-apis.md#banking-rules) with their names in lists (docs/partner-apis.md#banking-assumptions). */
const ACTIVE = 1;
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

type Page = z.output<BankingOperations['listPaymentCards']['request']>;

interface CardsContext {
  readonly accounts: Accounts;
  readonly now: () => number;
  record(operation: keyof BankingOperations & string, id: string): void;
  report(card: Card): void;
}

export class Cards {
  readonly #cards = new Store<Card>({ kind: 'payment card', id: (number) => `card-${1_000 + number}` });

  constructor(private readonly context: CardsContext) {}

  issue(account: FinancialAccount, type = VIRTUAL, name?: string | null, most?: bigint | null): Card {
    return this.#cards.add(account, (id) => {
      return newCard(String(id), account, type, name ?? null, most ?? null, this.context.now());
    });
  }

  readonly handlers = {
    setCardNickname: ({ paymentCardId, nickName }, user) => {
      const card = this.#cards.get(paymentCardId, user);
      card.paymentCardName = nickName ?? null;
      this.context.record('setCardNickname', paymentCardId);
      return this.#record(card);
    },
    closeCard: ({ paymentCardId, last4 }, user) => {
      const card = this.#cards.get(paymentCardId, user);
      if (last4 !== undefined && last4 !== card.last4) throw invalidField('last4', 'is not that of the card');
      if (card.type === OTHER)
        throw invalidField('paymentCardId', 'is a card of a type that cannot be closed');
      if (card.status === CLOSED) return refusedResponse(card.profileId, 'the card is closed already');
      card.status = CLOSED;
      this.context.record('closeCard', paymentCardId);
      this.context.report(card);
      return boardedResponse(card.profileId);
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
  } satisfies BankingHandlers;

  #page({ userProfileId, skip = 0, count = PAGE }: Page, user: BankingUser) {
    const isWanted = (card: Card) => [undefined, card.userProfileId].includes(userProfileId);
    const wanted = this.#cards.of(user).filter(isWanted);
    const records = pageOfItems(wanted, skip, count).map((card) => ({
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
      authorizationControls: [],
      reissuedCardId: null,
      syncSubDate: new Date(this.context.now()).toISOString(),
    };
  }
}

type Card = ReturnType<typeof newCard>;

/**
 * @param type 1 Physical, 2 Virtual, 3 Burner, 4 Other
 * @param maxTotalSpending in cents
 */
function newCard(
  paymentCardId: string,
  { partnerId, profileId, id: financialAccountId }: FinancialAccount,
  type: number,
  paymentCardName: string | null,
  maxTotalSpending: bigint | null,
  now: number,
) {
  const expiration = new Date(now);
  expiration.setUTCFullYear(expiration.getUTCFullYear() + LIFE_YEARS);
  return {
    paymentCardId,
    partnerId,
    profileId,
    userProfileId: userProfileIdOf(profileId),
    paymentCardName,
    type,
    last4: paymentCardId.slice(-4),
    financialAccountId,
    expirationDate: expiration.toISOString(),
    status: ACTIVE,
    maxTotalSpending,
  };
}
