/**
 * Checks the words of all texts and names: `npm run check:prose`, or `npm run check:prose -- src/apps/receiver README.md` for a part.
 * Exit code 1 if there is a retired word, British spelling, or a trace of the machine on which a text was written.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export interface Rule {
  /** Finds it in a line, or in the words of the line's names: `publicFace` and `public-face` are `public face`. */
  readonly find: RegExp;
  readonly write: string;
  /** Names are as they are. */
  readonly inTextOnly?: true;
}

/** One word for each concept, and the field's word where there is one. */
export const WORDS: readonly Rule[] = [
  { find: /\bnews\b/, write: 'outbound events; of a partner: status change' },
  { find: /\bannounc\w*|\btell(?:s|ing)? others\b/, write: 'publish' },
  {
    find: /(?<!\b(?:early|id token) )\bhint(?:s|ed|ing)?\b/,
    write: 'partner webhook; its effect: nudge; to a person: advice',
  },
  { find: /\blanes?\b/, write: 'partner task queue' },
  { find: /(?<!\bhelp )\bdesks?\b/, write: 'requirement queue' },
  { find: /\bwhat waits\b/, write: 'open requirements, pending work' },
  { find: /\bpublic face\b/, write: 'published state' },
  { find: /\bstory\b/, write: 'workflow' },
  { find: /\bcarry-out\b|\bcarryOut\b/, write: 'runStep' },
  {
    find: /\b(?:is|are|was|were|be|been|stays?|not|still|temporal|partner|server|store|bank|receiver) away\b(?! from)/,
    write: 'unavailable',
  },
  { find: /\b(?:partners?'?|their|its|read) books\b/, write: 'ledger' },
  { find: /\b(?:behaviou|colou|favou|honou|neighbou)r/, write: 'American spelling: -or' },
  { find: /\blicences?\b/, write: 'license' },
  { find: /\b(?:organi|recogni|normali|seriali|initiali|authori)s(?:e|ed|es|ing|ation)\b/, write: '-ize' },
  {
    find: /\b(?:is|are|was|were|be|been|never|not|who|somebody|someone) cancelled\b(?!['\\])|\bcancelling\b|\bcancellable\b/i,
    write: 'canceled, canceling, cancelable; the stage is `cancelled`',
    inTextOnly: true,
  },
  { find: /\btime-outs?\b/i, write: 'timeout', inTextOnly: true },
  {
    find: /\b(?:the|with|have|workflow|event|external|these|their|new) ids\b(?![.(]\w)/,
    write: 'IDs',
    inTextOnly: true,
  },
];

/** What only the machine or the process of an author has. */
export const PRIVATE: readonly Rule[] = [
  { find: /(?<![\w.])\/(?:home|root|users|work|mnt)\/\w/i, write: 'a path within the project' },
  { find: /\b(?:issues? #?\d+|worktrees?|sub-?agents?)\b/i, write: 'the reason itself' },
  { find: /\b(?:artifactory|codeartifact|pkg\.dev|nexus-repo)\b/i, write: 'no registry' },
];

/** Inputs, and what a command or a partner has written. */
const NOT_OURS =
  /^test\/(?:histories|contract)\/|^package-lock\.json$|^docs\/partner-apis\.md$|^examples\/.*\.json$/;

/** Pictures, and the words themselves. */
const NOT_READ = /^$|\.(?:png|ico|pdf)$|^(?:scripts|test\/unit\/scripts)\/prose\./;

export function findingsIn(path: string, text: string): string[] {
  const isOurs = !NOT_OURS.test(path);
  const matches = (line: string, names: string, rules: readonly Rule[]) =>
    rules.flatMap(({ find, write, inTextOnly }) => {
      const [words] = find.exec(inTextOnly ? line : `${line}\n${names}`) ?? [];
      return words === undefined ? [] : [`"${words.trim()}" -> ${write}`];
    });
  return [path, ...text.split('\n')].flatMap((line, number) =>
    [...(isOurs ? matches(line, split(line), WORDS) : []), ...matches(line, '', PRIVATE)].map(
      (finding) => `${path}:${number || 1}: ${finding}`,
    ),
  );
}

function split(line: string): string {
  const apart = line.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/(?<=\w)[_-](?=\w)/g, ' ');
  return apart.toLowerCase();
}

/** The texts of the repository below some paths, even those that are not committed yet. */
function textsIn(paths: readonly string[]): string[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...paths];
  const files = execFileSync('git', list, { encoding: 'utf8' }).split('\0');
  return [...new Set(files)].filter((path) => existsSync(path) && !NOT_READ.test(path));
}

if (process.argv[1] === import.meta.filename) {
  const findings = textsIn(process.argv.slice(2)).flatMap((path) =>
    findingsIn(path, readFileSync(path, 'utf8')),
  );
  process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
  process.exitCode = findings.length > 0 ? 1 : 0;
}
