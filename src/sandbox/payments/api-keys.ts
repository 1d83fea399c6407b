import { randomUUID } from 'node:crypto';
import type { Operation } from '../../partners/catalogue.js';
import type { PaymentsOperations } from '../../partners/payments/operations.js';
import { VERSIONS } from '../../partners/payments/versions.js';
import { isKey } from '../keys.js';
import { invalid } from '../refusal.js';
import type { Handlers } from '../routes.js';
import { Owned, type Owner } from './owned.js';
import { pageOf } from './pages.js';
import type { Recorder } from './service.js';

/** Who calls the payments platform, by the key that was shown. */
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

/** API keys that callers made, beside those that are there from the start. */
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

/** Whether a key opens an operation, by its resource and whether it reads. */
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
