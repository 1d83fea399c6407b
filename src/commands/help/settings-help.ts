import { InvalidInput } from '../../operators/invalid-input.js';
import { didYouMean } from '../../settings/nearest.js';
import { withoutMarkdown, wrapped } from '../cli/prose.js';
import { LIBRARY_SECTIONS, SECTIONS } from './setting-sections.js';
import { settingsOf } from './settings.js';

/** A setting as the topic shows it. */
interface Shown {
  readonly section: string;
  readonly name: string;
  readonly purpose: string;
  /** The format, the default, and the readers. */
  readonly facts: string;
}

/**
 * The settings whose name has this part, or all, in the words of docs/configuration.md.
 *
 * @throws {InvalidInput} when there is none
 */
export function settingsHelp(part: string | undefined, width: number): string {
  const all = [...ofProcesses(), ...ofLibraries()];
  const shown = all.filter(({ name }) => part === undefined || name.includes(part.toUpperCase()));
  if (shown.length === 0) {
    const names = all.map(({ name }) => name);
    throw new InvalidInput(`no setting ${JSON.stringify(part)}${didYouMean(part ?? '', names)}`);
  }
  const sections = [...new Set(shown.map(({ section }) => section))];
  return sections
    .map((section) => {
      const settings = shown.filter((each) => each.section === section);
      return [section, ...settings.map((each) => inWords(each, width))].join('\n');
    })
    .join('\n\n');
}

function inWords({ name, purpose, facts }: Shown, width: number): string {
  const paragraphs = [purpose, facts].map((text) => `    ${wrapped(withoutMarkdown(text), width, 4)}`);
  return [`  ${name}`, ...paragraphs].join('\n');
}

function ofProcesses(): Shown[] {
  return SECTIONS.flatMap((section) =>
    settingsOf(section).map(({ name, purpose, format, readers, isSecret, ...setting }) => ({
      ...{ section: section.title, name, purpose },
      facts:
        `Format: ${format}. Default: ${setting.default}. Read by: ${readers.join(', ')}.` +
        (isSecret ? ` A file can hold it: ${name}_FILE.` : ''),
    })),
  );
}

function ofLibraries(): Shown[] {
  return LIBRARY_SECTIONS.flatMap(({ title, settings }) =>
    settings.map(({ name, purpose, unset = 'none' }) => ({
      ...{ section: title, name, purpose },
      facts: `Default: ${unset}.`,
    })),
  );
}
