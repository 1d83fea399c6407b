import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { partnerApisMarkdown, SYSTEMS } from '../../scripts/partner-apis.js';
import { REQUIREMENT_KINDS } from '../../src/messages/requirements.js';
import { operationName } from '../../src/partners/catalogue.js';

describe('docs/partner-apis.md', () => {
  it('is what the catalogue makes of it', async () => {
    const written = await readFile(new URL('../../docs/partner-apis.md', import.meta.url), 'utf8');
    expect(written, 'docs/partner-apis.md is out of date: run "npm run docs"').toBe(partnerApisMarkdown());
  });

  it.each(SYSTEMS.map((system) => [system.title, system] as const))(
    '%s: lists the assumptions about each assumed operation, and about no documented one',
    (_, { operations, assumptions }) => {
      const assumed = Object.entries(operations)
        .filter(([, { provenance }]) => provenance === 'assumed')
        .map(([key]) => operationName(key));
      expect(Object.keys(assumptions).sort()).toEqual(assumed.sort());
    },
  );
});

describe('docs/operations.md', () => {
  it('has a runbook for each kind of requirement, with what happened, how to see it, what to do and what not to do', async () => {
    const guide = await readFile('docs/operations.md', 'utf8');
    const runbooks = guide.split(/^#{2,3} /m).filter((section) => section.startsWith('Requirement: '));
    expect(runbooks.map((text) => /^Requirement: `(.+)`$/m.exec(text)?.[1])).toEqual(REQUIREMENT_KINDS);
    for (const text of runbooks) {
      expect(text).toMatch(/What happened:\*\*.+See it:\*\*.+\*\*Do:\*\*.+\*\*Do not\*\*/s);
    }
  });
});

describe('docs/monitoring.md', () => {
  it('lists the metrics that the code counts, and no others', () => {
    const metricsIn = (text: string) => text.match(/\bgangway_[a-z_]+[a-z]\b/g) ?? [];
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const counted = sources.flatMap((name) => metricsIn(readFileSync(join('src', name), 'utf8')));
    expect(counted.length).toBeGreaterThan(20);
    expect(new Set(metricsIn(readFileSync('docs/monitoring.md', 'utf8')))).toEqual(new Set(counted));
  });
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
