/**
 * The prose linter: `npm run check:prose` for the whole tree, `npm run prose -- src/receiver README.md` for a part,
 * `--count` for a summary, `--rule says` for one rule. The retired words are in words.ts. A comment `prose-ignore: REASON` lets
 * the findings of its line pass; on a line of its own, those of the comment, string or line that starts below it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fromCode } from './code.js';
import { fromData, fromHashComments, fromPage, fromPatch } from './pages.js';
import { type Finding, findingsIn, names } from './rules.js';
import { type Extract, Text } from './text.js';
import { NAMES, TURNS } from './words.js';

const LINTED = /^(?:src|scripts|bench|test|docs|deploy|examples|\.ci)\/|^[^/]+$/;
const READ =
  /\.(?:[cm]?[jt]sx?|md|sh|ya?ml|json|patch|env|example)$|(?:^|\/)(?:Dockerfile|run|\.dockerignore)$/;
/** Recorded or made by a command; example inputs; the retired words and their examples. */
const EXEMPT =
  /^test\/histories\/|^package-lock\.json$|^docs\/partner-apis\.md$|^examples\/.*\.json$|^scripts\/prose\/words\.ts$|^test\/unit\/scripts\/prose/;

export interface Located extends Finding {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** Line on which the comment or the string starts. */
  readonly begin: number;
}

export function lintFile(path: string, source: string): Located[] {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineOf = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;
  const locate = (finding: Finding, begin = finding.offset): Located => {
    const line = lineOf(finding.offset);
    return {
      ...finding,
      path,
      line,
      column: finding.offset - (starts[line - 1] ?? 0) + 1,
      begin: lineOf(begin),
    };
  };
  const { passages, escapes } = extract(path, source);
  let found = passages.flatMap((passage) =>
    findingsIn(path, passage).map((finding) => locate(finding, passage.begin)),
  );
  for (const { offset, reason } of escapes) {
    const line = lineOf(offset);
    const isAlone = source.slice(starts[line - 1], offset).trim() === '';
    const left = found.filter((finding) =>
      isAlone ? finding.line !== line + 1 && finding.begin !== line + 1 : finding.line !== line,
    );
    const wrong = { rule: 'prose-ignore', offset, found: `prose-ignore: ${reason}` };
    if (left.length === found.length) {
      left.push(locate({ ...wrong, write: 'nothing: remove it', why: 'it has no finding to let pass' }));
    } else if (reason === '') {
      left.push(locate({ ...wrong, write: 'prose-ignore: REASON', why: 'a reason is required' }));
    }
    found = left;
  }
  return [...found, ...retiredInName(path).map((finding) => locate(finding))].sort(
    (a, b) => a.line - b.line || a.column - b.column,
  );
}

function extract(path: string, source: string): Extract {
  if (/\.[cm]?[jt]sx?$/.test(path)) return fromCode(path, source);
  if (path.endsWith('.md')) return fromPage(source);
  if (/\.(?:ya?ml|json)$/.test(path)) return fromData(source);
  return path.endsWith('.patch') ? fromPatch(source) : fromHashComments(source);
}

/** Findings in the last part of a path. */
function retiredInName(path: string): Finding[] {
  return names(new Text().gap(path.slice(path.lastIndexOf('/') + 1), 0), true);
}

/** Findings in the names of the folders of some files. */
export function lintFolders(paths: readonly string[]): Located[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      folders.add(path.slice(0, end));
  }
  return [...folders].flatMap((path) =>
    retiredInName(path).map((finding) => ({ ...finding, path, line: 1, column: 1, begin: 1 })),
  );
}

/** Files of the repository, also those that are not committed yet. */
export function filesUnder(paths: readonly string[]): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...paths],
    { encoding: 'utf8' },
  );
  return [...new Set(listed.split('\0'))].filter(
    (path) => LINTED.test(path) && READ.test(path) && !EXEMPT.test(path) && existsSync(path),
  );
}

function report({ path, line, column, rule, found, write, why }: Located): string {
  return `${path}:${line}:${column}  ${rule}  "${found}" -> ${write} (${why})`;
}

function counted(findings: readonly Located[], by: (finding: Located) => string): string {
  const counts = new Map<string, number>();
  for (const finding of findings) counts.set(by(finding), (counts.get(by(finding)) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([key, count]) => `${String(count).padStart(6)}  ${key}`)
    .join('\n');
}

function summary(findings: readonly Located[]): string {
  const folder = ({ path }: Located) => path.split('/').slice(0, -1).slice(0, 3).join('/') || '.';
  return `${counted(findings, ({ rule }) => rule)}\n\n${counted(findings, folder)}\n`;
}

function words(): string {
  return [...TURNS, ...NAMES]
    .map(({ rule, finds, write, why }) => `${rule}: "${finds[0]}" -> ${write} (${why})`)
    .join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: 'boolean' }, words: { type: 'boolean' }, rule: { type: 'string' } },
  });
  const files = filesUnder(positionals);
  if (values.words) {
    process.stdout.write(`${words()}\n`);
  } else if (files.length === 0) {
    process.stderr.write(`${positionals.join(', ')}: no file there is linted\n`);
    process.exitCode = 2;
  } else {
    const findings = [
      ...lintFolders(files),
      ...files.flatMap((path) => lintFile(path, readFileSync(path, 'utf8'))),
    ];
    const wanted = findings.filter(({ rule }) => values.rule === undefined || rule === values.rule);
    process.stdout.write(
      values.count ? summary(wanted) : wanted.map((finding) => `${report(finding)}\n`).join(''),
    );
    process.stdout.write(`${wanted.length} findings\n`);
    process.exitCode = wanted.length > 0 ? 1 : 0;
  }
}
