import { readFileSync, statSync } from 'node:fs';
import { BadSetting } from './settings.js';

/** A file that an operator may change while a process runs. */
export interface FollowedFile<Value> {
  /** Returns the last valid content. @throws {BadSetting} if there never was any */
  readonly lastGood: () => Value;
  /** Returns why the file is invalid now. */
  readonly problem: () => BadSetting | undefined;
}

/** How soon an invalid file is read again, in milliseconds, because the problem may pass without a change of the file. */
const AGAIN_MS = 500;

const MAX_BYTES = 1024 * 1024;

/**
 * Rereads a file when it has changed. If it is then invalid, logs one warning with the reason, and keeps the last valid content.
 *
 * @param read parses the text. Throws {@link BadSetting} if it is invalid
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
