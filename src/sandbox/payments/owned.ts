import { Refusal } from '../refusal.js';

/** Whose things one may see. */
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
