import { hostname } from 'node:os';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BadSetting, readSettings } from '../../../src/platform/settings/settings.js';
import { generatePayloadKey, parsePayloadKeys, payloadKeys } from '../../../src/temporal/payload-codec.js';
import { keyCheck, parseWorkerIdentity, workerIdentity } from '../../../src/temporal/workers.js';

/** The bytes 0 to 31. */
const COUNTING = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const ZEROS = `${'A'.repeat(43)}=`;

describe('payload keys', () => {
  it('are id:base64, separated by commas, and keep their order', () => {
    const keys = parsePayloadKeys(` new:${COUNTING} , old.2025_a-b:${ZEROS} `);
    expect(keys.map(({ id }) => id)).toEqual(['new', 'old.2025_a-b']);
    expect(keys[0].key.export()).toEqual(Buffer.from(Array.from({ length: 32 }, (_, index) => index)));
  });

  it.each([
    ['no key', ' , ', 'must name at least one key, as id:base64'],
    ['no id', COUNTING, 'key 1 must be id:base64, with an id of 1 to 64 letters, digits, ".", "_" or "-"'],
    ['an id with a space', `my key:${ZEROS}`, 'key 1 must be id:base64'],
    ['a long id', `${'k'.repeat(65)}:${ZEROS}`, 'key 1 must be id:base64'],
    ['one colon too many', `k1:${COUNTING}:${ZEROS}`, 'key 1 must be id:base64'],
    ['16 bytes', `k1:${ZEROS},k2:AAECAwQFBgcICQoLDA0ODw==`, 'key 2 must be 32 bytes in base64'],
    ['33 bytes', `k1:${'A'.repeat(44)}`, 'key 1 must be 32 bytes in base64'],
    ['hexadecimal', `k1:${'00ff'.repeat(16)}`, 'key 1 must be 32 bytes in base64'],
    ['an id twice', `k1:${ZEROS},k2:${ZEROS},k1:${COUNTING}`, 'key 3 has the id of one before it'],
  ])('must not be %s; the error does not contain the value', (_, text, rule) => {
    const read = () => readSettings(z.object({ PAYLOAD_KEYS: payloadKeys }), { PAYLOAD_KEYS: text });
    expect(read).toThrow(BadSetting);
    expect(read).toThrow(`PAYLOAD_KEYS: ${rule}`);
    expect(read).not.toThrow(/AAEC|AAAA|00ff|my key|kkk/);
  });

  it('are printed without their bytes', () => {
    const keys = parsePayloadKeys(`k1:${COUNTING}`);
    for (const text of [inspect(keys, { depth: 9, showHidden: true }), JSON.stringify(keys)]) {
      expect(text).toContain('k1');
      expect(text).not.toMatch(/AAEC|00 01 02|0,1,2/);
    }
  });

  it('are random, with the day in their id', () => {
    const records = Array.from({ length: 50 }, () => generatePayloadKey(new Date('2026-11-21T23:59:59Z')));
    for (const key of records) expect(key).toMatch(/^k20261121-[0-9a-f]{6}:[A-Za-z0-9+/]{43}=$/);
    expect(new Set(records.map((key) => key.split(':')[1])).size).toBe(50);
    expect(parsePayloadKeys(generatePayloadKey())[0].key.export()).toHaveLength(32);
  });
});

const ONES = `${'/'.repeat(42)}8=`;
const [zeros] = parsePayloadKeys(`k1:${ZEROS}`);
const [ones] = parsePayloadKeys(`k1:${ONES}`);
const [renamed] = parsePayloadKeys(`k2:${ZEROS}`);

describe('the identity of a worker', () => {
  it('has its process, its host, and a check value for each key in their order', () => {
    const keys = parsePayloadKeys(`k1:${ZEROS},old:${ONES}`);
    const identity = workerIdentity(keys);
    expect(identity).toMatch(/^\d+@.+#[0-9a-f]{8},[0-9a-f]{8}$/);
    expect(parseWorkerIdentity(identity)).toEqual({
      name: `${process.pid}@${hostname()}`,
      keyChecks: keys.map(keyCheck),
    });
  });

  it('distinguishes another value of the same id, and another id of the same value', () => {
    expect(new Set([zeros, ones, renamed].map(keyCheck)).size).toBe(3);
    expect(keyCheck(zeros)).toBe(keyCheck(parsePayloadKeys(`k0:${ONES},k1:${ZEROS}`)[1] ?? ones));
  });

  it('holds no byte of a key', () => {
    const identity = workerIdentity(parsePayloadKeys(`k1:${ZEROS}`), 'w');
    expect(identity).toHaveLength('w#'.length + 8);
    expect(identity).not.toContain('00000000');
  });

  it('shows that a worker has no key', () => {
    expect(parseWorkerIdentity(workerIdentity(undefined, 'w'))).toEqual({ name: 'w', keyChecks: [] });
  });

  it.each(['4711@host', 'a#b', 'w#12345678,', 'w#1234567', 'w#12345678 '])(
    'has no check values in %j',
    (identity) => {
      expect(parseWorkerIdentity(identity)).toEqual({ name: identity, keyChecks: undefined });
    },
  );

  it('stays shorter than the 1,000 characters that Temporal accepts, however many keys there are', () => {
    const keys = (count: number) =>
      parsePayloadKeys(
        Array.from({ length: count }, (_, n) => `k${n}:${generatePayloadKey().split(':')[1]}`).join(','),
      );
    expect(parseWorkerIdentity(workerIdentity(keys(64), 'w')).keyChecks).toHaveLength(64);
    expect(workerIdentity(keys(64), 'w').length).toBeLessThan(600);
    expect(workerIdentity(keys(65), 'w')).toBe('w');
  });
});
