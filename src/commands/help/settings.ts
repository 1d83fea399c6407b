import { z } from 'zod';
import { metaOf } from '../../settings/settings.js';
import type { Process } from './process-settings.js';
import type { Section } from './setting-sections.js';

/** The description of one setting in its schema. */
export interface Setting {
  readonly name: string;
  readonly purpose: string;
  readonly format: string;
  /** The default in the form of the environment, or words for what happens without the setting. */
  readonly default: string;
  readonly readers: readonly Process[];
  readonly isSecret: boolean;
}

/** A schema and the schemas that it wraps, the outermost first. Each of them can hold a part of the description. */
function layers(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { innerType, in: input } = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = innerType ?? input;
  return inner ? [schema, ...layers(inner)] : [schema];
}

/** The settings of a section, in the words of their schemas. */
export function settingsOf({ schema, readers, secrets }: Section): Setting[] {
  return Object.entries(schema.shape).map(([name, outermost]) => {
    const parts = layers(outermost as z.core.$ZodType);
    const noted = (key: 'description' | 'format' | 'unset') =>
      metaOf(outermost as z.core.$ZodType, key) as string | undefined;
    const purpose = noted('description');
    if (purpose === undefined) throw new Error(`${name} has no description: add .describe() to its schema`);
    return {
      name,
      purpose,
      format: noted('format') ?? formatOf(parts.at(-1)),
      default: noted('unset') ?? defaultOf(parts),
      readers: (Object.keys(readers) as Process[]).filter((process) => readers[process]?.includes(name)),
      isSecret: secrets.includes(name),
    };
  });
}

function formatOf(innermost: z.core.$ZodType | undefined): string {
  return innermost instanceof z.ZodEnum
    ? innermost.options.map((option) => `\`${option}\``).join(', ')
    : 'text';
}

function defaultOf(parts: readonly z.core.$ZodType[]): string {
  const value = parts
    .map((part) => (part._zod.def as { defaultValue?: unknown }).defaultValue)
    .find((each) => each !== undefined);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'object') throw new Error(`use .prefault() for the default ${JSON.stringify(value)}`);
  return `\`${value}\``;
}
