import { afterAll, beforeAll, onTestFinished, TestRunner } from 'vitest';

/** Calls `close` when the opened resource is no longer needed. */
export type Until = (close: () => unknown) => void;

/** Until a test ends. A concurrent test passes the function of its context: `ends(onTestFinished)`. */
export const ends =
  (finished: typeof onTestFinished): Until =>
  (close) =>
    finished(async () => void (await close()));

/**
 * Until the running test ends.
 *
 * @throws {Error} in a concurrent test: it would be until some test ends
 */
export const testEnds: Until = (close) => {
  if (TestRunner.getCurrentTest()?.concurrent)
    throw new Error('a concurrent test passes ends(onTestFinished) of its own context');
  ends(onTestFinished)(close);
};

/**
 * A resource that all tests of the running suite share, for tests that do not change it or read only what they made themselves.
 *
 * @param open opens it, and passes `until` what closes it
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
