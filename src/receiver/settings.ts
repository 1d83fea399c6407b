import { z } from 'zod';
import {
  BadSetting,
  bearerTokens,
  list,
  listenAddress,
  loadConfig,
  readSettings,
  requestsPerMinute,
  signingSecrets,
  withSecretFiles,
} from '../config.js';
import { type KnownAccounts, knownTo } from '../messages/known-accounts.js';
import { isSecureOrLoopback } from '../partners/http.js';
import type { PayloadKeys } from '../temporal/payload-keys.js';
import { idFields } from './hint-ids.js';
import {
  authSetting,
  HINTING_PARTNERS,
  type HintingPartner,
  type HintRules,
  senderRules,
  takesAnyone,
} from './senders.js';

/** Settings of the receiver that may come from the file that `<NAME>_FILE` names. */
export const RECEIVER_SECRETS: readonly string[] = [
  'RECEIVER_SECRETS',
  'RECEIVER_TOKENS',
  ...HINTING_PARTNERS.map(authSetting),
];

/** An address, or a network as CIDR. One of /0 would be everyone. */
const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).refine((text) => !text.endsWith('/0'));

const settings = z.object({
  RECEIVER_ADDRESS: listenAddress.default({ host: '127.0.0.1', port: 8082 }),
  RECEIVER_SECRETS: signingSecrets.default([]),
  RECEIVER_TOKENS: bearerTokens.default([]),
  RECEIVER_REQUESTS_PER_MINUTE: requestsPerMinute,
  RECEIVER_TRUSTED_PROXIES: list
    .refine(
      (networks) => networks.every((text) => network.safeParse(text).success),
      'each must be an address or a network, such as 10.0.0.7 or 10.0.0.0/24',
    )
    .default([]),
  RECEIVER_BANKING_AUTH: senderRules.default([]),
  RECEIVER_BOARDING_AUTH: senderRules.default([]),
  RECEIVER_PROCESSOR_AUTH: senderRules.default([]),
  RECEIVER_BANKING_ID_FIELDS: idFields.prefault(
    'profileId:BankingProfileId,merchantProfileId:MerchantProfileId',
  ),
  RECEIVER_BOARDING_ID_FIELDS: idFields.prefault(
    'merchantProfileId:MerchantProfileId,mid:Mid,guid:externalId',
  ),
  RECEIVER_PROCESSOR_ID_FIELDS: idFields.prefault('client_reference_id:externalId'),
});

export interface ReceiverSettings extends KnownAccounts {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** `whsec_<base64>`; none to take events that nobody has signed. */
  readonly secrets: readonly string[];
  /** Bearer tokens of those who may call `/onboardings`; none to let nobody. */
  readonly tokens: readonly string[];
  /** Of one token, or of one address without; webhooks of each partner are counted by themselves. */
  readonly requestsPerMinute: number;
  /** Addresses and networks of proxies in front, which are believed when they say who asks. */
  readonly trustedProxies: readonly string[];
  /** Whose webhooks are taken, and what of them is looked at. */
  readonly hints: Readonly<Record<HintingPartner, HintRules>>;
  readonly payloadKeys: PayloadKeys | undefined;
  readonly taskQueue: string;
  readonly logLevel: string;
}

/** @throws {BadSetting} naming the first setting that cannot be used */
export function loadReceiverSettings(environment: NodeJS.ProcessEnv): ReceiverSettings {
  const set = readSettings(settings, withSecretFiles(environment, RECEIVER_SECRETS));
  const { host, port } = set.RECEIVER_ADDRESS;
  const isOpen = !isSecureOrLoopback(new URL(`http://${host}`));
  if (isOpen && set.RECEIVER_SECRETS.length === 0) {
    const why = 'anyone could start onboardings; only a receiver on loopback takes unsigned events';
    throw new BadSetting('RECEIVER_SECRETS', `is not set: ${why}`);
  }
  for (const name of HINTING_PARTNERS.map(authSetting)) {
    if (isOpen && takesAnyone(set[name]))
      throw new BadSetting(name, 'none is for a receiver on loopback only');
  }
  const { payloadKeys, taskQueue, logLevel, ...config } = loadConfig(environment);
  return {
    host,
    port,
    secrets: set.RECEIVER_SECRETS,
    tokens: set.RECEIVER_TOKENS,
    requestsPerMinute: set.RECEIVER_REQUESTS_PER_MINUTE,
    trustedProxies: set.RECEIVER_TRUSTED_PROXIES,
    hints: {
      banking: { senders: set.RECEIVER_BANKING_AUTH, idFields: set.RECEIVER_BANKING_ID_FIELDS },
      boarding: { senders: set.RECEIVER_BOARDING_AUTH, idFields: set.RECEIVER_BOARDING_ID_FIELDS },
      processor: { senders: set.RECEIVER_PROCESSOR_AUTH, idFields: set.RECEIVER_PROCESSOR_ID_FIELDS },
    },
    ...{ payloadKeys, taskQueue, logLevel },
    ...knownTo(config),
  };
}
