import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { isNestedDeeper, TOO_NESTED } from '../messages/nesting.js';
import { fieldProblems } from '../partners/client.js';
import { parseExactly } from '../partners/exact-json.js';
import type { CommandLine } from './command-line.js';
import { InvalidInput } from './errors.js';

/** What people call a source of input. */
export function sourceName(source: string): string {
  return source === '-' ? 'standard input' : source;
}

/** Reads JSON from a file, or from standard input for `-`. @throws {InvalidInput} */
export async function readJson(cli: Pick<CommandLine, 'input'>, source: string): Promise<unknown> {
  const name = sourceName(source);
  let content: string;
  try {
    content = source === '-' ? String(await cli.input()) : await readFile(source, 'utf8');
  } catch (error) {
    throw new InvalidInput(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return parseExactly(content);
  } catch {
    // The parser's own message quotes the text, which may hold private data.
    throw new InvalidInput(`${name}: is not JSON`);
  }
}

/** Checks a value against a schema. @throws {InvalidInput} that names every wrong field with its rule */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
  sofar = 'nothing was started',
): z.output<Schema> {
  if (isNestedDeeper(value)) {
    throw new InvalidInput(`${what}: is not valid; ${sofar}`, [{ field: '', message: TOO_NESTED }]);
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new InvalidInput(`${what}: is not valid; ${sofar}`, fieldProblems(checked.error));
}
