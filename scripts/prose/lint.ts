/**
 * The prose linter: `npm run check:prose` for the whole tree, `npm run prose -- src/receiver README.md` for a part,
 * `--count` for a summary. The retired words are in words.ts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fromCode } from './code.js';
import { fromHashComments, fromPage } from './pages.js';
import { type Finding, findingsIn, names } from './rules.js';
import { type Escape, type Extract, Text } from './text.js';
import { NAMES, TURNS } from './words.js';

const LINTED = /^(?:src|scripts|bench|test|docs|deploy|examples|\.ci)\/|^[^/]+$/;
const READ = /\.(?:[cm]?[jt]s|md|sh|ya?ml|env|example)$|(?:^|\/)(?:Dockerfile|run|\.dockerignore)$/;
/** Recorded; made from what is linted itself; the retired words and their examples. */
const EXEMPT =
  /^test\/histories\/|^docs\/partner-apis\.md$|^scripts\/prose\/words\.ts$|^test\/unit\/scripts\/prose/;

export interface Located extends Finding {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export function lintFile(path: string, source: string): Located[] {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const locate = (finding: Finding): Located => {
    let line = starts.findLastIndex((start) => start <= finding.offset);
    if (line < 0) line = 0;
    return { ...finding, path, line: line + 1, column: finding.offset - (starts[line] ?? 0) + 1 };
  };
  const { passages, escapes } = extract(path, source);
  const found = passages.flatMap((passage) => findingsIn(path, passage)).map(locate);
  return [...unescaped(found, escapes, source, locate), ...nameOfFile(path).map(locate)].sort(
    (a, b) => a.line - b.line || a.column - b.column,
  );
}

function extract(path: string, source: string): Extract {
  if (/\.[cm]?[jt]s$/.test(path)) return fromCode(path, source);
  return path.endsWith('.md') ? fromPage(source) : fromHashComments(source);
}

/** What no escape lets pass, and escapes that let nothing pass or give no reason. */
function unescaped(
  found: readonly Located[],
  escapes: readonly Escape[],
  source: string,
  locate: (finding: Finding) => Located,
): Located[] {
  let left = [...found];
  for (const { offset, reason } of escapes) {
    const ignored = { rule: 'prose-ignore', offset, found: `prose-ignore: ${reason}` };
    const { line } = locate({ ...ignored, write: '', why: '' });
    const own = source.split('\n')[line - 1] ?? '';
    const alone = /^\s*(?:\/\/|\/\*|<!--|#)/.test(own);
    const rest = left.filter((finding) => finding.line !== (alone ? line + 1 : line));
    if (rest.length === left.length) {
      left.push(locate({ ...ignored, write: 'nothing: remove it', why: 'there is no finding in that line' }));
    } else {
      left = rest;
      if (reason === '')
        left.push(locate({ ...ignored, write: 'prose-ignore: REASON', why: 'a reason is required' }));
    }
  }
  return left;
}

/** The last part of a path; a folder's name is found at its index file or at any file that the caller asks about. */
function nameOfFile(path: string): Finding[] {
  const base = path.slice(path.lastIndexOf('/') + 1);
  return names(new Text().gap(base, 0), true).map((finding) => ({
    ...finding,
    why: `${finding.why} of a file`,
  }));
}

/** The folders of some files whose names are retired. */
export function lintFolders(paths: readonly string[]): Located[] {
  const folders = new Set(
    paths.flatMap((path) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, depth, all) => all.slice(0, depth + 1).join('/')),
    ),
  );
  return [...folders].flatMap((path) =>
    nameOfFile(path).map((finding) => ({
      ...finding,
      why: 'retired word in the name of a folder',
      path,
      line: 1,
      column: 1,
    })),
  );
}

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

export function run(paths: readonly string[]): Located[] {
  const files = filesUnder(paths);
  return [...lintFolders(files), ...files.flatMap((path) => lintFile(path, readFileSync(path, 'utf8')))];
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
  if (values.words) {
    process.stdout.write(`${words()}\n`);
  } else {
    const findings = run(positionals).filter(({ rule }) => values.rule === undefined || rule === values.rule);
    const lines = findings.map(report).join('\n');
    if (findings.length > 0) process.stdout.write(values.count ? summary(findings) : `${lines}\n`);
    process.stdout.write(`${findings.length} findings\n`);
    process.exitCode = findings.length > 0 ? 1 : 0;
  }
}
