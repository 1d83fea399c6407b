import { readFileSync, statSync } from 'node:fs';
import { BadSetting } from './settings.js';

/** A file that an operator may change while a process runs. */
export interface FollowedFile<Value> {
  /** The content when it could last be used. @throws {BadSetting} if it never could */
  readonly lastGood: () => Value;
  /** Why the file cannot be used now. */
  readonly problem: () => BadSetting | undefined;
}

/** A file that cannot be used is read again after this time, in milliseconds: the reason may pass without a change. */
const AGAIN_MS = 500;

const MAX_BYTES = 1024 * 1024;

/**
 * Follows a file: it is read again when it has changed. If it then cannot be used, one warning names it with the reason, and the last
 * good content stays.
 *
 * @param read gets the text. Throws {@link BadSetting} if it cannot be used
 */
export function followFile<Value>(
  setting: string,
  file: string,
  read: (text: string) => Value,
): FollowedFile<Value> {
  let version: string | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let good: { readonly value: Value } | undefined;
  let problem: BadSetting | undefined;
  const onDisk = <Result>(get: () => Result): Result => {
    try {
      return get();
    } catch (error) {
      throw new BadSetting(setting, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  };
  function readIfChanged(): void {
    const { ino, ctimeNs, size } = onDisk(() => statSync(file, { bigint: true }));
    const now = `${ino} ${ctimeNs} ${size}`;
    if (now === version && (!problem || performance.now() - triedAt < AGAIN_MS)) return;
    version = now;
    triedAt = performance.now();
    if (size > MAX_BYTES) throw new BadSetting(setting, 'is larger than 1 MiB');
    good = { value: read(onDisk(() => readFileSync(file, 'utf8'))) };
    problem = undefined;
  }
  function look(): void {
    try {
      readIfChanged();
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error;
      if (good && error.message !== problem?.message)
        process.emitWarning(`${error.message} (${file}). Its last good content stays in use.`);
      problem = error;
    }
  }
  return {
    problem: () => {
      look();
      return problem;
    },
    lastGood: () => {
      look();
      if (good) return good.value;
      throw problem as BadSetting;
    },
  };
}
