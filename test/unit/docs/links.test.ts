import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, EXPECTED_PAGES, inlineCodeOf, lineAt, PAGES, proseOf } from '../../rigs/docs.js';

/** The links of a page within the project that lead nowhere. */
function brokenLinksOf(page: string): string[] {
  const text = proseOf(page).replaceAll(/`[^`\n]*`/g, (code) => '-'.repeat(code.length));
  return [...text.matchAll(/\]\((?!\w+:)<?([^)#>\s]*)(?:#([^)>\s]+))?[^)]*\)/g)].flatMap((link) => {
    const [, path = '', anchor] = link;
    const target = path === '' ? page : join(page, '..', decodeURI(path));
    const isBroken =
      !existsSync(target) || (anchor && target.endsWith('.md') && !anchorsOf(target).has(anchor));
    return isBroken ? [`${page}:${lineAt(text, link.index)} ${path}${anchor ? `#${anchor}` : ''}`] : [];
  });
}

describe('a page that a visitor expects', () => {
  it.each(EXPECTED_PAGES)('%s: exists', (page) => {
    expect(PAGES).toContain(page);
  });
});

describe('a link on a page', () => {
  it.each(PAGES)('%s: leads to a file and to a heading that exist', (page) => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  it.each([
    ['a file', 'file.md', 'nowhere.md'],
    ['a heading of the page', 'heading.md', '#nowhere'],
    ['a heading of another page', 'other-heading.md', '../../../CONTRIBUTING.md#nowhere'],
  ])('is reported when it leads to no such thing as %s', (_, file, target) => {
    expect(brokenLinksOf(`test/rigs/docs/${file}`)).toEqual([`test/rigs/docs/${file}:1 ${target}`]);
  });
});

/** Paths from the root of the project, as pages write them. */
const PATH = /^(src|test|docs|deploy|examples|scripts|bench|\.ci|\.github)\/[\w./-]*$/;

/** What people make on their machines and git does not have: `/deploy/secrets/`. */
const LOCAL = readFileSync('.gitignore', 'utf8').match(/(?<=^\/).*?(?=\/?$)/gm) ?? [];

describe('a path in the text of a page', () => {
  it.each(PAGES)('%s: leads to a file or folder that exists', (page) => {
    const paths = inlineCodeOf(page).filter(
      ({ value }) => PATH.test(value) && !LOCAL.some((local) => value.startsWith(local)),
    );
    expect(
      paths.filter(({ value }) => !existsSync(value)).map(({ value, line }) => `${page}:${line} ${value}`),
    ).toEqual([]);
  });
});
