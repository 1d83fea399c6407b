import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchCopy } from '../../../scripts/scratch-copy.js';
import { type Finished, run } from '../processes.js';

const GUIDE = new URL('../../../docs/changing-workflows.md', import.meta.url);

/** A new step of a workflow. */
export interface Change {
  /** The source file: `src/workflows/boarding/underwriting.ts`. */
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

/** Another build of the whole project. */
export interface Build {
  readonly root: string;
  /** Runs one of its npm binaries to its end. */
  run(command: string, ...args: string[]): Promise<Finished>;
  remove(): Promise<void>;
}

/** Changes a copy of the project's sources and builds it. */
export async function buildWith(change: Change): Promise<Build> {
  const { root, remove } = await scratchCopy();
  const inCopy = (command: string, ...args: string[]) => run(command, args, {}, '', root);
  const file = join(root, change.file);
  await writeFile(file, changed(await readFile(file, 'utf8'), change));
  const built = await inCopy('npm', 'run', 'build');
  if (built.code !== 0) throw new Error(`the changed build: ${built.stdout}${built.stderr}`);
  return { root, run: inCopy, remove };
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
