import { z } from 'zod';
import {
  BadSetting,
  bearerTokens,
  list,
  listenAddress,
  loadConfig,
  readSettings,
  requestsPerMinute,
  withSecretFiles,
} from '../config.js';
import { isSecureOrLoopback } from '../partners/http.js';
import type { PayloadKeys } from '../temporal/payload-keys.js';

/** Settings of the receiver that may come from the file that `<NAME>_FILE` names. */
const RECEIVER_SECRETS: readonly string[] = ['RECEIVER_SECRETS', 'RECEIVER_TOKENS'];

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES = { min: 24, max: 64 };

const settings = z.object({
  RECEIVER_ADDRESS: listenAddress.default({ host: '127.0.0.1', port: 8082 }),
  RECEIVER_SECRETS: list
    .refine(
      (secrets) => secrets.every(isSecret),
      'each secret must be whsec_ and 24 to 64 bytes in base64, such as echo "whsec_$(openssl rand -base64 32)" makes',
    )
    .default([]),
  RECEIVER_TOKENS: bearerTokens.default([]),
  RECEIVER_REQUESTS_PER_MINUTE: requestsPerMinute,
});

export interface ReceiverSettings {
  readonly host: string;
  readonly port: number;
  /** `whsec_<base64>`; none to take events that nobody has signed. */
  readonly secrets: readonly string[];
  /** Bearer tokens of those who may call `/onboardings`. */
  readonly tokens: readonly string[];
  readonly requestsPerMinute: number;
  readonly payloadKeys: PayloadKeys | undefined;
  readonly taskQueue: string;
  /** Point-of-sale names the boarding partner knows beside the two that its contract prints. */
  readonly posNames: readonly string[];
  readonly logLevel: string;
}

/** @throws {BadSetting} naming the first setting that cannot be used */
export function loadReceiverSettings(environment: NodeJS.ProcessEnv = process.env): ReceiverSettings {
  const set = readSettings(settings, withSecretFiles(environment, RECEIVER_SECRETS));
  const { host, port } = set.RECEIVER_ADDRESS;
  if (set.RECEIVER_SECRETS.length === 0 && !isSecureOrLoopback(new URL(`http://${host}`))) {
    const why = 'anyone could start onboardings; only a receiver on loopback takes unsigned events';
    throw new BadSetting('RECEIVER_SECRETS', `is not set: ${why}`);
  }
  const { payloadKeys, taskQueue, posNames, logLevel } = loadConfig(environment);
  return {
    host,
    port,
    secrets: set.RECEIVER_SECRETS,
    tokens: set.RECEIVER_TOKENS,
    requestsPerMinute: set.RECEIVER_REQUESTS_PER_MINUTE,
    ...{ payloadKeys, taskQueue, posNames, logLevel },
  };
}

function isSecret(text: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? '';
  const bytes = Buffer.from(base64, 'base64');
  const { min, max } = SECRET_BYTES;
  return bytes.toString('base64') === base64 && bytes.length >= min && bytes.length <= max;
}
