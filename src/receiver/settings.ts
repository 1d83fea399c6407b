import { z } from 'zod';
import {
  BadSetting,
  bearerTokens,
  listenAddress,
  loadConfig,
  readSettings,
  requestsPerMinute,
  webhookSecrets,
  withSecretFiles,
} from '../config.js';
import { isSecureOrLoopback } from '../partners/http.js';
import type { PayloadKeys } from '../temporal/payload-keys.js';

/** Settings of the receiver that may come from the file that `<NAME>_FILE` names. */
const RECEIVER_SECRETS: readonly string[] = ['RECEIVER_SECRETS', 'RECEIVER_TOKENS'];

const settings = z.object({
  RECEIVER_ADDRESS: listenAddress.default({ host: '127.0.0.1', port: 8082 }),
  RECEIVER_SECRETS: webhookSecrets.default([]),
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
