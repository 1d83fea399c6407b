import { randomUUID } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isSamePerson } from '../messages/claims.js';
import { partsOfId } from '../messages/ids.js';
import { heldSource, rowReader } from '../operators/batch/format.js';
import { type Invalid, type Ready, rowCheck, rowSchemas } from '../operators/batch/ready.js';
import { persistent, type Result, startAll } from '../operators/batch/starting.js';
import { type Validation, validate } from '../operators/batch/validation.js';
import { parseJson, utf8 } from '../operators/text.js';
import type { StartOptions } from '../temporal/start.js';
import { sentenceOf } from '../temporal/unavailable.js';
import type { HeldFile } from './held-files.js';
import { accountProblem, ownAccounts } from './own-accounts.js';
import { type Console, NotShown } from './route.js';
import { maySee, type Visitor } from './visitor.js';

/**
 * The batches of this process. A file stays in memory from its dry run to its end, because it has private values that must not be on
 * a disk, and because what is started is then what was checked. What runs is in memory, too: when the process ends, the batch
 * stops, and the same file continues it in any other process, because Temporal starts nothing twice.
 */

/** 5,000 customers of 3 KiB each. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Of all files together. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** How long a file waits for its start, in milliseconds. */
export const HELD_MS = 15 * 60_000;

/** How long the results of a batch are kept after its end, in milliseconds, and of how many batches. */
const KEPT_MS = 24 * 3_600_000;
const MOST_KEPT = 50;

/** How many rows are started at once, and how long Temporal may be unavailable, as by default on the command line. */
const CONCURRENCY = 8;
const GIVE_UP_AFTER_MS = 120_000;

/** Starts per second, where the form has no other number: the batch shares the process with people. */
export const DEFAULT_RATE = 20;

/** How a table is written. */
export interface TableFormat {
  readonly delimiter?: string | undefined;
  readonly mapping?: HeldFile | undefined;
}

/** What became of a row. */
export interface RowResult {
  readonly line: number;
  readonly externalId: string;
  readonly workflowId: string;
  readonly runId?: string;
  readonly result: 'started' | 'attached' | 'failed';
  readonly error?: string;
}

/** A file that was checked. */
export interface CheckedFile {
  readonly name: string;
  readonly validation: Validation;
  readonly accounts: ReadonlySet<string | undefined>;
  /** Reads it again, when every row is valid. */
  readonly rows: () => AsyncGenerator<Ready>;
  readonly bytes: number;
}

type BatchState = 'checked' | 'running' | 'stopping' | 'stopped' | 'done' | 'failed';

export interface Batch {
  readonly id: string;
  readonly actor: string;
  readonly file: Pick<CheckedFile, 'name' | 'validation' | 'accounts'>;
  readonly state: BatchState;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
  readonly results: readonly RowResult[];
  readonly counts: Readonly<Record<RowResult['result'], number>>;
  /** Why it waits, or why it ended before its last row. */
  readonly note: string | undefined;
}

/** Rows that are read before others get a turn. */
const ROWS_AT_ONCE = 50;

/**
 * Checks every row of a file, as the command line does, for what this person may start.
 *
 * @throws {InvalidInput} when the file or its mapping cannot be read
 */
export async function checkedFile(
  { settings, visitor }: Pick<Console, 'settings'> & { readonly visitor: Visitor },
  { name, bytes }: HeldFile,
  { delimiter, mapping }: TableFormat,
): Promise<CheckedFile> {
  const known = ownAccounts(settings, visitor);
  const given = mapping && {
    name: mapping.name,
    value: parseJson(utf8(mapping.bytes, mapping.name), mapping.name),
  };
  const readRows = rowReader({ delimiter, mapping: given }, name, rowSchemas(known));
  const check = rowCheck(known);
  const source = heldSource(name, bytes);
  const accounts = new Set<string | undefined>();
  async function* checkedRows(): AsyncGenerator<Ready | Invalid> {
    let count = 0;
    for await (const row of readRows(source)) {
      const checked = check(row);
      count += 1;
      if (count % ROWS_AT_ONCE === 0) await breathe();
      if ('problems' in checked) {
        yield checked;
        continue;
      }
      const { account } = partsOfId(checked.workflowId) ?? {};
      accounts.add(account);
      const problem = accountProblem(visitor, account);
      yield problem ? { line: checked.line, problems: [problem] } : checked;
    }
  }
  async function* readyRows() {
    // The bytes are those of the first reading.
    for await (const row of checkedRows()) if ('start' in row) yield row;
  }
  const validation = await validate(checkedRows());
  return { name, validation, accounts, rows: readyRows, bytes: bytes.length };
}

class RunningBatch implements Batch {
  readonly id = randomUUID();
  readonly checkedAt = Date.now();
  readonly results: RowResult[] = [];
  readonly counts = { started: 0, attached: 0, failed: 0 };
  state: BatchState = 'checked';
  startedAt: Date | undefined;
  endedAt: Date | undefined;
  note: string | undefined;
  readonly #stop = new AbortController();
  readonly file: Batch['file'];
  /** With its bytes, until it has been read. */
  #file: CheckedFile | undefined;

  constructor(
    readonly actor: string,
    file: CheckedFile,
  ) {
    const { name, validation, accounts } = file;
    this.file = { name, validation, accounts };
    this.#file = file;
  }

  get heldBytes(): number {
    return this.#file?.bytes ?? 0;
  }

  stop(): void {
    if (this.state !== 'running') return;
    this.state = 'stopping';
    this.#stop.abort(STOPPED);
  }

  async run(client: Client, options: StartOptions, rate: number): Promise<void> {
    if (this.state !== 'checked' || !this.#file) return;
    this.state = 'running';
    this.startedAt = new Date();
    const { rows } = this.#file;
    const stop = this.#stop;
    const gaveUp = () => new Error('Temporal did not respond for two minutes.');
    const persistently = persistent({
      giveUpAfter: GIVE_UP_AFTER_MS,
      ...{ stop, gaveUp },
      note: (text) => {
        this.note = text;
      },
    });
    await startAll(client, rows(), {
      options,
      rate,
      concurrency: Math.min(CONCURRENCY, this.file.validation.rows),
      ...{ stop, persistently },
      onResult: (row, result) => this.#add(row, result),
    });
    this.#file = undefined;
    this.endedAt = new Date();
    const reason: unknown = stop.signal.reason;
    if (!stop.signal.aborted) this.state = 'done';
    else if (reason === STOPPED) this.state = 'stopped';
    else {
      this.state = 'failed';
      this.note = sentenceOf(reason) ?? (reason instanceof Error ? reason.message : String(reason));
    }
  }

  #add({ line, externalId, workflowId }: Ready, outcome: Result): void {
    this.note = undefined;
    const row = { line, externalId, workflowId };
    if ('rejected' in outcome) this.results.push({ ...row, result: 'failed', error: outcome.rejected });
    else if ('started' in outcome) {
      const { runId, started } = outcome;
      this.results.push({ ...row, runId, result: started ? 'started' : 'attached' });
    }
    const last = this.results.at(-1);
    if (last) this.counts[last.result] += 1;
  }
}

const STOPPED = new Error('stopped');

/** The batches of a process. */
export class Batches {
  readonly #all = new Map<string, RunningBatch>();
  readonly #running = new Set<Promise<void>>();

  /**
   * Holds a file until its start. A person has one such file: a second one replaces it.
   *
   * @throws {NotShown} when too many files are held
   */
  hold({ actor }: Visitor, file: CheckedFile): Batch {
    this.#forget();
    for (const batch of this.#all.values())
      if (isSamePerson(batch.actor, actor) && batch.state === 'checked') this.#all.delete(batch.id);
    const held = [...this.#all.values()].reduce((sum, batch) => sum + batch.heldBytes, 0);
    if (held + file.bytes > MAX_HELD_BYTES)
      throw new NotShown(503, 'Too many files are held or run at the moment. Try again in some minutes.');
    const batch = new RunningBatch(actor, file);
    this.#all.set(batch.id, batch);
    return batch;
  }

  /** Those that a person may see, the newest first. */
  of(visitor: Visitor): Batch[] {
    this.#forget();
    return [...this.#all.values()].filter((batch) => isVisible(batch, visitor)).reverse();
  }

  /** @throws {NotShown} */
  find(id: string, visitor: Visitor): Batch {
    return this.#found(id, visitor);
  }

  /** Starts the rows of a file that the same person had checked. A second call starts nothing. @throws {NotShown} */
  start({ client, settings }: Console, id: string, visitor: Visitor, rate: number): void {
    const batch = this.#found(id, visitor);
    const { taskQueue, dbaForm } = settings;
    const run = batch.run(client, { taskQueue, dbaForm, urgency: 'batch' }, rate);
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  /** Stops after the starts in progress. @throws {NotShown} */
  stop(id: string, visitor: Visitor): void {
    this.#found(id, visitor).stop();
  }

  /** Stops everything, because the process ends. */
  async end(): Promise<void> {
    for (const batch of this.#all.values()) batch.stop();
    await Promise.all(this.#running);
  }

  #found(id: string, visitor: Visitor): RunningBatch {
    this.#forget();
    const batch = this.#all.get(id);
    if (!batch || !isVisible(batch, visitor)) throw new NotShown(404, NO_BATCH);
    return batch;
  }

  #forget(): void {
    const ended = [...this.#all.values()].filter(({ endedAt }) => endedAt !== undefined);
    const surplus = new Set(ended.slice(0, Math.max(0, ended.length - MOST_KEPT)));
    for (const batch of this.#all.values()) {
      const { id, state, checkedAt, endedAt } = batch;
      const isOver = state === 'checked' && Date.now() - checkedAt > HELD_MS;
      const isOld = endedAt !== undefined && Date.now() - endedAt.getTime() > KEPT_MS;
      if (isOver || isOld || surplus.has(batch)) this.#all.delete(id);
    }
  }
}

/** A file that is not started is its owner's. Another person may see what runs in accounts that are theirs, too. */
function isVisible({ actor, state, file }: Batch, visitor: Visitor): boolean {
  if (state === 'checked') return isSamePerson(actor, visitor.actor);
  return [...file.accounts].every((account) => maySee(visitor, account));
}

const NO_BATCH =
  'This console has no such batch. A checked file is kept for 15 minutes, a result for a day, and neither after a restart. ' +
  'What was started continues. To continue the batch, upload the same file again: it starts what is missing, and nothing twice.';

const ALL = new WeakMap<Client, Batches>();

/** The batches of the console that has this client. */
export function batchesOf(client: Client): Batches {
  const batches = ALL.get(client) ?? new Batches();
  ALL.set(client, batches);
  return batches;
}
