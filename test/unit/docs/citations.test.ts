import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchorsOf, lineAt } from '../../rigs/docs.js';

/** The contracts of the partners are not in the repository: code cites what docs/partner-apis.md says about them. */
const PAGE = 'docs/partner-apis.md';
const ANCHORS = anchorsOf(PAGE);

const FILES = globSync([
  '{src,simulation,test,scripts,bench,examples}/**/*.{ts,tsx,mjs,cts,sh}',
  '{README,CONTRIBUTING,CHANGELOG,SECURITY}.md',
  '{docs,src}/**/*.md',
]).filter((file) => !/^test\/(histories|unit\/docs\/citations)|^docs\/api\//.test(file));

/** `#banking-rules` after the page's name, or alone after another citation. */
const CITATION = /(docs\/partner-apis\.md)?#([a-z]+(?:-[a-z]+)*)\b/g;

/** The citations of a text that lead nowhere. */
function deadCitationsIn(text: string): string[] {
  const contracts = [...text.matchAll(/\bapis\/\d/g)].map(({ 0: cited, index }) => [cited, index] as const);
  const anchors = [...text.matchAll(CITATION)].flatMap(({ 0: cited, 1: page, 2: anchor = '', index }) => {
    const isOurs = page !== undefined || /-(?:rules|assumptions)$/.test(anchor);
    return isOurs && !ANCHORS.has(anchor) ? [[cited, index] as const] : [];
  });
  return [...contracts, ...anchors].map(([cited, index]) => `${lineAt(text, index)}: ${cited}`);
}

describe('a citation of a partner’s contract', () => {
  it('leads to a heading of docs/partner-apis.md', () => {
    const texts = FILES.map((file) => [file, readFileSync(file, 'utf8')] as const);
    expect(texts.flatMap(([file, text]) => deadCitationsIn(text).map((dead) => `${file}:${dead}`))).toEqual(
      [],
    );
    expect(texts.filter(([, text]) => text.includes(`${PAGE}#`)).length).toBeGreaterThan(30);
  });

  it.each([
    [
      'a heading that the page does not have',
      'docs/partner-apis.md#banking-laws',
      '1: docs/partner-apis.md#banking-laws',
    ],
    ['one after another', 'docs/partner-apis.md#banking,\n#bank-rules', '2: #bank-rules'],
    ['a file that is not in the repository', '(apis/2, B1)', '1: apis/2'],
  ])('is reported when it leads to %s', (_, text, dead) => {
    expect(deadCitationsIn(text)).toEqual([dead]);
  });

  it('leads to the rules or the assumptions of a partner, which are there with their provenance', () => {
    const headings = readFileSync(PAGE, 'utf8').match(/^## .+$/gm) ?? [];
    const parts = headings.flatMap((heading) =>
      ['rules', 'assumptions'].map(
        (part) => `${heading.slice(3).toLowerCase().replaceAll(' ', '-')}-${part}`,
      ),
    );
    expect(parts.filter((part) => !ANCHORS.has(part))).toEqual([]);
  });
});
