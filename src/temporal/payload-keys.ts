import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** A key of AES-256. Printed or turned into JSON, a KeyObject does not show its bytes. */
export interface PayloadKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The first one encrypts; each of them decrypts what bears its id. */
export type PayloadKeys = readonly [PayloadKey, ...PayloadKey[]];

const KEY_BYTES = 32;

export const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Standard base64 of 32 bytes. */
const KEY_TEXT = /^[A-Za-z0-9+/]{43}=$/;

/** `id:base64`, separated by commas. What breaks a rule is named by its position, never by its value. */
export const payloadKeys = z.string('is not set').transform((text, context): PayloadKeys => {
  try {
    return parsePayloadKeys(text);
  } catch (error) {
    context.addIssue((error as Error).message);
    return z.NEVER;
  }
});

/** @throws {TypeError} saying which key breaks which rule, and nothing of its value */
export function parsePayloadKeys(text: string): PayloadKeys {
  const [first, ...others] = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map(parseKey);
  if (first === undefined) throw new TypeError('must name at least one key, as id:base64');
  const ids = [first, ...others].map(({ id }) => id);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (twice > 0) throw new TypeError(`key ${twice + 1} has the id of one before it`);
  return [first, ...others];
}

function parseKey(entry: string, index: number): PayloadKey {
  const [id = '', base64 = '', ...more] = entry.split(':');
  if (more.length > 0 || !KEY_ID.test(id)) {
    throw new TypeError(
      `key ${index + 1} must be id:base64, with an id of 1 to 64 letters, digits, ".", "_" or "-"`,
    );
  }
  const bytes = KEY_TEXT.test(base64) ? Buffer.from(base64, 'base64') : Buffer.alloc(0);
  if (bytes.length !== KEY_BYTES) {
    throw new TypeError(`key ${index + 1} must be ${KEY_BYTES} bytes in base64`);
  }
  return { id, key: createSecretKey(bytes) };
}

/** A new random key as `id:base64`. The id tells the day, as in `k20261121-0a1b2c`. */
export function generatePayloadKey(now = new Date()): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const id = `k${day}-${randomBytes(3).toString('hex')}`;
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}
