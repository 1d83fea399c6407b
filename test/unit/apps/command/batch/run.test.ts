import { PassThrough } from 'node:stream';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type FollowOptions,
  followBatch,
  RefusedRow,
  type RunOptions,
  readAndFollow,
} from '../../../../../src/apps/command/batch/run.js';
import { type CommandContext, CommandLine } from '../../../../../src/apps/command/cli/command-line.js';
import { Interrupted, TimedOut } from '../../../../../src/apps/command/cli/errors.js';
import {
  BATCH_MEMO,
  type BatchState,
  NO_RESULTS,
  type RowResult,
} from '../../../../../src/messages/batches.js';
import { answering, execution, grpcError, payloads } from '../../../../rigs/temporal/answering-service.js';

const NOW = Date.parse('2026-02-01T00:00:00Z');
beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true, now: NOW }));
afterEach(() => void vi.useRealTimers());

/** What the workers made of a row. */
type Start = 'started' | 'attached' | 'failed';

/** An onboarding that a row started: what it is at so many milliseconds, and how it ends. */
interface Running {
  readonly endsAt?: number;
  readonly isAskedAt?: (passed: number) => boolean;
  /** Until when Temporal does not respond. */
  readonly unavailableUntil?: number;
  /** Default: {@link BOARDED}. */
  readonly end?: 'terminated' | object;
}

const BOARDED = { outcome: 'boarded', mid: '9', merchantProfileId: 1 };

/** When a row of the batch is started, in milliseconds, and what the batch is at the end. */
interface Rows {
  readonly every?: number;
  readonly ends?: BatchState['stage'];
  readonly problem?: string;
}

const ID = 'onboarding-batch-0';

/** Follows a batch whose rows became this, from line 1. `runs` is what their workflows do, by line. */
async function batch(
  startings: readonly Start[],
  options: Partial<FollowOptions> = {},
  {
    runs = {},
    rows: { every = 0, ends = 'done', problem } = {},
    signal = new AbortController().signal,
    terminal = {},
    unavailableUntil: awayUntil = 0,
  }: {
    runs?: Record<number, Running>;
    rows?: Rows;
    signal?: AbortSignal;
    terminal?: object;
    unavailableUntil?: number;
  } = {},
) {
  const passed = () => Date.now() - NOW;
  const running = (workflowId: string) => runs[Number(workflowId.split('-').at(-1))] ?? {};
  const results = startings.map((result, index): RowResult => {
    const line = index + 1;
    const row = { line, externalId: `m-${line}`, workflowId: `merchant-boarding-${line}`, result };
    return result === 'failed' ? { ...row, error: 'too large' } : { ...row, runId: `r-${line}` };
  });
  const ofBatch = () => {
    const recent = results.slice(0, every === 0 ? results.length : Math.floor(passed() / every));
    const state: BatchState = {
      stage: recent.length < results.length ? 'running' : ends,
      name: 'rows.csv',
      actor: 'olga',
      rows: results.length,
      kinds: {},
      accounts: [],
      parts: 0,
      counts: NO_RESULTS,
      failures: [],
    };
    const [memo] = payloads(state);
    return {
      workflowExecutionInfo: execution({ workflowId: ID, memo: { [BATCH_MEMO]: memo as never } }),
      pendingActivities: [
        {
          activityType: { name: 'startRows' },
          heartbeatDetails: { payloads: payloads(recent) },
          ...(problem !== undefined && { lastFailure: { message: problem, applicationFailureInfo: {} } }),
        },
      ],
    };
  };
  const { client } = answering({
    describeWorkflowExecution: ({ execution: { workflowId } }) => {
      const { endsAt = 0, isAskedAt, unavailableUntil = awayUntil, end } = running(workflowId);
      if (passed() < unavailableUntil) throw grpcError('UNAVAILABLE');
      if (workflowId === ID) return ofBatch();
      const ended = end === 'terminated' ? 'TERMINATED' : 'COMPLETED';
      const status = passed() < endsAt ? 'RUNNING' : ended;
      const indexed = { ActionRequired: isAskedAt?.(passed()) === true };
      return { workflowExecutionInfo: execution({ workflowId, status, indexed }) };
    },
    getWorkflowExecutionHistory: ({ execution: { workflowId } }) => {
      const { end = BOARDED } = running(workflowId);
      const completed = {
        workflowExecutionCompletedEventAttributes: { result: { payloads: payloads(end) } },
      };
      const terminated = { workflowExecutionTerminatedEventAttributes: { reason: 'x' } };
      return { history: { events: [end === 'terminated' ? terminated : completed] } };
    },
  });
  const follow = (context: CommandContext) => followBatch(context, ID, { giveUpAfter: 60_000, ...options });
  return finished(client, follow, signal, terminal);
}

/** Runs a command to its end. */
async function finished(
  client: Client,
  run: (context: CommandContext) => Promise<void>,
  signal: AbortSignal,
  terminal: object = {},
) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const stderr = Object.assign(new PassThrough(), terminal);
  const cli = new CommandLine({ env: { TZ: 'UTC', TERM: 'xterm' }, stdin, stdout, stderr, signal });
  let at = 0;
  const ended = run({ cli, client, config: { taskQueue: 'gangway', dbaForm: 'shown' } } as never)
    .then(
      () => undefined,
      (error: Error & { exitCode?: number }) => ({ message: error.message, exitCode: error.exitCode }),
    )
    .finally(() => {
      at = Date.now() - NOW;
    });
  await vi.runAllTimersAsync();
  const error = await ended;
  const [output, screen] = [stdout, stderr].map((stream) => String(stream.read() ?? ''));
  const lines = (text = '') => text.split(/\r?\n/).slice(0, -1);
  return { error, stdout: lines(output), stderr: lines(screen), screen, at };
}

/** A signal that is aborted after so many milliseconds. */
function stopped(milliseconds: number, reason: Error): AbortSignal {
  const stop = new AbortController();
  setTimeout(() => stop.abort(reason), milliseconds);
  return stop.signal;
}

/** What the partner has of a row, how long it takes to read it in milliseconds, and what keeps the row from being followed. */
interface Read {
  readonly takes?: number;
  readonly refused?: Error;
}

/** Previews rows, or reads them and hands over those that can be followed. */
async function confirm(
  reads: readonly Read[],
  options: Partial<RunOptions> = {},
  signal = new AbortController().signal,
) {
  const seen = { now: 0, most: 0, total: 0 };
  async function* rows() {
    for (const [index, { takes = 0, refused }] of reads.entries()) {
      const line = index + 1;
      const preview = async () => {
        seen.total += 1;
        seen.now += 1;
        seen.most = Math.max(seen.most, seen.now);
        await new Promise((resolve) => setTimeout(resolve, takes));
        seen.now -= 1;
        if (refused) throw refused;
        return { word: 'new', text: `is ${line}`, json: { status: `S${line}` } };
      };
      yield { line, externalId: `m-${line}`, workflowId: `merchant-boarding-${line}`, preview };
    }
  }
  const questions: string[] = [];
  const { client } = answering({
    describeTaskQueue: () => {
      questions.push('workers');
      throw grpcError('INVALID_ARGUMENT', 'no more of this');
    },
  });
  const all = { giveUpAfter: 60_000, concurrency: 2, ...options };
  const run = (context: CommandContext) =>
    readAndFollow(context, 'rows.csv', rows() as never, reads.length, all);
  return { ...(await finished(client, run, signal)), ...seen, questions };
}

const THREE = [{ takes: 100 }, { takes: 100 }, { takes: 100 }];
const UNKNOWN = { refused: new RefusedRow('there is no merchant 7') };

describe('a dry run of rows that are read', () => {
  const dryRun = true;

  it('prints what each would do, and hands nothing over', async () => {
    const { stdout, stderr, error, questions } = await confirm([{}, {}], { dryRun });
    expect(stdout).toEqual(['1 merchant-boarding-1 is 1', '2 merchant-boarding-2 is 2', '2 rows: 2 new']);
    expect([stderr, error, questions]).toEqual([[], undefined, []]);
  });

  it('prints them as JSON lines, or as CSV in the order of the file', async () => {
    const json = await confirm([{}], { dryRun, json: true });
    const row = { line: 1, externalId: 'm-1', workflowId: 'merchant-boarding-1', status: 'S1' };
    expect([json.stdout.map((line) => JSON.parse(line)), json.stderr]).toEqual([[row], ['1 row: 1 new']]);
    const csv = await confirm([{ takes: 50 }, {}], { dryRun, csv: true });
    expect(csv.stdout).toEqual([
      'line,externalId,workflowId,runId,started,status',
      '1,m-1,merchant-boarding-1,,,S1',
      '2,m-2,merchant-boarding-2,,,S2',
    ]);
  });

  it.each([
    [1, 1, 300],
    [2, 2, 200],
    [9, 3, 100],
  ])('reads at most %i at a time', async (concurrency, most, at) => {
    expect(await confirm(THREE, { dryRun, concurrency })).toMatchObject({ most, total: 3, at });
  });

  it('goes on after a row that cannot be followed, and after one that Temporal rejects, and fails at the end', async () => {
    const long = { refused: grpcError('INVALID_ARGUMENT', 'the id is too long') };
    const { stdout, error } = await confirm([UNKNOWN, {}, long], { dryRun });
    expect(stdout.sort()).toEqual([
      '1 merchant-boarding-1 failed: there is no merchant 7',
      '2 merchant-boarding-2 is 2',
      '3 merchant-boarding-3 failed: the id is too long',
      '3 rows: 2 failed, 1 new',
    ]);
    expect(error).toEqual(failed(2));
  });

  it('ends at the first error that is not about its row', async () => {
    const late = [{ takes: 100 }, { takes: 100, ...UNKNOWN }];
    const reads = [{}, { refused: new Error('no disk') }, ...late, {}];
    const { stdout, error, total } = await confirm(reads, { dryRun, concurrency: 3 });
    expect(error).toEqual({ message: 'no disk', exitCode: undefined });
    expect([stdout.at(-1), total]).toEqual(['5 rows: 1 new, 4 not read', 4]);
  });

  it('ends when it is interrupted, and says how many rows were not read', async () => {
    const signal = stopped(150, Interrupted.by('SIGINT'));
    const { stdout, error } = await confirm(THREE, { dryRun, concurrency: 1 }, signal);
    expect([stdout.at(-1), error?.exitCode]).toEqual(['3 rows: 1 new, 2 not read', 130]);
  });
});

describe('rows that are read to be followed', () => {
  it('are not handed over when none of them can be followed', async () => {
    const { stdout, error, questions } = await confirm([UNKNOWN, UNKNOWN]);
    expect(stdout.at(-1)).toBe('2 rows: 2 failed');
    expect([error, questions]).toEqual([failed(2), []]);
  });

  it('are handed over without those that cannot', async () => {
    const { stdout, error, questions } = await confirm([UNKNOWN, {}]);
    expect(stdout).toEqual(['1 merchant-boarding-1 failed: there is no merchant 7']);
    expect([error?.message, questions]).toEqual(['no more of this', ['workers', 'workers']]);
  });

  it('are said not to be started after an error', async () => {
    const { stdout } = await confirm([{}, { refused: new Error('no disk') }]);
    expect(stdout).toEqual(['2 rows: 2 not started']);
  });
});

/** How the bar of a terminal is cleared. */
const CLEARED = '\r\u001b[2K';

const RERUN = 'run the same command again: it continues from here and starts nothing twice';
const CONTINUES = `what was started continues; ${RERUN}`;
const GOES_ON = `the workers start the rows: "gangway batches ${ID}" follows them again; --stop stops them`;
const LEAVE = `... Ctrl-C ends the wait, not the onboardings; ${RERUN}`;
const failed = (count: number) => ({
  message: count === 1 ? '1 row failed' : `${count} rows failed`,
  exitCode: 1,
});

describe('a batch', () => {
  it.each<[Start[], stdout: string[], error?: object]>([
    [['started'], ['1 merchant-boarding-1 started', '1 row: 1 started']],
    [
      ['failed', 'started', 'failed'],
      [
        '1 merchant-boarding-1 failed: too large',
        '2 merchant-boarding-2 started',
        '3 merchant-boarding-3 failed: too large',
        '3 rows: 2 failed, 1 started',
      ],
      failed(2),
    ],
  ])('of %j prints each row, and a summary', async (startings, stdout, error) => {
    expect(await batch(startings)).toMatchObject({ stdout, stderr: [], error });
  });

  it('prints each row once, as it is started', async () => {
    const { stdout, at } = await batch(['started', 'attached', 'started'], {}, { rows: { every: 1_000 } });
    expect(stdout).toEqual([
      '1 merchant-boarding-1 started',
      '2 merchant-boarding-2 attached',
      '3 merchant-boarding-3 started',
      '3 rows: 2 started, 1 attached',
    ]);
    expect(at).toBeGreaterThanOrEqual(3_000);
  });

  it('prints JSON lines, and the summary as a note', async () => {
    const { stdout, stderr } = await batch(['started', 'attached', 'failed'], { json: true });
    expect(stdout.map((line) => JSON.parse(line))).toEqual([
      { line: 1, externalId: 'm-1', workflowId: 'merchant-boarding-1', runId: 'r-1', started: true },
      { line: 2, externalId: 'm-2', workflowId: 'merchant-boarding-2', runId: 'r-2', started: false },
      { line: 3, externalId: 'm-3', workflowId: 'merchant-boarding-3', error: 'too large' },
    ]);
    expect(stderr).toEqual(['3 rows: 1 started, 1 attached, 1 failed']);
  });

  it('says once why it waits', async () => {
    const rows = { every: 2_000, problem: 'the store does not respond' };
    const { stderr } = await batch(['started'], {}, { rows });
    expect(stderr).toEqual(['... the batch waits: the store does not respond']);
  });

  it.each([
    ['stopped', 'the batch was stopped; what was started continues'],
    ['discarded', 'nobody confirmed the batch, and nothing was started'],
  ] as const)('that was %s is a failure', async (ends, why) => {
    const { stdout, error } = await batch(['started'], { wait: true }, { rows: { ends } });
    expect(stdout).toEqual(['1 merchant-boarding-1 started', '1 row: 1 started']);
    expect(error).toEqual({ message: `${why}; ${RERUN}`, exitCode: 1 });
  });

  it('gives up when Temporal is unavailable for as long as it may be', async () => {
    const away = { unavailableUntil: 10_000 };
    const { error, stdout, stderr, at } = await batch(['started'], { giveUpAfter: 3_000 }, away);
    const message = `gave up, because Temporal does not respond (--give-up-after)\n${RERUN}`;
    expect(error).toEqual({ message, exitCode: 4 });
    expect([stdout, stderr]).toEqual([[], ['Temporal does not respond; trying again']]);
    expect(at).toBe(3_000);
  });
});

describe('--wait', () => {
  const wait = true;

  it('waits for all rows that were started or attached to', async () => {
    const runs = { 1: { endsAt: 2_500 }, 2: { endsAt: 500 } };
    const { stdout, stderr, error, at } = await batch(['started', 'attached'], { wait }, { runs });
    expect(stdout).toEqual([
      '1 merchant-boarding-1 started',
      '2 merchant-boarding-2 attached',
      '2 rows: 1 started, 1 attached',
      '2 merchant-boarding-2 boarded: mid 9',
      '1 merchant-boarding-1 boarded: mid 9',
      '2 rows: 2 boarded',
    ]);
    expect([stderr, error]).toEqual([[LEAVE], undefined]);
    expect(at).toBeLessThan(3_500);
  });

  it.each<[string, Start[], Record<number, Running>, last: string, count: number]>([
    ['a failed start', ['failed', 'started'], {}, '1 row: 1 boarded', 1],
    ['no outcome', ['started', 'started'], { 1: { end: 'terminated' } }, '2 rows: 1 failed, 1 boarded', 1],
    ['both', ['failed', 'started'], { 2: { end: 'terminated' } }, '1 row: 1 failed', 2],
    ['nothing but failed starts', ['failed', 'failed'], {}, '2 rows: 2 failed', 2],
  ])('fails after %s', async (_, startings, runs, last, count) => {
    const { stdout, error } = await batch(startings, { wait }, { runs });
    expect([stdout.at(-1), error]).toEqual([last, failed(count)]);
  });

  it('prints the ends as JSON, and with their parts on one line', async () => {
    const [business, merchant] = [{ outcome: 'abandoned', comment: 'a double' }, BOARDED];
    const end = { outcome: 'partly-onboarded', boarding: merchant, business };
    const runs = { 1: { end } };
    const asText = await batch(['started'], { wait }, { runs });
    expect(asText.stdout[2]).toBe(
      '1 merchant-boarding-1 partly-onboarded; merchant boarded: mid 9; business abandoned: a double',
    );
    const { stdout } = await batch(['started'], { wait, json: true }, { runs });
    const ids = { line: 1, externalId: 'm-1', workflowId: 'merchant-boarding-1' };
    expect(JSON.parse(stdout[1] ?? '')).toEqual({ ...ids, ...end });
  });

  it.each([
    [3_000, undefined, '1 row: 1 boarded'],
    [3_001, 4, '1 row: 1 still running'],
  ])('has patience for --give-up-after: unavailable until %i', async (unavailableUntil, exitCode, last) => {
    const runs = { 1: { unavailableUntil } };
    const { stdout, stderr, error } = await batch(['started'], { wait, giveUpAfter: 3_000 }, { runs });
    expect([stdout.at(-1), error?.exitCode]).toEqual([last, exitCode]);
    expect(stderr).toEqual([LEAVE, 'Temporal does not respond; trying again']);
  });

  it('names the reason of an end without an outcome', async () => {
    const { stdout } = await batch(['started'], { wait }, { runs: { 1: { end: 'terminated' } } });
    expect(stdout[2]).toMatch(
      /^1 merchant-boarding-1 failed: it was terminated; .*start it again with "gangway board FILE --again"$/,
    );
  });

  it('notes each row that begins to wait for a person, again after it was answered', async () => {
    const isAskedAt = (ms: number) => ms < 1_500 || (ms >= 2_500 && ms < 3_500);
    const runs = { 1: { endsAt: 5_000, isAskedAt }, 2: { endsAt: 5_000 } };
    const { stderr } = await batch(['started', 'started'], { wait }, { runs });
    const asks = '... 1 merchant-boarding-1 waits for a person: gangway status merchant-boarding-1';
    expect(stderr).toEqual([LEAVE, asks, asks]);
  });

  it('is a bar at a terminal, with the rows that wait for a person, and is cleared at the end', async () => {
    const isAskedAt = (ms: number) => ms >= 1_500 && ms < 2_500;
    const runs = { 1: { endsAt: 4_500, isAskedAt }, 2: { endsAt: 2_500 } };
    const terminal = { isTTY: true, columns: 200 };
    const { screen = '' } = await batch(['started', 'started'], { wait }, { runs, terminal });
    const frames = screen
      .split(CLEARED)
      .map((text) => text.replace(/^. \[.{30}\] |, [\d.]+\/s(, .* to go)?/g, ''));
    const asks = '... 1 merchant-boarding-1 waits for a person: gangway status merchant-boarding-1\n';
    expect([...new Set(frames)]).toEqual([
      '',
      '0 of 2 started',
      '1 of 2 started',
      '2 of 2 started',
      '0 of 2 ended',
      `${LEAVE}\n`,
      '0 of 2 ended, 1 waiting for a person',
      asks,
      '1 of 2 ended',
      '2 of 2 ended',
    ]);
    expect(frames.slice(-2)).toEqual(['2 of 2 ended', '']);
    expect((await batch(['started'], {}, { terminal })).screen?.endsWith(CLEARED)).toBe(true);
  });

  const ASKED = { endsAt: 3_000, isAskedAt: () => true };
  it.each<[string, Record<number, Running>, exitCode: number, rest: string]>([
    ['a row waits for a person', { 1: { endsAt: 60_000, isAskedAt: () => true } }, 3, '1 still running'],
    ['no row waits for a person', { 1: { endsAt: 60_000 } }, 1, '1 still running'],
    ['a row was answered', { 1: { endsAt: 60_000, isAskedAt: (ms) => ms < 2_000 } }, 1, '1 still running'],
    ['a row that waited has ended', { 1: ASKED, 2: { endsAt: 60_000 } }, 1, '1 boarded, 1 still running'],
  ])('ends with --timeout while %s', async (_, runs, exitCode, rest) => {
    const signal = stopped(10_500, new TimedOut());
    const startings = Object.keys(runs).map(() => 'started' as const);
    const { stdout, stderr, error } = await batch(startings, { wait }, { runs, signal });
    expect(stdout.at(-1)).toBe(`${startings.length === 1 ? '1 row' : '2 rows'}: ${rest}`);
    expect(stderr.at(-1)).toBe(CONTINUES);
    expect(error).toMatchObject({ exitCode });
  });
});

describe('an interruption', () => {
  it.each<[Error, exitCode: number]>([
    [Interrupted.by('SIGINT'), 130],
    [Interrupted.by('SIGTERM'), 143],
    [new Interrupted('a closed pipe', 0), 1],
    [new TimedOut(), 1],
  ])('by %s leaves the batch to the workers, and exits with %i', async (reason, exitCode) => {
    const three = ['started', 'started', 'started'] as const;
    const rows = { every: 1_000 };
    const signal = stopped(1_500, reason);
    const { stdout, stderr, error } = await batch(three, { wait: true }, { rows, signal });
    const lines = ['1 merchant-boarding-1 started', '3 rows: 1 started, 2 to come'];
    expect(stdout).toEqual(lines);
    expect([stderr, error?.exitCode]).toEqual([[GOES_ON], exitCode]);
    // By then a row is started. Whoever interrupts before the first reading sees the same.
    const before = await batch(three, {}, { rows, signal: AbortSignal.abort(reason) });
    expect([before.stdout, before.error?.exitCode]).toEqual([lines, exitCode]);
  });
});

describe('--csv', () => {
  it('prints a row for each row of the file, in its order, with its start and its end', async () => {
    const runs = { 1: { endsAt: 2_000 } };
    const three = ['attached', 'failed', 'started'] as const;
    const { stdout, stderr, error } = await batch(three, { csv: true, wait: true }, { runs });
    expect(stdout).toEqual([
      'line,externalId,workflowId,runId,started,outcome,mid,merchantProfileId,error',
      '1,m-1,merchant-boarding-1,r-1,false,boarded,9,1,',
      '2,m-2,merchant-boarding-2,,,,,,too large',
      '3,m-3,merchant-boarding-3,r-3,true,boarded,9,1,',
    ]);
    expect(stderr).toEqual(['3 rows: 1 attached, 1 failed, 1 started', LEAVE, '2 rows: 2 boarded']);
    expect(error).toEqual(failed(1));
  });

  it('prints its header even without a row', async () => {
    const { stdout } = await batch([], { csv: true });
    expect(stdout).toEqual(['line,externalId,workflowId,runId,started']);
  });

  it('prints what was started when the wait is interrupted', async () => {
    const signal = stopped(500, Interrupted.by('SIGTERM'));
    const runs = { 1: { endsAt: 60_000 } };
    const { stdout, error } = await batch(['started'], { csv: true, wait: true }, { runs, signal });
    expect(stdout.at(-1)).toBe('1,m-1,merchant-boarding-1,r-1,true');
    expect(error).toMatchObject({ exitCode: 143 });
  });
});
