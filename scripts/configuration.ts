import { z } from 'zod';
import { metaOf } from '../src/settings/settings.js';
import type { Process } from './process-settings.js';
import { LIBRARY_SECTIONS, SECTIONS, type Section } from './settings.js';

/** The description of one setting in its schema. */
interface Setting {
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

function settingsOf({ schema, readers, secrets }: Section): Setting[] {
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

const row = (...cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

const ABOUT = `# Configuration

<!-- "npm run docs" writes this page from the schemas of the settings. -->

All settings are environment variables. An empty one counts as not set. A setting that a process cannot use stops it with exit
code 2 and one line on standard error that names the setting and never its value. \`gangway doctor\` checks all of them.

A setting with _yes_ in the column _Secret_ can be in a file: set \`<NAME>_FILE\` to the path of the file, and leave \`<NAME>\` out.

[\`.env.example\`](../.env.example) has the same settings to fill in.`;

/** docs/configuration.md. */
export function configurationMarkdown(): string {
  const sections = SECTIONS.map((section) => [
    `## ${section.title}`,
    section.about,
    [
      row('Setting', 'Read by', 'Format', 'Default', 'Secret', 'Purpose'),
      row('---', '---', '---', '---', '---', '---'),
      ...settingsOf(section).map((setting) =>
        row(
          `\`${setting.name}\``,
          setting.readers.join(', '),
          setting.format,
          setting.default,
          setting.isSecret ? 'yes' : 'no',
          setting.purpose,
        ),
      ),
    ].join('\n'),
  ]);
  const libraries = LIBRARY_SECTIONS.map(({ title, about, settings }) => [
    `## ${title}`,
    about,
    [
      row('Setting', 'Default', 'Purpose'),
      row('---', '---', '---'),
      ...settings.map(({ name, unset = 'none', purpose }) => row(`\`${name}\``, unset, purpose)),
    ].join('\n'),
  ]);
  return `${[ABOUT, ...[...sections, ...libraries].flat()].join('\n\n')}\n`;
}

const COMMENT_WIDTH = 110;

/** Words as comment lines of a file for a shell. */
function comment(text: string): string[] {
  const lines = [''];
  for (const word of text.replaceAll('`', '').split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length < COMMENT_WIDTH) lines[lines.length - 1] = longer;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`);
}

const ABOUT_EXAMPLE = [
  '"npm run docs" writes this file from the schemas of the settings; docs/configuration.md describes each of them.',
  'Copy it to .env, remove the # before what you set, and load it: set -a; . ./.env; set +a',
  "Quote values with spaces or characters that a shell would interpret: 'p@$$ word'.",
];

/** .env.example. */
export function envExample(): string {
  const sections = [
    ...LIBRARY_SECTIONS.map(({ title, settings }) => ({
      title,
      settings: settings.map(({ name, purpose, unset = 'none' }) => ({
        name,
        purpose,
        default: unset,
        isSecret: false,
      })),
    })),
    ...SECTIONS.map((section) => ({ title: section.title, settings: settingsOf(section) })),
  ];
  const blocks = sections.map(({ title, settings }) => [
    `# --- ${title} ---`,
    ...settings.flatMap(({ name, purpose, default: value, isSecret }) => [
      '',
      ...comment(`${purpose} Default: ${value}`),
      `#${name}=`,
      ...(isSecret ? [`#${name}_FILE=`] : []),
    ]),
  ]);
  return `${[ABOUT_EXAMPLE.flatMap(comment), ...blocks].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
