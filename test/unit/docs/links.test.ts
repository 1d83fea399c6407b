import { existsSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import remarkValidateLinks from 'remark-validate-links';
import type { Plugin } from 'unified';
import { engine } from 'unified-engine';
import { describe, expect, it } from 'vitest';
import { EXPECTED_PAGES, markdown, nodesOf, PAGES } from '../../rigs/docs.js';

/** What the checker reports of pages: nothing, or one line for each link that leads nowhere. */
async function problemsOf(files: readonly string[]): Promise<string> {
  const report = new PassThrough();
  await new Promise<void>((resolve, reject) => {
    engine(
      {
        ...{
          processor: markdown,
          files: [...files],
          plugins: [[remarkValidateLinks as unknown as Plugin<unknown[]>, { repository: false }]],
        },
        ...{ output: false, out: false, quiet: true, color: false, streamError: report },
      },
      (error) => (error ? reject(error) : resolve()),
    );
  });
  return text(report.end());
}

describe('a page that a visitor expects', () => {
  it.each(EXPECTED_PAGES)('%s: exists', (page) => {
    expect(PAGES).toContain(page);
  });
});

/** All pages are parsed, which takes a busy machine its time. */
const SLOW_MS = 180_000;

describe('a link on a page', { timeout: SLOW_MS }, () => {
  it('leads to a file and to a heading that exist', async () => {
    expect(await problemsOf(PAGES)).toBe('');
  });

  it.each([
    ['a file', 'file.md'],
    ['a heading of the page', 'heading.md'],
    ['a heading of another page', 'other-heading.md'],
  ])('is reported when it leads to no such thing as %s', async (_, file) => {
    expect(await problemsOf([`test/rigs/docs/${file}`, 'CONTRIBUTING.md'])).toMatch(/Cannot find/);
  });
});

/** Paths from the root of the project, as pages write them. */
const PATH = /^(src|test|docs|deploy|examples|scripts|bench|\.ci|\.github)\/[\w./-]*$/;

/** What people make on their machines and git does not have: `/deploy/secrets/`. */
const LOCAL = readFileSync('.gitignore', 'utf8').match(/(?<=^\/).*?(?=\/?$)/gm) ?? [];

describe('a path in the text of a page', () => {
  it.each(PAGES)('%s: leads to a file or folder that exists', (page) => {
    const paths = nodesOf(page, 'inlineCode').filter(
      ({ value }) => PATH.test(value) && !LOCAL.some((local) => value.startsWith(local)),
    );
    expect(
      paths.filter(({ value }) => !existsSync(value)).map(({ value, line }) => `${page}:${line} ${value}`),
    ).toEqual([]);
  });
});
