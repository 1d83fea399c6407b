import type { ByHand } from '../../../../src/partners/by-hand.js';
import type { PartnerClients, SystemName } from '../../../../src/partners/descriptors.js';
import type { RunningSandbox } from '../../sandbox/running-sandbox.js';

/** What the calls of one operation have for themselves, because all operations of a test share a sandbox. */
export interface Case {
  /** Makes names and event IDs unique. */
  readonly key: string;
  /** Of all partners, for what a call needs elsewhere. */
  readonly clients: PartnerClients;
}

/** Status, operation, line, body and caller. */
export type Refusal = readonly [number, string, string, (string | undefined)?, string?];

/** What tests know of a partner: the lines of its contract, literally. */
export interface KnownPartner<System extends SystemName> {
  /** A valid call of each operation, after what it needs: the last call is the operation. */
  readonly calls: Readonly<
    Record<string, (client: ByHand<PartnerClients[System]>, test: Case) => Promise<unknown>>
  >;
  /** Method, path, query and the exact bytes of the body of that call, as the contract prints them or as docs/partner-apis.md assumes. */
  readonly wire: Readonly<Record<string, string>>;
  /** The headers of each request that is not anonymous. */
  readonly headers: object;
  /** The failures of the documented operations. Merchant 1001, a webhook and a ticket exist. */
  readonly refusals: readonly Refusal[];
  /** The status of a call without credentials. Default: 401. */
  readonly refused?: 400;
  /** The credentials of a caller. Default: a Bearer token. */
  credentialsOf?(
    caller: string,
    sandbox: RunningSandbox,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}
