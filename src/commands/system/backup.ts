import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Client } from '@temporalio/client';
import { decode, encodeToPayload } from '@temporalio/common/lib/internal-non-workflow/index.js';
import proto from '@temporalio/proto';
import type { Command } from 'commander';
import pLimit from 'p-limit';
import { z } from 'zod';
import { ONBOARDINGS, type OnboardingType } from '../../messages/ids.js';
import {
  type BackedUp,
  backedUp,
  inOrder,
  isGivenUp,
  type Restoring,
  restore,
} from '../../temporal/backup.js';
import { isUnreadablePayload } from '../../temporal/payload-codec.js';
import { check } from '../cli/arguments.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed, InvalidInput } from '../cli/errors.js';

const { Payload } = proto.temporal.api.common.v1;

/** Of this shape; raised when a file of before can no longer be read. */
const FORMAT = 1;

export function backupCommand(program: Command, cli: CommandLine): void {
  program
    .command('backup')
    .summary('save what restore needs')
    .description(
      'Write all onboardings that Temporal remembers to FILE, a JSON line each: their inputs, encrypted with PAYLOAD_KEYS as ' +
        'histories are, and what each has at its partner. Reads histories, so no worker needs to run. See docs/disaster.md.',
    )
    .argument('<file>', 'is replaced once the backup is whole')
    .option('--json', 'print JSON')
    .action((file: string, { json }: { json?: true }) => backUp(cli, file, json));
}

async function backUp(cli: CommandLine, file: string, json?: true): Promise<void> {
  await withTemporal(cli, async ({ client, config }) => {
    const partial = `${file}.partial`;
    const { namespace } = client.options;
    const at = new Date().toISOString();
    const handle = await open(partial, 'w', 0o600).catch(unusable(file));
    let onboardings = 0;
    try {
      const write = (line: object) => handle.write(`${JSON.stringify(line)}\n`);
      await write({ gangwayBackup: FORMAT, at, namespace, taskQueue: config.taskQueue });
      for await (const { input, ...entry } of backedUp(client, config.taskQueue)) {
        await write({ ...entry, input: await sealed(client, input) });
        onboardings += 1;
      }
      await write({ onboardings });
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file).catch(unusable(file));
    if (json) return cli.json({ file, at, onboardings });
    const keys = config.payloadKeys ? '' : '; PAYLOAD_KEYS is not set, so it holds private data in the clear';
    cli.line(`${onboardings} onboardings are in ${file}${keys}`);
  });
}

function unusable(file: string): (error: NodeJS.ErrnoException) => never {
  return ({ code }) => {
    throw new InvalidInput(`${file}: cannot be written (${code})`);
  };
}

export function restoreCommand(program: Command, cli: CommandLine): void {
  program
    .command('restore')
    .summary('start again what a backup has')
    .description(
      'Start the onboardings of a backup that Temporal does not know. Each adopts what it has at its partner. One of which ' +
        'nothing was known there looks for it, and asks a person before it creates anything. Safe to run again. See docs/disaster.md.',
    )
    .argument('<file>', 'what gangway backup wrote')
    .option('--dry-run', 'only say what would be started')
    .option('--json', 'print JSON lines')
    .action((file: string, options: RestoreOptions) => restoreAll(cli, file, options));
}

interface RestoreOptions {
  readonly dryRun?: true;
  readonly json?: true;
}

/** How many are started at once. */
const CONCURRENCY = 8;

async function restoreAll(cli: CommandLine, file: string, { dryRun, json }: RestoreOptions): Promise<void> {
  const { at: backedUpAt, entries: lines } = await readBackup(file);
  await withTemporal(cli, async (context) => {
    const { client, config } = context;
    const { entries, locked } = await unsealedAll(context, lines);
    const limit = pLimit(CONCURRENCY);
    const options = { taskQueue: config.taskQueue, backedUpAt, dryRun };
    const counts: Record<Restoring, number> = { adopts: 0, looks: 0, there: 0, skipped: 0 };
    const restoreOne = async (entry: BackedUp) => {
      const restoring = await restore(client, entry, options);
      counts[restoring] += 1;
      if (json) cli.json({ workflowId: entry.workflowId, restoring });
      else cli.line(`${entry.workflowId} ${inWords(entry, restoring)}`);
    };
    const ordered = inOrder(entries);
    const isCustomer = ({ type }: BackedUp) => type === 'customerOnboarding';
    for (const group of [ordered.filter((each) => !isCustomer(each)), ordered.filter(isCustomer)])
      await Promise.all(group.map((entry) => limit(() => restoreOne(entry))));
    const { adopts, looks, there, skipped } = counts;
    if (!json)
      cli.line(
        `${dryRun ? 'would restore' : 'restored'} ${adopts + looks}, of which ${looks} look first; already there: ${there}; not restored: ${skipped}`,
      );
    if (locked.length > 0)
      throw new CommandFailed(`not restored, because the key is not in PAYLOAD_KEYS: ${locked.join(', ')}`);
  });
}

function inWords(
  { merchantProfileId, bankingProfileId, status, stage }: BackedUp,
  restoring: Restoring,
): string {
  switch (restoring) {
    case 'adopts': {
      const merchant = merchantProfileId === undefined ? [] : [`merchant ${merchantProfileId}`];
      const profile = bankingProfileId === undefined ? [] : [`banking profile ${bankingProfileId}`];
      return ['restored', ...merchant, ...profile].join(', ');
    }
    case 'looks':
      return 'restored, looks at its partner and asks before it creates anything';
    case 'there':
      return 'already there';
    case 'skipped': {
      const left = merchantProfileId ?? bankingProfileId;
      const has = left === undefined ? '' : `; ${left} stays at its partner`;
      return `not restored: it is ${isGivenUp(stage) ? stage : status}${has}`;
    }
  }
}

const header = z.object({
  gangwayBackup: z.literal(FORMAT, `must be ${FORMAT}`),
  at: z.iso.datetime(),
});

const entryLine = z.object({
  workflowId: z.string().min(1),
  type: z.enum(Object.keys(ONBOARDINGS) as OnboardingType[]),
  status: z.string(),
  startedAt: z.iso.datetime(),
  stage: z.string().optional(),
  merchantProfileId: z.int().optional(),
  bankingProfileId: z.int().optional(),
  mid: z.string().optional(),
  input: z.base64(),
});

type EntryLine = z.output<typeof entryLine>;

const footer = z.object({ onboardings: z.int() });

/** @throws {InvalidInput} naming the line that cannot be read, or what the file lacks; nothing was started by then */
async function readBackup(
  file: string,
): Promise<{ readonly at: string; readonly entries: readonly EntryLine[] }> {
  const lines: unknown[] = [];
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input })) lines.push(parsed(file, lines.length + 1, line));
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const { at } = check(header, lines[0], `${file}:1`);
  const last = footer.safeParse(lines.at(-1));
  if (!last.success || last.data.onboardings !== lines.length - 2)
    throw new InvalidInput(`${file}: was cut off, its last line does not count its onboardings`);
  const entries = lines.slice(1, -1).map((line, index) => check(entryLine, line, `${file}:${index + 2}`));
  return { at, entries };
}

function parsed(file: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput(`${file}:${line}: is not JSON`);
  }
}

/** Those whose input can be read, and the workflow ids of the others. */
async function unsealedAll({ client }: CommandContext, lines: readonly EntryLine[]) {
  const entries: BackedUp[] = [];
  const locked: string[] = [];
  for (const { input, stage, merchantProfileId, bankingProfileId, mid, ...entry } of lines) {
    try {
      entries.push({
        ...entry,
        ...(stage !== undefined && { stage }),
        ...(merchantProfileId !== undefined && { merchantProfileId }),
        ...(bankingProfileId !== undefined && { bankingProfileId }),
        ...(mid !== undefined && { mid }),
        input: await unsealed(client, input),
      });
    } catch (error) {
      if (!isUnreadablePayload(error)) throw error;
      locked.push(entry.workflowId);
    }
  }
  return { entries, locked };
}

async function sealed(client: Client, input: object): Promise<string> {
  const payload = await encodeToPayload(client.options.loadedDataConverter, input);
  return Buffer.from(Payload.encode(payload).finish()).toString('base64');
}

async function unsealed(client: Client, input: string): Promise<object> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  const [payload] = await decode(payloadCodecs, [Payload.decode(Buffer.from(input, 'base64'))]);
  return payloadConverter.fromPayload(payload as NonNullable<typeof payload>);
}
