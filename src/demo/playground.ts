import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MerchantBoardingInput } from '../messages/inputs.js';
import { answerTo, gangway, inbox, ROOT } from './processes.js';

/** What the demo leaves to the person at the terminal: a boarding that waits for answers. */
export const YOURS = { externalId: 'corner-bikes', name: 'Corner Bikes' } as const;

/** The underwriters ask both of their questions in one review. */
const QUESTIONS = 2;

/** Longer than the sandbox takes to ask, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Boards a merchant that the underwriters ask about, and waits for their questions.
 *
 * @param command {@link writeCommand}
 * @returns the commands that answer them, which work in any shell and in any folder
 */
export async function startPlayground(
  env: NodeJS.ProcessEnv,
  folder: string,
  command: string,
): Promise<string[]> {
  const example = JSON.parse(await readFile(join(ROOT, 'examples/merchant-notes.json'), 'utf8'));
  const { merchant, ...input } = example as MerchantBoardingInput;
  const file = join(folder, `${YOURS.externalId}.json`);
  const dba = `${YOURS.name} [notes]`;
  await writeFile(
    file,
    JSON.stringify({ ...input, externalId: YOURS.externalId, merchant: { ...merchant, dba } }),
  );
  await gangway(env, ['board', file]);
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(300)) {
    const open = (await inbox(env)).filter(({ workflowId }) => workflowId.endsWith(YOURS.externalId));
    if (open.length < QUESTIONS) continue;
    return open.map(({ id, kind, detail }) => {
      const answer = answerTo(kind, detail) ?? [];
      const args = [command, 'resolve', YOURS.externalId, id, ...answer.map(fromAnywhere)];
      return args.map(quoted).join(' ');
    });
  }
  throw new Error(`the underwriters asked nothing about ${YOURS.name}; see ${join(folder, 'worker.log')}`);
}

/** The file of an answer, by a path that works in any folder. */
function fromAnywhere(argument: string): string {
  return argument.startsWith('examples/') ? join(ROOT, argument) : argument;
}

/** An argument as a shell takes it. */
export function quoted(argument: string): string {
  return /^[\w./@-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** Settings of the demo's own processes, which nobody else needs. */
const OF_PROCESSES = /^(SANDBOX|CODEC|RECEIVER|EVENTS|GANGWAY_(POLL|HEALTH))/;

/**
 * Writes `gangway`, a command with the settings of this demo, and `settings.sh`, the same settings for a shell.
 *
 * @returns the path of the command
 */
export async function writeCommand(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [settings, command] = [join(folder, 'settings.sh'), join(folder, 'gangway')];
  const lines = Object.entries(env)
    .filter(([name]) => !OF_PROCESSES.test(name))
    .map(([name, value = '']) => `export ${name}=${quoted(value)}\n`);
  // It has the key of the payloads.
  await writeFile(settings, lines.join(''), { mode: 0o600 });
  const starter = join(ROOT, 'dist/starter.js');
  const script = [
    '#!/bin/sh',
    '# gangway, with the settings of the demo that runs now',
    `. ${quoted(settings)}`,
    `exec ${quoted(process.execPath)} ${quoted(starter)} "$@"`,
  ];
  await writeFile(command, `${script.join('\n')}\n`, { mode: 0o755 });
  return command;
}
