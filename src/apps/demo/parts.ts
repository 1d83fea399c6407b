import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Webhook } from 'standardwebhooks';
import { workflowId } from '../../messages/ids.js';
import type { MerchantBoardingInput } from '../../messages/inputs.js';
import type { OutcomeName } from '../../messages/onboarding-state.js';
import type { OutboundEvent } from '../../messages/outbound-events.js';
import type { Requirement, RequirementKind } from '../../messages/requirements.js';
import type { WorkflowType } from '../../messages/workflow-types.js';
import { endWithUs } from '../../platform/process/lifecycle.js';
import { inPackage } from '../../platform/process/package.js';
import { queryState } from '../../temporal/find-onboarding.js';
import { shellWord } from '../command/cli/arguments.js';
import { EXIT } from '../command/cli/errors.js';

/** The parts of the demo: its processes, its onboardings and their answers, and the system next to Gangway. */

export const ROOT = inPackage('.');

const built = (name: string) => join(ROOT, 'dist', `${name}.js`);

export type Process = Awaited<ReturnType<typeof start>>;

/**
 * Starts one of the project's processes and waits until the URL `probe` responds. The process has a process group of its own, so
 * that Ctrl-C reaches the demo only, which stops the processes in order.
 */
export async function start(
  name: 'worker' | 'receiver' | 'sandbox' | 'codec-server' | 'console' | 'link',
  env: NodeJS.ProcessEnv,
  log: string,
  probe: string,
) {
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, [built(name)], {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  endWithUs(child);
  await untilUp(name, child, probe, log);
  return {
    async stop(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function untilUp(name: string, child: ChildProcess, probe: string, log: string): Promise<void> {
  for (const until = Date.now() + 60_000; Date.now() < until; await sleep(100)) {
    if (child.exitCode !== null) break;
    const up = await fetch(probe).then(
      // A rejection is also a response.
      ({ status }) => status < 500,
      () => false,
    );
    if (up) return;
  }
  throw new Error(`the ${name} did not start; see ${log}`);
}

/** Runs `gangway` as a person or a script does, but in this process, and returns its JSON lines. */
export async function runGangway<Line>(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Line[]> {
  const { run } = await import('../command/program.js');
  const [stdin, stdout, stderr] = [Readable.from([]), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const printed = Promise.all([text(stdout), text(stderr)]);
  const io = { env: { ...process.env, ...env }, stdin, stdout, stderr, signal };
  const code = await run([...args, '--json'], io);
  for (const stream of [stdout, stderr]) stream.end();
  const [lines, problem] = await printed;
  if (code !== 0) throw new Error(`gangway ${args.map(shellWord).join(' ')} ended with ${code}: ${problem}`);
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

type InboxItem = Requirement & { readonly workflowId: string };

export async function readInbox(env: NodeJS.ProcessEnv): Promise<InboxItem[]> {
  const items = await runGangway<Partial<InboxItem>>(env, ['inbox', '--details']);
  return items.filter((item): item is InboxItem => item.detail !== undefined);
}

/** The colleagues to whom a visitor of the demo can assign a requirement. */
export const COLLEAGUES = [
  { name: 'Ada Park', id: 'ada', role: 'operator' },
  { name: 'Bo Baker', id: 'bo', role: 'approver' },
] as const;

/** One onboarding of the demo: its file in examples/, what starts it, and the outcome of its scenario. */
export interface Part {
  readonly command: 'board' | 'onboard-business' | 'onboard' | 'event';
  readonly type: WorkflowType;
  readonly file: string;
  readonly externalId: string;
  readonly outcome: OutcomeName;
}

const merchant = { command: 'board', type: 'merchantBoarding' } as const;
const business = { command: 'onboard-business', type: 'businessOnboarding' } as const;
const customer = { command: 'onboard', type: 'customerOnboarding' } as const;
const byEvent = { command: 'event', type: 'customerOnboarding' } as const;

const example = (name: string) => `examples/${name}.json`;

export const CAST: readonly Part[] = [
  { ...merchant, file: example('merchant'), externalId: 'corner-bakery', outcome: 'boarded' },
  { ...merchant, file: example('merchant-notes'), externalId: 'harbor-books', outcome: 'boarded' },
  { ...merchant, file: example('merchant-changes-requested'), externalId: 'city-garage', outcome: 'boarded' },
  { ...merchant, file: example('merchant-declined'), externalId: 'night-market', outcome: 'declined' },
  { ...merchant, file: example('merchant-temporary-mid'), externalId: 'river-cafe', outcome: 'boarded' },
  { ...business, file: example('business-correction'), externalId: 'pixel-prints', outcome: 'onboarded' },
  { ...business, file: example('business-denied'), externalId: 'midnight-arcade', outcome: 'declined' },
  { ...byEvent, file: example('customer'), externalId: 'juniper-tea', outcome: 'onboarded' },
  { ...customer, file: example('customer-asked'), externalId: 'lantern-bistro', outcome: 'onboarded' },
];

/** The operator's answer, as arguments of `gangway resolve`; undefined for no answer. */
export function answerTo(kind: RequirementKind, detail: string): readonly string[] | undefined {
  switch (kind) {
    case 'underwriting-note':
      return /check/.test(detail)
        ? ['--document', 'examples/voided-check.txt', '--reason', 'the merchant sent it']
        : ['--text', 'About one sale in ten is keyed in by hand.', '--reason', 'asked the merchant'];
    case 'changes-requested': {
      const application = { salesAndBusinessProfile: { annualVolume: 120_000 } };
      return patched({ application }, 'corrected after the statements');
    }
    case 'rejected-input':
      return patched({ holder: { website: 'https://www.example.com' } }, 'the old address was mistyped');
    case 'ticket':
      return patched({ holder: { phone: '5185550199' } }, 'asked the owner');
    default:
      return undefined;
  }
}

/** The file that the merchant sends when asked for a voided check. */
export const VOIDED_CHECK = 'examples/voided-check.pdf';

/** Reports whether the demo's merchant answers it through a link: the one of Harbor Books. */
export function isForMerchant(of: string, [kind]: readonly string[]): boolean {
  return of === 'merchant-boarding-harbor-books' && kind === '--document';
}

function patched(patch: object, reason: string): readonly string[] {
  return ['--patch', JSON.stringify(patch), '--reason', reason];
}

export type Crm = Awaited<ReturnType<typeof startCrm>>;

/** Plays the system next to Gangway, which requests onboardings by events and receives events. @param secret `whsec_<base64>` */
export async function startCrm(port: number, secret: string) {
  const webhook = new Webhook(secret);
  const received = new Map<string, OutboundEvent>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    try {
      const event = webhook.verify(body, request.headers as Record<string, string>) as OutboundEvent;
      received.set(event.id, event);
      response.writeHead(204).end();
    } catch {
      response.writeHead(401).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    /** The outbound events by ID, each once, however often it was delivered. */
    received,
    /** Sends an event to the receiver. @throws {Error} if the response is not 202 */
    async send(receiverUrl: string, type: string, data: unknown) {
      const now = new Date();
      const id = `crm-${now.getTime()}`;
      const body = JSON.stringify({ specversion: '1.0', id, source: 'crm', type, data });
      const { status } = await fetch(`${receiverUrl}/events`, {
        method: 'POST',
        headers: {
          'content-type': 'application/cloudevents+json',
          'webhook-id': id,
          'webhook-timestamp': `${Math.floor(now.getTime() / 1_000)}`,
          'webhook-signature': webhook.sign(id, now, body),
        },
        body,
      });
      if (status !== 202)
        throw new Error(`the receiver responded with ${status}; see .cache/demo/receiver.log`);
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The boarding that the demo leaves to the person at the terminal. */
export const YOURS = { externalId: 'corner-bikes', name: 'Corner Bikes' } as const;

/** The underwriters ask both of their questions in one review. */
const QUESTIONS = 2;

/** Longer than the sandbox takes to ask, in milliseconds. */
const TIMEOUT_MS = 60_000;

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
  await runGangway(env, ['board', file]);
  for (const until = Date.now() + TIMEOUT_MS; Date.now() < until; await sleep(300)) {
    const { requirements } = await queryState(client, workflowId('merchantBoarding', YOURS.externalId));
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

/** Settings that only the demo's own processes need. */
const OF_PROCESSES = /^(SANDBOX|CODEC|CONSOLE|RECEIVER|API_CLIENTS|EVENTS|GANGWAY_(POLL|HEALTH))/;

/** Writes `settings.sh`, the settings of this demo for a shell, which then finds `gangway`, and the demo's Node. @returns its path */
export async function writeSettings(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [settings, command] = [join(folder, SETTINGS), join(folder, 'gangway')];
  const lines = Object.entries(env)
    .filter(([name]) => !OF_PROCESSES.test(name))
    .map(([name, value = '']) => `export ${name}=${shellWord(value)}\n`);
  const id = `export ${DEMO}=${randomUUID()}\n`;
  const path = `export PATH=${shellWord(folder)}:"$PATH"\n`;
  // The file contains the payload key.
  await writeFile(settings, lines.join('') + id + path, { mode: 0o600 });
  const node = join(folder, 'node');
  await rm(node, { force: true });
  await symlink(process.execPath, node);
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

const OWNER = 'demo.pid';

/** Empties the folder for this demo. @throws {Error} if another demo uses it, whose settings and logs would be lost */
export async function takeFolder(folder: string): Promise<void> {
  const owner = Number(await readFile(join(folder, OWNER), 'utf8').catch(() => 0));
  if (owner > 0 && isRunning(owner))
    throw new Error(
      `a demo runs in this folder already: stop process ${owner}, or use it: . ${shellWord(join(folder, SETTINGS))}`,
    );
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, OWNER), `${process.pid}`);
  for (const store of ['documents', 'statements']) await mkdir(join(folder, store), { mode: 0o700 });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs as a different user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Distinguishes this demo's settings from an earlier demo's in the same shell. */
const DEMO = 'DEMO_ID';

/** Deletes the demo's settings with the key, its documents and its inputs. The logs stay. */
export async function deleteData(folder: string): Promise<void> {
  const names = await readdir(folder);
  const data = names.filter((name) => name !== 'gangway' && !name.endsWith('.log'));
  await Promise.all(data.map((name) => rm(join(folder, name), { recursive: true })));
}
