import { globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import ts from 'typescript-6';
import { expect, it } from 'vitest';

/** Retired words within names. Prose may use them. */
const WORDS =
  /[jJ]ourney|[aA]dopt|[dD]oubt|[rR]estless|RESTLESS|[mM]oot(?![a-z])|[pP]atien(?:t|ce)|[sS]urroundings|[iI]n(?:Words|Short)(?![a-z])/;

/** Retired names of what src/ exports. */
const EXPORTS = new Set(
  ['Act', 'Decision', 'Frame', 'Instead', 'Reaction', 'Remembered', 'Situation'].concat(
    ['Visit', 'Visitor', 'again', 'beating', 'decided', 'defined', 'inTime', 'kept', 'known', 'masked'],
    ['DeliveryMark', 'KnownKey', 'LastAttempt', 'OnceProxy', 'RequestKey', 'StatusMark', 'compact', 'naming'],
    ['onRead', 'only', 'ours', 'plain', 'reacted', 'readLate', 'removeEntry', 'same', 'stays', 'unlessKnown'],
    ['warned', 'watched', 'when'],
  ),
);

/** Participles that stood for nouns. A variable or a parameter says what it is: `profile`, `options`, `requirement`. */
const PARTICIPLES = new Set(['asked', 'begun', 'found', 'given', 'kept', 'known', 'made', 'shown']);

/** The retired names that a file declares. */
function retiredIn(path: string): readonly string[] {
  const kind = extname(path) === '.tsx' ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false, kind);
  const retired: string[] = [];
  const read = (node: ts.Node): void => {
    const { name } = node as ts.NamedDeclaration;
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) && isRetired(path, node, name.text))
      retired.push(`${path}: ${name.text}`);
    ts.forEachChild(node, read);
  };
  read(file);
  return retired;
}

function isRetired(path: string, node: ts.Node, name: string): boolean {
  const isLocal = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
  const isExported =
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  return (
    WORDS.test(name) ||
    (isLocal && PARTICIPLES.has(name)) ||
    (isExported && path.startsWith('src') && EXPORTS.has(name))
  );
}

// Alone catches an old name that comes back with a merge, or in new code: the compiler takes either.
it('no name is retired', () => {
  const files = globSync('{src,test}/**/*.{ts,tsx}');
  expect(files.flatMap(retiredIn)).toEqual([]);
});
