import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Client } from '@temporalio/client';
import type { WorkflowSerializationContext } from '@temporalio/common';
import { decode, encodeToPayload } from '@temporalio/common/lib/internal-non-workflow/index.js';
import proto from '@temporalio/proto';
import pLimit from 'p-limit';
import { z } from 'zod';
import {
  type BackedUp,
  backedUp,
  backedUpFacts,
  inOrder,
  isGivenUp,
  type Restoring,
  restore,
} from '../../temporal/backup.js';
import { isUnreadablePayload } from '../../temporal/payload-codec.js';
import { check, InvalidInput } from '../../texts/invalid-input.js';
import { parseJson } from '../../texts/text.js';
import { cannotRead, saveFile } from '../cli/arguments.js';
import { atTemporal, type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import type { Flags } from '../cli/options.js';
import type { RecordFormat } from '../cli/output.js';

const { Payload } = proto.temporal.api.common.v1;

/** The format of the file. A new number marks files that older versions cannot read. */
const FORMAT = 1;

export const backUp = atTemporal(async ({ cli, client, config }, file: string, { json }: Flags<'json'>) => {
  const { namespace } = client.options;
  const at = new Date().toISOString();
  let onboardings = 0;
  const lineOf = (line: object) => `${JSON.stringify(line)}\n`;
  async function* lines() {
    yield lineOf({ gangwayBackup: FORMAT, at, namespace, taskQueue: config.taskQueue });
    for await (const { input, ...entry } of backedUp(client, config.taskQueue)) {
      onboardings += 1;
      yield lineOf({ ...entry, input: await sealed(client, entry.workflowId, input) });
    }
    yield lineOf({ onboardings });
  }
  await saveFile(file, lines());
  if (json) return cli.json({ file, at, onboardings });
  const warning = config.payloadKeys
    ? ''
    : '; PAYLOAD_KEYS is not set, so the file holds unencrypted private data';
  cli.line(`saved ${onboardings} onboardings to ${file}${warning}`);
});

const CONCURRENCY = 8;

export async function restoreAll(
  cli: CommandLine,
  file: string,
  { dryRun, json, csv }: RecordFormat & Flags<'dryRun'>,
): Promise<void> {
  const { at: backedUpAt, entries: lines } = await readBackup(file);
  await withTemporal(cli, async ({ client, config: { taskQueue, dbaForm } }) => {
    const { entries, locked } = await unsealedAll(client, lines);
    const limit = pLimit(CONCURRENCY);
    const options = { taskQueue, dbaForm, backedUpAt, dryRun };
    const counts: Record<Restoring, number> = { adopts: 0, looks: 0, there: 0, skipped: 0 };
    const row = csv && cli.csvRows(['workflowId', 'restoring']);
    const restoreOne = async (entry: BackedUp) => {
      const restoring = await restore(client, entry, options);
      counts[restoring] += 1;
      const { workflowId } = entry;
      if (json) cli.json({ workflowId, restoring });
      else if (row) row({ workflowId, restoring });
      else cli.line(`${workflowId} ${describeRestoring(entry, restoring)}`);
    };
    // Customers come last.
    const groups = Map.groupBy(inOrder(entries), ({ type }) => type === 'customerOnboarding');
    for (const group of groups.values()) await limit.map(group, restoreOne);
    const { adopts, looks, there, skipped } = counts;
    if (!json && !csv)
      cli.line(
        `${dryRun ? 'would restore' : 'restored'} ${adopts + looks}, of which ${looks} search the partner first; already there: ${there}; not restored: ${skipped}`,
      );
    if (locked.length > 0)
      throw new CommandFailed(`not restored, because the key is not in PAYLOAD_KEYS: ${locked.join(', ')}`);
  });
}

function describeRestoring(
  { type, merchantProfileId, bankingProfileId, status, stage }: BackedUp,
  restoring: Restoring,
): string {
  // The merchant of a business belongs to another onboarding.
  const merchant = type !== 'businessOnboarding' && merchantProfileId && `merchant ${merchantProfileId}`;
  const known = [merchant, bankingProfileId && `banking profile ${bankingProfileId}`].filter(Boolean);
  switch (restoring) {
    case 'adopts':
      return ['restored', ...known].join(', ');
    case 'looks':
      return 'restored, searches its partner and asks before it creates anything';
    case 'there':
      return 'already there';
    case 'skipped': {
      const has = known.length === 0 ? '' : `; ${known.join(' and ')} stays at its partner`;
      return `not restored: it is ${isGivenUp(stage) ? stage : status}${has}`;
    }
  }
}

const header = z.object({
  gangwayBackup: z.literal(FORMAT, `must be ${FORMAT}`),
  at: z.iso.datetime(),
});

const entryLine = backedUpFacts.extend({ input: z.base64() });

type EntryLine = z.output<typeof entryLine>;

const footer = z.object({ onboardings: z.int() });

/** @throws {InvalidInput} that names the invalid line; nothing is started then */
async function readBackup(file: string) {
  const lines: unknown[] = [];
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input }))
      lines.push(parseJson(line, `${file}:${lines.length + 1}`, true));
  } catch (error) {
    throw error instanceof InvalidInput ? error : cannotRead(file)(error as NodeJS.ErrnoException);
  }
  const { at } = check(header, lines[0], `${file}:1`);
  const last = footer.safeParse(lines.at(-1));
  if (!last.success || last.data.onboardings !== lines.length - 2)
    throw new InvalidInput(`${file}: is incomplete: its last line does not match the number of onboardings`);
  const entries = lines.slice(1, -1).map((line, index) => check(entryLine, line, `${file}:${index + 2}`));
  return { at, entries };
}

/** The entries whose input can be decrypted, and the workflow ids of the others. */
async function unsealedAll(client: Client, lines: readonly EntryLine[]) {
  const entries: BackedUp[] = [];
  const locked: string[] = [];
  for (const { input, ...entry } of lines) {
    try {
      entries.push({ ...entry, input: await unsealed(client, entry.workflowId, input) });
    } catch (error) {
      if (!isUnreadablePayload(error)) throw error;
      locked.push(entry.workflowId);
    }
  }
  return { entries, locked };
}

/** An entry belongs to its workflow, and may be restored into another namespace. */
function belongingTo(workflowId: string): WorkflowSerializationContext {
  return { type: 'workflow', namespace: '', workflowId };
}

async function sealed(client: Client, workflowId: string, input: object): Promise<string> {
  const payload = await encodeToPayload(client.options.loadedDataConverter, input, belongingTo(workflowId));
  return Buffer.from(Payload.encode(payload).finish()).toString('base64');
}

/** @throws {MisplacedPayload} for the input of another entry */
async function unsealed(client: Client, workflowId: string, input: string): Promise<object> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  const sealedPayload = Payload.decode(Buffer.from(input, 'base64'));
  const [payload] = await decode(payloadCodecs, [sealedPayload], belongingTo(workflowId));
  return payloadConverter.fromPayload(payload as NonNullable<typeof payload>);
}
