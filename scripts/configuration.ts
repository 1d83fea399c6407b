import { LIBRARY_SECTIONS, SECTIONS } from '../src/commands/help/setting-sections.js';
import { settingsOf } from '../src/commands/help/settings.js';

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
  'A secret can be in a file. Set <NAME>_FILE to its path, such as BOARDING_PASSWORD_FILE, and leave <NAME> out.',
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
      })),
    })),
    ...SECTIONS.map((section) => ({ title: section.title, settings: settingsOf(section) })),
  ];
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
