import { didYouMean } from '../../settings/nearest.js';
import { CODES, type Code, explained } from '../../texts/codes.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import type { Surroundings } from '../cli/command-line.js';
import { Printer } from '../cli/output.js';
import { described, widthOf, wrapped } from '../cli/prose.js';

interface ExplainOptions {
  readonly json?: true;
}

/** @throws {InvalidInput} that names the nearest codes, for an unknown one */
export function explain(
  surroundings: Surroundings,
  given: string | undefined,
  { json }: ExplainOptions,
): void {
  const cli = new Printer(surroundings);
  const width = widthOf(cli.stdout);
  const names = [...new Set(CODES.map(({ code }) => code))];
  if (given === undefined) {
    if (json) cli.json(names);
    else cli.line(listed(width));
    return;
  }
  const found = explained(given);
  if (found.length === 0) {
    const suggestion = didYouMean(given, names);
    throw new InvalidInput(
      `no code ${JSON.stringify(given)}${suggestion}; "gangway explain" lists all codes`,
    );
  }
  if (json) for (const { facts, ...each } of found) cli.json({ ...each, ...facts });
  else cli.line(found.map((each) => inWords(each, width)).join('\n\n'));
}

function listed(width: number): string {
  const kinds = [...new Set(CODES.map(({ kind }) => kind))];
  const codesOf = (of: string) => CODES.filter(({ kind }) => kind === of).map(({ code }) => code);
  return kinds.map((kind) => `${kind}\n  ${wrapped(codesOf(kind).join(', '), width, 2)}`).join('\n\n');
}

function inWords({ code, kind, facts }: Code, width: number): string {
  return `${code} (${kind})\n${described(Object.entries(facts), width)}`;
}
