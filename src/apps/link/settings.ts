import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { logSettings } from '../../platform/process/logging.js';
import {
  BadSetting,
  bearerTokens,
  isSecureOrLoopback,
  linkUrl,
  listenAddress,
  metricsAddress,
  readSettings,
  secureUrl,
  trustedProxies,
} from '../../platform/settings/settings.js';

/** A merchant may load the logo on a phone. */
const MAX_LOGO_BYTES = 64 * 1024;

export const linkServerSettings = z.object({
  LINK_ADDRESS: listenAddress
    .prefault('127.0.0.1:8086')
    .describe('Where the merchant’s page listens. Outside loopback, `LINK_URL` must be https.'),
  LINK_METRICS_ADDRESS: metricsAddress('merchant’s page'),
  LINK_URL: linkUrl,
  LINK_API_URL: secureUrl.meta({
    description: 'Address of the receiver, whose [HTTP API](api.md) the page calls.',
    unset: 'required',
  }),
  LINK_API_TOKEN: bearerTokens
    .refine((tokens) => tokens.length === 1, 'must be one token')
    .transform(([token = '']) => token)
    .meta({
      description: 'Token of a [client](api.md#clients) with the scope `link` and no other.',
      format: 'token with at least 32 characters',
      unset: 'required',
      secret: true,
    }),
  LINK_COMPANY: z
    .string('is not set')
    .max(100)
    .meta({ description: 'Name of your company, which the page shows.', unset: 'required' }),
  LINK_LOGO_FILE: z
    .string()
    .regex(/\.(?:svg|png)$/, 'must be a file named .svg or .png')
    .optional()
    .meta({
      description: 'Your logo, of at most 64 KiB.',
      format: 'path of an SVG or PNG file',
      unset: 'no logo',
    }),
  LINK_REQUESTS_PER_MINUTE: z.coerce
    .number()
    .pipe(z.int().positive('must be a whole number above 0'))
    .prefault(120)
    .describe('Requests that one address may send in a minute, and requests for one link.')
    .meta({ format: 'whole number' }),
  LINK_TRUSTED_PROXIES: trustedProxies,
  ...logSettings.shape,
});

export type LinkSettings = Readonly<ReturnType<typeof loadLinkSettings>>;

/** @throws {BadSetting} that names the first invalid setting */
export function loadLinkSettings(environment: NodeJS.ProcessEnv) {
  const set = readSettings(linkServerSettings, environment);
  const { host, port } = set.LINK_ADDRESS;
  if (!isSecureOrLoopback(new URL(`http://${host}`)) && !set.LINK_URL.startsWith('https:'))
    throw new BadSetting('LINK_ADDRESS', 'must be a loopback address unless LINK_URL is https');
  return {
    host,
    port,
    metricsAddress: set.LINK_METRICS_ADDRESS,
    url: new URL(set.LINK_URL),
    api: { url: set.LINK_API_URL.replace(/\/$/, ''), token: set.LINK_API_TOKEN },
    company: set.LINK_COMPANY,
    logo: logoIn(set.LINK_LOGO_FILE),
    requestsPerMinute: set.LINK_REQUESTS_PER_MINUTE,
    trustedProxies: set.LINK_TRUSTED_PROXIES,
    logLevel: set.GANGWAY_LOG_LEVEL,
  };
}

function logoIn(file: string | undefined) {
  if (file === undefined) return undefined;
  try {
    const content = readFileSync(file);
    const [name, type] = file.endsWith('.svg') ? ['logo.svg', 'image/svg+xml'] : ['logo.png', 'image/png'];
    if (content.length <= MAX_LOGO_BYTES) return { name, type, content };
  } catch (error) {
    throw new BadSetting('LINK_LOGO_FILE', `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  throw new BadSetting('LINK_LOGO_FILE', `is larger than ${MAX_LOGO_BYTES / 1024} KiB`);
}
