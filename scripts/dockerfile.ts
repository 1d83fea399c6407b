import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Instruction {
  /** `FROM`, `RUN`, ... */
  readonly name: string;
  /** All that follows, on one line. */
  readonly text: string;
}

export interface Stage {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile that is written as ours is: no ARG, no heredoc, no shell but the usual one. */
export async function readStages(file: string): Promise<Stage[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => !line.startsWith('#'));
  const joined = lines.join('\n').replaceAll(/\s*\\\n\s*/g, ' ');
  const instructions = joined.split('\n').filter(Boolean).map(instructionOf);
  const starts = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []));
  return starts.map((start, index) => ({
    name: / AS (\S+)$/.exec(instructions[start]?.text ?? '')?.[1] ?? 'image',
    instructions: instructions.slice(start + 1, starts[index + 1]),
  }));
}

function instructionOf(line: string): Instruction {
  const [name = '', ...rest] = line.split(' ');
  return { name, text: rest.join(' ').trim() };
}

/** What .dockerignore lets through, for it is written as a list of what is not ignored. */
export async function contextOf(root: string): Promise<string[]> {
  const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n');
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}

export interface Build {
  /** The sources; only what .dockerignore lets through may be in it. */
  readonly context: string;
  /** A folder for each stage is made in here. */
  readonly target: string;
  readonly report: (line: string) => void;
}

/** Carries out a stage without an engine: its root is a folder, and the system's packages are this machine's. */
export async function carryOut(stage: Stage, { context, target, report }: Build): Promise<void> {
  const root = join(target, stage.name);
  let folder = root;
  for (const { name, text } of stage.instructions) {
    if (name === 'WORKDIR') {
      folder = join(root, text);
      await mkdir(folder, { recursive: true });
    } else if (name === 'COPY') {
      report(`${stage.name}: COPY ${text}`);
      await copy(text.split(' '), { context, target, folder });
    } else if (name === 'RUN' && text.startsWith('apt-get')) {
      report(`${stage.name}: left out, as it is for an engine: RUN ${text}`);
    } else if (name === 'RUN') {
      report(`${stage.name}: RUN ${text}`);
      await runInShell(text, folder);
    }
  }
}

/** Of folders the content is copied, as an engine does it. */
async function copy(words: string[], at: { context: string; target: string; folder: string }): Promise<void> {
  const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1];
  const paths = from === undefined ? words : words.slice(1);
  const destination = paths.at(-1) ?? '';
  const source = (path: string) => join(from === undefined ? at.context : join(at.target, from), path);
  for (const path of paths.slice(0, -1)) {
    const to = destination.endsWith('/') ? join(destination, path) : destination;
    await cp(source(path), join(at.folder, to), { recursive: true, verbatimSymlinks: true });
  }
}

async function runInShell(command: string, cwd: string): Promise<void> {
  const { PATH = '', HOME = '' } = process.env;
  const shell = spawn('/bin/sh', ['-c', command], {
    cwd,
    env: { PATH, HOME },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(shell, 'exit');
  if (code !== 0) throw new Error(`ended with ${code}: ${command}`);
}

/** The value of the stage's only instruction of that name, as JSON. */
export function jsonOf<Value>(stage: Stage, name: string): Value {
  const found = stage.instructions.find((instruction) => instruction.name === name);
  return JSON.parse(found?.text.replace(/^.*? CMD /, '') ?? 'null') as Value;
}

/** What the stage's ENV lines set; none of them has quotes or blanks. */
export function environmentOf(stage: Stage): Record<string, string> {
  const lines = stage.instructions.filter(({ name }) => name === 'ENV').map(({ text }) => text);
  return Object.fromEntries(
    lines
      .join(' ')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
}
