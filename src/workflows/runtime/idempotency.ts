// Keeps F9.
/** The keys of updates: a slice of the state, so an update that arrives again is applied once, also in a later run. */
import { isObject, omitUndefined } from '../../messages/objects.js';
import { rejection } from '../../messages/rejections.js';
import type { IdempotencyKey } from '../../messages/requirements.js';
import type { AppliedKey, State, Store, Transition } from './state.js';

/** The number of keys that a workflow keeps. An update with an older one counts as a new update. */
const MOST_KEYS = 100;

const updateKeys =
  (change: (keys: State['keys']) => State['keys']): Transition =>
  (state) => ({ ...state, keys: change(state.keys).slice(-MOST_KEYS) });

const findKey = ({ state }: Store, key: IdempotencyKey): AppliedKey | undefined =>
  state.keys.find(({ id }) => id === key.id);

/** Applies an update once for each key. A receipt is kept without the answer, which may be long. */
export function applyOnce<Request, Receipt extends object>(
  store: Store,
  apply: (request: Request) => Promise<Receipt>,
): (request: Request, key?: IdempotencyKey) => Promise<Receipt> {
  return async (request, key) => {
    if (!key) return apply(request);
    const { id, body } = key;
    const pending = { id, ...omitUndefined({ body }) };
    store.update(updateKeys((keys) => [...keys, pending]));
    try {
      const receipt: Receipt & { readonly resolution?: unknown } = await apply(request);
      const { resolution: _, ...shortReceipt } = receipt;
      store.update(
        updateKeys((keys) =>
          keys.map((each) => (each.id === id ? { ...pending, receipt: shortReceipt } : each)),
        ),
      );
      return receipt;
    } catch (error) {
      store.update(updateKeys((keys) => keys.filter((each) => each.id !== id)));
      throw error;
    }
  };
}

/** The receipt of an update that was applied before. */
export function receiptOf(store: Store, key: IdempotencyKey): object | null {
  const before = findKey(store, key);
  return (before?.body === key.body && before?.receipt) || null;
}

/** The validator of an update that {@link applyOnce} applies. A request that was accepted before leaves no history. */
export function validateUnlessApplied<Request>(
  store: Store,
  validate: (request: Request) => void,
): (request: Request, key?: IdempotencyKey) => void {
  return (request, key) => {
    const before = key && findKey(store, requireValid(key));
    if (!before) return validate(request);
    if (before.body !== key.body) throw rejection('key: belongs to another request', 'KeyReused');
    if (before.receipt) throw rejection('it was accepted before', 'AcceptedBefore', before.receipt);
    throw rejection('key: this request is being applied; send it again later');
  };
}

/** A program other than ours may send any JSON. @throws {ApplicationFailure} */
function requireValid(key: IdempotencyKey): IdempotencyKey {
  const isText = (text: unknown) => typeof text === 'string' && /^[!-~]{1,100}$/.test(text);
  if (isObject(key) && isText(key.id) && (key.body === undefined || isText(key.body))) return key;
  throw rejection('key: must have an id of 1 to 100 characters of ASCII without spaces');
}
