import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { describe, expect, it } from 'vitest';
import config, { LAYERS } from '../../.dependency-cruiser.mjs';

const ROOT = process.cwd();

/** An import that each rule refuses: the file, and what it imports. The rules of the layers make their own. */
const REFUSED: Readonly<Record<string, readonly (readonly [file: string, imported: string])[]>> = {
  'no cycles': [
    ['src/partners/a.ts', 'src/partners/b.ts'],
    ['src/partners/b.ts', 'src/partners/a.ts'],
  ],
  'workflows: no Node built-ins, because workflow code is deterministic': [['src/workflows/a.ts', 'node:fs']],
  'workflows: no I/O, and no zod, whose schemas each cached workflow would allocate': [
    ['src/workflows/a.ts', 'zod'],
    ['src/workflows/b.ts', 'undici'],
  ],
  'workflows: only @temporalio/workflow and @temporalio/common': [
    ['src/workflows/a.ts', '@temporalio/client'],
  ],
  'workflows: of a partner, only phases, kinds of failures, reasons and bounds of texts': [
    ['src/workflows/a.ts', 'src/partners/boarding/statuses.ts'],
  ],
  'workflows: activities only by their interfaces in messages/': [
    ['src/workflows/journey/a.ts', 'src/activities/boarding.ts'],
  ],
  'workflows: decisions are functions of values': [
    ['src/workflows/boarding/decisions.ts', '@temporalio/workflow'],
    ['src/workflows/boarding/deliveries.ts', 'src/workflows/journey/a.ts'],
    ['src/workflows/boarding/questions.ts', 'src/messages/requirements.ts'],
    ['src/workflows/business/tickets.ts', 'src/workflows/journey/a.ts'],
    ['src/workflows/journey/rules.ts', '@temporalio/common'],
  ],
  'partners: no Temporal': [['src/partners/banking/a.ts', '@temporalio/common']],
  'sandbox: no Temporal': [
    ['src/sandbox/a.ts', '@temporalio/client'],
    ['src/sandbox/b.ts', 'src/messages/b.ts'],
  ],
  'permits of once-only operations: only write.ts hands them out, and only the client asks for them': [
    ['src/activities/boarding.ts', 'src/partners/once.ts'],
    ['src/commands/partner/call-run.ts', 'src/partners/once.ts'],
  ],
  'calls by hand: only gangway call makes them': [
    ['src/activities/calls.ts', 'src/partners/by-hand.ts'],
    ['src/commands/partner/probe-run.ts', 'src/partners/by-hand.ts'],
  ],
  'partners/boarding: no other partner': [['src/partners/boarding/a.ts', 'src/partners/banking/b.ts']],
  'partners/banking: no other partner': [['src/sandbox/banking/a.ts', 'src/partners/payments/b.ts']],
  'partners/plant-store: no other partner': [['src/sandbox/plant-store.ts', 'src/sandbox/processor.ts']],
  'partners/payments: no other partner': [['src/activities/payments.ts', 'src/partners/boarding/b.ts']],
  'partners/processor: no other partner': [['src/partners/processor/a.ts', 'src/partners/plant-store/b.ts']],
};

/** Imports that no rule refuses. */
const ALLOWED = [
  ['src/workflows/a.ts', '@temporalio/workflow'],
  ['src/workflows/b.ts', 'src/partners/banking/phases.ts'],
  ['src/workflows/c.ts', 'src/messages/a.ts'],
  ['src/workflows/boarding/decisions.ts', 'src/messages/outcomes.ts'],
  ['src/activities/banking/a.ts', 'src/partners/banking/a.ts'],
  ['src/commands/onboarding/a.ts', 'src/temporal/a.ts'],
  ['src/commands/onboarding/a.ts', 'src/inbox/a.ts'],
  ['src/commands/onboarding/a.ts', 'src/client/a.ts'],
  ['src/worker.ts', 'src/worker/a.ts'],
  ['src/activities/write.ts', 'src/partners/once.ts'],
  ['src/commands/partner/call-run.ts', 'src/partners/by-hand.ts'],
] as const;

const rules = (config.forbidden ?? []) as readonly (IForbiddenRuleType & { readonly name: string })[];

/** The names of the rules that a tree of such files breaks. */
async function broken(imports: readonly (readonly [file: string, imported: string])[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-rules-'));
  try {
    const write = async (file: string, text: string) => {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    };
    for (const [, imported] of imports) if (imported.startsWith('src/')) await write(imported, '');
    for (const [file, imported] of imports) {
      const path = relative(dirname(file), imported).replace(/\.ts$/, '.js');
      const from = !imported.startsWith('src/') ? imported : path.startsWith('.') ? path : `./${path}`;
      await write(file, `import * as it from '${from}';\nexport const all = it;\n`);
    }
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), await readFile('package.json'));
    const { forbidden = [], options } = config;
    const { output } = await cruise(['src'], {
      ...options,
      validate: true,
      ruleSet: { forbidden },
      baseDir: folder,
    });
    return (output as ICruiseResult).summary.violations.map(({ rule }) => rule.name);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the rules for imports', () => {
  const layers = LAYERS.flatMap((names, height) =>
    names.map((name) => {
      const others = LAYERS.slice(height).flat();
      const other = others.find((each) => each !== name);
      return [name, other === undefined ? 'src/worker.ts' : `src/${other}/b.ts`] as const;
    }),
  );

  it.each(layers)(
    'refuse an import from %s to a folder next to or above it, such as %s',
    async (name, above) => {
      expect(await broken([[`src/${name}/a.ts`, above]])).toContain(`${name}: imports only what is below it`);
    },
  );

  it.each(rules.map(({ name }) => name).filter((name) => !name.endsWith('imports only what is below it')))(
    'refuse what this one forbids: %s',
    async (name) => {
      for (const imported of REFUSED[name] ?? []) {
        const together = name === 'no cycles' ? (REFUSED[name] ?? []) : [imported];
        expect([imported, await broken(together)]).toEqual([imported, expect.arrayContaining([name])]);
      }
      expect(REFUSED[name]).toBeDefined();
    },
  );

  it('refuse nothing that the architecture allows', async () => {
    expect(await broken(ALLOWED)).toEqual([]);
  });

  it('place every folder of src', async () => {
    const { output } = await cruise(['src'], { ...config.options, baseDir: ROOT });
    const folders = (output as ICruiseResult).modules.flatMap(
      ({ source }) => /^src\/([^/]+)\//.exec(source)?.[1] ?? [],
    );
    expect([...new Set(folders)].sort()).toEqual(LAYERS.flat().sort());
  });
});
