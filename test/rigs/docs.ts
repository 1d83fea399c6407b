import { globSync, readFileSync } from 'node:fs';
import type { Nodes, Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** Pages that a visitor expects. A test fails where one of them is missing. */
export const EXPECTED_PAGES: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...['docs/architecture.md', 'docs/tutorial.md', 'docs/decisions/README.md'],
];

/** All pages of the project. */
export const PAGES: readonly string[] = globSync(['*.md', 'docs/**/*.md', '.github/**/*.md']).sort();

/** Markdown as GitHub reads it. */
export const markdown = unified().use(remarkParse).use(remarkGfm);

const trees = new Map<string, Root>();

function treeOf(page: string): Root {
  const tree = trees.get(page) ?? markdown.parse(readFileSync(page, 'utf8'));
  trees.set(page, tree);
  return tree;
}

/** Every node of a type on a page, with the line where it starts. */
export function nodesOf<Type extends Nodes['type']>(
  page: string,
  type: Type,
): (Extract<Nodes, { type: Type }> & { line: number })[] {
  const found = (node: Nodes): Nodes[] => [node, ...('children' in node ? node.children.flatMap(found) : [])];
  return found(treeOf(page))
    .filter((node): node is Extract<Nodes, { type: Type }> => node.type === type)
    .map((node) => ({ ...node, line: node.position?.start.line ?? 0 }));
}
