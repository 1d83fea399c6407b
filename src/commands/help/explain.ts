import { InvalidInput } from '../../operators/invalid-input.js';
import { CATALOGUE, codes, type Explained, explained } from '../../operators/texts/catalogue.js';
import type { Runbook } from '../../operators/texts/requirement-texts.js';
import { didYouMean } from '../../settings/nearest.js';
import type { Surroundings } from '../cli/command-line.js';
import { Printer } from '../cli/output.js';
import { described, widthOf, wrapped } from '../cli/prose.js';

interface ExplainOptions {
  readonly json?: true;
}

/** @throws {InvalidInput} that names the nearest codes, for an unknown one */
export function explain(
  surroundings: Surroundings,
  code: string | undefined,
  { json }: ExplainOptions,
): void {
  const cli = new Printer(surroundings);
  if (code === undefined) {
    if (json) cli.json(codes());
    else listCodes(cli);
    return;
  }
  const found = explained(code);
  if (found.length === 0) {
    const suggestion = didYouMean(code, codes());
    throw new InvalidInput(`no code ${JSON.stringify(code)}${suggestion}; "gangway explain" lists all codes`);
  }
  if (json) for (const each of found) cli.json(each);
  else cli.line(found.map((each) => inWords(each, widthOf(cli.stdout))).join('\n\n'));
}

function listCodes(cli: Printer): void {
  const width = widthOf(cli.stdout);
  const groups = CATALOGUE.map(({ kind, where, texts }) => {
    const names = wrapped(Object.keys(texts).join(', '), width, 2);
    return `${wrapped(`${kind}: ${where}`, width)}\n  ${names}`;
  });
  cli.line(groups.join('\n\n'));
}

function inWords({ code, kind, ...text }: Explained & Partial<Runbook>, width: number): string {
  const { meaning, see, person, next, never, answers } = text;
  const rows = [
    ['what happened', meaning],
    ['see it', see],
    ['what to do', person],
    ['what happens next', next],
    ['do not', never],
    ['allowed answers', answers],
  ] as const;
  const shown = rows.flatMap(([name, about]): [string, string][] => (about ? [[name, about]] : []));
  return `${code} (${kind})\n${described(shown, width)}`;
}
