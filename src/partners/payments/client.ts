import type { Operation } from '../catalogue.js';
import type { CallOptions, PartnerClient, PartnerProtocol } from '../client.js';
import { openPlain } from '../field-schemas.js';
import { type Closable, type Connection, connectClient } from '../partner.js';
import { PAYMENTS_OPERATIONS, type PaymentsOperations } from './operations.js';
import { isVersioned, type PaymentsCatalogue, versionedPrefixes } from './schemas.js';

/** The header of the API key in the contract, without the brand. */
export const NEUTRAL_KEY_HEADER = 'x-svc-api-key';

export interface PaymentsSettings extends Connection {
  readonly apiKey: string;
  readonly apiKeyHeader?: string;
  /**
   * The environment of the URL. In `uat`, no money moves. In `production`, a write without `toProduction` fails before it is sent,
   * so a wrong setting never moves money.
   */
  readonly environment: 'uat' | 'production';
}

export type PaymentsClient<Ops extends PaymentsCatalogue = PaymentsOperations> = PartnerClient<Ops> &
  Closable;

/**
 * A client of the payments platform (docs/partner-apis.md#payments-platform). A call with a version that the resource lacks fails
 * before it is sent.
 */
export function paymentsClient<Ops extends PaymentsCatalogue = PaymentsOperations>(
  settings: PaymentsSettings,
  operations: Ops = PAYMENTS_OPERATIONS as unknown as Ops,
): PaymentsClient<Ops> {
  const { apiKey, apiKeyHeader = NEUTRAL_KEY_HEADER } = settings;
  const protocol: PartnerProtocol = {
    system: 'payments',
    authorization: async () => ({ [apiKeyHeader.toLowerCase()]: apiKey }),
    refuse: (operation, options) => refusalOf(operation, settings, options),
    probe: 'listTerminals',
    unwrap: openPlain,
    secrets: () => [apiKey],
  };
  return connectClient(operations, protocol, settings);
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
