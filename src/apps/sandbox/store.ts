import { type Operations, pathParameters } from '../../partners/catalogue.js';
import { type Handlers, Refusal } from './routes.js';

/**
 * The things of one resource of an emulated partner, and the usual operations on them: create, read, list, update and delete, as the
 * catalogue has them. A partner writes a handler of its own only where an operation does more than that.
 */

export interface Owner {
  readonly partnerId: number;
}

type Id = number | string;
type Fields = Readonly<Record<string, unknown>>;

export interface Rules<Thing> {
  /** The noun in messages: `terminal`. */
  readonly kind: string;
  id(number: number): Id;
  /** Responds with 404 for another partner's thing. Default: 403. */
  readonly hidesOthers?: true;
  /** The kind of owner that a `partnerId` identifies. Default: a partner. */
  readonly owner?: 'ISO';
  /** @throws {Refusal} if a create or an update has fields that do not fit the present state */
  check?(fields: Fields, owner: Owner, thing?: Thing): void;
  /** The fields that the partner sets itself. No update changes them. */
  initial?(owner: Owner): object;
  /** A thing as it travels. A thing that is read alone is a status read. */
  render?(thing: Thing, isStatusRead: boolean): object;
  list?(records: readonly object[], wanted: Fields): unknown;
}

export class Store<Thing extends object> {
  readonly #things = new Map<Id, { readonly partnerId: number; readonly thing: Thing }>();
  #count = 0;

  constructor(readonly rules: Rules<Thing>) {}

  /** @param value an ID that is not the next one */
  add({ partnerId }: Owner, make: (id: Id) => Thing, value?: Id): Thing {
    if (value === undefined) this.#count += 1;
    const id = value ?? this.rules.id(this.#count);
    const thing = make(id);
    this.#things.set(id, { partnerId, thing });
    return thing;
  }

  create(fields: Fields, owner: Owner): Thing {
    this.rules.check?.(fields, owner);
    return this.add(owner, (id) => ({ ...fields, id, ...this.rules.initial?.(owner) }) as unknown as Thing);
  }

  update(id: Id, fields: Fields, owner: Owner): Thing {
    const thing = this.get(id, owner);
    this.rules.check?.(fields, owner, thing);
    const own = Object.keys({ id, ...this.rules.initial?.(owner) });
    return Object.assign(
      thing,
      Object.fromEntries(Object.entries(fields).filter(([name]) => !own.includes(name))),
    );
  }

  /** @throws {Refusal} 404, or 403 if it belongs to another partner */
  get(id: Id, { partnerId }: Owner): Thing {
    const { kind, hidesOthers, owner = 'partner' } = this.rules;
    const entry = this.#things.get(id);
    const isOthers = entry && entry.partnerId !== partnerId;
    if (isOthers && !hidesOthers) throw new Refusal(403, `The ${kind} belongs to another ${owner}`);
    if (!entry || isOthers)
      throw new Refusal(404, hidesOthers ? `no such ${kind}` : `${kind} ${id} not found`);
    return entry.thing;
  }

  has(id: unknown, { partnerId }: Owner): boolean {
    return this.#things.get(id as Id)?.partnerId === partnerId;
  }

  /** One of any partner, for the sandbox itself. */
  find(id: Id): Thing | undefined {
    return this.#things.get(id)?.thing;
  }

  /** In the order in which they came. Default: those of every partner. */
  of(owner?: Owner): Thing[] {
    const all = [...this.#things.values()];
    return all.flatMap(({ partnerId, thing }) => (owner && owner.partnerId !== partnerId ? [] : [thing]));
  }

  remove(id: Id, owner: Owner): Thing {
    const thing = this.get(id, owner);
    this.#things.delete(id);
    return thing;
  }

  render(thing: Thing, isStatusRead = false): object {
    return this.rules.render?.(thing, isStatusRead) ?? thing;
  }

  list(wanted: Fields, owner: Owner): unknown {
    const records = this.of(owner).map((thing) => this.render(thing));
    return this.rules.list?.(records, wanted) ?? records;
  }
}

type Handler = (request: Fields, owner: Owner) => unknown;

/**
 * A handler for each usual operation of a catalogue.
 *
 * @param stores by the path of their list
 * @param record notes in the ledger that a write took effect
 */
export function usualHandlers<Ops extends Operations>(
  operations: Ops,
  stores: Readonly<Record<string, Store<object>>>,
  record: (operation: keyof Ops & string, id: Id) => void,
): Handlers<Ops, Owner> {
  const handlers = Object.entries(operations).flatMap(([key, operation]): [string, Handler][] => {
    const store = stores[operation.path.replace(/\/\{\w+\}$/, '')];
    if (!store) return [];
    const [idField = ''] = pathParameters(operation);
    const one = ({ [idField]: id, ...fields }: Fields) => ({ id: id as Id, fields });
    const usual: Readonly<Record<string, Handler>> = {
      'GET ': (wanted, owner) => store.list(wanted, owner),
      'GET one': (request, owner) => store.render(store.get(one(request).id, owner), true),
      'POST ': (fields, owner) => {
        const thing = store.create(fields, owner);
        record(key, (thing as { readonly id: Id }).id);
        return store.render(thing);
      },
      'PUT one': (request, owner) => {
        const { id, fields } = one(request);
        const thing = store.update(id, fields, owner);
        record(key, id);
        return store.render(thing);
      },
      'DELETE one': (request, owner) => {
        const { id } = one(request);
        store.remove(id, owner);
        record(key, id);
        return {};
      },
    };
    const handler = usual[`${operation.method} ${idField && 'one'}`];
    return handler ? [[key, handler]] : [];
  });
  return Object.fromEntries(handlers) as unknown as Handlers<Ops, Owner>;
}

export function pageOfItems<Item>(items: readonly Item[], skip: number, count: number): readonly Item[] {
  return items.slice(Math.max(0, skip), Math.max(0, skip) + Math.max(0, count));
}
