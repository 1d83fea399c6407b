import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Has `close` called once what was opened is no longer needed. */
export type Until = (close: () => unknown) => void;

/** Until the running test ends. */
export const testEnds: Until = (close) => onTestFinished(async () => void (await close()));

/**
 * What all tests of the running suite share, for tests that leave it as it is or look only at what they made themselves.
 *
 * @param open opens it, and closes it when `until` says so
 */
export function shared<Value>(open: (until: Until) => Promise<Value>): () => Value {
  const closing: (() => unknown)[] = [];
  let value: Value;
  beforeAll(async () => {
    value = await open((close) => closing.unshift(close));
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
  return () => value;
}
