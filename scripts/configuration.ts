import { withoutMarkdown, wrapText } from '../src/apps/command/cli/output.js';
import { markdownTable } from '../src/services/texts/docs.js';
import { LIBRARY_SECTIONS, SECTIONS, type Section, settingsOf } from './settings.js';

/** From this number of different readers on, a section has a column for them. */
const READERS_WORTH_A_COLUMN = 3;

/** The part of docs/configuration.md about the settings of processes. */
export function configurationTables(): string {
  return SECTIONS.flatMap(ofProcesses).join('\n\n');
}

function ofProcesses(section: Section): string[] {
  const settings = settingsOf(section);
  const byReaders = Map.groupBy(settings, ({ readers }) => readers.join(', '));
  const [usual = '', ...others] = [...byReaders].sort(([, one], [, other]) => other.length - one.length);
  const hasColumn = byReaders.size >= READERS_WORTH_A_COLUMN;
  const cellsOf = ({
    readers: all,
    format,
    isSecret,
    default: value,
    purpose,
  }: (typeof settings)[number]) => {
    const readers = all.join(', ');
    const text = hasColumn || readers === usual[0] ? purpose : `${purpose} Read by ${readers}.`;
    return [...(hasColumn ? [readers] : []), isSecret ? `${format}, _secret_` : format, value, text];
  };
  const alike = Map.groupBy(settings, (setting) => JSON.stringify(cellsOf(setting)));
  const rows = [...alike].map(([cells, own]) => [
    own.map(({ name }) => `\`${name}\``).join('<br>'),
    ...(JSON.parse(cells) as string[]),
  ]);
  const head = ['Setting', ...(hasColumn ? ['Read by'] : []), 'Format', 'Default', 'Purpose'];
  const unlessNoted = others.length > 0 && !hasColumn ? ` Read by ${usual[0]} unless noted.` : '';
  return [`## ${section.title}`, section.about + unlessNoted, markdownTable(head, rows)];
}

const COMMENT_WIDTH = 108;

/** Words as comment lines of a file for a shell. */
function comment(text: string): string[] {
  const lines = wrapText(withoutMarkdown(text), COMMENT_WIDTH).split('\n');
  return lines.map((line) => `# ${line}`);
}

const ABOUT_EXAMPLE = [
  '"npm run docs" writes this file from the schemas of the settings; docs/configuration.md describes each of them.',
  'Copy it to .env, remove the # before what you set, and load it: set -a; . ./.env; set +a',
  'A secret can be in a file. Set <NAME>_FILE to its path, such as BOARDING_PASSWORD_FILE, and leave <NAME> out.',
  "Quote values with spaces or characters that a shell would interpret: 'p@$$ word'.",
];

/** .env.example. */
export function envExample(): string {
  const ofSchemas = SECTIONS.map((section) => ({ title: section.title, settings: settingsOf(section) }));
  const sections = [...LIBRARY_SECTIONS, ...ofSchemas];
  const blocks = sections.map(({ title, settings }) => [
    `# --- ${title} ---`,
    ...settings.flatMap(({ name, purpose, default: value }) => [
      '',
      ...comment(`${purpose} Default: ${value}`),
      `#${name}=`,
    ]),
  ]);
  return `${[ABOUT_EXAMPLE.flatMap(comment), ...blocks].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
