import { didYouMean } from '../../settings/nearest.js';
import { page, type Row, tablesIn } from '../../texts/docs.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { described } from '../cli/prose.js';

/**
 * The settings whose name has this part, or all, as docs/configuration.md describes them.
 *
 * @throws {InvalidInput} when there is none
 */
export function settingsHelp(part: string | undefined, width: number): string {
  const tables = tablesIn(page('configuration'));
  const isWanted = (name: string) => part === undefined || name.includes(part.toUpperCase());
  const shown = tables.flatMap(({ heading, rows }) => {
    const found = rows.filter((row) => namesIn(row).some(isWanted));
    return found.length === 0
      ? []
      : [[heading, ...found.map((row) => inWords(row, isWanted, width))].join('\n')];
  });
  if (shown.length > 0) return [...shown, SECRETS].join('\n\n');
  const names = tables.flatMap(({ rows }) => rows.flatMap(namesIn));
  throw new InvalidInput(`no setting ${JSON.stringify(part)}${didYouMean(part ?? '', names)}`);
}

const SECRETS = 'A secret can be in a file: set NAME_FILE to its path instead.';

/** Settings with the same description share a row. */
function namesIn({ setting = '' }: Row): string[] {
  return setting.split('<br>').map((name) => name.replaceAll('`', ''));
}

function inWords(
  { setting = '', ...facts }: Row,
  isWanted: (name: string) => boolean,
  width: number,
): string {
  const names = namesIn({ setting })
    .filter(isWanted)
    .map((name) => `  ${name}`);
  return [...names, described(Object.entries(facts), width - 2).replace(/^/gm, '  ')].join('\n');
}
