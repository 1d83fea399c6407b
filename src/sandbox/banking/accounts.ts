import type { BankingOperations } from '../../partners/banking/operations.js';
import { Refusal } from '../refusal.js';
import { FileAnswer, type Handlers } from '../routes.js';
import { externalActivityOf, PROVIDERS } from './external-accounts.js';
import { MAX_ACCOUNTS, type Profile } from './profile.js';
import { statement, sum } from './statements.js';
import type { BankingUser } from './users.js';

export interface FinancialAccount {
  readonly id: string;
  readonly partnerId: number;
  readonly profileId: number;
  readonly name: string;
  readonly last4: string;
  readonly transactions: readonly Transaction[];
}

export interface Transaction {
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly description: string;
  /** Cents; below zero when it leaves the account. */
  readonly amount: number;
}

type AccountHandlers = Pick<
  Handlers<BankingOperations, BankingUser>,
  | 'generateFullStatement'
  | 'generateStatement'
  | 'listTransactions'
  | 'listFinancialAccounts'
  | 'getExternalAccountActivity'
>;

/** Financial accounts, their transactions and statements. */
export class Accounts {
  readonly #accounts = new Map<string, FinancialAccount>();

  /** @param profileOf the profile of this id, if the user may see it; refuses otherwise */
  constructor(private readonly profileOf: (id: number, user: BankingUser) => Profile) {}

  /** Opens an account of the profile; undefined when it has as many as it may. */
  open(
    { basics, id }: Profile,
    transactions: readonly Omit<Transaction, 'id'>[] = [],
  ): FinancialAccount | undefined {
    const number = 1 + this.#of((account) => account.profileId === id).length;
    if (number > MAX_ACCOUNTS) return undefined;
    const account: FinancialAccount = {
      id: `fa-${id}-${number}`,
      partnerId: basics.partnerId,
      profileId: id,
      name: number === 1 ? 'Operating account' : `Account ${number}`,
      last4: String((id * 10 + number) % 10_000).padStart(4, '0'),
      transactions: transactions.map((transaction, index) => ({
        id: `tx-${id}-${number}-${index + 1}`,
        ...transaction,
      })),
    };
    this.#accounts.set(account.id, account);
    return account;
  }

  /** @throws {Refusal} 404, or 403 when the account belongs to another partner */
  get(id: string, { partnerId }: BankingUser): FinancialAccount {
    const account = this.#accounts.get(id);
    if (!account) throw new Refusal(404, `financial account ${id} not found`);
    if (account.partnerId !== partnerId) throw new Refusal(403, 'The account belongs to another partner');
    return account;
  }

  readonly handlers: AccountHandlers = {
    generateFullStatement: ({ financialAccountIds, period, fileFormat }, user) =>
      this.#statement(financialAccountIds, period, fileFormat, user),
    generateStatement: ({ financialAccountId, period, fileFormat }, user) =>
      this.#statement([financialAccountId], period, fileFormat, user),
    listTransactions: ({ financialAccountId, dateFrom, dateTo, skip = 0, take = 100 }, user) =>
      this.get(financialAccountId, user)
        .transactions.filter(({ createdAt }) => isWithin(createdAt, dateFrom, dateTo))
        .slice(skip, skip + take),
    listFinancialAccounts: (_, { partnerId }) =>
      this.#of((account) => account.partnerId === partnerId).map(
        ({ id, profileId, name, last4, transactions }) => {
          return { id, profileId, name, last4, status: 'ACTIVE', balance: sum(transactions) };
        },
      ),
    getExternalAccountActivity: ({ profileId, provider, dateFrom, dateTo, financialAccountId }, user) => {
      const { id } = this.profileOf(profileId, user);
      if (provider !== undefined && !PROVIDERS.includes(provider)) {
        throw new Refusal(400, 'Validation failed', [{ field: 'provider', message: 'is not a provider' }]);
      }
      const answer = externalActivityOf(id);
      if (!answer) throw new Refusal(404, 'No external account is linked');
      const isWanted = ({ createdAt, toFinancialAccount }: (typeof answer.activity)[number]) =>
        isWithin(createdAt, dateFrom, dateTo) &&
        [undefined, toFinancialAccount.id].includes(financialAccountId);
      return { ...answer, activity: answer.activity.filter(isWanted) };
    },
  };

  #of(isWanted: (account: FinancialAccount) => boolean): FinancialAccount[] {
    return [...this.#accounts.values()].filter(isWanted);
  }

  #statement(
    ids: readonly string[],
    period: string,
    format: 'PDF' | 'CSV' | 'QBO' | 'OFX' = 'PDF',
    user: BankingUser,
  ): FileAnswer {
    const { contentType, content } = statement(
      ids.map((id) => this.get(id, user)),
      new Date(period),
      format,
    );
    return new FileAnswer(contentType, content);
  }
}

/** Bounds are inclusive. */
export function isWithin(at: string, from: string | undefined, to: string | undefined): boolean {
  const time = Date.parse(at);
  return (from === undefined || time >= Date.parse(from)) && (to === undefined || time <= Date.parse(to));
}
