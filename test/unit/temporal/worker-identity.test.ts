import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { generatePayloadKey, parsePayloadKeys } from '../../../src/temporal/payload-codec.js';
import { keyCheck, parseWorkerIdentity, workerIdentity } from '../../../src/temporal/workers.js';

const ZEROS = `${'A'.repeat(43)}=`;
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
