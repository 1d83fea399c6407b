import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Operation } from '../../partners/catalogue.js';
import { writeExactly } from '../../partners/json.js';
import type { PaymentsOperations } from '../../partners/payments/operations.js';
import { VERSIONS } from '../../partners/payments/schemas.js';
import type { Signs } from '../ledger.js';
import { type Handlers, invalid, isKey, Refusal } from '../routes.js';

/** Notes in the ledger that a write took effect. */
export type Recorder = (operation: keyof PaymentsOperations & string, id: string, signs?: Signs) => void;

type NewAccount = z.output<PaymentsOperations['createAccount']['request']>;

interface Account extends NewAccount {
  readonly id: string;
}

type AccountHandlers = Pick<
  Handlers<PaymentsOperations, KeyHolder>,
  'listAccounts' | 'getAccount' | 'createAccount' | 'createAccountV1' | 'updateAccount'
>;

/** Accounts. Those made by v2 come with an organization, a webhook application and an API key (apis/3). */
export class Accounts {
  readonly #accounts = new Owned<Account>('account');

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly record: Recorder,
  ) {}

  add(owner: Owner, fields: NewAccount): Account {
    const created_at = new Date().toISOString();
    return this.#accounts.add(owner, (id) => ({ ...fields, id, status: 'active', created_at }));
  }

  /** @throws {Refusal} 400 when an account is named that is not there */
  check(id: string | undefined, owner: Owner, field = 'account_id'): void {
    if (id !== undefined && !this.#accounts.has(id, owner)) throw invalid(field, 'is unknown');
  }

  readonly handlers: AccountHandlers = {
    listAccounts: (wanted, owner) => pageOf('accounts', this.#accounts.of(owner), wanted),
    getAccount: ({ account_id }, owner) => this.#accounts.get(account_id, owner),
    createAccountV1: (fields, owner) => this.#create('createAccountV1', fields, owner),
    createAccount: (fields, owner) => {
      const account = this.#create('createAccount', fields, owner);
      const { id, name, secret } = this.apiKeys.make(owner, account.name);
      return {
        ...account,
        organization: { id: `organization-${account.id}`, name: account.name },
        webhook_app: { id: `webhook-app-${account.id}` },
        api_key: { id, name, key: secret },
      };
    },
    updateAccount: ({ account_id, ...fields }, owner) => {
      const account = this.#accounts.get(account_id, owner);
      this.check(fields.parent_id, owner, 'parent_id');
      Object.assign(account, fields, { id: account.id });
      this.record('updateAccount', account.id);
      return account;
    },
  };

  #create(operation: 'createAccount' | 'createAccountV1', fields: NewAccount, owner: Owner): Account {
    this.check(fields.parent_id, owner, 'parent_id');
    const account = this.add(owner, fields);
    this.record(operation, account.id, { name: account.description });
    return account;
  }
}

/** The caller of the payments platform, by the key that was shown. */
export interface KeyHolder extends Owner {
  readonly permissions: readonly string[];
}

interface ApiKey {
  readonly id: string;
  readonly partnerId: number;
  readonly secret: string;
  name: string;
  permissions: readonly string[];
}

type KeyHandlers = Pick<
  Handlers<PaymentsOperations, KeyHolder>,
  'listApiKeys' | 'getApiKey' | 'createApiKey' | 'updateApiKey' | 'deleteApiKey'
>;

const ALL = '*';
const RESOURCES = Object.keys(VERSIONS);

/** The contract leaves the names of permissions out; these are the sandbox's own: `accounts:read` and so on, or all. */
export const PERMISSIONS: readonly string[] = [
  ALL,
  ...RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
];

/** Keys that are there from the start. The name is the key. */
export const PAYMENTS_KEYS: readonly (KeyHolder & { readonly name: string })[] = [
  { name: 'sandbox', partnerId: 1, permissions: [ALL] },
  { name: 'read-only', partnerId: 1, permissions: RESOURCES.map((resource) => `${resource}:read`) },
  { name: 'other-partner', partnerId: 2, permissions: [ALL] },
];

/** API keys that callers made, besides those that exist from the start. */
export class ApiKeys {
  readonly #made = new Owned<ApiKey>('apikey');

  constructor(
    private readonly record: Recorder,
    private readonly password?: string,
  ) {}

  holderOf(shown: string | undefined): KeyHolder | undefined {
    return (
      PAYMENTS_KEYS.find(({ name }) => isKey(name, shown, this.password)) ??
      this.#made.find(({ secret }) => secret === shown)
    );
  }

  make({ partnerId }: Owner, name: string, permissions: readonly string[] = [ALL]): ApiKey {
    const secret = `made-${randomUUID()}`;
    return this.#made.add({ partnerId }, (id) => ({ id, partnerId, secret, name, permissions }));
  }

  readonly handlers: KeyHandlers = {
    listApiKeys: (wanted, holder) => pageOf('apikeys', this.#made.of(holder).map(withoutSecret), wanted),
    getApiKey: ({ apikey_id }, holder) => withoutSecret(this.#made.get(apikey_id, holder)),
    createApiKey: ({ name, permissions }, holder) => {
      check(permissions);
      const key = this.make(holder, name, permissions);
      this.record('createApiKey', key.id);
      return { ...withoutSecret(key), key: key.secret };
    },
    updateApiKey: ({ apikey_id, name, permissions }, holder) => {
      const key = this.#made.get(apikey_id, holder);
      check(permissions ?? []);
      key.name = name ?? key.name;
      key.permissions = permissions ?? key.permissions;
      this.record('updateApiKey', key.id);
      return withoutSecret(key);
    },
    deleteApiKey: ({ apikey_id }, holder) => {
      this.#made.remove(apikey_id, holder);
      this.record('deleteApiKey', apikey_id);
      return {};
    },
  };
}

/** Reports whether a key permits an operation, by its resource and by read or write. */
export function permits({ permissions }: KeyHolder, { path, effect }: Operation): boolean {
  const [, , resource] = path.split('/');
  const needed = `${resource}:${effect === 'read' ? 'read' : 'write'}`;
  return permissions.includes(ALL) || permissions.includes(needed);
}

function check(permissions: readonly string[]): void {
  const unknown = permissions.findIndex((permission) => !PERMISSIONS.includes(permission));
  if (unknown >= 0) throw invalid(`permissions.${unknown}`, `must be one of ${PERMISSIONS.join(', ')}`);
}

const withoutSecret = ({ id, name, permissions }: ApiKey) => ({ id, name, permissions });

/** The partner whose things a caller may see. */
export interface Owner {
  readonly partnerId: number;
}

/** Things of one kind. Those of another partner are as if they were not there, as the contract has it (apis/3, 404). */
export class Owned<Thing extends { readonly id: string }> {
  readonly #things = new Map<string, { readonly partnerId: number; readonly thing: Thing }>();
  #made = 0;

  /** @param kind `terminal`; the ids are `terminal-1001` and so on */
  constructor(private readonly kind: string) {}

  add({ partnerId }: Owner, make: (id: string) => Thing): Thing {
    this.#made += 1;
    const thing = make(`${this.kind}-${1_000 + this.#made}`);
    this.#things.set(thing.id, { partnerId, thing });
    return thing;
  }

  /** One of any partner, for the sandbox itself. */
  find(fits: (thing: Thing) => boolean): Thing | undefined {
    return [...this.#things.values()].find(({ thing }) => fits(thing))?.thing;
  }

  /** @throws {Refusal} 404 */
  get(id: string, owner: Owner): Thing {
    const thing = this.of(owner).find((one) => one.id === id);
    if (!thing) throw new Refusal(404, `no such ${this.kind}`);
    return thing;
  }

  has(id: string, owner: Owner): boolean {
    return this.of(owner).some((one) => one.id === id);
  }

  /** In the order in which they came. */
  of({ partnerId }: Owner): Thing[] {
    return [...this.#things.values()].filter((one) => one.partnerId === partnerId).map(({ thing }) => thing);
  }

  /** @throws {Refusal} 404 */
  remove(id: string, owner: Owner): void {
    this.#things.delete(this.get(id, owner).id);
  }
}

interface Wanted {
  readonly search?: string | undefined;
  readonly account_id?: string | undefined;
  readonly status?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const DEFAULT_LIMIT = 50;

/** The requested page of `records`, under the name of the listing. `search` searches every field. */
export function pageOf(name: string, records: readonly object[], wanted: Wanted) {
  const { search, account_id, status, limit = DEFAULT_LIMIT, offset = 0 } = wanted;
  const fields = Object.entries({ account_id, status }).filter(([, value]) => value !== undefined);
  const found = records.filter(
    (record) =>
      fields.every(([field, value]) => record[field as keyof typeof record] === value) &&
      (search === undefined || writeExactly(record).toLowerCase().includes(search.toLowerCase())),
  );
  return {
    limit,
    offset,
    page: Math.floor(offset / limit) + 1,
    [name]: found.slice(offset, offset + limit),
    total: found.length,
  };
}
