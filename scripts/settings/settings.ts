import { type Shape, shapeOf } from '../../src/schemas/shape.js';
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

/** The settings of a section, in the words of their schemas. */
export function settingsOf({ schema, readers, secrets }: Section): Setting[] {
  return [...shapeOf(schema).fields].map(([name, shape]) => {
    const { description: purpose, values, format, unset } = shape;
    if (purpose === undefined) throw new Error(`${name} has no description: add .describe() to its schema`);
    return {
      name,
      purpose,
      format: format ?? values?.map((value) => `\`${value}\``).join(', ') ?? 'text',
      default: unset ?? defaultOf(shape),
      readers: (Object.keys(readers) as Process[]).filter((process) => readers[process]?.includes(name)),
      isSecret: secrets.includes(name),
    };
  });
}

function defaultOf({ default: value }: Shape): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'object') throw new Error(`use .prefault() for the default ${JSON.stringify(value)}`);
  return `\`${value}\``;
}
