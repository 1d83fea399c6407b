import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { THEIR_WORKFLOWS } from '../../../src/worker/bundles.js';
import { merchant } from '../../rigs/inputs.js';
import { startCaller } from '../../rigs/nexus/caller.js';
import {
  expectBoarded,
  imported,
  importedPackages,
  manifest,
  PROGRAMS,
  pluginRig,
  project,
} from '../../rigs/package.js';
import { run } from '../../rigs/processes.js';

const rig = pluginRig();

const COMPILER = ['node_modules/typescript/bin/tsc', '-p'];

/** What the compiler reports, but for the declarations of others: those of the Temporal SDK break the strictest options. */
function errorsIn(printed: string): string[] {
  const errors = printed.split('\n').filter((line) => line.includes(': error TS'));
  return errors.filter((line) => !/^[^(]*node_modules\/(?!gangway\/)/.test(line));
}

describe('the package, in an empty project', () => {
  it('imports only what it depends on', async () => {
    const matches = await importedPackages();
    expect([...matches.keys()]).toEqual(expect.arrayContaining(['@temporalio/client', 'undici', 'zod']));
    const allowed = [...Object.keys(manifest.dependencies), THEIR_WORKFLOWS];
    expect([...matches].filter(([name]) => !allowed.includes(name))).toEqual([]);
  });

  it('has types for strict programs in ESM and CommonJS, and for those of docs/programs.md and docs/nexus.md', async () => {
    // It would not compile with an option that there is not.
    const wrong = "import { gangwayClient } from 'gangway/client';\nawait gangwayClient({ keys: 1 });\n";
    await writeFile(join(project(), 'wrong.mts'), wrong);
    const { stdout } = await run(process.execPath, [...COMPILER, project(), '--listFiles'], {});
    expect(stdout.match(/example-\d+\.mts$/gm)?.length).toBeGreaterThan(6);
    for (const program of [...Object.keys(PROGRAMS), 'caller/main.ts'])
      expect(stdout).toContain(`/${program}\n`);
    expect(errorsIn(stdout)).toEqual([expect.stringMatching(/wrong\.mts\(2,\d+\): error TS2353/)]);
  });

  it.each(['board.mts', 'board.cts'])('boards a merchant through client and plugin: %s', async (program) => {
    await expectBoarded(rig(), program);
  });

  it('boards a merchant through Nexus and plugin, by the example of a caller', async () => {
    const { env, atClose } = rig();
    const { namespace: TEMPORAL_NAMESPACE, endpoint: NEXUS_ENDPOINT } = await startCaller({ env, atClose });
    const file = join(project(), 'merchant.json');
    const signUp = async (agentProfileId: number) => {
      await writeFile(file, JSON.stringify({ ...merchant(), agentProfileId }));
      const settings = { ...env, TEMPORAL_NAMESPACE, NEXUS_ENDPOINT };
      const args = ['caller/main.ts', file];
      const { code, stdout, stderr } = await run(process.execPath, args, settings, '', project());
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    expect(await signUp(101)).toEqual({ mid: expect.stringMatching(/^\d{15}$/) });
    const wrongInput = expect.stringContaining('agentProfileId: must be an id at the partner, from 1 on');
    expect(await signUp(-7)).toEqual({ wrongInput });
  });
});

it('the API reference has a page for everything that the package exports', async () => {
  const { code, stderr, stdout } = await run(process.execPath, ['scripts/api-reference.mjs'], {});
  expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: '' });
  const modules = {
    'gangway/client': 'client',
    'gangway/plugin': 'worker_plugin',
    'gangway/messages': 'messages',
    'gangway/command': 'commands_program',
    'gangway/encryption': 'temporal_encryption',
    'gangway/nexus': 'messages_nexus',
  };
  const exported = (await imported(...Object.keys(modules))) as string[][];
  const missing = Object.values(modules).flatMap((module, index) => {
    expect(globSync(`docs/api/modules/${module}.html`)).toHaveLength(1);
    const pages = globSync(`docs/api/*/${module}.*.html`).map((page) =>
      basename(page, '.html').slice(module.length + 1),
    );
    return exported[index]?.filter((name) => !pages.includes(name)) ?? [module];
  });
  // The program that `run` parses with is for this project's own tests.
  expect(missing).toEqual(['gangway']);
});
