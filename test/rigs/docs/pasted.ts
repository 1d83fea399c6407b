import { globSync } from 'node:fs';
import { blocksOf } from '../docs.js';

/** The blocks that a reader of the pages can paste into a terminal, and those that no test can. */

export const TUTORIAL = 'docs/tutorial.md';

/** A block of commands, with the output that the page shows below it. */
export interface Block {
  readonly page: string;
  readonly commands: string;
  readonly shown: readonly string[];
}

/** Pages whose commands need what a test of the demo does not have. */
const OTHER_PLACES: Readonly<Record<string, string>> = {
  'docs/changing-workflows.md': 'production: test/deploy rolls out between builds',
  'docs/deployment.md': 'Docker, and secrets: test/unit/deploy and test/deploy check the files',
  'docs/scale.md': 'root and cgroups of version 1',
  'docs/simulation.md': 'minutes of simulation: test/components/simulation runs it',
  'docs/tutorial-partner.md': 'credentials of a real partner',
  'docs/upgrades.md': 'changes the dependencies, or a namespace in production',
};

/** Other blocks, by their first words, with the reason. */
const LEFT_OUT: readonly (readonly [page: string, start: string, why: string])[] = [
  ['README.md', 'npm ci && npm run demo', 'installs everything: the demo runs, and .ci/run installs'],
  ['README.md', 'npm test', 'the whole gate'],
  ['README.md', 'set -a; . ./.env', 'settings of a real partner'],
  [TUTORIAL, 'npm ci', 'installs everything: the demo runs, and .ci/run installs'],
  [
    'docs/commands.md',
    'npx gangway import',
    'merchants that no onboarding has: test/workflows/apps/command/import.test.ts',
  ],
  ['docs/commands.md', 'npx gangway call ', 'files and IDs of the reader'],
  ['docs/commands.md', 'temporal workflow start', 'test/e2e/apps/command/temporal-cli.test.ts runs it'],
  ['docs/commands.md', 'GANGWAY_RECORD=', 'another worker, which never ends'],
  ['docs/console.md', 'npm run console', 'the demo runs it'],
  ['docs/events.md', 'curl -X POST', 'a receiver without signatures'],
  ['docs/events.md', 'npx gangway events', 'a delivery of the reader that failed'],
  ['docs/onboardings.md', 'npx gangway claim', 'a requirement of the reader'],
  ['docs/onboardings.md', 'npx gangway status corner-bakery --input', 'a requirement of the reader'],
  ['docs/operations.md', 'gangway probe', 'a partner account of the reader'],
  ['docs/operations.md', 'temporal workflow describe', 'resets a stuck onboarding'],
  ['docs/security.md', 'temporal --codec-endpoint', 'the token of a codec server'],
];

/** All blocks for a shell, in the order of the pages. */
export function shellBlocks(): Block[] {
  return ['README.md', ...globSync('docs/*.md').sort()].flatMap((page) =>
    blocksOf(page).reduce<(Block & { shown: string[] })[]>((blocks, { lang, value }) => {
      if (lang === 'sh') blocks.push({ page, commands: value, shown: [] });
      if (lang === 'text') blocks.at(-1)?.shown.push(...value.split('\n'));
      return blocks;
    }, []),
  );
}

const isIn = ({ page, commands }: Block, [of, start]: (typeof LEFT_OUT)[number]) =>
  page === of && commands.startsWith(start);

/** The blocks that a test pastes. */
export function pastedBlocks(): Block[] {
  return shellBlocks().filter(
    (block) => !(block.page in OTHER_PLACES) && !LEFT_OUT.some((entry) => isIn(block, entry)),
  );
}

/** Reasons for blocks that no page has any more. */
export function staleReasons(): string[] {
  const blocks = shellBlocks();
  const pages = Object.keys(OTHER_PLACES).filter((page) => !blocks.some((block) => block.page === page));
  const entries = LEFT_OUT.filter((entry) => blocks.filter((block) => isIn(block, entry)).length !== 1);
  return [...pages, ...entries.map(([page, start]) => `${page}: ${start}`)];
}

/**
 * Compares the output on a page with the real one: the same lines in the same order, where `...` stands for any number of lines.
 *
 * @returns the first line of the page that is not there, or `undefined`
 */
export function firstDifference(lines: readonly string[], printed: readonly string[]): string | undefined {
  const real = printed.map(comparable);
  let at = 0;
  let isGap = false;
  for (const line of lines.filter((each) => each !== '')) {
    if (line === '...') {
      isGap = true;
      continue;
    }
    const wanted = comparable(line);
    const result = isGap ? real.indexOf(wanted, at) : at;
    if (result < 0 || real[result] !== wanted) return line;
    at = result + 1;
    isGap = false;
  }
  return isGap || at === real.length ? undefined : `the end, before: ${real[at]}`;
}

/** A line without what differs each time: IDs of runs, times, ports, versions, and the name of the user. */
function comparable(line: string): string {
  return line
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<run>')
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?( UTC|Z)/g, '<time>')
    .replace(/\b\d+ (?:s|min|h|d)\b/g, '<span>')
    .replace(/127\.0\.0\.1:\d+/g, '<address>')
    .replace(/"seq":\d+/, '"seq":<number>')
    .replace(/server \d+\.\d+\.\d+/, 'server <version>')
    .replace(/\(\w+: /, '(<user>: ')
    .replace(/\(\w+\)$/, '(<user>)')
    .replace(/ +/g, ' ')
    .trim();
}
