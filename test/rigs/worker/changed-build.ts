import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The place in merchantBoarding that is changed, as it stands in the built code. */
const SUBMISSION = 'await this.#submit();';

/** Another build of the whole project, as a deployment has it: for workers without keys. */
export interface Build {
  readonly root: string;
  /** Its workflows, for a replay. */
  readonly codePath: string;
  remove(): Promise<void>;
}

/** Builds the project with one more step in merchantBoarding, after the submission. */
export async function buildWith(step: string): Promise<Build> {
  const root = await mkdtemp(join(tmpdir(), 'gangway-build-'));
  for (const name of ['dist', 'package.json'])
    await cp(join(ROOT, name), join(root, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const story = join(root, 'dist/workflows/boarding/underwriting.js');
  const current = await readFile(story, 'utf8');
  if (current.split(SUBMISSION).length !== 2)
    throw new Error('merchantBoarding no longer has the place to change');
  const changed = current.replace(SUBMISSION, `${SUBMISSION}\n        ${step}`);
  await writeFile(story, `import { patched } from '@temporalio/workflow';\n${changed}`);
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'dist/workflows/index.js'),
    logger: new DefaultLogger('WARN'),
  });
  const codePath = join(root, 'dist/workflow-bundle.js');
  await writeFile(codePath, code);
  return { root, codePath, remove: () => rm(root, { recursive: true, force: true }) };
}
