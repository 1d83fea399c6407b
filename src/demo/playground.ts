import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { shellWord } from '../commands/cli/arguments.js';
import { EXIT } from '../commands/cli/errors.js';
import { workflowId } from '../messages/ids.js';
import type { MerchantBoardingInput } from '../messages/inputs.js';
import { stateOf } from '../temporal/onboardings.js';
import { answerTo, gangway, ROOT } from './processes.js';

/** The boarding that the demo leaves to the person at the terminal. */
export const YOURS = { externalId: 'corner-bikes', name: 'Corner Bikes' } as const;

/** The underwriters ask both of their questions in one review. */
const QUESTIONS = 2;

/** Longer than the sandbox takes to ask, in milliseconds. */
const PATIENCE_MS = 60_000;

export type Asked = Awaited<ReturnType<typeof startPlayground>>[number];

/** Boards a merchant that the underwriters ask about, and waits for their questions. */
export async function startPlayground(client: Client, env: NodeJS.ProcessEnv, folder: string) {
  const example = JSON.parse(await readFile(join(ROOT, 'examples/merchant-notes.json'), 'utf8'));
  const { merchant, application, ...input } = example as MerchantBoardingInput;
  const file = join(folder, `${YOURS.externalId}.json`);
  const own = {
    externalId: YOURS.externalId,
    merchant: { ...merchant, dba: `${YOURS.name} [notes]` },
    application: { ...application, merchantProfile: { legalName: `${YOURS.name} Inc` } },
  };
  await writeFile(file, JSON.stringify({ ...input, ...own }));
  await gangway(env, ['board', file]);
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(300)) {
    const { requirements } = await stateOf(client, workflowId('merchantBoarding', YOURS.externalId));
    if (requirements.length < QUESTIONS) continue;
    return requirements.map(({ id, kind, detail }) => {
      const answer = answerTo(kind, detail) ?? [];
      const args = ['gangway', 'resolve', YOURS.externalId, id, ...answer.map(fromAnywhere)];
      return { question: detail, command: args.map(shellWord).join(' ') };
    });
  }
  throw new Error(`the underwriters asked nothing about ${YOURS.name}; see ${join(folder, 'worker.log')}`);
}

function fromAnywhere(argument: string): string {
  return argument.startsWith('examples/') ? join(ROOT, argument) : argument;
}

/** Settings of the demo's own processes, which nobody else needs. */
const OF_PROCESSES = /^(SANDBOX|CODEC|CONSOLE|RECEIVER|EVENTS|GANGWAY_(POLL|HEALTH))/;

/** Writes `settings.sh`, the settings of this demo for a shell, which finds `gangway` then. @returns its path */
export async function writeSettings(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [settings, command] = [join(folder, SETTINGS), join(folder, 'gangway')];
  const lines = Object.entries(env)
    .filter(([name]) => !OF_PROCESSES.test(name))
    .map(([name, value = '']) => `export ${name}=${shellWord(value)}\n`);
  const id = `export ${DEMO}=${randomUUID()}\n`;
  const path = `export PATH=${shellWord(folder)}:"$PATH"\n`;
  // It has the key of the payloads.
  await writeFile(settings, lines.join('') + id + path, { mode: 0o600 });
  const starter = join(ROOT, 'dist/starter.js');
  const script = [
    '#!/bin/sh',
    '# gangway, with the settings of the demo while it runs. Those in front of it win, except those of an earlier demo.',
    `if [ ! -f ${shellWord(settings)} ]; then`,
    `  echo 'the demo is not running; start it with "npm run demo"' >&2`,
    `  exit ${EXIT.unavailable}`,
    'fi',
    `given=$(export -p) loaded=$${DEMO}`,
    `. ${shellWord(settings)}`,
    `case "$loaded" in ''|"$${DEMO}") eval "$given" ;; esac`,
    `exec ${shellWord(process.execPath)} ${shellWord(starter)} "$@"`,
  ];
  await writeFile(command, `${script.join('\n')}\n`, { mode: 0o755 });
  return settings;
}

const SETTINGS = 'settings.sh';

/** Tells the settings of this demo from those that a shell has of an earlier one. */
const DEMO = 'DEMO_ID';

/** Deletes what the demo leaves: its settings with the key, its documents and its inputs. The logs stay. */
export async function deleteData(folder: string): Promise<void> {
  const names = await readdir(folder);
  const data = names.filter((name) => name !== 'gangway' && !name.endsWith('.log'));
  await Promise.all(data.map((name) => rm(join(folder, name), { recursive: true })));
}
