import { globSync, readdirSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { describe, expect, it } from 'vitest';
import config, { LAYERS } from '../../.dependency-cruiser.mjs';
import { SYSTEM_NAMES } from '../../src/partners/system-names.js';
import { newFolder } from '../rigs/folders.js';

const ROOT = process.cwd();

/** An import that each rule refuses: the file, and what it imports. The rules of the layers make their own. */
const REFUSED: Readonly<Record<string, readonly (readonly [file: string, imported: string])[]>> = {
  'no cycles': [['src/partners/a.ts', 'src/partners/b.ts']],
  'workflows: no Node built-ins, because workflow code is deterministic': [['src/workflows/a.ts', 'node:fs']],
  'workflows: no I/O, and no zod, whose schemas each cached workflow would allocate': [
    ['src/workflows/a.ts', 'zod'],
    ['src/workflows/b.ts', 'undici'],
  ],
  'workflows: only @temporalio/workflow and @temporalio/common': [
    ['src/workflows/a.ts', '@temporalio/client'],
  ],
  'workflows: of a partner, only phases, kinds of failures, and bounds of texts': [
    ['src/workflows/a.ts', 'src/partners/boarding/statuses.ts'],
  ],
  'workflows: activities only by their interfaces in messages/': [
    ['src/workflows/runtime/a.ts', 'src/activities/boarding.ts'],
  ],
  'workflows: transitions of the state, and texts for people, are functions of values': [
    ['src/workflows/account-questions.ts', '@temporalio/workflow'],
    ['src/workflows/runtime/questions.ts', 'src/workflows/runtime/a.ts'],
    ['src/workflows/runtime/state.ts', '@temporalio/workflow'],
    ['src/workflows/runtime/requirements.ts', 'src/workflows/runtime/a.ts'],
  ],
  'workflows: decisions are functions of values': [
    ['src/workflows/boarding/decisions.ts', '@temporalio/workflow'],
    ['src/workflows/boarding/deliveries.ts', 'src/workflows/runtime/a.ts'],
    ['src/workflows/boarding/volatile-fields.ts', 'src/messages/requirements.ts'],
    ['src/workflows/business/questions.ts', '@temporalio/workflow'],
    ['src/workflows/business/tickets.ts', 'src/workflows/runtime/a.ts'],
    ['src/workflows/runtime/reducer.ts', '@temporalio/common'],
  ],
  'partners: no Temporal': [['src/partners/banking/a.ts', '@temporalio/common']],
  'sandbox: no Temporal': [
    ['src/apps/sandbox/a.ts', '@temporalio/client'],
    ['src/apps/sandbox/b.ts', 'src/messages/b.ts'],
  ],
  // Proves D7.
  'link: no Temporal, no partner, and no other process': [
    ['src/apps/link/a.ts', '@temporalio/client'],
    ['src/apps/link/b.ts', 'src/temporal/b.ts'],
    ['src/apps/link/c.ts', 'src/apps/console/c.ts'],
  ],
  'at-most-once: the permit is for the client that sends, and for the activity side, which alone makes it': [
    ['src/activities/boarding.ts', 'src/at-most-once/permit.ts'],
    ['src/apps/command/partner/call-run.ts', 'src/at-most-once/permit.ts'],
  ],
  'at-most-once: the activity side is for activities and the worker': [
    ['src/workflows/runtime/a.ts', 'src/at-most-once/activity.ts'],
    ['src/temporal/a.ts', 'src/at-most-once/activity.ts'],
  ],
  'at-most-once: other rooms import only its three entries': [
    ['src/activities/a.ts', 'src/at-most-once/record.ts'],
    ['src/messages/a.ts', 'src/at-most-once/intent.ts'],
  ],
  'at-most-once: each side has only its part of Temporal, and no other package': [
    ['src/at-most-once/workflow.ts', '@temporalio/activity'],
    ['src/at-most-once/workflow.ts', 'zod'],
    ['src/at-most-once/intent.ts', 'node:fs'],
    ['src/at-most-once/permit.ts', '@temporalio/client'],
  ],
  'calls by hand: only gangway call makes them, and people in the simulation': [
    ['src/activities/cli-calls.ts', 'src/partners/by-hand.ts'],
    ['src/apps/command/partner/probe-run.ts', 'src/partners/by-hand.ts'],
  ],
  // Proves P5.
  ...Object.fromEntries(
    SYSTEM_NAMES.map((system, index) => {
      const other = SYSTEM_NAMES.at(index - 1);
      return [
        `partners/${system}: no other partner`,
        [
          [`src/partners/${system}/a.ts`, `src/partners/${other}/b.ts`],
          [`src/activities/${system}/a.ts`, `src/partners/${other}/c.ts`],
          [`src/apps/sandbox/${system}.ts`, `src/apps/sandbox/${other}.ts`],
        ],
      ] as const;
    }),
  ),
};

/** The way back of the cycle, which is reported once. */
const BACK = ['src/partners/b.ts', 'src/partners/a.ts'] as const;

/** Imports that no rule refuses. */
const ALLOWED = [
  ['src/workflows/a.ts', '@temporalio/workflow'],
  ['src/workflows/b.ts', 'src/partners/banking/phases.ts'],
  ['src/workflows/c.ts', 'src/messages/a.ts'],
  ['src/workflows/boarding/decisions.ts', 'src/messages/outcomes.ts'],
  ['src/activities/banking/a.ts', 'src/partners/banking/a.ts'],
  ['src/apps/command/onboarding/a.ts', 'src/temporal/a.ts'],
  ['src/apps/command/onboarding/a.ts', 'src/services/inbox/a.ts'],
  ['src/apps/command/onboarding/a.ts', 'src/services/client/a.ts'],
  ['src/worker.ts', 'src/worker/a.ts'],
  ['src/partners/client.ts', 'src/at-most-once/permit.ts'],
  ['src/activities/write.ts', 'src/at-most-once/activity.ts'],
  ['src/workflows/runtime/a.ts', 'src/at-most-once/workflow.ts'],
  ['src/at-most-once/workflow.ts', '@temporalio/common'],
  ['src/apps/command/partner/call-run.ts', 'src/partners/by-hand.ts'],
] as const;

/** An import from each folder to one next to or above it. */
const ABOVE = LAYERS.flatMap((names, height) =>
  names.map((name) => {
    const other = LAYERS.slice(height)
      .flat()
      .find((each) => each !== name);
    const imported = other === undefined ? 'src/worker.ts' : `src/${other}/b.ts`;
    return [`${name}: imports only what is below it`, [[`src/${name}/a.ts`, imported]]] as const;
  }),
);

/** `rule: src/a.ts imports src/b.ts`, for each import that a rule refuses in a tree of such files. */
async function refusedOf(imports: readonly (readonly [file: string, imported: string])[]): Promise<string[]> {
  const folder = await newFolder();
  const texts: Record<string, string> = {};
  for (const [, imported] of imports) if (imported.startsWith('src/')) texts[imported] = '';
  for (const [file, imported] of imports) {
    const path = relative(dirname(file), imported).replace(/\.ts$/, '.js');
    const from = !imported.startsWith('src/') ? imported : path.startsWith('.') ? path : `./${path}`;
    texts[file] = `export * from '${from}';\n${texts[file] ?? ''}`;
  }
  for (const [file, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), await readFile('package.json'));
  const { forbidden = [], options } = config;
  const rules = { ...options, validate: true, ruleSet: { forbidden }, baseDir: folder };
  const { output } = await cruise(['src'], rules);
  return (output as ICruiseResult).summary.violations.map(
    ({ rule, from, to }) => `${rule.name}: ${from} imports ${to.replace(PACKAGE, '$1')}`,
  );
}

/** The patterns of a rule. */
function patternsOf(rule: object): string[] {
  const { from, to } = rule as Readonly<Record<'from' | 'to', Readonly<Record<string, string | string[]>>>>;
  return [from, to].flatMap((side) => [side.path ?? [], side.pathNot ?? []].flat());
}

/** A pattern without all but one alternative of one of its groups, lookaheads included. */
interface Alternative {
  readonly group: string;
  readonly alternative: string;
  readonly pattern: string;
}

function alternativesOf(pattern: string): Alternative[] {
  return splitAt('|', pattern).flatMap((alternative) => [
    { group: pattern, alternative, pattern: alternative },
    ...splitAt('(', alternative).flatMap((part, index, parts) => {
      if (!part.startsWith('(')) return [];
      const inside = part.slice(1, -1).replace(/^\?(?:[:!=])/, '');
      const at = (text: string) => parts.with(index, `(?:${text})`).join('');
      return alternativesOf(inside).map((inner) => ({ ...inner, pattern: at(inner.pattern) }));
    }),
  ]);
}

/** Splits a pattern at the `|` that are in no group, or into its groups and what is between them. */
function splitAt(mark: '|' | '(', pattern: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const token of pattern.match(/\\.|\[[^\]]*\]|./g) ?? []) {
    if (token === ')') depth--;
    if (depth === 0 && token === mark) parts.push(mark === '(' ? token : '');
    else parts.push(`${parts.pop()}${token}`);
    if (depth === 0 && token === ')' && mark === '(') parts.push('');
    if (token === '(') depth++;
  }
  return parts;
}

/** What no rule with the same group needs: its pattern matches nothing. */
function deadAlternatives(patterns: readonly string[], paths: readonly string[]): string[] {
  const all = Map.groupBy(
    patterns.flatMap(alternativesOf),
    ({ group, alternative }) => `${alternative} of ${group}`,
  );
  const isDead = ({ pattern }: Alternative) => !paths.some((path) => new RegExp(pattern).test(path));
  return [...all].filter(([, same]) => same.every(isDead)).map(([name]) => name);
}

/** `node_modules/@temporalio/client/lib/index.js` */
const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/;

describe('the rules for imports', () => {
  // Proves F2.
  it('each refuse the imports that they forbid', async () => {
    const all = [...Object.entries(REFUSED), ...ABOVE];
    const matches = await refusedOf([BACK, ...all.flatMap(([, imports]) => imports)]);
    const expected = all.flatMap(([rule, imports]) =>
      imports.map(([file, imported]) => `${rule}: ${file} imports ${imported.replace('node:', '')}`),
    );
    expect(expected.filter((line) => !matches.includes(line))).toEqual([]);
    expect(all.map(([rule]) => rule).sort()).toEqual(config.forbidden?.map(({ name }) => name).sort());
  });

  it('refuse nothing that the architecture allows', async () => {
    expect(await refusedOf(ALLOWED)).toEqual([]);
  });

  it('have no alternative that matches no file', () => {
    const paths = globSync([
      '{src,simulation,test/rigs}/**/*.{ts,tsx,cts}',
      'node_modules/{*,@*/*}/package.json',
    ]);
    const patterns = (config.forbidden ?? []).flatMap(patternsOf);
    expect(deadAlternatives(patterns, paths)).toEqual([]);
    expect(deadAlternatives(['^src/(worker|gone)\\.ts$'], paths)).toEqual(['gone of worker|gone']);
    expect(deadAlternatives(['^src/(?!worker|(starter|gone)\\.)'], paths)).toEqual(['gone of starter|gone']);
    expect(deadAlternatives(['^src/gone/'], paths)).toEqual(['^src/gone/ of ^src/gone/']);
  });

  it('place every folder of src', () => {
    const entries = readdirSync('src', { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders.sort()).toEqual(LAYERS.flat().sort());
  });
});
