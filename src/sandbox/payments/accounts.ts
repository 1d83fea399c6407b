import type { z } from 'zod';
import type { PaymentsOperations } from '../../partners/payments/operations.js';
import { invalid } from '../refusal.js';
import type { Handlers } from '../routes.js';
import type { ApiKeys, KeyHolder } from './api-keys.js';
import { Owned, type Owner } from './owned.js';
import { pageOf } from './pages.js';
import type { Recorder } from './service.js';

type NewAccount = z.output<PaymentsOperations['createAccount']['request']>;

interface Account extends NewAccount {
  readonly id: string;
}

type AccountHandlers = Pick<
  Handlers<PaymentsOperations, KeyHolder>,
  'listAccounts' | 'getAccount' | 'createAccount' | 'createAccountV1' | 'updateAccount'
>;

/** Accounts. Those made by v2 come with an organisation, a webhook application and an API key (apis/3). */
export class Accounts {
  readonly #accounts = new Owned<Account>('account');

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly record: Recorder,
  ) {}

  add(owner: Owner, members: NewAccount): Account {
    const created_at = new Date().toISOString();
    return this.#accounts.add(owner, (id) => ({ ...members, id, status: 'active', created_at }));
  }

  /** @throws {Refusal} 400 when an account is named that is not there */
  check(id: string | undefined, owner: Owner, member = 'account_id'): void {
    if (id !== undefined && !this.#accounts.has(id, owner)) throw invalid(member, 'is unknown');
  }

  readonly handlers: AccountHandlers = {
    listAccounts: (wanted, owner) => pageOf('accounts', this.#accounts.of(owner), wanted),
    getAccount: ({ account_id }, owner) => this.#accounts.get(account_id, owner),
    createAccountV1: (members, owner) => this.#create('createAccountV1', members, owner),
    createAccount: (members, owner) => {
      const account = this.#create('createAccount', members, owner);
      const { id, name, secret } = this.apiKeys.make(owner, account.name);
      return {
        ...account,
        organization: { id: `organization-${account.id}`, name: account.name },
        webhook_app: { id: `webhook-app-${account.id}` },
        api_key: { id, name, key: secret },
      };
    },
    updateAccount: ({ account_id, ...members }, owner) => {
      const account = this.#accounts.get(account_id, owner);
      this.check(members.parent_id, owner, 'parent_id');
      Object.assign(account, members, { id: account.id });
      this.record('updateAccount', account.id);
      return account;
    },
  };

  #create(operation: 'createAccount' | 'createAccountV1', members: NewAccount, owner: Owner): Account {
    this.check(members.parent_id, owner, 'parent_id');
    const account = this.add(owner, members);
    this.record(operation, account.id, { name: account.description });
    return account;
  }
}
