/**
 * Checks that no regular expression of src/ takes longer than its text is long: `npm run check:patterns`. Exit code 1 names each
 * one that does, with the character to repeat.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { analyse } from 'scslre';
import ts from 'typescript-6';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export interface Literal {
  /** `src/services/texts/time.ts:18` */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

export interface Patterns {
  readonly literals: readonly Literal[];
  /** The files that make patterns from texts, once for each `new RegExp`. */
  readonly computed: readonly string[];
}

/** A slash where a regular expression can begin, or a computed one. Most files have neither, and parsing takes longest. */
const MAY_HAVE_PATTERNS = /(?:^|[(,=:[!&|?{};>]|return)\s*\/(?![*/>])|\bRegExp\(/m;

/** All regular expressions of the sources. */
export function patternsIn(folder = 'src'): Patterns {
  const literals: Literal[] = [];
  const computed: string[] = [];
  for (const path of globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }).sort()) {
    const text = readFileSync(`${ROOT}${path}`, 'utf8');
    if (!MAY_HAVE_PATTERNS.test(text)) continue;
    const { ParseNone: jsDocParsingMode } = ts.JSDocParsingMode;
    const file = ts.createSourceFile(path, text, {
      languageVersion: ts.ScriptTarget.Latest,
      jsDocParsingMode,
    });
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const line = file.getLineAndCharacterOfPosition(node.end).line + 1;
        literals.push({
          place: `${path}:${line}`,
          source: node.text.slice(1, end),
          flags: node.text.slice(end + 1),
        });
      } else if (isComputed(node)) computed.push(path);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return { literals, computed };
}

/** `new RegExp(...)`, or `RegExp(...)`, which is the same. */
function isComputed(node: ts.Node): boolean {
  const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
  return isCall && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp';
}

/** Why a pattern may take longer than its text is long: a line for each reason. */
export function findingsIn({ place, source, flags }: Literal): string[] {
  return analyse({ source, flags }).reports.map(({ character, exponential }) => {
    const { source: repeated } = character.literal;
    return `${place}: /${source}/${flags} takes ${exponential ? 'exponential' : 'polynomial'} time: repeat ${repeated}`;
  });
}

if (process.argv[1] === import.meta.filename) {
  const findings = patternsIn().literals.flatMap(findingsIn);
  process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
  process.exitCode = findings.length > 0 ? 1 : 0;
}
