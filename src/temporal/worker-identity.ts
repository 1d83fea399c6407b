import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import type { PayloadKey, PayloadKeys } from './payload-codec.js';

/** The identity of a worker, as Temporal shows it, and the check values of its payload keys. */
export interface WorkerIdentity {
  /** Process and host: `4711@host`. */
  readonly name: string;
  /** In the order of its keys, so the first one encrypts; undefined for a worker that does not publish them. */
  readonly keyChecks: readonly string[] | undefined;
}

/** Beyond this, an identity would become longer than Temporal accepts. */
const MOST_KEYS = 64;

/**
 * `4711@host#5f1c09ab`: process, host, and a check value for each key. With them, `gangway doctor` names the worker whose key differs
 * from the others, although a query reaches any worker.
 *
 * @param name default: process and host, as in the SDK
 */
export function workerIdentity(keys: PayloadKeys | undefined, name = `${process.pid}@${hostname()}`): string {
  const checks = (keys ?? []).map(keyCheck);
  return checks.length > MOST_KEYS ? name : `${name}#${checks.join(',')}`;
}

/** The opposite of {@link workerIdentity}. */
export function parseWorkerIdentity(identity: string): WorkerIdentity {
  const [, name, checks] = /^(.*)#((?:[0-9a-f]{8}(?:,(?!$)|$))*)$/s.exec(identity) ?? [];
  if (name === undefined) return { name: identity, keyChecks: undefined };
  return { name, keyChecks: checks ? checks.split(',') : [] };
}

/**
 * The same for two processes only if they have the same bytes under the same id. 32 bits of an HMAC of 256 random bits say nothing
 * else about the key.
 */
export function keyCheck({ id, key }: PayloadKey): string {
  return createHmac('sha256', key).update(`gangway key check ${id}`).digest('hex').slice(0, 8);
}
