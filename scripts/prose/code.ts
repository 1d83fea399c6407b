/** Finds the prose and the names of TypeScript and JavaScript. */
import { parse } from '@babel/parser';
import type { Comment, Node } from '@babel/types';
import { markdown } from './pages.js';
import { ESCAPE, type Extract, type Passage, Text } from './text.js';
import { CODE } from './words.js';

export function fromCode(path: string, source: string): Extract {
  const ast = parse(source, {
    sourceType: 'module',
    plugins: path.endsWith('x') ? ['typescript', 'jsx'] : ['typescript'],
    attachComment: false,
  });
  const comments = ast.comments ?? [];
  const escapes = comments.flatMap(({ value, start = 0 }) => {
    const [, reason] = ESCAPE.exec(value) ?? [];
    return reason === undefined ? [] : [{ offset: start, reason }];
  });
  const isTest = /^test\/(?!rigs\/)/.test(path);
  return {
    passages: [
      ...commentsOf(source, comments),
      ...stringsOf(ast.program, source, isTest),
      ...namesOf(ast.program),
    ],
    escapes,
  };
}

/** Comments as Markdown, one passage or more for each tag. Line comments on successive lines are one comment. */
function commentsOf(source: string, comments: readonly Comment[]): Passage[] {
  const blocks: { text: Text; begin: number; end: number }[] = [];
  for (const { type, value, start = 0, end = 0 } of comments) {
    if (/^\s*(?:prose-ignore|biome-ignore|@ts-|\/ <)/.test(value)) continue;
    const text =
      type === 'CommentLine'
        ? new Text().add(value.replace(/^ /, ''), end - value.trimStart().length)
        : undecorated(value, start + 2);
    const last = blocks.at(-1);
    if (type === 'CommentLine' && last && /^\n[^\S\n]*$/.test(source.slice(last.end, start))) {
      last.text.gap('\n', start).append(text);
      last.end = end;
    } else {
      blocks.push({ text, begin: start, end });
    }
  }
  return blocks.flatMap(({ text, begin }) =>
    byTag(text)
      .flatMap((part) => markdown(part))
      .map((passage) => ({ ...passage, begin })),
  );
}

/** The text of a block comment, without the stars at the start of its lines. */
function undecorated(value: string, start: number): Text {
  const text = new Text();
  let offset = start;
  for (const [index, line] of value.split('\n').entries()) {
    const content = index === 0 ? line.replace(/^\*? ?/, '') : line.replace(/^\s*\*? ?/, '');
    if (index > 0) text.gap('\n', offset - 1);
    text.add(content, offset + line.length - content.length);
    offset += line.length + 1;
  }
  return text;
}

const TAG =
  /@(?:param|template|typeParam)\s+[\w.[\]]+\s*(?:-\s)?|@throws\s+\{[^}]*\}\s*|(?<=^|\s)@[a-z]\w*\s*/gi;

/** Splits at tags such as `@param name`. `{@link ...}` becomes code of the same length. */
function byTag(text: Text): Text[] {
  const linked = text.part(0, text.value.length);
  linked.value = text.value.replace(
    /\{@link(?:code)?([^}]*)\}/g,
    (link) => `\`${link.slice(1, -1).replaceAll('`', ' ')}\``,
  );
  const parts: Text[] = [];
  let from = 0;
  for (const { 0: tag, index } of linked.value
    .replace(/`[^`\n]*`/g, (code) => '-'.repeat(code.length))
    .matchAll(TAG)) {
    parts.push(linked.part(from, index));
    from = index + tag.length;
  }
  return [...parts, linked.part(from, linked.value.length)];
}

type Parents = readonly Node[];

function walk(node: Node, parents: Parents, visit: (node: Node, parents: Parents) => boolean): void {
  if (!visit(node, parents)) return;
  const inner = [...parents, node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === 'object' && typeof child.type === 'string')
        walk(child as Node, inner, visit);
    }
  }
}

/** Strings and templates: prose, or names of one word. Prose in a test counts only in titles and their tables. */
function stringsOf(program: Node, source: string, isTest: boolean): Passage[] {
  const passages: Passage[] = [];

  walk(program, [], (node, parents) => {
    if (/^(?:TS)?Import|^ExportAll/.test(node.type)) return false;
    if (node.type === 'ExportNamedDeclaration' && node.source) return false;
    if (node.type === 'JSXAttribute' && node.name.name === 'class') return false;
    if (node.type === 'JSXText' && isProse(node.value)) {
      const text = new Text().add(node.value.replace(/\s/g, ' '), node.start ?? 0);
      passages.push(...withoutCode(text, node.start ?? 0));
      return false;
    }
    const concatenated = node.type === 'BinaryExpression' && node.operator === '+';
    if (!concatenated && node.type !== 'TemplateLiteral' && !isString(node)) return true;
    const text = joined(node, source);
    if (text === undefined) return true;
    const begin = node.start ?? 0;
    if (!isProse(text.value)) {
      if (!SAMPLE.test(text.value)) passages.push({ kind: 'name', text, begin });
    } else if (!isTest || isTitle([...parents, node])) passages.push(...withoutCode(text, begin));
    // Expressions in a template or a sum may hold strings, too.
    const inner = node.type === 'TemplateLiteral' ? node.expressions : concatenated ? leaves(node) : [];
    for (const leaf of inner) {
      if (isString(leaf) || leaf.type === 'TemplateLiteral') continue;
      passages.push(...stringsOf(leaf, source, isTest));
    }
    return false;
  });
  return passages;
}

function isString(node: Node): boolean {
  return node.type === 'StringLiteral';
}

function leaves(node: Node): Node[] {
  return node.type === 'BinaryExpression' && node.operator === '+'
    ? [...leaves(node.left), ...leaves(node.right)]
    : [node];
}

/** A string, a template or a sum of such as one text; undefined when there is no string in it. */
function joined(node: Node, source: string): Text | undefined {
  const parts = leaves(node);
  if (!parts.some((part) => isString(part) || part.type === 'TemplateLiteral')) return undefined;
  const text = new Text();
  for (const part of parts) {
    if (part.type === 'TemplateLiteral') {
      for (const [index, quasi] of part.quasis.entries()) {
        if (index > 0) text.gap(CODE, quasi.start ?? 0);
        unescaped(quasi.value.raw, quasi.start ?? 0, text);
      }
    } else if (isString(part)) {
      const start = (part.start ?? 0) + 1;
      unescaped(source.slice(start, (part.end ?? 0) - 1), start, text);
    } else {
      text.gap(CODE, part.start ?? 0);
    }
  }
  return text;
}

function unescaped(raw: string, start: number, into: Text): void {
  for (const { 0: piece, index } of raw.matchAll(/\\(?:u\{[^}]*\}|u.{4}|x..|[\s\S])|[^\\]+/g)) {
    if (!piece.startsWith('\\')) into.add(piece, start + index);
    else
      into.gap(
        /^\\[nrt\n]/.test(piece) ? '\n' : /^\\[ux]/.test(piece) ? CODE : piece.slice(1),
        start + index,
      );
  }
}

/** URLs and JSON hold sample data. */
const SAMPLE = /:\/\/|[{,]"/;

/** At least two words with a space between them, and nothing that only code has. */
function isProse(value: string): boolean {
  const words = value.match(/(?<![\w/.$-])[A-Za-z][a-z’']*(?![\w/=(])/g) ?? [];
  return (
    words.length > 1 &&
    /[a-z’',;:)\uFFFC] [a-z(\uFFFC]/i.test(value) &&
    !/[{}]\s*[.#\w-]+\s*:|=>|;\n|^\s*[{[<]/.test(value)
  );
}

/** A string as prose, and each piece of it in backticks as a name. */
function withoutCode(text: Text, begin: number): Passage[] {
  const names: Passage[] = [];
  const prose = new Text();
  let from = 0;
  for (const { 0: code, index } of text.value.matchAll(/`[^`]+`/g)) {
    prose.append(text.part(from, index)).gap(CODE, text.offset(index));
    names.push({ kind: 'name', text: text.part(index, index + code.length), begin });
    from = index + code.length;
  }
  return [{ kind: 'prose', text: prose.append(text.part(from, text.value.length)), begin }, ...names];
}

/** Whether a node is the title of a test, or is in the table of one: `it.each([['here', 1]])('or here', ...)`. */
function isTitle(path: Parents): boolean {
  for (const [index, call] of path.entries()) {
    if (call.type !== 'CallExpression') continue;
    const below = path[index + 1];
    const root = rootName(call.callee);
    if (!root || !/^(?:it|test|describe|bench)$/.test(root)) continue;
    if (below === call.arguments[0] && (isEach(call) || path.length === index + 2)) return true;
  }
  return false;
}

function isEach({ callee }: { callee: Node }): boolean {
  return (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'each'
  );
}

function rootName(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MemberExpression') return rootName(node.object);
  return node.type === 'CallExpression' ? rootName(node.callee) : undefined;
}

/** Names where they are declared, and keys of objects. Uses follow a declaration, and names of libraries are not ours. */
function namesOf(program: Node): Passage[] {
  const passages: Passage[] = [];
  const add = (node: Node): void => {
    if (node.type === 'PrivateName') add(node.id);
    else if (node.type === 'Identifier') {
      passages.push({ kind: 'declared', text: new Text().add(node.name, node.start ?? 0) });
    }
  };
  walk(program, [], (node) => {
    if (node.type === 'ImportDeclaration' || node.type === 'PrivateName') return false;
    if ('id' in node) pattern(node.id as Node | null, add);
    if ('params' in node && Array.isArray(node.params)) {
      for (const param of node.params) pattern(param as Node, add);
    }
    if ('param' in node) pattern(node.param as Node | null, add);
    if ('key' in node && !('shorthand' in node && node.shorthand)) add(node.key as Node);
    return true;
  });
  return passages;
}

/** The names that a pattern declares. */
function pattern(node: Node | null, add: (node: Node) => void): void {
  if (node?.type === 'Identifier') add(node);
  else if (node?.type === 'AssignmentPattern') pattern(node.left, add);
  else if (node?.type === 'RestElement') pattern(node.argument, add);
  else if (node?.type === 'TSParameterProperty') pattern(node.parameter, add);
  else if (node?.type === 'ArrayPattern') for (const element of node.elements) pattern(element, add);
  else if (node?.type === 'ObjectPattern') {
    for (const property of node.properties) {
      if (property.type === 'RestElement') pattern(property.argument, add);
      else if (!property.shorthand) pattern(property.value, add);
    }
  }
}
