import { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import { decodeJwt } from 'jose';
import type { PayloadKeys } from '../temporal/payload-keys.js';

/** What lets this process in, and how old that gets. */
export interface Ages {
  /** When our certificate at Temporal ends. */
  certificate(options: Pick<ConnectionOptions, 'tls'>): void;
  /** When an API key of Temporal ends, if it is one that says so. */
  apiKey(key: string): void;
  /** When the key that encrypts was made, if its id tells the day. */
  payloadKey(keys: PayloadKeys): void;
}

/** Shows the ages of credentials, in seconds since 1970, so that they are replaced in time. */
export function watchAges(meter: MetricMeter): Ages {
  const expires = meter.createGauge(
    'gangway_credential_expires_timestamp_seconds',
    'int',
    undefined,
    'When what lets us in at Temporal ends',
  );
  const made = meter.createGauge(
    'gangway_payload_key_made_timestamp_seconds',
    'int',
    undefined,
    'When the key that encrypts payloads was made',
  );
  return {
    certificate({ tls }) {
      const pair = typeof tls === 'object' ? tls?.clientCertPair : undefined;
      if (!pair) return;
      const { validTo } = new X509Certificate(Buffer.from(pair.crt));
      expires.set(Date.parse(validTo) / 1_000, { credential: 'certificate' });
    },
    apiKey(key) {
      const end = expiryOf(key);
      if (end !== undefined) expires.set(end, { credential: 'api-key' });
    },
    payloadKey([{ id }]) {
      const [, year, month, day] = /^k(\d{4})(\d{2})(\d{2})-/.exec(id) ?? [];
      const at = Date.parse(`${year}-${month}-${day}`);
      if (Number.isFinite(at)) made.set(at / 1_000, { key: id });
    },
  };
}

/** A key of Temporal Cloud is a JWT. */
function expiryOf(key: string): number | undefined {
  try {
    return decodeJwt(key).exp;
  } catch {
    return undefined;
  }
}
