import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { partnerApisMarkdown, SYSTEMS } from '../scripts/partner-apis.js';
import { operationName } from '../src/partners/catalogue.js';

describe('docs/partner-apis.md', () => {
  it('is what the catalogue makes of it', async () => {
    const written = await readFile(new URL('../docs/partner-apis.md', import.meta.url), 'utf8');
    expect(written, 'docs/partner-apis.md is out of date: run "npm run docs"').toBe(partnerApisMarkdown());
  });

  it.each(SYSTEMS.map((system) => [system.title, system] as const))(
    '%s: says of each assumed operation, and of no documented one, what was assumed',
    (_, { operations, assumptions }) => {
      const assumed = Object.entries(operations)
        .filter(([, { provenance }]) => provenance === 'assumed')
        .map(([key]) => operationName(key));
      expect(Object.keys(assumptions).sort()).toEqual(assumed.sort());
    },
  );
});
