import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { pack, unpack } from './payload-compression.js';
import { KEY_ID, type PayloadKey, type PayloadKeys } from './payload-keys.js';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** Metadata `encoding` of an encrypted payload. */
export const ENCRYPTED = 'binary/encrypted';

/** Metadata that names the key of an encrypted payload. */
export const KEY_ID_METADATA = 'encryption-key-id';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted payload that cannot be read. The message may name the key id, and nothing of the contents. */
export class UnreadablePayload extends Error {
  override readonly name = 'UnreadablePayload';
  constructor(
    message: string,
    options?: ErrorOptions,
    /** Id of the key that it needs, when that is not among the keys. */
    readonly missingKey?: string,
  ) {
    super(message, options);
  }
}

/**
 * Encrypts whole payloads, metadata included, with the first key. Decrypts with any of them; what is not encrypted
 * stays as it is, so that histories from before the encryption go on.
 *
 * The data of an encrypted payload is IV (12 bytes), ciphertext, tag (16 bytes): AES-256-GCM, with the key id in
 * UTF-8 as additional authenticated data, over one byte that tells the form (0 plain, 1 deflated by RFC 1951) and
 * the payload as a `temporal.api.common.v1.Payload`. IVs are random: renew a key before its four billionth payload.
 *
 * `decode` throws an {@link UnreadablePayload}.
 */
export function payloadCodec(keys: PayloadKeys): PayloadCodec {
  const [current] = keys;
  const byId = new Map(keys.map((key) => [key.id, key]));
  const decoded = async (payload: Payload) =>
    isEncrypted(payload) ? decrypt(payload, keyOf(payload, byId)) : payload;
  return {
    encode: (payloads) => Promise.all(payloads.map((payload) => encrypt(payload, current))),
    decode: (payloads) => Promise.all(payloads.map(decoded)),
  };
}

async function encrypt(payload: Payload, { id, key }: PayloadKey): Promise<Payload> {
  const contents = await pack(PayloadMessage.encode(payload).finish());
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id));
  const data = Buffer.concat([iv, cipher.update(contents), cipher.final(), cipher.getAuthTag()]);
  return { metadata: { encoding: Buffer.from(ENCRYPTED), [KEY_ID_METADATA]: Buffer.from(id) }, data };
}

async function decrypt({ data }: Payload, key: PayloadKey): Promise<Payload> {
  const contents = open(data ?? Buffer.alloc(0), key);
  try {
    return PayloadMessage.decode(await unpack(contents));
  } catch (error) {
    throw new UnreadablePayload(`what key ${key.id} encrypted is not a payload`, { cause: error });
  }
}

function open(data: Uint8Array, { id, key }: PayloadKey): Uint8Array {
  try {
    const iv = data.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id));
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const contents = decipher.update(data.subarray(IV_BYTES, -TAG_BYTES));
    decipher.final();
    return contents;
  } catch (error) {
    const why = `an encrypted payload cannot be read with key ${id}: it is damaged, or the key is another one`;
    throw new UnreadablePayload(why, { cause: error });
  }
}

function isEncrypted({ metadata }: Payload): boolean {
  return textOf(metadata?.['encoding']) === ENCRYPTED;
}

function keyOf({ metadata }: Payload, byId: ReadonlyMap<string, PayloadKey>): PayloadKey {
  const id = textOf(metadata?.[KEY_ID_METADATA]);
  // Anyone can write metadata, and this goes into messages and logs.
  if (!KEY_ID.test(id)) throw new UnreadablePayload('an encrypted payload does not name its key');
  const key = byId.get(id);
  if (!key) {
    const why = `an encrypted payload needs key ${id}, which is not among the keys`;
    throw new UnreadablePayload(why, undefined, id);
  }
  return key;
}

function textOf(bytes: Uint8Array | undefined | null): string {
  return bytes ? Buffer.from(bytes).toString() : '';
}
