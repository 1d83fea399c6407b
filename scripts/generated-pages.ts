import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { keptResults, resultsMarkdown } from '../bench/results.js';
import { recordSchema } from '../src/reports/record.js';
import { configurationMarkdown, envExample } from './configuration.js';
import { withBankStatuses, withUnderwritingRules } from './onboarding-rules.js';
import { partnerApisMarkdown } from './partner-apis.js';
import { withTables } from './scale.js';

const page = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** What "npm run docs" writes, by path, and what the unit tests compare with the files. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'docs/partner-apis.md': partnerApisMarkdown,
  'docs/configuration.md': configurationMarkdown,
  '.env.example': envExample,
  'docs/export.schema.json': () => `${JSON.stringify(recordSchema(), null, 2)}\n`,
  'docs/scale.md': () => withTables(page('docs/scale.md'), keptResults()),
  'docs/onboardings.md': () => withUnderwritingRules(withBankStatuses(page('docs/onboardings.md'))),
  'bench/results.md': () => resultsMarkdown(keptResults()),
};

export async function writeGeneratedPages(): Promise<void> {
  for (const [path, content] of Object.entries(GENERATED_PAGES)) {
    await writeFile(new URL(`../${path}`, import.meta.url), content());
  }
}
