// Keeps F9.
/** Idempotency keys of updates. They are part of the state, so a later run does not apply an update again. */
import { isObject, omitUndefined } from '../../messages/objects.js';
import { rejection } from '../../messages/rejections.js';
import type { IdempotencyKey } from '../../messages/requirements.js';
import type { AppliedKey, State, Store, Transition } from './state.js';

/** The number of keys that a workflow keeps. An update with an older key counts as new. */
const MAX_KEYS = 100;

const updateKeys =
  (change: (keys: State['keys']) => State['keys']): Transition =>
  (state) => ({ ...state, keys: change(state.keys).slice(-MAX_KEYS) });

const findKey = ({ state }: Store, key: IdempotencyKey): AppliedKey | undefined =>
  state.keys.find(({ id }) => id === key.id);

/** Applies an update once for each key. The stored receipt leaves out the answer, which may be long. */
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

/** Returns the receipt of an update that was already applied. */
export function receiptOf(store: Store, key: IdempotencyKey): object | null {
  const before = findKey(store, key);
  return (before?.body === key.body && before?.receipt) || null;
}

/** Returns the validator of an update that {@link applyOnce} applies. A repeated request adds nothing to the history. */
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

/** Checks a key, because other programs may send any JSON. @throws {ApplicationFailure} */
function requireValid(key: IdempotencyKey): IdempotencyKey {
  const isText = (text: unknown) => typeof text === 'string' && /^[!-~]{1,100}$/.test(text);
  if (isObject(key) && isText(key.id) && (key.body === undefined || isText(key.body))) return key;
  throw rejection('key: must have an id of 1 to 100 characters of ASCII without spaces');
}
