import { z } from 'zod';
import type { FieldProblem } from '../../partners/partner-error.js';
import type { CommandLine } from '../command-line.js';
import { InvalidInput } from '../errors.js';
import { check, readJson, sourceName } from '../input-file.js';
import type { Column, Columns } from './columns.js';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

export type Scalar = z.output<typeof scalar>;

const words = z.record(z.string(), scalar);

const mappingFile = z.strictObject({
  /** By the header of the file: the column it stands for, or null to leave it out. */
  columns: z.record(
    z.string(),
    z.union([
      z.null(),
      z.string(),
      z.strictObject({
        to: z.string(),
        /** Where the member may be of any type, as in `application`; text unless given. */
        as: z.enum(['text', 'number', 'boolean']).optional(),
        /** What certain cells stand for. */
        words: words.optional(),
      }),
    ]),
  ),
  /** Columns that the file does not have, with the value of each row. */
  constants: words.default({}),
});

/** A column of a file, and what certain of its cells stand for. */
export interface MappedColumn extends Column {
  readonly words?: Readonly<Record<string, Scalar>> | undefined;
}

/** How headers of others become ours. */
export interface Mapping {
  /** By header; null where it is left out. */
  readonly columns: ReadonlyMap<string, MappedColumn | null>;
  readonly constants: readonly (MappedColumn & { readonly value: Scalar })[];
}

export const NO_MAPPING: Mapping = { columns: new Map(), constants: [] };

/** Reads a mapping file, see examples/mapping.json. @throws {InvalidInput} that names each wrong entry */
export async function readMapping(
  cli: Pick<CommandLine, 'input'>,
  file: string,
  known: Columns,
): Promise<Mapping> {
  const given = check(mappingFile, await readJson(cli, file), sourceName(file));
  const problems: FieldProblem[] = [];
  const columns = new Map<string, MappedColumn | null>();
  for (const [header, target] of Object.entries(given.columns)) {
    if (target === null) columns.set(header, null);
    else {
      const { to: name, as: type, words } = typeof target === 'string' ? { to: target } : target;
      const column = known.find(name);
      if (column) columns.set(header, { ...column, words, ...(type && { type }) });
      else problems.push({ field: `columns.${header}`, message: notAColumn(known, name) });
    }
  }
  const constants = Object.entries(given.constants).flatMap(([name, value]) => {
    const column = known.find(name);
    if (!column) problems.push({ field: `constants.${name}`, message: notAColumn(known, name) });
    return column ? [{ ...column, value }] : [];
  });
  if (problems.length > 0)
    throw new InvalidInput(`${sourceName(file)}: is not valid; nothing was started`, problems);
  return { columns, constants };
}

/** Says that a name is none of ours, and which may have been meant. */
export function notAColumn(known: Columns, name: string): string {
  const meant = known.nearest(name);
  return `${JSON.stringify(name)} is not a known column${meant ? `; did you mean ${meant}?` : ''}`;
}
