import type { Adopted } from '../../messages/activities.js';

/** What an onboarding has adopted, until an activity has found that no other one has adopted it at the same moment. */
export class Adoption {
  #unchecked: Adopted = {};

  /** @param knownOwners see {@link Adopted} */
  begin(knownOwners: readonly string[] = []): void {
    this.#unchecked = { adopted: { knownOwners } };
  }

  /** Makes a request that checks this first, unless an earlier one has. */
  async checking<Result>(request: (adopted: Adopted) => Promise<Result>): Promise<Result> {
    const result = await request(this.#unchecked);
    this.#unchecked = {};
    return result;
  }
}
