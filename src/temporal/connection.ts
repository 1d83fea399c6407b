import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { BadSetting, withoutEmpty } from '../config.js';
import { tracedClient } from '../tracing/temporal.js';
import { dataConverter } from './data-converter.js';
import type { PayloadKeys } from './payload-keys.js';

/** How long to try before Temporal counts as away. */
const CONNECT_TIMEOUT = '5s';

/** gRPC would wait up to two minutes before it connects again. */
const MAX_RECONNECT_BACKOFF_MS = 1_000;

/** Temporal could not be reached. The message is for people. */
export class TemporalAway extends Error {
  override readonly name = 'TemporalAway';
  constructor(address: string, options?: ErrorOptions) {
    super(`cannot reach Temporal at ${address} (TEMPORAL_ADDRESS)`, options);
  }
}

/** Temporal's own settings: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, TLS, API key, `temporal.toml` profiles. */
export function temporalSettings() {
  try {
    const overrideEnvVars = withoutEmpty(process.env);
    const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({ overrideEnvVars });
    const { address = 'localhost:7233', ...options } = connectionOptions;
    return { connectionOptions: { ...options, address }, namespace };
  } catch (error) {
    throw new BadSetting('TEMPORAL_*', error instanceof Error ? error.message : 'cannot be read');
  }
}

/** Whether an address is of this machine, where the Temporal server is a development server. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(address);
}

/**
 * Private data may be in the clear on a development server, and nowhere else.
 *
 * @throws {BadSetting}
 */
export function requireKeys(address: string, keys: PayloadKeys | undefined): void {
  if (keys || isLoopback(address)) return;
  const why = 'without it whoever reads that Temporal server reads private data';
  throw new BadSetting('PAYLOAD_KEYS', `is not set, and ${why}; "gangway keys new" makes a key`);
}

/** @throws {TemporalAway} */
export async function connectClient(keys: PayloadKeys | undefined): Promise<Client> {
  const { options, clientOptions } = clientSettings(keys);
  try {
    const connection = await Connection.connect({ ...options, connectTimeout: CONNECT_TIMEOUT });
    return new Client({ connection, ...clientOptions });
  } catch (error) {
    throw new TemporalAway(options.address, { cause: error });
  }
}

/** A client that connects when it is first used, so that a process can start before Temporal does. */
export function lazyClient(keys: PayloadKeys | undefined): Client {
  const { options, clientOptions } = clientSettings(keys);
  return new Client({ connection: Connection.lazy(options), ...clientOptions });
}

function clientSettings(keys: PayloadKeys | undefined) {
  const { connectionOptions, namespace } = temporalSettings();
  const { address, tls, apiKey, metadata } = connectionOptions;
  const options = {
    address,
    channelArgs: { 'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_BACKOFF_MS },
    ...(tls !== undefined && { tls }),
    ...(apiKey !== undefined && { apiKey }),
    ...(metadata !== undefined && { metadata: metadata as Record<string, string> }),
  };
  return {
    options,
    clientOptions: { namespace, dataConverter: dataConverter(keys), interceptors: tracedClient },
  };
}
