/**
 * A plugin of Stryker: leaves sentences for people alone, which are texts with a space. IDs, codes, names and formats stay, and so
 * does what is decided inside a sentence. Loaded by plain Node.
 */

/** The nodes of Babel's syntax tree that are read. */
type Node =
  | { readonly type: 'MemberExpression'; readonly object: Node; readonly property: Node }
  | { readonly type: 'CallExpression'; readonly callee: Node; readonly arguments: readonly Node[] }
  | { readonly type: 'Identifier' }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | {
      readonly type: 'TemplateLiteral';
      readonly quasis: readonly { readonly value: { readonly raw: string } }[];
      readonly expressions: readonly Node[];
    };

/** Whether a part of a sentence decides nothing: `name`, `error.message`, `size(files)`. */
function isPlain(node: Node): boolean {
  if (node.type === 'MemberExpression') return isPlain(node.object) && isPlain(node.property);
  if (node.type === 'CallExpression') return [node.callee, ...node.arguments].every(isPlain);
  return node.type === 'Identifier' || node.type === 'StringLiteral';
}

function isSentence(node: Node): boolean {
  if (node.type === 'StringLiteral') return node.value.includes(' ');
  if (node.type !== 'TemplateLiteral') return false;
  return node.quasis.some(({ value }) => value.raw.includes(' ')) && node.expressions.every(isPlain);
}

const ignorer = {
  shouldIgnore: ({ node }: { readonly node: Node }) =>
    isSentence(node) ? 'a sentence for people' : undefined,
};

export const strykerPlugins = [{ kind: 'Ignore', name: 'sentences', value: ignorer }];
