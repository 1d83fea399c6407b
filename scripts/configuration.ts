import { withoutMarkdown } from '../src/commands/cli/output.js';
import { markdownTable } from '../src/texts/docs.js';
import { LIBRARY_SECTIONS, SECTIONS, type Section, settingsOf } from './settings.js';

/** From this number of different readers on, a section has a column for them. */
const READERS_WORTH_A_COLUMN = 3;

/** The part of docs/configuration.md about the settings of processes. */
export function configurationTables(): string {
  return SECTIONS.flatMap(ofProcesses).join('\n\n');
}

function ofProcesses(section: Section): string[] {
  const settings = settingsOf(section).map(
    ({ name, readers, format, isSecret, default: value, purpose }) => ({
      name: `\`${name}\``,
      readers: readers.join(', '),
      facts: [isSecret ? `${format}, _secret_` : format, value, purpose],
    }),
  );
  const [usual = '', ...others] = byFrequency(settings.map(({ readers }) => readers));
  const hasColumn = others.length + 1 >= READERS_WORTH_A_COLUMN;
  const rows = new Map<string, string[]>();
  for (const { name, readers, facts } of settings) {
    const [format = '', value = '', purpose = ''] = facts;
    const shown = hasColumn || readers === usual ? purpose : `${purpose} Read by ${readers}.`;
    const cells = [...(hasColumn ? [readers] : []), format, value, shown];
    const key = JSON.stringify(cells);
    const [names, ...rest] = rows.get(key) ?? [];
    rows.set(key, names === undefined ? [name, ...cells] : [`${names}<br>${name}`, ...rest]);
  }
  const head = ['Setting', ...(hasColumn ? ['Read by'] : []), 'Format', 'Default', 'Purpose'];
  const about =
    others.length > 0 && !hasColumn ? `${section.about} Read by ${usual} unless noted.` : section.about;
  return [`## ${section.title}`, about, markdownTable(head, [...rows.values()])];
}

/** The different texts, the most frequent first. */
function byFrequency(texts: readonly string[]): string[] {
  const count = (text: string) => texts.filter((other) => other === text).length;
  return [...new Set(texts)].sort((one, other) => count(other) - count(one));
}

const COMMENT_WIDTH = 110;

/** Words as comment lines of a file for a shell. */
function comment(text: string): string[] {
  const lines = [''];
  for (const word of withoutMarkdown(text).split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length < COMMENT_WIDTH) lines[lines.length - 1] = longer;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`);
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
