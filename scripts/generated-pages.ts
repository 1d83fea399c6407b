/** Writes what is made from the code: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { keptResults, resultsMarkdown } from '../bench/results.js';
import { recordSchema } from '../src/services/reports/record.js';
import { configurationTables, envExample } from './configuration.js';
import { afterCreateTable, underwritingRules, withBankStatuses } from './onboarding-rules.js';
import { faultsTable, habitsTable, systemTables } from './partner-apis.js';
import { scaleTables } from './scale.js';

const page = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** What is written, by path, and what the unit tests compare with the files. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'docs/partner-apis.md': () =>
    withParts('docs/partner-apis.md', { systems: systemTables(), habits: habitsTable() }),
  'docs/simulation.md': () => withParts('docs/simulation.md', { faults: faultsTable() }),
  'docs/configuration.md': () => withParts('docs/configuration.md', { settings: configurationTables() }),
  '.env.example': envExample,
  'docs/export.schema.json': () => `${JSON.stringify(recordSchema(), null, 2)}\n`,
  'docs/scale.md': () => withParts('docs/scale.md', scaleTables(keptResults())),
  'docs/onboardings.md': () =>
    withBankStatuses(
      withParts('docs/onboardings.md', {
        'underwriting rules': underwritingRules(),
        'after a create': afterCreateTable(),
      }),
    ),
  'bench/results.md': () => resultsMarkdown(keptResults()),
};

/** A page with its parts made again. Each stands between `<!-- "npm run docs" writes: NAME -->` and `<!-- end -->`. */
function withParts(path: string, parts: Readonly<Record<string, string>>): string {
  const left = new Set(Object.keys(parts));
  const made = page(path).replace(
    /(<!-- "npm run docs" writes: (.+?) -->\n).*?(<!-- end -->)/gs,
    (_, begin: string, name: string, end: string) => {
      if (!left.delete(name)) throw new Error(`${path} asks for ${name}, which there is not`);
      return `${begin}\n${parts[name]}\n\n${end}`;
    },
  );
  if (left.size > 0) throw new Error(`${path} has no place for: ${[...left].join(', ')}`);
  return made;
}

export function writeGeneratedPages(): void {
  for (const [path, content] of Object.entries(GENERATED_PAGES))
    writeFileSync(new URL(`../${path}`, import.meta.url), content());
}

if (process.argv[1] === import.meta.filename) writeGeneratedPages();
