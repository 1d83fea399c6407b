import type { Operation } from '../catalogue.js';
import {
  type CallOptions,
  type Inspector,
  type PartnerClient,
  type PartnerProtocol,
  partnerClient,
  partnerOff,
} from '../client.js';
import { openPlain } from '../fields.js';
import type { PartnerObserver } from '../http.js';
import { type HttpLimits, PartnerHttp } from '../http.js';
import { PAYMENTS_OPERATIONS, type PaymentsOperations } from './operations.js';
import type { PaymentsCatalogue } from './schemas.js';
import { isVersioned, versionedPrefixes } from './schemas.js';

const SYSTEM = 'payments';

/** The header of the API key as the contract writes it, without the brand. */
export const NEUTRAL_KEY_HEADER = 'x-svc-api-key';

export interface PaymentsSettings {
  /** https, or http to loopback; a path below the origin is kept. */
  readonly url: string;
  readonly apiKey: string;
  /** Header of the key. Default: `x-svc-api-key`. */
  readonly apiKeyHeader?: string;
  /**
   * The environment of the URL. In `uat` no money moves. In `production` a write fails before it is sent unless the call has
   * `toProduction`, so that nobody moves money because of a wrong setting.
   */
  readonly environment: 'uat' | 'production';
  readonly limits?: Partial<HttpLimits>;
  readonly observe?: PartnerObserver | undefined;
  readonly inspect?: Inspector | undefined;
}

export type PaymentsClient<Ops extends PaymentsCatalogue = PaymentsOperations> = PartnerClient<Ops> & {
  close(): Promise<void>;
};

/** A client of the payments platform (apis/3). */
export function paymentsClient(settings: PaymentsSettings): PaymentsClient {
  return paymentsClientOf(PAYMENTS_OPERATIONS, settings);
}

/** The same for other operations. A call whose path has a version that its resource lacks fails before it is sent. */
export function paymentsClientOf<Ops extends PaymentsCatalogue>(
  operations: Ops,
  settings: PaymentsSettings,
): PaymentsClient<Ops> {
  const { url, apiKey, apiKeyHeader = NEUTRAL_KEY_HEADER, limits } = settings;
  const http = new PartnerHttp(url, limits);
  const protocol: PartnerProtocol = {
    system: SYSTEM,
    authorization: async () => ({ [apiKeyHeader.toLowerCase()]: apiKey }),
    refuse: (operation, options) => refusalOf(operation, settings, options),
    open: openPlain,
    secrets: () => [apiKey],
    observe: settings.observe,
    inspect: settings.inspect,
  };
  return { ...partnerClient(operations, protocol, http), close: () => http.close() };
}

/** The client of a payments platform that is not set up. */
export function paymentsOff(reason: string): PaymentsClient {
  return { ...partnerOff(SYSTEM, PAYMENTS_OPERATIONS, reason), close: async () => undefined };
}

function refusalOf(
  { path, effect }: Operation,
  { environment }: PaymentsSettings,
  { toProduction = false }: CallOptions,
): string | undefined {
  if (!isVersioned(path)) return `its path must begin with one of ${versionedPrefixes()}`;
  if (environment === 'production' && effect !== 'read' && !toProduction) {
    return 'a write to production must be requested explicitly';
  }
  return undefined;
}
