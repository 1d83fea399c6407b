import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The folders of the PATH. */
export const PATH: readonly string[] = (process.env['PATH'] ?? '').split(delimiter);

/** The path of a program in the first of these folders that has it. */
export async function firstIn(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    const isThere = access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (await isThere) return path;
  }
  return undefined;
}
