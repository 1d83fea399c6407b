import { globSync, readFileSync } from 'node:fs';
import type { Command } from 'unbash';

/** Pages that a visitor expects. A test fails where one of them is missing. */
export const EXPECTED_PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs/architecture.md',
  'docs/tutorial.md',
  'docs/decisions/README.md',
];

/** All pages of the project. */
export const PAGES: readonly string[] = globSync([
  '*.md',
  'docs/**/*.md',
  '.github/**/*.md',
  'src/*/README.md',
]).sort();

/** A piece of code on a page. */
interface Code {
  /** Its first line on the page. */
  readonly line: number;
  /** Of a block: `sh`. Empty within a text. */
  readonly lang: string;
  readonly value: string;
}

const BLOCK = /^(?<indent> *)```(?<lang>\w*)\n(?<value>.*?)\n? *```$/gms;

/** The blocks of code on a page. */
export function blocksOf(page: string): Code[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(BLOCK)].map(({ index, groups: { indent = '', lang = '', value = '' } = {} }) => ({
    line: lineAt(text, index),
    lang,
    value: value.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The code in the text of a page. */
export function inlineCodeOf(page: string): Code[] {
  const text = proseOf(page);
  return [...text.matchAll(/(`+)([^`].*?)\1(?!`)/gs)].map(({ index, 2: value = '' }) => ({
    line: lineAt(text, index),
    lang: '',
    value: value.replaceAll(/\s+/g, ' ').replaceAll('\\|', '|'),
  }));
}

/** A page without its blocks, which leave their line breaks. */
export function proseOf(page: string): string {
  return readFileSync(page, 'utf8').replaceAll(BLOCK, (block) => block.replaceAll(/.+/g, ''));
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} +(.+)$/gm)) {
    const words = heading
      .replaceAll(/\[(.*?)\]\(.*?\)/g, '$1')
      .trim()
      .toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    let number = 0;
    while (anchors.has(number ? `${anchor}-${number}` : anchor)) number++;
    anchors.add(number ? `${anchor}-${number}` : anchor);
  }
  return anchors;
}

/** Every command of a script, those in pipes, loops and `$( )` included. */
export function commandsOf(node: unknown): Command[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.values(node).flatMap(commandsOf);
  return (node as Command).type === 'Command' ? [node as Command, ...inner] : inner;
}
