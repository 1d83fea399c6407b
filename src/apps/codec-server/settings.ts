import { z } from 'zod';
import { type JwtRule, REQUESTS_PER_MINUTE } from '../../platform/http/server.js';
import { logSettings } from '../../platform/process/logging.js';
import {
  BadSetting,
  bearerTokens,
  flag,
  isSecureOrLoopback,
  listenAddress,
  listSetting,
  metricsAddress,
  readSettings,
} from '../../platform/settings/settings.js';
import { payloadKeys } from '../../temporal/payload-codec.js';

export const codecServerSettings = z.object({
  PAYLOAD_KEYS: payloadKeys.meta({
    description: 'Keys that encrypt payloads: the first encrypts, each decrypts.',
    unset: 'required',
  }),
  CODEC_ADDRESS: listenAddress
    .prefault('127.0.0.1:8083')
    .describe('Where the codec server listens. Outside loopback, it requires `CODEC_BEHIND_TLS=true`.'),
  CODEC_METRICS_ADDRESS: metricsAddress('codec server'),
  CODEC_BEHIND_TLS: flag.describe('Confirms that a proxy in front terminates TLS.'),
  CODEC_TOKEN_IN_PATH: flag.describe(
    'Takes the token from the path, because the Web UI of a development server sends none. For loopback only.',
  ),
  CODEC_TOKENS: bearerTokens
    .default([])
    .describe('Bearer tokens of callers. Required unless `CODEC_JWKS_URL` is set.'),
  CODEC_JWKS_URL: z
    .string()
    .refine(
      (text) => URL.canParse(text) && isSecureOrLoopback(new URL(text)),
      'must be a URL with https (http only to loopback)',
    )
    .optional()
    .meta({
      description: 'Where the issuer of JSON Web Tokens (JWT) publishes its keys.',
      format: 'https URL',
      address: true,
    }),
  CODEC_JWT_ISSUER: z.string().optional().meta({
    description: 'Issuer of the JWTs. Required with `CODEC_JWKS_URL`.',
    address: false,
  }),
  CODEC_JWT_AUDIENCE: z.string().optional().describe('Audience of the JWTs. Required with `CODEC_JWKS_URL`.'),
  CODEC_UI_ORIGIN: z
    .string()
    .refine(isOrigin, 'must be an origin such as https://temporal.example.com, without a path')
    .optional()
    .meta({
      description: 'Origin of the Temporal Web UI that may call the codec server.',
      format: 'origin such as `https://temporal.example.com`',
      address: false,
      unset: 'no origin',
    }),
  CODEC_NAMESPACES: listSetting
    .refine((names) => names.every(Boolean), 'must be names of namespaces, separated by commas')
    .optional()
    .meta({
      description: 'Namespaces whose payloads it converts.',
      unset: '`TEMPORAL_NAMESPACE`',
    }),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Namespace at Temporal.'),
  ...logSettings.shape,
});

export type CodecSettings = Readonly<ReturnType<typeof loadCodecSettings>>;

/** @throws {BadSetting} with the first invalid setting */
export function loadCodecSettings(environment: NodeJS.ProcessEnv) {
  const set = readSettings(codecServerSettings, environment);
  const { CODEC_ADDRESS: address, CODEC_TOKENS: tokens, CODEC_TOKEN_IN_PATH: tokenInPath } = set;
  const isLocal = isSecureOrLoopback(new URL(`http://${address.host}`));
  // Responses are unencrypted payloads, so they may leave the machine only through an encrypted connection.
  if (!isLocal && !set.CODEC_BEHIND_TLS) {
    const rule = 'must be a loopback address; with TLS in front of this server, set CODEC_BEHIND_TLS=true';
    throw new BadSetting('CODEC_ADDRESS', rule);
  }
  const jwt = jwtFrom(set);
  if (tokens.length === 0 && !jwt) {
    const rule = 'is not set, and neither is CODEC_JWKS_URL: callers need a bearer token';
    throw new BadSetting('CODEC_TOKENS', rule);
  }
  // Proxies write paths to their logs.
  if (tokenInPath && (!isLocal || set.CODEC_BEHIND_TLS))
    throw new BadSetting('CODEC_TOKEN_IN_PATH', 'is allowed on loopback only, without a proxy in front');
  return {
    ...address,
    tokenInPath,
    bearer: { tokens, jwt },
    metricsAddress: set.CODEC_METRICS_ADDRESS,
    keys: set.PAYLOAD_KEYS,
    uiOrigin: set.CODEC_UI_ORIGIN,
    namespaces: set.CODEC_NAMESPACES ?? [set.TEMPORAL_NAMESPACE],
    requestsPerMinute: REQUESTS_PER_MINUTE,
    logLevel: set.GANGWAY_LOG_LEVEL,
  };
}

function jwtFrom(set: z.output<typeof codecServerSettings>): JwtRule | undefined {
  const names = ['CODEC_JWKS_URL', 'CODEC_JWT_ISSUER', 'CODEC_JWT_AUDIENCE'] as const;
  const [jwksUrl, issuer, audience] = names.map((name) => set[name]);
  if (jwksUrl !== undefined && issuer !== undefined && audience !== undefined) {
    return { jwksUrl, issuer, audience };
  }
  const missing = names.find((name) => set[name] === undefined);
  const present = names.find((name) => set[name] !== undefined);
  if (missing && present)
    throw new BadSetting(missing, `is not set, but ${present} is: set all three or none`);
  return undefined;
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
