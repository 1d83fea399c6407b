import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchorsOf, lineAt } from '../../rigs/docs.js';

/** The contracts of the partners are not in the repository: code cites what docs/partner-apis.md says about them. */
const PAGE = 'docs/partner-apis.md';

const FILES = globSync([
  '{src,simulation,test,scripts,bench,examples}/**/*.{ts,tsx,mjs,cts,sh}',
  '*.mjs',
  '{README,CONTRIBUTING,CHANGELOG,SECURITY}.md',
  '{docs,src}/**/*.md',
]).filter((file) => !/^test\/(histories|unit\/(docs\/citations|scripts\/prose))|^docs\/api\//.test(file));

/** `docs/architecture.md`, with an anchor or without; or after such a citation another anchor of docs/partner-apis.md. */
const CITATION = /\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?|#([a-z]+(?:-[a-z]+)*-(?:rules|assumptions))\b/g;

const anchors = new Map<string, Set<string>>();

function isHeading(page: string, anchor: string): boolean {
  const entries = anchors.get(page) ?? anchorsOf(page);
  anchors.set(page, entries);
  return entries.has(anchor);
}

/** The citations of a text that lead nowhere. */
function deadCitationsIn(text: string): string[] {
  const contracts = [...text.matchAll(/\bapis\/\d/g)];
  const pages = [...text.matchAll(CITATION)].filter(([, page = PAGE, anchor, alone]) => {
    const heading = anchor ?? alone;
    return !existsSync(page) || (heading !== undefined && !isHeading(page, heading));
  });
  return [...contracts, ...pages].map(({ 0: cited, index }) => `${lineAt(text, index)}: ${cited}`);
}

describe('a citation of a page, or of a partner’s contract on a page', () => {
  it('leads to a heading that exists', () => {
    const texts = FILES.map((file) => [file, readFileSync(file, 'utf8')] as const);
    const dead = texts.flatMap(([file, text]) => deadCitationsIn(text).map((cited) => `${file}:${cited}`));
    expect(dead).toEqual([]);
    expect(texts.filter(([, text]) => text.includes(`${PAGE}#`)).length).toBeGreaterThan(30);
  });

  it.each([
    [
      'a heading that the page does not have',
      'docs/partner-apis.md#bank-laws',
      '1: docs/partner-apis.md#bank-laws',
    ],
    ['a page that there is not', 'see docs/partners.md', '1: docs/partners.md'],
    ['one after another', 'docs/partner-apis.md#banking,\n#bank-rules', '2: #bank-rules'],
    ['a file that is not in the repository', '(apis/2, B1)', '1: apis/2'],
  ])('is reported when it leads to %s', (_, text, dead) => {
    expect(deadCitationsIn(text)).toEqual([dead]);
  });

  it('leads to the rules or the assumptions of a partner, which are there with their provenance', () => {
    const headings = readFileSync(PAGE, 'utf8').match(/^## (?!What Gangway tolerates).+$/gm) ?? [];
    const parts = headings.flatMap((heading) =>
      ['rules', 'assumptions'].map(
        (part) => `${heading.slice(3).toLowerCase().replaceAll(' ', '-')}-${part}`,
      ),
    );
    expect(parts.filter((part) => !isHeading(PAGE, part))).toEqual([]);
  });
});
