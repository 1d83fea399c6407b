import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FileWarnings } from '../../../messages/batches.js';
import { type Batch, listBatches, readBatch } from '../../../services/batches/batches.js';
import { heldSource, rejectUtf16, rowReader, type Source } from '../../../services/batches/format.js';
import {
  attachedSentence,
  consequenceOf,
  fileWarnings,
  kindsOf,
  type Ready,
  type RowProblem,
  type RowRules,
  rowCheck,
  rowSchemas,
  rowsOf,
  rowWarnings,
  UNCONFIRMED_ROWS,
  type Validation,
  validate,
} from '../../../services/batches/validation.js';
import { NOT_READ } from '../../../services/batches/warnings.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { cannotRead, readJson, sourceName } from '../cli/arguments.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import type { Flags, Texts } from '../cli/options.js';
import type { TableColumns } from '../cli/output.js';
import { reportProgress, withProgress } from '../cli/progress.js';
import { type Confirming, confirm, type Strict, WITH_WARNINGS } from '../cli/prompts.js';
import { rejectOtherKind } from '../onboarding/start.js';
import { type FollowOptions, followBatch, type RunOptions, startAndFollow } from './run.js';

export interface FormatOptions extends Texts<'delimiter' | 'mapping'> {
  readonly format?: 'csv' | 'ndjson';
}

export async function batchCommand(
  cli: CommandLine,
  file: string,
  { dryRun, yes, strict, ...options }: FormatOptions & RunOptions & Confirming & Strict,
): Promise<void> {
  const settings = cli.config();
  if (options.format === undefined && extname(file).toLowerCase() === '.json')
    // A file with this name contains other JSON, not rows.
    rejectOtherKind(await readJson(cli, file).catch(() => undefined), file);
  const warn = (validFile: ValidFile) => checkedIfPossible(cli, validFile);
  const rules = { schemas: rowSchemas(settings), check: rowCheck(settings), warn };
  await reportProgress(cli, (isNow) =>
    withValidRows(cli, file, options, rules, async (name, validation, rows) => {
      if (dryRun) return dryRunOf(cli, { name, validation, rows }, options.json, strict);
      const isLarge = validation.rows > UNCONFIRMED_ROWS;
      if (isLarge && !cli.terminal) await confirm(cli, consequenceOf(name, validation, undefined), { yes });
      const start = async (context: CommandContext) => {
        const { attached, count } = await checkedAtTemporal(context, { name, validation, rows }, strict);
        const consequence = consequenceOf(name, validation, attached);
        const sentences = [attachedSentence(attached, validation.rows), consequence].filter(Boolean);
        if (cli.terminal && (isLarge || count > 0)) await confirm(cli, sentences.join(' '), { yes });
        isNow(undefined);
        await startAndFollow(context, name, rows(), options);
      };
      await withTemporal(cli, start, { finishes: true });
    }),
  );
}

interface ValidFile {
  readonly name: string;
  readonly validation: Validation;
  readonly rows: () => AsyncGenerator<Ready>;
}

async function checkedAtTemporal(
  { cli, client, config }: CommandContext,
  { name, validation, rows }: ValidFile,
  strict?: true,
): Promise<FileWarnings> {
  const about = await withProgress(cli, `checking ${name}`, () =>
    fileWarnings(client, config.taskQueue, validation, rows()),
  );
  warnOrReject(cli, name, about, strict);
  if (!about.isComplete && (cli.terminal || strict)) cli.note(NOT_READ);
  return about;
}

/** @throws {InvalidInput} with `--strict` */
function warnOrReject(
  cli: CommandLine,
  name: string,
  { warnings, count }: Pick<FileWarnings, 'warnings' | 'count'>,
  strict?: true,
): void {
  const lines = linesOf(name, warnings, count);
  if (strict && count > 0) throw new InvalidInput([...lines, `${name}: ${WITH_WARNINGS}`].join('\n'));
  for (const line of lines) cli.note(`warning: ${line}`);
}

/** Checks as much as possible without Temporal. */
function checkedIfPossible(cli: CommandLine, file: ValidFile, strict?: true) {
  const { name, validation } = file;
  return withTemporal(cli, (context) => checkedAtTemporal(context, file, strict)).catch((error: unknown) => {
    // Checking a file needs no Temporal.
    if (error instanceof InvalidInput || cli.signal.aborted) throw error;
    const ownWarnings: Partial<FileWarnings> & ReturnType<typeof rowWarnings> = rowWarnings(validation);
    warnOrReject(cli, name, ownWarnings, strict);
    cli.note('Temporal does not respond, so existing onboardings and the partner’s lists were not compared.');
    return ownWarnings;
  });
}

async function dryRunOf(cli: CommandLine, file: ValidFile, json?: true, strict?: true) {
  const { name, validation } = file;
  const { rows, counts } = validation;
  const { warnings, count, attached } = await checkedIfPossible(cli, file, strict);
  if (json) return cli.json({ valid: true, rows, ...counts, attached, warnings, warningCount: count });
  cli.line(`${name}: ${rowsOf(rows)}, all valid: ${kindsOf(counts)}`);
  const sentence = attachedSentence(attached, rows);
  if (sentence) cli.line(sentence);
}

/** Checks a complete file before its rows are used. @throws {InvalidInput} with line, field and rule of each invalid row */
export async function withValidRows<Valid extends Ready>(
  cli: CommandLine,
  file: string,
  options: FormatOptions & Pick<RunOptions, 'json'>,
  { schemas, check, warn }: RowRules<Valid> & { readonly warn?: (valid: ValidFile) => Promise<unknown> },
  use: (name: string, validation: Validation, rows: () => AsyncGenerator<Valid>) => Promise<void>,
): Promise<void> {
  const { format, delimiter, mapping } = options;
  const value =
    mapping === undefined ? undefined : { name: sourceName(mapping), value: await readJson(cli, mapping) };
  const readRows = rowReader({ format, delimiter, mapping: value }, file, schemas);
  const source = await openSource(cli, file);
  const { name } = source;
  async function* checkedRows() {
    for await (const row of readRows(source)) {
      cli.signal.throwIfAborted();
      yield check(row);
    }
  }
  const changed = `${name}: changed while it was read; check the file and run the command again`;
  let isValid = true;
  async function* rows() {
    for await (const row of checkedRows()) {
      if (!('problems' in row)) yield row;
      else if (isValid) throw new InvalidInput(changed);
    }
  }
  try {
    const validation = await withProgress(cli, `checking ${name}`, () => validate(checkedRows()));
    isValid = validation.problemCount === 0;
    if (!isValid && validation.valid.length > 0) await warn?.({ name, validation, rows });
    rejectIfInvalid(cli, name, validation, options.json);
    await use(name, validation, rows);
  } finally {
    await source.close();
  }
}

/** @throws {InvalidInput} with line, field and rule, but no value */
function rejectIfInvalid(
  cli: CommandLine,
  name: string,
  { rows, badRows, problems, problemCount }: Validation,
  json?: true,
): void {
  if (rows === 0) throw new InvalidInput(`${name}: has no rows`);
  if (problemCount === 0) return;
  const lines = linesOf(name, problems, problemCount);
  if (json) for (const { line, field, message } of problems) cli.json({ line, field, message });
  const end = `${name}: ${badRows} of ${rowsOf(rows)} ${badRows === 1 ? 'is' : 'are'} not valid; nothing was started`;
  throw new InvalidInput([...lines, end].join('\n'));
}

function linesOf(name: string, problems: readonly RowProblem[], count: number): string[] {
  const lines = problems.map(({ line, field, message }) =>
    [`${name}:${line}`, field, message].filter(Boolean).join(': '),
  );
  return count > problems.length ? [...lines, `and ${count - problems.length} more`] : lines;
}

type BatchesOptions = FollowOptions & Flags<'stop'> & { readonly limit: number };

export async function batches(cli: CommandLine, id: string | undefined, options: BatchesOptions) {
  const { stop, limit, json, csv, wait } = options;
  if (id === undefined && (stop || wait)) throw new InvalidInput('name the batch: gangway batches lists all');
  const run = async (context: CommandContext) => {
    const { client, config } = context;
    if (id === undefined) {
      const listing = await listBatches(client, config.taskQueue, limit);
      return cli.records(listing.map(recordOf), { columns: COLUMNS, json, csv, fields: FIELDS });
    }
    if (!stop) return followBatch(context, id, options);
    const batch = await readBatch(client, id);
    if (!batch)
      throw new CommandFailed(`there is no batch ${JSON.stringify(id)}; "gangway batches" lists all`);
    if (batch.hasEnded) throw new CommandFailed(`${id} has ended: ${batch.state.stage}`);
    await client.workflow.getHandle(id).cancel();
    cli.line(`${id} stops after the starts in progress; what was started continues`);
  };
  await withTemporal(cli, run, { finishes: true });
}

function recordOf({ id, state, startedAt }: Batch) {
  const { name, stage, rows, counts, actor } = state;
  return { id, file: name, stage, rows, ...counts, by: actor, at: startedAt };
}

const FIELDS = ['file', 'stage', 'rows', 'started', 'attached', 'failed', 'by', 'at', 'id'] as const;

const COLUMNS: TableColumns<ReturnType<typeof recordOf>> = Object.fromEntries(
  FIELDS.map((name) => [name, { value: (batch) => batch[name], ...(name === 'id' && { keep: true }) }]),
);

/**
 * Opens a file, or standard input for `-`. The file stays open, so a file that is replaced meanwhile is read unchanged. A source
 * that cannot be read twice, such as a pipe, is held in memory, because a temporary file must not contain private data.
 *
 * @throws {InvalidInput}
 */
export async function openSource(cli: Pick<CommandLine, 'input'>, file: string): Promise<Source> {
  const name = sourceName(file);
  if (file === '-') return heldSource(name, await cli.input());
  const handle = await open(file).catch(cannotRead(name));
  try {
    if (!(await handle.stat()).isFile()) return heldSource(name, await handle.readFile());
    rejectUtf16((await handle.read(Buffer.alloc(2), 0, 2, 0)).buffer, name);
  } catch (error) {
    await handle.close();
    throw error instanceof InvalidInput ? error : cannotRead(name)(error as Error);
  }
  const read = () => handle.createReadStream({ start: 0, autoClose: false });
  return { name, read, close: () => handle.close() };
}
