import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Copy,
  DockerfileParser,
  Env,
  From,
  JSONInstruction,
  type Instruction as ParsedInstruction,
} from 'dockerfile-ast';

export interface Instruction {
  /** `FROM`, `RUN`, ... */
  readonly name: string;
  /** Its arguments, on one line. */
  readonly text: string;
  readonly parsed: ParsedInstruction;
}

export interface Stage {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile. A stage without a name is called `image`. */
export async function readStages(file: string): Promise<Stage[]> {
  const stages: { name: string; instructions: Instruction[] }[] = [];
  for (const instruction of DockerfileParser.parse(await readFile(file, 'utf8')).getInstructions()) {
    if (instruction instanceof From) {
      stages.push({ name: instruction.getBuildStage() ?? 'image', instructions: [] });
      continue;
    }
    const text = instruction.getArgumentsContent()?.replaceAll(/\s*\\\n\s*/g, ' ') ?? '';
    stages.at(-1)?.instructions.push({ name: instruction.getKeyword(), text, parsed: instruction });
  }
  return stages;
}

/** The paths that .dockerignore excepts from what it ignores. */
export async function contextOf(root: string): Promise<string[]> {
  const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n');
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}

export interface Build {
  /** The sources; holds only what .dockerignore allows. */
  readonly context: string;
  /** The parent of the folders of all stages. */
  readonly target: string;
  readonly report: (line: string) => void;
}

/** Builds a stage without an engine: its root is a folder, and system packages are those of this machine. */
export async function buildStage(stage: Stage, { context, target, report }: Build): Promise<void> {
  const root = join(target, stage.name);
  let folder = root;
  for (const { name, text, parsed } of stage.instructions) {
    if (name === 'WORKDIR') {
      folder = join(root, text);
      await mkdir(folder, { recursive: true });
    } else if (parsed instanceof Copy) {
      report(`${stage.name}: COPY ${text}`);
      await copy(parsed, { context, target, folder });
    } else if (name === 'RUN' && text.startsWith('apt-get')) {
      report(`${stage.name}: skipped, because it needs an engine: RUN ${text}`);
    } else if (name === 'RUN') {
      report(`${stage.name}: RUN ${text}`);
      await runInShell(text, folder);
    }
  }
}

/** Copies the content of folders, as an engine does. */
async function copy(
  instruction: Copy,
  at: { context: string; target: string; folder: string },
): Promise<void> {
  const from = instruction.getFromFlag()?.getValue();
  const paths = instruction.getArguments().map((argument) => argument.getValue());
  const destination = paths.at(-1) ?? '';
  const source = (path: string) => join(from ? join(at.target, from) : at.context, path);
  for (const path of paths.slice(0, -1)) {
    const to = destination.endsWith('/') ? join(destination, path) : destination;
    await cp(source(path), join(at.folder, to), { recursive: true, verbatimSymlinks: true });
  }
}

async function runInShell(command: string, cwd: string): Promise<void> {
  // A registry behind a proxy may have its own certificate.
  const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS = '' } = process.env;
  const shell = spawn('/bin/sh', ['-c', command], {
    cwd,
    env: { PATH, HOME, NODE_EXTRA_CA_CERTS },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(shell, 'exit');
  if (code !== 0) throw new Error(`ended with ${code}: ${command}`);
}

/** The command of an instruction in JSON form, which occurs once in the stage. */
export function commandOf(stage: Stage, name: 'CMD' | 'ENTRYPOINT'): string[] {
  const found = stage.instructions.find((instruction) => instruction.name === name)?.parsed;
  if (!(found instanceof JSONInstruction)) throw new Error(`stage ${stage.name} has no ${name}`);
  return found.getJSONStrings().map((argument) => argument.getJSONValue());
}

/** The variables that the stage's ENV instructions set. */
export function environmentOf(stage: Stage): Record<string, string> {
  const properties = stage.instructions.flatMap(({ parsed }) =>
    parsed instanceof Env ? parsed.getProperties() : [],
  );
  return Object.fromEntries(properties.map((property) => [property.getName(), property.getValue() ?? '']));
}
