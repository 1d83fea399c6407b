import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isUnreadablePayload,
  MAX_UNPACKED_BYTES,
  type Place,
  parsePayloadKeys,
  payloadCodec,
} from '../../../src/temporal/payload-codec.js';

/** The bytes 0 to 31. */
const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const K1 = `k1:${KEY.toString('base64')}`;
/** The place of what belongs nowhere. */
const NOWHERE = '["","",""]';
const OTHER = `k2:${randomBytes(32).toString('base64')}`;

const codecOf = (keys: string) => payloadCodec(parsePayloadKeys(keys));
const codec = codecOf(K1);

const encode = async (payload: Payload, using = codec, place?: Place): Promise<Payload> =>
  (await using.encode([payload], place))[0] ?? {};
const decode = async (payload: Payload, using = codec, place?: Place): Promise<Payload> =>
  (await using.decode([payload], place))[0] ?? {};

function encrypted(data: Uint8Array, keyId = 'k1'): Payload {
  return {
    metadata: {
      encoding: Buffer.from('binary/encrypted'),
      place: Buffer.from(NOWHERE),
      'encryption-key-id': Buffer.from(keyId),
    },
    data,
  };
}

const json = (value: unknown) => defaultPayloadConverter.toPayload(value) as Payload;

/** What is inside the data of a payload, by nothing but the documented format. */
function openByHand(data: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', KEY, data.slice(0, 12));
  decipher.setAAD(Buffer.from(`k1\n${NOWHERE}`));
  decipher.setAuthTag(data.slice(data.length - 16));
  return Buffer.concat([decipher.update(data.slice(12, data.length - 16)), decipher.final()]);
}

function sealByHand(contents: Uint8Array): Uint8Array {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', KEY, iv).setAAD(Buffer.from(`k1\n${NOWHERE}`));
  return Buffer.concat([iv, cipher.update(contents), cipher.final(), cipher.getAuthTag()]);
}

/** `"Ada"` as json/plain, in the wire format of protobuf. */
const ADA = '0a160a08656e636f64696e67120a6a736f6e2f706c61696e12052241646122';

const bytes = fc.uint8Array({ maxLength: 300 });
const anyPayload = fc.record({
  metadata: fc.dictionary(fc.string({ maxLength: 20 }), bytes, { maxKeys: 4 }),
  data: fc.oneof(
    fc.constant(null),
    bytes,
    fc.uint8Array({ minLength: 30_000, maxLength: 70_000, size: 'max' }),
  ),
});

// Proves T1.
describe('the payload codec', () => {
  it('returns the payloads that it encoded, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyPayload, { maxLength: 4 }), async (payloads) => {
        const decoded = await codec.decode(await codec.encode(payloads));
        expect(decoded.map(plain)).toEqual(payloads.map(plain));
      }),
      { numRuns: 60 },
    );
  });

  it('marks what it encrypts, names the key, and shows nothing else', async () => {
    const { metadata, data } = await encode(json({ email: 'ada@example.com' }));
    expect(Object.keys(metadata ?? {}).sort()).toEqual(['encoding', 'encryption-key-id', 'place']);
    expect(Buffer.from(metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');
    expect(Buffer.from(metadata?.['encryption-key-id'] ?? []).toString()).toBe('k1');
    expect(Buffer.from(metadata?.['place'] ?? []).toString()).toBe(NOWHERE);
    for (const inner of ['json/plain', 'encoding', 'email', 'ada@']) {
      expect(Buffer.from(data ?? []).includes(inner)).toBe(false);
    }
  });

  it('never encrypts the same payload in the same way', async () => {
    const records = await codec.encode(Array.from({ length: 20 }, () => json('Ada')));
    expect(new Set(records.map(({ data }) => Buffer.from(data ?? []).toString('hex'))).size).toBe(20);
  });

  it('writes the documented format', async () => {
    const { data } = await encode(json('Ada'));
    expect(openByHand(data as Uint8Array).toString('hex')).toBe(`00${ADA}`);
  });

  it.each([
    [
      'plain',
      '"Ada"',
      '000102030405060708090a0b4708c011cd80ac78e225fee5d6fb7207f0b9e91b80173e155675e0a75c0d6190a98fff270e2ef45f8f14ec6e5780a3e5',
    ],
    [
      'deflated',
      `"${'Ada '.repeat(20)}"`,
      '000102030405060708090a0b46e1c4f827ad0f50430e5e47fafe9aa7a91848e7dfb316b0f474efd76f2549e6a136f8feaf4f5e5c87f2e065d185429908ff360283',
    ],
  ])('reads earlier payloads: %s', async (_, text, hex) => {
    const { metadata, data } = await decode(encrypted(Buffer.from(hex, 'hex')));
    expect(Buffer.from(metadata?.['encoding'] ?? []).toString()).toBe('json/plain');
    expect(Buffer.from(data ?? []).toString()).toBe(text);
  });

  it('leaves unencrypted payloads alone, as in histories from before the encryption', async () => {
    const clear = [json('Ada'), {}, { metadata: {}, data: new Uint8Array([1]) }];
    const decoded = await codec.decode(clear);
    for (const [index, payload] of decoded.entries()) expect(payload).toBe(clear[index]);
  });

  it('encrypts encrypted payloads again, and decrypts one layer at a time', async () => {
    const once = await encode(json('Ada'));
    expect(plain(await decode(await encode(once)))).toEqual(plain(once));
  });
});

describe('compression', () => {
  it('is used where it saves space', async () => {
    const list = Array.from({ length: 50 }, (_, id) => ({ id, event: 'waiting-for-partner', actor: 'olga' }));
    const contents = openByHand((await encode(json(list))).data as Uint8Array);
    expect(contents[0]).toBe(1);
    expect(contents.length).toBeLessThan(JSON.stringify(list).length / 3);
    expect(inflateRawSync(contents.subarray(1)).includes('waiting-for-partner')).toBe(true);
  });

  it.each([10, 5_000, 100_000])('is not used for %d random bytes', async (size) => {
    const contents = openByHand((await encode(json(new Uint8Array(randomBytes(size))))).data as Uint8Array);
    expect(contents[0]).toBe(0);
  });

  it('is limited against bombs: at most 64 MiB come out', async () => {
    const bomb = deflateRawSync(Buffer.alloc(MAX_UNPACKED_BYTES + 1));
    const data = sealByHand(Buffer.concat([Buffer.of(1), bomb]));
    await expect(decode(encrypted(data))).rejects.toThrow('a value that key k1 encrypted is not a payload');
  });

  it('is not used for payloads that could not be read again', async () => {
    const huge = { data: Buffer.alloc(MAX_UNPACKED_BYTES + 1) };
    expect((await decode(await encode(huge))).data).toHaveLength(MAX_UNPACKED_BYTES + 1);
  });
});

describe('an encrypted payload', () => {
  const DAMAGED = 'an encrypted payload cannot be read with key k1: it is damaged';
  it('cannot be read once any byte of it is changed', async () => {
    const { data } = await encode(json('Ada'));
    for (let position = 0; position < (data?.length ?? 0); position++) {
      const changed = Buffer.from(data ?? []);
      changed[position] = (changed[position] ?? 0) ^ 1;
      await expect(decode(encrypted(changed))).rejects.toThrow(
        `${DAMAGED}, or was encrypted with another key of this id`,
      );
    }
  });

  it.each([0, 1, 12, 27, 28, 50])('cannot be read when only %d bytes remain', async (length) => {
    const { data } = await encode(json('Ada'));
    await expect(decode(encrypted((data ?? Buffer.of()).slice(0, length)))).rejects.toThrow('key k1');
  });

  it('is bound to its key id, even when two IDs have the same key', async () => {
    const twins = codecOf(`k1:${KEY.toString('base64')},k3:${KEY.toString('base64')}`);
    const { data } = await encode(json('Ada'), twins);
    await expect(decode(encrypted(data as Uint8Array, 'k3'), twins)).rejects.toThrow('with key k3');
  });

  it('names the key that is missing', async () => {
    await expect(decode(await encode(json('Ada')), codecOf(OTHER))).rejects.toThrow(
      'an encrypted payload needs key k1, which is not among the keys',
    );
  });

  it.each([
    ['none', undefined],
    ['no possible one', 'k1\n{"level":60}'],
  ])('that names %s as its key is rejected', async (_, id) => {
    const { metadata, data } = encrypted(Buffer.alloc(40), id ?? '');
    const named = id === undefined ? { encoding: metadata?.['encoding'] as Uint8Array } : metadata;
    const reading = decode({ metadata: named ?? {}, data: data ?? null });
    await expect(reading).rejects.toThrow('an encrypted payload does not name its key');
  });

  it.each([
    ['of an unknown form', Buffer.from(`07${ADA}`, 'hex')],
    ['without a form', Buffer.of()],
    ['that are no payload', Buffer.from('000affffff', 'hex')],
    ['that cannot be inflated', Buffer.from('01ffffff', 'hex')],
  ])('with contents %s is rejected', async (_, contents) => {
    const reading = decode(encrypted(sealByHand(contents)));
    await expect(reading).rejects.toThrow('a value that key k1 encrypted is not a payload');
  });

  it('can be read after a rotation with the old key', async () => {
    const before = await encode(json('Ada'));
    const rotated = codecOf(`${OTHER},${K1}`);
    expect(plain(await decode(before, rotated))).toEqual(plain(json('Ada')));
    const after = await encode(json('Ada'), rotated);
    expect(Buffer.from(after.metadata?.['encryption-key-id'] ?? []).toString()).toBe('k2');
    expect(plain(await decode(after, codecOf(OTHER)))).toEqual(plain(json('Ada')));
  });
});

describe('the place of a payload', () => {
  const one = { namespace: 'default', workflowId: 'merchant-boarding-m-1' };
  const other = { namespace: 'default', workflowId: 'merchant-boarding-m-2' };
  const make = (place: Place) => encode(json('Ada'), codec, place);
  const result = async (payload: Promise<Payload>, place?: Place) =>
    plain(await decode(await payload, codec, place));

  it('is named in its metadata', async () => {
    const { metadata } = await make({ ...one, activityId: '5' });
    expect(Buffer.from(metadata?.['place'] ?? []).toString()).toBe('["default","merchant-boarding-m-1","5"]');
  });

  const HERE = 'workflow merchant-boarding-m-1 of namespace';
  const THERE = 'workflow merchant-boarding-m-2 of namespace default';
  it.each([
    ['another workflow', other, THERE],
    ['another namespace', { ...one, namespace: 'copy' }, `${HERE} copy`],
    ['an activity of another workflow', { ...other, activityId: '5' }, `activity 5 of ${THERE}`],
  ])('is not %s', async (_, place, match) => {
    const message = `a payload of ${HERE} default was found in ${match}`;
    const refusal = await decode(await make(one), codec, place).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'MisplacedPayload', message });
    // It would name a wrong key.
    expect(isUnreadablePayload(refusal)).toBe(false);
  });

  const [ofFive, ofSix] = ['5', '6'].map((activityId) => ({ ...one, activityId })) as [Place, Place];
  const [alone, another] = ['e-1', 'e-2'].map((activityId) => ({ namespace: 'default', activityId })) as [
    Place,
    Place,
  ];
  it.each([
    ['the same workflow', ofFive, ofSix, `activity 5 of ${HERE} default was found in activity 6 of ${HERE}`],
    [
      'none',
      alone,
      another,
      'activity e-1 of namespace default was found in activity e-2 of namespace default',
    ],
  ])('is not another activity, of %s', async (_, belongs, place, message) => {
    await expect(result(make(belongs), place)).rejects.toThrow(`a payload of ${message}`);
  });

  it('cannot be changed or removed', async () => {
    const { metadata, data } = await make(one);
    for (const claimed of ['["default","merchant-boarding-m-2",""]', NOWHERE, '']) {
      const moved = { metadata: { ...metadata, place: Buffer.from(claimed) }, data: data ?? null };
      await expect(result(Promise.resolve(moved), other)).rejects.toThrow('it is damaged');
    }
  });

  it.each([
    ['the same', one, one],
    ['unknown to the reader', one, undefined],
    ['unknown to the writer', {}, one],
    ['known by its namespace only, as of the codec server', { namespace: 'default' }, one],
    ['without a namespace, as in a backup', { namespace: '', workflowId: one.workflowId }, one],
    ['read without its activity, as in a history', { ...one, activityId: '5' }, one],
    // As that of a Nexus caller.
    ['a workflow of another program', one, { namespace: 'sales', workflowId: 'sign-up-1' }],
  ])('fits when it is %s', async (_, belongs, place) => {
    expect(await result(make(belongs), place)).toEqual(plain(json('Ada')));
  });
});

/** Payloads of either kind of bytes, in a form that compares. */
function plain({ metadata, data }: Payload) {
  const hex = (value: Uint8Array | null | undefined) => Buffer.from(value ?? []).toString('hex');
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, hex(value)]);
  return { metadata: Object.fromEntries(entries), data: hex(data) };
}
