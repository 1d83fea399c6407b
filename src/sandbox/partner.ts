import type { FastifyInstance } from 'fastify';
import type { Faults } from './faults.js';
import type { Ledger } from './ledger.js';
import type { Pace } from './scenario.js';

/** Merchants as other partners see them: no contract prints how a banking profile is tied to one. */
export interface Merchants {
  idsNamed(businessName: string): readonly number[];
  /** The merchant itself, or a later one of the same customer. */
  latestLike(merchantProfileId: number): number;
}

export interface World {
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly pace: () => Pace;
  readonly now: () => number;
  readonly tokenLifetimeMs: number;
  /** Password of every user, and the key where a partner has keys in place of users. Default: the name of each. */
  readonly password: string | undefined;
  readonly posNames: readonly string[];
  /** The emulated partner that has merchants puts them here. */
  merchants: Merchants;
}

/** One emulated partner. src/sandbox/systems.ts lists them. */
export interface EmulatedPartner {
  /** Settings of the partner, besides its URL, that reach the sandbox: `{PLANT_STORE_TOKEN: 'sandbox'}`. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly scenarios: object;
  /** Serves its operations, and below `/sandbox` what tests and demos steer it with. */
  start(server: FastifyInstance, world: World): void;
}
