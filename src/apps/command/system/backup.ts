import { createHmac, type Hmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import pLimit from 'p-limit';
import { z } from 'zod';
import { partsOfId, workflowId } from '../../../messages/ids.js';
import { accountNameSchema, externalId, type KnownAccounts } from '../../../messages/inputs.js';
import { TYPES_WITH_PARTS } from '../../../messages/workflow-types.js';
import { userName } from '../../../services/texts/display-names.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import {
  type BackedUp,
  backedUpFacts,
  backUpOnboardings,
  isGivenUp,
  isRestored,
  type Restoring,
  restore,
  sortEntries,
} from '../../../temporal/backup.js';
import type { AnyInput } from '../../../temporal/kinds/define-kind.js';
import { KINDS } from '../../../temporal/kinds/kinds.js';
import {
  dataConverter,
  KEY_ID,
  MisplacedPayload,
  type PayloadKey,
  sealValue,
  UnreadablePayload,
  unsealValue,
} from '../../../temporal/payload-codec.js';
import { cannotRead, saveOutputFile } from '../cli/arguments.js';
import { atTemporal, type CommandLine, type CommandSettings, withTemporal } from '../cli/command-line.js';
import type { Flags } from '../cli/options.js';
import type { RecordFormat } from '../cli/output.js';

/** The format of the file. A new number marks files that older versions cannot read. */
const FORMAT = 1;

export const backUp = atTemporal(async ({ cli, client, config }, file: string, { json }: Flags<'json'>) => {
  const { namespace, loadedDataConverter } = client.options;
  const anywhere = { options: { loadedDataConverter, namespace: '' } };
  const at = new Date().toISOString();
  const [key] = config.payloadKeys ?? [];
  const mac = key && macOf(key);
  let [onboardings, bytes] = [0, 0];
  const lineOf = (line: object) => {
    const text = `${JSON.stringify(line)}\n`;
    mac?.update(text);
    bytes += text.length;
    return text;
  };
  async function* lines() {
    yield lineOf({ gangwayBackup: FORMAT, at, namespace, taskQueue: config.taskQueue });
    for await (const { input, ...entry } of backUpOnboardings(client, config.taskQueue)) {
      onboardings += 1;
      const content = await sealValue(anywhere, input, entry.workflowId);
      yield lineOf({ ...entry, input: Buffer.from(content).toString('base64') });
    }
    yield `${JSON.stringify({ onboardings, key: key?.id, mac: mac?.digest('base64') })}\n`;
  }
  await saveOutputFile(file, lines());
  if (bytes > MAX_BYTES) cli.note(`${file}: ${TOO_LARGE}, so gangway restore refuses it`);
  if (json) return cli.json({ file, at, onboardings });
  const warning = key
    ? ''
    : '; PAYLOAD_KEYS is not set, so the file holds unencrypted private data, and anyone can change it';
  cli.line(`saved ${onboardings} onboardings to ${file}${warning}`);
});

export async function restoreAll(
  cli: CommandLine,
  file: string,
  { dryRun, json, csv, unauthenticated }: RecordFormat & Flags<'dryRun' | 'unauthenticated'>,
): Promise<void> {
  const { at: backedUpAt, entries } = await readBackup(file, cli.config(), unauthenticated === true);
  await withTemporal(cli, async ({ client, config: { taskQueue, dbaForm } }) => {
    const limit = pLimit(8);
    const options = { taskQueue, dbaForm, backedUpAt, dryRun, actor: userName() };
    const counts: Record<Restoring, number> = { imports: 0, asks: 0, there: 0, skipped: 0 };
    const row = csv && cli.csvRows(['workflowId', 'restoring']);
    const restoreOne = async (entry: BackedUp) => {
      const restoring = await restore(client, entry, options);
      counts[restoring] += 1;
      const { workflowId } = entry;
      if (json) cli.json({ workflowId, restoring });
      else if (row) row({ workflowId, restoring });
      else cli.line(`${workflowId} ${describeRestoring(entry, restoring, dryRun)}`);
    };
    // Onboardings with parts come last.
    const groups = Map.groupBy(sortEntries(entries), ({ type }) => TYPES_WITH_PARTS.includes(type));
    for (const group of groups.values()) await limit.map(group, restoreOne);
    const { imports, asks, there, skipped } = counts;
    if (!json && !csv)
      cli.line(
        `${dryRun ? 'would restore' : 'restored'} ${imports + asks}, of which ${asks} ask before they create anything; already there: ${there}; not restored: ${skipped}`,
      );
  });
}

function describeRestoring(
  { type, merchantProfileId, bankingProfileId, status, stage }: BackedUp,
  restoring: Restoring,
  dryRun = false,
): string {
  const restored = dryRun ? 'would be restored' : 'restored';
  // The merchant of a business belongs to another onboarding.
  const merchant = type !== 'businessOnboarding' && merchantProfileId && `merchant ${merchantProfileId}`;
  const facts = [merchant, bankingProfileId && `banking profile ${bankingProfileId}`].filter(Boolean);
  switch (restoring) {
    case 'imports':
      return [restored, ...facts].join(', ');
    case 'asks':
      return `${restored}, asks before it creates anything`;
    case 'there':
      return 'already there';
    case 'skipped': {
      const has = facts.length === 0 ? '' : `; ${facts.join(' and ')} stays at its partner`;
      return `not restored: it is ${isGivenUp(stage) ? stage : status}${has}`;
    }
  }
}

/** Authenticates the lines of a backup before its last. Its key is derived, because the payload key itself encrypts. */
function macOf({ key }: PayloadKey): Hmac {
  return createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', 'gangway backup', 32)));
}

const header = z.object({
  gangwayBackup: z.literal(FORMAT, `must be ${FORMAT}`),
  at: z.iso.datetime(),
});

/** More than Temporal's limit of 2 MiB. */
const LONGEST_INPUT = 2.5 * 1024 ** 2;

const entryLine = backedUpFacts.extend({
  input: z.base64().max((LONGEST_INPUT * 4) / 3, 'is longer than Temporal takes'),
});

const keyId = z.string().regex(KEY_ID);
const footer = z.object({ onboardings: z.int(), key: keyId.optional(), mac: z.base64().optional() });

/** Less than Node's maximum string length. */
const MAX_BYTES = 500 * 1024 ** 2;
const TOO_LARGE = 'is not a file of at most 500 MiB';

const CHANGED = ', so it was cut or changed: take another copy';

/** Reads and checks a whole backup before anything is started. @throws {InvalidInput} that names the invalid line */
async function readBackup(file: string, config: CommandSettings, mayBeForged: boolean) {
  const result = await access(file, constants.R_OK)
    .then(() => stat(file))
    .catch(cannotRead(file));
  if (!result.isFile() || result.size > MAX_BYTES) throw new InvalidInput(`${file}: ${TOO_LARGE}`);
  const macs = new Map((config.payloadKeys ?? []).map((key) => [key.id, macOf(key)]));
  const lines: unknown[] = [];
  let last: string | undefined;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (last !== undefined) for (const mac of macs.values()) mac.update(`${last}\n`);
    try {
      lines.push(JSON.parse(line));
    } catch {
      throw refused(`${file}:${lines.length + 1}`, `is not JSON${CHANGED}`);
    }
    last = line;
  }
  const { at } = check(header, lines[0] ?? {}, `${file}:1`);
  const end = footer.safeParse(lines.at(-1));
  if (!end.success || end.data.onboardings !== lines.length - 2)
    throw refused(file, `is incomplete: its last line does not match the number of onboardings${CHANGED}`);
  const why = whyForged(end.data, macs);
  if (why !== undefined && !mayBeForged)
    throw refused(
      file,
      `anyone could have written it, because ${why} (with --unauthenticated, its author decides what starts and what is imported)`,
    );
  const loadedDataConverter = loadDataConverter(dataConverter(config.payloadKeys));
  // The backup may be restored into another namespace.
  const anywhere = { options: { loadedDataConverter, namespace: '' } };
  const withoutKeys = macs.size === 0 ? ' without PAYLOAD_KEYS' : '';
  const entries: BackedUp[] = [];
  for (const line of lines.slice(1, -1)) {
    const where = `${file}:${entries.length + 2}`;
    const { input: path, ...entry } = check(entryLine, line, where);
    const bytes = Buffer.from(path, 'base64');
    const input = await unsealValue(anywhere, bytes, entry.workflowId).catch((error: unknown) => {
      const isKnown = error instanceof UnreadablePayload || error instanceof MisplacedPayload;
      throw refused(where, isKnown ? error.message : `its input cannot be read${withoutKeys}`);
    });
    entries.push({ ...entry, input: input as object });
  }
  requireOwnInputs(file, entries, config, why === undefined);
  return { at, entries };
}

function refused(where: string, why: string): InvalidInput {
  return new InvalidInput(`${where}: ${why}; nothing was started`);
}

/** @returns why a backup is not authentic; undefined if it is */
function whyForged({ key, mac = '' }: z.output<typeof footer>, macs: ReadonlyMap<string, Hmac>) {
  if (macs.size === 0) return 'PAYLOAD_KEYS is not set';
  if (key === undefined) return 'it was written without PAYLOAD_KEYS';
  const own = macs.get(key)?.digest('base64');
  if (own === undefined) return `key ${key} is not in PAYLOAD_KEYS`;
  const isOwn = own.length === mac.length && timingSafeEqual(Buffer.from(own), Buffer.from(mac));
  return isOwn ? undefined : `it was changed since, or key ${key} has another value`;
}

/** @throws {InvalidInput} if an entry has the input of another onboarding, or an ID that no start makes */
function requireOwnInputs(file: string, entries: BackedUp[], accounts: KnownAccounts, isAuthentic: boolean) {
  const ids = new Set(entries.map((entry) => entry.workflowId));
  if (ids.size < entries.length) throw refused(file, 'has an onboarding twice');
  for (const [index, entry] of entries.entries()) {
    if (!isRestored(entry)) continue;
    const { type, input, workflowId: id } = entry;
    const where = `${file}:${index + 2}`;
    const schema = KINDS[type].backupSchema.extend({ externalId, account: accountNameSchema(accounts) });
    const { externalId: key, account } = check(schema, input, where) as unknown as AnyInput;
    const ofId = partsOfId(id)?.account;
    // The input of a part has no account. Temporal may have forgotten a customer that somebody ended.
    const isPart = isAuthentic || ids.has(workflowId('customerOnboarding', key, ofId));
    const own = workflowId(type, key, account ?? (isPart ? ofId : undefined));
    if (own !== id) throw refused(where, `${id} has the input of ${own}`);
  }
}
