// Keeps F9.
/** The keys of updates: a slice of the state, so an update that arrives again is applied once, also in a later run. */
import { compact, isObject } from '../../messages/objects.js';
import { rejection } from '../../messages/rejections.js';
import type { RequestKey } from '../../messages/requirements.js';
import type { KnownKey, State, Transition } from './state.js';
import type { Store } from './store.js';

/** The number of keys that a workflow keeps. An update with an older one counts as a new update. */
const MOST_KEYS = 100;

const keysAs =
  (change: (keys: State['keys']) => State['keys']): Transition =>
  (state) => ({ ...state, keys: change(state.keys).slice(-MOST_KEYS) });

const facts = ({ state }: Store, key: RequestKey): KnownKey | undefined =>
  state.keys.find(({ id }) => id === key.id);

/** Applies an update once for each key. A receipt is kept without the answer, which may be long. */
export function once<Request, Receipt extends object>(
  store: Store,
  apply: (request: Request) => Promise<Receipt>,
): (request: Request, key?: RequestKey) => Promise<Receipt> {
  return async (request, key) => {
    if (!key) return apply(request);
    const { id, body } = key;
    const own = { id, ...compact({ body }) };
    store.update(keysAs((keys) => [...keys, own]));
    try {
      const receipt: Receipt & { readonly resolution?: unknown } = await apply(request);
      const { resolution: _, ...stored } = receipt;
      store.update(
        keysAs((keys) => keys.map((each) => (each.id === id ? { ...own, receipt: stored } : each))),
      );
      return receipt;
    } catch (error) {
      store.update(keysAs((keys) => keys.filter((each) => each.id !== id)));
      throw error;
    }
  };
}

/** The receipt of an update that was applied before. */
export function receiptOf(store: Store, key: RequestKey): object | null {
  const before = facts(store, key);
  return (before?.body === key.body && before?.receipt) || null;
}

/** The validator of an update that {@link once} applies. A request that was accepted before leaves no history. */
export function unlessKnown<Request>(
  store: Store,
  validate: (request: Request) => void,
): (request: Request, key?: RequestKey) => void {
  return (request, key) => {
    const before = key && facts(store, checked(key));
    if (!before) return validate(request);
    if (before.body !== key.body) throw rejection('key: belongs to another request', 'KeyReused');
    if (before.receipt) throw rejection('it was accepted before', 'AcceptedBefore', before.receipt);
    throw rejection('key: this request is being applied; send it again later');
  };
}

/** A program other than ours may send any JSON. @throws {ApplicationFailure} */
function checked(key: RequestKey): RequestKey {
  const isText = (text: unknown) => typeof text === 'string' && /^[!-~]{1,100}$/.test(text);
  if (isObject(key) && isText(key.id) && (key.body === undefined || isText(key.body))) return key;
  throw rejection('key: must have an id of 1 to 100 characters of ASCII without spaces');
}
