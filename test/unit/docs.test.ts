import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { partnerApisMarkdown } from '../../scripts/partner-apis.js';
import { operationName } from '../../src/partners/catalogue.js';
import { PARTNERS, SYSTEM_NAMES } from '../../src/partners/systems.js';

describe('docs/partner-apis.md', () => {
  it('is what the catalogue makes of it', async () => {
    const written = await readFile(new URL('../../docs/partner-apis.md', import.meta.url), 'utf8');
    expect(written, 'docs/partner-apis.md is out of date: run "npm run docs"').toBe(partnerApisMarkdown());
  });

  it.each(SYSTEM_NAMES)(
    '%s: says of each assumed operation, and of no documented one, what is assumed',
    (system) => {
      const { operations, documentation } = PARTNERS[system];
      const { assumptions } = documentation;
      const assumed = Object.entries(operations({}))
        .filter(([, { provenance }]) => provenance === 'assumed')
        .map(([key]) => operationName(key));
      expect(Object.keys(assumptions).sort()).toEqual(assumed.sort());
    },
  );
});

/** The anchor that a heading gets on the page. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

describe('a link in the documents', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync('docs').map((name) => `docs/${name}`)];
  it.each(pages.filter((page) => page.endsWith('.md')))('%s: leads somewhere', async (page) => {
    const links = [...(await readFile(page, 'utf8')).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    for (const [link, path = '', anchor] of links) {
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(target), link).toBe(true);
      if (anchor === undefined) continue;
      const headings = (await readFile(target, 'utf8')).matchAll(/^#+ (.+)$/gm);
      expect(
        [...headings].map(([, heading = '']) => anchorOf(heading)),
        link,
      ).toContain(anchor);
    }
  });
});
