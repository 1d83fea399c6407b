import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { transform } from 'esbuild';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

/**
 * Workers with a change of a workflow. vitest runs this file once for all end-to-end tests. A build is made when the first test
 * asks for it.
 */

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the server that makes changed builds. */
    readonly changedBuilds: string;
  }
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const GUIDE = new URL('../../../docs/changing-workflows.md', import.meta.url);

/** A new step of a workflow. */
export interface Change {
  /** The source file: `src/workflows/merchant-boarding.ts`. */
  readonly file: string;
  /** The line before the step, which occurs once. */
  readonly place: string;
  readonly step: string;
}

/** The change in docs/changing-workflows.md: a file, a statement of it, and the step behind `patched()`. */
export function documentedChange(): Change {
  const block = /```ts\n\/\/ (\S+)\n(.+)\n(if \(patched\(.+)\n```/.exec(readFileSync(GUIDE, 'utf8'));
  const [, file, place, step] = block ?? [];
  if (!file || !place || !step) throw new Error('docs/changing-workflows.md no longer shows a change');
  return { file, place, step };
}

/** The same step for all workflows, including those that already run. */
export function withoutPatch(change: Change): Change {
  return { ...change, step: change.step.replace(/^if \(patched\(.*?\)\) /, '') };
}

/** @returns the source with the step, and with `patched` imported if it was not */
export function changed(source: string, { file, place, step }: Change): string {
  const lines = source.split('\n');
  const isPlace = (line: string) => line.trim() === place;
  if (lines.filter(isPlace).length !== 1) throw new Error(`${file} does not have this line once: ${place}`);
  const withStep = lines.flatMap((line) => (isPlace(line) ? [line, `    ${step}`] : [line])).join('\n');
  if (!step.includes('patched(')) return withStep;
  const imports = /import \{([^}]*)\} from '@temporalio\/workflow';/;
  if (!imports.test(withStep)) return `import { patched } from '@temporalio/workflow';\n${withStep}`;
  return withStep.replace(imports, (line, names: string) =>
    /\bpatched\b/.test(names) ? line : line.replace(/\s*\}/, ', patched }'),
  );
}

const BOARDING = 'src/workflows/merchant-boarding.ts';

/** Puts each text in the place of another, which occurs once. */
const replacing =
  (file: string, ...texts: readonly (readonly [place: string, text: string])[]): (() => Edit) =>
  () => {
    const edit = (source: string, [place, text]: readonly [string, string]) => {
      if (source.split(place).length !== 2) throw new Error(`${file} does not have this once: ${place}`);
      return source.replace(place, text);
    };
    return [file, (source) => texts.reduce(edit, source)];
  };

const SETS_FEES = '      await setFees(boarding);\n      await submitToUnderwriting(boarding);\n';

/** A source file, and how it changes. A bundle that has the text as the source has it changes in the same way. */
type Edit = readonly [file: string, edit: (source: string) => string, isAsInBundles?: true];

const editOf = (change: Change): Edit => [change.file, (source) => changed(source, change)];

/** The changed builds by their names. */
const BUILDS = {
  documented: () => editOf(documentedChange()),
  'without-patch': () => editOf(withoutPatch(documentedChange())),
  /** Submits before it sets the fees. */
  'fees-last': replacing(BOARDING, [
    SETS_FEES,
    '      await submitToUnderwriting(boarding);\n      await setFees(boarding);\n',
  ]),
  'without-fees': replacing(BOARDING, [SETS_FEES, '      await submitToUnderwriting(boarding);\n']),
  /** Creates nothing, unless the run continues an earlier one. */
  inverted: replacing(BOARDING, ['if (!carried)', 'if (carried)']),
  /** Waits before it delivers answers. */
  'answers-later': replacing(
    BOARDING,
    ['import { continueAsNew }', 'import { continueAsNew, sleep }'],
    ["case 'answers':\n", "case 'answers':\nawait sleep(3_600_000);\n"],
  ),
  /** Names an agent that the partner does not have. */
  'unknown-agent': replacing('src/workflows/boarding/steps.ts', [
    'defined({ agentProfileId,',
    'defined({ agentProfileId: 999,',
  ]),
  /** The server gives up on an attempt of a write after half a minute, and not after two. */
  'brief-writes': (): Edit => {
    const times = ['ATTEMPT_MS = 120_000;', 'ATTEMPT_MS = 30_000;'] as const;
    const [file, edit] = replacing('src/at-most-once/workflow.ts', times)();
    return [file, edit, true];
  },
};

/** @returns the folder of a changed build, whose `dist/` has a worker and its workflows */
export async function changedBuild(name: keyof typeof BUILDS): Promise<string> {
  const response = await fetch(`${inject('changedBuilds')}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`the changed build ${name}: ${text}`);
  return text;
}

/** Writes a build with a change to a folder. The rest of it is the current build. */
async function build(root: string, [file, edit, isAsInBundles]: Edit): Promise<void> {
  await cp(join(ROOT, 'dist'), join(root, 'dist'), {
    recursive: true,
    filter: (path) => !/\.d\.c?ts$|\/command-[A-Z\d]{8}\./.test(path),
  });
  await cp(join(ROOT, 'package.json'), join(root, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const source = edit(await readFile(join(ROOT, file), 'utf8'));
  const { code: compiled } = await transform(source, { loader: 'ts', target: 'es2023' });
  await writeFile(join(root, file.replace(/^src(.+)\.ts$/, 'dist$1.js')), compiled);
  const { BUNDLING, BUNDLING_ENCODING, WORKFLOW_BUNDLES } = await import(
    pathToFileURL(join(root, 'dist/worker/bundles.js')).href
  );
  for (const [path, options] of [
    [WORKFLOW_BUNDLES.plain, BUNDLING],
    [WORKFLOW_BUNDLES.encoding, BUNDLING_ENCODING],
  ]) {
    const { code } = isAsInBundles
      ? { code: edit(await readFile(path, 'utf8')) }
      : await bundleWorkflowCode({ ...options, logger: new DefaultLogger('WARN') });
    await writeFile(path, code);
  }
}

/** vitest runs this once, before all end-to-end tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gangway-builds-')));
  const builds = new Map<string, Promise<string>>();
  const built = async (name: string) => {
    const root = join(folder, name);
    await build(root, BUILDS[name as keyof typeof BUILDS]());
    return root;
  };
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    const root = builds.get(name) ?? built(name);
    builds.set(name, root);
    root.then(
      (path) => response.end(path),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('changedBuilds', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await Promise.allSettled(builds.values());
    await rm(folder, { recursive: true, force: true });
  };
}
