import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Has `close` called once what was opened is no longer needed. */
export type Until = (close: () => unknown) => void;

/** Until the running test ends, which must be named where others run beside it: `ends(onTestFinished)` of its context. */
export const ends =
  (finished: typeof onTestFinished): Until =>
  (close) =>
    finished(async () => void (await close()));

/** Until the running test ends, where no other runs beside it. */
export const testEnds = ends(onTestFinished);

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
