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
  /** All that follows, on one line. */
  readonly text: string;
  readonly parsed: ParsedInstruction;
}

export interface Stage {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile. `text` is an instruction's arguments on one line; the last stage is called `image`. */
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

/** What .dockerignore lets through: it lists what is not ignored. */
export async function contextOf(root: string): Promise<string[]> {
  const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n');
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}

export interface Build {
  /** The sources; only what .dockerignore lets through may be in it. */
  readonly context: string;
  /** Where each stage gets a folder. */
  readonly target: string;
  readonly report: (line: string) => void;
}

/** Builds a stage without an engine: its root is a folder, and the system's packages are those of this machine. */
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
      report(`${stage.name}: left out, because only an engine can do it: RUN ${text}`);
    } else if (name === 'RUN') {
      report(`${stage.name}: RUN ${text}`);
      await runInShell(text, folder);
    }
  }
}

/** Copies the content of folders, as an engine does it. */
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
  // A registry behind a proxy may have a certificate of its own.
  const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS = '' } = process.env;
  const shell = spawn('/bin/sh', ['-c', command], {
    cwd,
    env: { PATH, HOME, NODE_EXTRA_CA_CERTS },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(shell, 'exit');
  if (code !== 0) throw new Error(`ended with ${code}: ${command}`);
}

/** The command of the stage's only instruction of that name, which is in its JSON form. */
export function commandOf(stage: Stage, name: 'CMD' | 'ENTRYPOINT'): string[] {
  const found = stage.instructions.find((instruction) => instruction.name === name)?.parsed;
  if (!(found instanceof JSONInstruction)) throw new Error(`stage ${stage.name} has no ${name}`);
  return found.getJSONStrings().map((argument) => argument.getJSONValue());
}

/** What the stage's ENV instructions set. */
export function environmentOf(stage: Stage): Record<string, string> {
  const properties = stage.instructions.flatMap(({ parsed }) =>
    parsed instanceof Env ? parsed.getProperties() : [],
  );
  return Object.fromEntries(properties.map((property) => [property.getName(), property.getValue() ?? '']));
}
