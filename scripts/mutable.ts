/**
 * Checks that workflows remember nothing outside of their state: `npm run check:mutable`. Exit code 1 names each field of a class
 * below src/workflows that can change, and is neither the state nor a handle of what runs.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-6';

/** What runs: a call, a timer or a scope. It ends with its run. */
const HANDLES = new Set([
  'runtime/state.ts #state',
  'runtime/status-poll.ts #running',
  'runtime/status-poll.ts #last',
  'runtime/stalled-calls.ts #running',
  'runtime/stalled-calls.ts #published',
  'runtime/tasks.ts #running',
  'runtime/tasks.ts #failure',
  'runtime/customer-reports.ts #isPending',
  'runtime/customer-reports.ts #isSending',
  'customer/customer.ts runs',
  'customer/customer.ts #reportRequests',
]);

const CONTAINERS = new Set(['Map', 'Set', 'Array', 'WeakMap', 'WeakSet']);

/** The fields of classes in a source that can change: `#count`. */
export function mutableFields(source: string): readonly string[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest);
  const matches: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyDeclaration(node) && canChange(node)) matches.push(node.name.getText(file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return matches;
}

function canChange({
  modifiers = ts.factory.createNodeArray(),
  initializer,
}: ts.PropertyDeclaration): boolean {
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword)) return true;
  if (initializer === undefined) return false;
  const isContainer =
    ts.isNewExpression(initializer) &&
    ts.isIdentifier(initializer.expression) &&
    CONTAINERS.has(initializer.expression.text);
  return isContainer || ts.isArrayLiteralExpression(initializer) || hasValues(initializer);
}

/** Reports whether it is an object with more than functions in it. */
function hasValues(node: ts.Expression): boolean {
  if (!ts.isObjectLiteralExpression(node)) return false;
  return node.properties.some(
    (each) => !ts.isPropertyAssignment(each) || !ts.isArrowFunction(each.initializer),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = 'src/workflows';
  const all = globSync('**/*.ts', { cwd: folder }).flatMap((path) =>
    mutableFields(readFileSync(`${folder}/${path}`, 'utf8')).map((field) => `${path} ${field}`),
  );
  const others = all.filter((each) => !HANDLES.has(each));
  const gone = [...HANDLES].filter((each) => !all.includes(each));
  for (const each of others) process.stdout.write(`${folder}/${each} can change: put it into the state\n`);
  for (const each of gone) process.stdout.write(`scripts/mutable.ts: there is no ${each}\n`);
  process.exitCode = others.length + gone.length > 0 ? 1 : 0;
}
