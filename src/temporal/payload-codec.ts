import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import {
  type DataConverter,
  type Payload,
  type PayloadCodec,
  ValueError,
  type WorkflowSerializationContext,
} from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
  encodeToPayload,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import proto, { type temporal } from '@temporalio/proto';
import { z } from 'zod';
import { partsOfId } from '../messages/ids.js';
import { inPackage } from '../platform/process/package.js';

/** An AES-256 key. A KeyObject does not reveal its bytes when printed or serialized. */
export interface PayloadKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The first key encrypts. Each key decrypts the payloads that name its ID. */
export type PayloadKeys = readonly [PayloadKey, ...PayloadKey[]];

const KEY_BYTES = 32;

export const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;

const KEY_TEXT = /^[A-Za-z0-9+/]{43}=$/;

/** The schema of keys, as `id:base64`, separated by commas. A message names an invalid key by its position, never by its value. */
export const payloadKeys = z
  .string('is not set')
  .transform((text, context): PayloadKeys => {
    try {
      return parsePayloadKeys(text);
    } catch (error) {
      context.addIssue((error as Error).message);
      return z.NEVER;
    }
  })
  .meta({ format: 'list of `id:base64`', secret: true });

/** @throws {TypeError} with the position of the invalid key and the rule that it breaks, without its value */
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

/** Generates a random key, as `id:base64`. The ID contains the day, as in `k20261121-0a1b2c`. */
export function generatePayloadKey(now = new Date()): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const id = `k${day}-${randomBytes(3).toString('hex')}`;
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

export const ENCRYPTED = 'binary/encrypted';

const KEY_ID_METADATA = 'encryption-key-id';

/** The metadata field for the place of an encrypted payload: {@link PlaceNames} as JSON. Short, because every payload has it. */
const PLACE_METADATA = 'place';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Thrown for an encrypted payload that cannot be decrypted. The message may name the key's ID, but never the contents. */
export class UnreadablePayload extends Error {
  override readonly name = 'UnreadablePayload';
  constructor(
    message: string,
    options?: ErrorOptions,
    readonly missingKey?: string,
  ) {
    super(message, options);
  }
}

/** The place to which a payload belongs or at which it was found, as far as known. */
export interface Place {
  readonly namespace?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly activityId?: string | undefined;
}

/** Namespace, workflow ID and activity ID of a {@link Place}; '' if unknown. */
type PlaceNames = readonly [namespace: string, workflowId: string, activityId: string];

/** Thrown for an encrypted payload of one place that was found at another. The message names both. */
export class MisplacedPayload extends Error {
  override readonly name = 'MisplacedPayload';
  constructor(belongs: PlaceNames, actual: PlaceNames) {
    super(`a payload of ${describePlace(belongs)} was found in ${describePlace(actual)}`);
  }
}

function describePlace([namespace, workflowId, activityId]: PlaceNames): string {
  const named = Object.entries({ activity: activityId, workflow: workflowId, namespace });
  return named.flatMap(([what, id]) => (id === '' ? [] : [`${what} ${id}`])).join(' of ');
}

/** Reports whether an error is about a payload whose key this process does not have. */
export function isUnreadablePayload(error: unknown): error is Error {
  if (error instanceof UnreadablePayload) return true;
  // Without any key, there is no codec, and the converter does not know the encoding.
  return error instanceof ValueError && error.message === `Unknown encoding: ${ENCRYPTED}`;
}

/**
 * Returns the encrypted payloads in a Temporal message, with their key IDs. Skips a payload with an invalid key ID, because anyone
 * can write metadata, and people see the IDs.
 */
export function encryptedIn(message: unknown): { readonly keyId: string; readonly payload: Payload }[] {
  if (typeof message !== 'object' || message === null || message instanceof Uint8Array) return [];
  const payload = message as Payload;
  if (!isEncrypted(payload)) return Object.values(message).flatMap(encryptedIn);
  const keyId = textOf(payload.metadata?.[KEY_ID_METADATA]);
  return KEY_ID.test(keyId) ? [{ keyId, payload }] : [];
}

/**
 * Decodes raw payloads, for example from a history.
 *
 * @param workflowId the workflow that they come from; undefined for any workflow
 * @throws {UnreadablePayload} if a key is missing
 * @throws {MisplacedPayload} if they belong to another workflow
 */
export function decodePayloads(
  client: Converting,
  payloads: readonly Payload[] | null | undefined,
  workflowId: string | undefined,
): Promise<unknown[]> {
  const context = foundIn(client, workflowId);
  return decodeArrayFromPayloads(client.options.loadedDataConverter, payloads && [...payloads], context);
}

/** Decodes a raw failure into an error. Throws like {@link decodePayloads}. */
export async function decodeFailure(
  client: Client,
  failure: temporal.api.failure.v1.IFailure | null | undefined,
  workflowId: string,
): Promise<Error | undefined> {
  const context = foundIn(client, workflowId);
  return decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure, context);
}

/** Encodes a value as a file of a workflow, encrypted like its payloads. */
export async function sealValue(client: Converting, value: unknown, workflowId: string): Promise<Uint8Array> {
  const { loadedDataConverter } = client.options;
  const payload = await encodeToPayload(loadedDataConverter, value, foundIn(client, workflowId));
  return PayloadMessage.encode(payload).finish();
}

/** The inverse of {@link sealValue}. Throws like {@link decodePayloads}. */
export async function unsealValue(
  client: Converting,
  file: Uint8Array,
  workflowId: string,
): Promise<unknown> {
  const [value] = await decodePayloads(client, [PayloadMessage.decode(file)], workflowId);
  return value;
}

/** The part of a client that encodes payloads. The namespace '' stands for any namespace. */
type Converting = { readonly options: Pick<Client['options'], 'loadedDataConverter' | 'namespace'> };

function foundIn(
  { options: { namespace } }: Converting,
  workflowId: string | undefined,
): WorkflowSerializationContext | undefined {
  return workflowId === undefined ? undefined : { type: 'workflow', namespace, workflowId };
}

/**
 * Encrypts complete payloads, including metadata, with the first key. Decrypts with any key. Accepts unencrypted payloads, so that
 * histories from before encryption can continue.
 *
 * The data of an encrypted payload is IV (12 bytes), ciphertext, tag (16 bytes). The cipher is AES-256-GCM, with the key ID, a line
 * feed and the metadata `place` as additional authenticated data. The plain text is one byte that names the form (0 plain, 1
 * deflated by RFC 1951), and the payload as a `temporal.api.common.v1.Payload`. IVs are random, so replace a key before its four
 * billionth payload.
 *
 * `decode` throws an {@link UnreadablePayload} or a {@link MisplacedPayload}.
 */
export function payloadCodec(keys: PayloadKeys, onUnreadable = () => {}): PlacingCodec {
  const [current] = keys;
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    encode: (payloads, place) => Promise.all(payloads.map((payload) => encrypt(payload, current, place))),
    decode: (payloads, place) =>
      Promise.all(
        payloads.map(async (payload) =>
          isEncrypted(payload) ? decrypt(payload, findKey(payload, byId), place) : payload,
        ),
      ).catch((error: unknown) => {
        onUnreadable();
        throw error;
      }),
  };
}

/** A codec that accepts a place with fewer details than the SDK requires. */
interface PlacingCodec extends PayloadCodec {
  encode(payloads: Payload[], place?: Place): Promise<Payload[]>;
  decode(payloads: Payload[], place?: Place): Promise<Payload[]>;
}

async function encrypt(payload: Payload, { id, key }: PayloadKey, place?: Place): Promise<Payload> {
  const contents = await pack(PayloadMessage.encode(payload).finish());
  const iv = randomBytes(IV_BYTES);
  const belongs = JSON.stringify(namesOf(place));
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(
    associatedData(id, belongs),
  );
  const data = Buffer.concat([iv, cipher.update(contents), cipher.final(), cipher.getAuthTag()]);
  const metadata = {
    encoding: Buffer.from(ENCRYPTED),
    [KEY_ID_METADATA]: Buffer.from(id),
    [PLACE_METADATA]: Buffer.from(belongs),
  };
  return { metadata, data };
}

async function decrypt({ data, metadata }: Payload, key: PayloadKey, place?: Place): Promise<Payload> {
  const belongs = textOf(metadata?.[PLACE_METADATA]);
  const contents = open(data ?? Buffer.alloc(0), key, belongs);
  requireSame(JSON.parse(belongs), namesOf(place));
  try {
    return PayloadMessage.decode(await unpack(contents));
  } catch (error) {
    throw new UnreadablePayload(`a value that key ${key.id} encrypted is not a payload`, { cause: error });
  }
}

function open(data: Uint8Array, { id, key }: PayloadKey, belongs: string): Uint8Array {
  try {
    const iv = data.subarray(0, IV_BYTES);
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(CIPHER, key, iv, options).setAAD(associatedData(id, belongs));
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const contents = decipher.update(data.subarray(IV_BYTES, -TAG_BYTES));
    decipher.final();
    return contents;
  } catch (error) {
    const why = `an encrypted payload cannot be read with key ${id}: it is damaged, or was encrypted with another key of this id`;
    throw new UnreadablePayload(why, { cause: error });
  }
}

/** Returns the additional authenticated data. No key ID contains a line feed. */
function associatedData(id: string, belongs: string): Buffer {
  return Buffer.from(`${id}\n${belongs}`);
}

function namesOf({ namespace = '', workflowId = '', activityId = '' }: Place = {}): PlaceNames {
  return [namespace, workflowId, activityId];
}

/**
 * Compares the known parts of both places. Another program's workflow may read the outcome of an onboarding, because Temporal
 * copies it from Gangway's history for a Nexus call.
 *
 * @throws {MisplacedPayload}
 */
function requireSame(belongs: PlaceNames, actual: PlaceNames): void {
  const [, workflowId] = actual;
  if (workflowId !== '' && !partsOfId(workflowId)) return;
  const differs = belongs.some((name, part) => name !== '' && actual[part] !== '' && name !== actual[part]);
  if (differs) throw new MisplacedPayload(belongs, actual);
}

function isEncrypted({ metadata }: Payload): boolean {
  return textOf(metadata?.['encoding']) === ENCRYPTED;
}

function findKey({ metadata }: Payload, byId: ReadonlyMap<string, PayloadKey>): PayloadKey {
  const id = textOf(metadata?.[KEY_ID_METADATA]);
  // Anyone can write metadata, and the ID appears in messages and logs.
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

/** The first byte: the form of the bytes after it. */
const PLAIN = 0;
const DEFLATED = 1;

/** Far more than Temporal accepts in one message. A larger payload is an attack on our memory. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** Compressing this many bytes takes less time than a round trip through the thread pool. */
const SYNC_BYTES = 32 * 1024;

const deflateAside = promisify(deflateRaw);
const inflateAside = promisify(inflateRaw);

/**
 * Packs contents: one byte for the form, then the contents, deflated if that is smaller. JSON of 2 to 10 kB shrinks to a quarter or
 * a third. Brotli would save 3% more and take twice the time.
 */
export async function pack(contents: Uint8Array): Promise<Buffer> {
  const deflated = await deflate(contents);
  return deflated.length < contents.length
    ? Buffer.concat([Buffer.of(DEFLATED), deflated])
    : Buffer.concat([Buffer.of(PLAIN), contents]);
}

/** @throws {Error} if the form is unknown, or the contents are damaged or larger than 64 MiB */
async function unpack(packed: Uint8Array): Promise<Uint8Array> {
  const [form] = packed;
  const contents = packed.subarray(1);
  if (form === PLAIN) return contents;
  if (form === DEFLATED) return inflate(contents);
  throw new Error(`unknown form ${form}`);
}

/** Leaves contents that {@link unpack} would reject uncompressed. */
async function deflate(contents: Uint8Array): Promise<Uint8Array> {
  if (contents.length > MAX_UNPACKED_BYTES) return contents;
  return contents.length > SYNC_BYTES ? deflateAside(contents) : deflateRawSync(contents);
}

async function inflate(contents: Uint8Array): Promise<Uint8Array> {
  const options = { maxOutputLength: MAX_UNPACKED_BYTES };
  return contents.length > SYNC_BYTES ? inflateAside(contents, options) : inflateRawSync(contents, options);
}

/** The built file, because the SDK loads it with `require`, which cannot load the source. */
export const FAILURE_CONVERTER = inPackage('dist/temporal/failure-converter.js');

// Keeps T1.
/**
 * Returns the data converter of clients and workers, which encrypts if there are keys. Without keys, failures keep their form,
 * because as payloads they would be harder to read and no less public.
 */
export function dataConverter(keys: PayloadKeys | undefined, onUnreadable?: () => void): DataConverter {
  if (!keys) return {};
  return { payloadCodecs: [payloadCodec(keys, onUnreadable)], failureConverterPath: FAILURE_CONVERTER };
}

/** {@link dataConverter} for a replay, whose namespace and workflow ID may differ from the recorded ones. */
export function replayConverter(keys: PayloadKeys | undefined): DataConverter {
  const { payloadCodecs = [], ...others } = dataConverter(keys);
  const anywhere = ({ encode, decode }: PayloadCodec): PayloadCodec => ({
    encode: (payloads) => encode(payloads),
    decode: (payloads) => decode(payloads),
  });
  return { ...others, payloadCodecs: payloadCodecs.map(anywhere) };
}
