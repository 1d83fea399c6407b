import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunOptions, run } from '../../../../src/commands/batch/run.js';
import { CommandLine } from '../../../../src/commands/cli/command-line.js';
import { Interrupted, TimedOut } from '../../../../src/commands/cli/errors.js';
import { type Preview, type Ready, RefusedRow } from '../../../../src/operators/batch/ready.js';
import { answering, execution, grpcError, payloads } from '../../../rigs/temporal/answering-service.js';

const NOW = Date.parse('2026-02-01T00:00:00Z');
beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true, now: NOW }));
afterEach(() => void vi.useRealTimers());

/** What the start of a row leads to. */
type Starting = 'started' | 'attached' | 'slow' | 'refused' | 'invalid' | 'broken' | 'unavailable' | Preview;

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

/** Runs a batch whose rows start so, from line 1. `runs` is what their workflows do, by line. */
async function batch(
  startings: readonly Starting[],
  options: Partial<RunOptions> = {},
  {
    runs = {},
    signal = new AbortController().signal,
    terminal = {},
  }: { runs?: Record<number, Running>; signal?: AbortSignal; terminal?: object } = {},
) {
  const passed = () => Date.now() - NOW;
  const running = (workflowId: string) => runs[Number(workflowId.slice(2))] ?? {};
  const { client } = answering({
    describeWorkflowExecution: ({ execution: { workflowId } }) => {
      const { endsAt = 0, isAskedAt, unavailableUntil = 0, end } = running(workflowId);
      if (passed() < unavailableUntil) throw grpcError('UNAVAILABLE');
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
  const started: number[] = [];
  let given: unknown;
  async function* rows(): AsyncGenerator<Ready> {
    for (const [place, how] of startings.entries()) {
      const line = place + 1;
      const ids = { externalId: `m-${line}`, workflowId: `w-${line}` };
      const start = async (_: unknown, startOptions: unknown) => {
        started.push(line);
        given = startOptions;
        if (how === 'slow') await new Promise((resolve) => setTimeout(resolve, 100));
        if (how === 'refused') throw new RefusedRow('the partner has no such merchant');
        if (how === 'invalid') throw grpcError('INVALID_ARGUMENT', 'too large');
        if (how === 'broken') throw new TypeError('a bug');
        if (how === 'unavailable') throw grpcError('UNAVAILABLE');
        return typeof how === 'object' ? how : { ...ids, runId: `r-${line}`, started: how === 'started' };
      };
      yield { ...ids, line, unique: {}, type: 'merchantBoarding', restart: 'start it again', start };
    }
  }
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const stderr = Object.assign(new PassThrough(), terminal);
  const cli = new CommandLine({ env: { TZ: 'UTC', TERM: 'xterm' }, stdin, stdout, stderr, signal });
  const context = { cli, client, config: { taskQueue: 'gangway', dbaForm: 'shown' } } as never;
  const all = { concurrency: 1, giveUpAfter: 60_000, ...options };
  const ended = run(context, rows(), startings.length, all).then(
    () => undefined,
    (error: Error & { exitCode?: number }) => ({ message: error.message, exitCode: error.exitCode }),
  );
  await vi.runAllTimersAsync();
  const error = await ended;
  const [output, screen] = [stdout, stderr].map((stream) => String(stream.read() ?? ''));
  const lines = (text = '') => text.split(/\r?\n/).slice(0, -1);
  return { error, stdout: lines(output), stderr: lines(screen), screen, started, given, at: passed() };
}

/** How the bar of a terminal is cleared. */
const CLEARED = '\r\u001b[2K';

const RERUN = 'run the same command again: it continues from here and starts nothing twice';
const CONTINUES = `what was started continues; ${RERUN}`;
const LEAVE = `... Ctrl-C ends the wait, not the onboardings; ${RERUN}`;
const failed = (count: number) => ({
  message: count === 1 ? '1 row failed' : `${count} rows failed`,
  exitCode: 1,
});

describe('a start', () => {
  it.each<[Starting[], stdout: string[], error?: object]>([
    [['started'], ['1 w-1 started', '1 row: 1 started']],
    [
      ['started', 'attached', 'started'],
      ['1 w-1 started', '2 w-2 attached', '3 w-3 started', '3 rows: 2 started, 1 attached'],
    ],
    [
      ['refused', 'started', 'invalid'],
      [
        ...['1 w-1 failed: the partner has no such merchant', '2 w-2 started', '3 w-3 failed: too large'],
        '3 rows: 2 failed, 1 started',
      ],
      failed(2),
    ],
    [
      ['started', 'broken', 'started'],
      ['1 w-1 started', '3 rows: 1 started, 2 not started'],
      { message: 'a bug' },
    ],
    [
      ['refused', 'broken'],
      ['1 w-1 failed: the partner has no such merchant', '2 rows: 1 failed, 1 not started'],
      { message: 'a bug' },
    ],
  ])('of %j prints each row, and a summary', async (startings, stdout, error) => {
    expect(await batch(startings)).toMatchObject({ stdout, stderr: [], error });
  });

  it('prints JSON lines, and the summary as a note', async () => {
    const { stdout, stderr, given } = await batch(['started', 'attached', 'refused'], { json: true });
    expect(given).toEqual({ taskQueue: 'gangway', dbaForm: 'shown', urgency: 'batch' });
    expect(stdout.map((line) => JSON.parse(line))).toEqual([
      { line: 1, externalId: 'm-1', workflowId: 'w-1', runId: 'r-1', started: true },
      { line: 2, externalId: 'm-2', workflowId: 'w-2', runId: 'r-2', started: false },
      { line: 3, externalId: 'm-3', workflowId: 'w-3', error: 'the partner has no such merchant' },
    ]);
    expect(stderr).toEqual(['3 rows: 1 started, 1 attached, 1 failed']);
  });

  it('that is only previewed counts what it would do', async () => {
    const preview = { word: 'would poll', text: 'would poll profile 1', json: { would: 'poll' } };
    const { stdout, error } = await batch([preview, preview, 'refused'], { dryRun: true });
    expect(stdout.slice(0, 1)).toEqual(['1 w-1 would poll profile 1']);
    expect([stdout.at(-1), error]).toEqual(['3 rows: 2 would poll, 1 failed', failed(1)]);
    const json = await batch([preview], { dryRun: true, json: true });
    expect(json.stdout).toEqual(['{"line":1,"externalId":"m-1","workflowId":"w-1","would":"poll"}']);
    expect(await batch(['broken'], { dryRun: true })).toMatchObject({ stdout: ['1 row: 1 not read'] });
  });

  it('gives up when Temporal is unavailable for as long as it may be', async () => {
    const { error, stdout, stderr, at } = await batch(['unavailable', 'started'], { giveUpAfter: 3_000 });
    expect(error).toEqual({
      message: `gave up, because Temporal does not respond (--give-up-after)\n${RERUN}`,
      exitCode: 4,
    });
    expect([stdout, stderr]).toEqual([
      ['2 rows: 2 not started'],
      ['Temporal does not respond; trying again'],
    ]);
    expect(at).toBe(3_000);
  });

  it('starts so many rows per second', async () => {
    const { at, started } = await batch(['started', 'started', 'started'], { rate: 2 });
    expect([at, started]).toEqual([1_000, [1, 2, 3]]);
  });
});

describe('--wait', () => {
  const wait = true;

  it('waits for all rows that were started or attached to', async () => {
    const runs = { 1: { endsAt: 2_500 }, 2: { endsAt: 500 } };
    const { stdout, stderr, error, at } = await batch(['started', 'attached'], { wait }, { runs });
    expect(stdout).toEqual([
      ...['1 w-1 started', '2 w-2 attached', '2 rows: 1 started, 1 attached'],
      ...['2 w-2 boarded: mid 9', '1 w-1 boarded: mid 9', '2 rows: 2 boarded'],
    ]);
    expect([stderr, error]).toEqual([[LEAVE], undefined]);
    expect(at).toBeLessThan(3_500);
  });

  it.each<[string, Starting[], Record<number, Running>, last: string, count: number]>([
    ['a failed start', ['refused', 'started'], {}, '1 row: 1 boarded', 1],
    [
      'an end without an outcome',
      ['started', 'started'],
      { 1: { end: 'terminated' } },
      '2 rows: 1 failed, 1 boarded',
      1,
    ],
    ['both', ['refused', 'started'], { 2: { end: 'terminated' } }, '1 row: 1 failed', 2],
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
      '1 w-1 partly-onboarded; merchant boarded: mid 9; business abandoned: a double',
    );
    const { stdout } = await batch(['started'], { wait, json: true }, { runs });
    const ids = { line: 1, externalId: 'm-1', workflowId: 'w-1' };
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

  it('fails after failed starts, even with nothing to wait for', async () => {
    expect((await batch(['refused', 'invalid'], { wait })).error).toEqual(failed(2));
  });

  it('names the reason of an end without an outcome', async () => {
    const { stdout } = await batch(['started'], { wait }, { runs: { 1: { end: 'terminated' } } });
    expect(stdout[2]).toMatch(/^1 w-1 failed: it was terminated; .*start it again$/);
  });

  it('does not wait after a start that broke off', async () => {
    const { stdout, stderr, error } = await batch(['started', 'broken'], { wait });
    expect(stdout).toEqual(['1 w-1 started', '2 rows: 1 started, 1 not started']);
    expect([stderr, error?.message]).toEqual([[], 'a bug']);
  });

  it('notes each row that begins to wait for a person, again after it was answered', async () => {
    const isAskedAt = (ms: number) => ms < 1_500 || (ms >= 2_500 && ms < 3_500);
    const runs = { 1: { endsAt: 5_000, isAskedAt }, 2: { endsAt: 5_000 } };
    const { stderr } = await batch(['started', 'started'], { wait }, { runs });
    const asks = '... 1 w-1 waits for a person: gangway status w-1';
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
    expect([...new Set(frames)]).toEqual([
      ...['', '0 of 2 started', '1 of 2 started', '2 of 2 started', '0 of 2 ended', `${LEAVE}\n`],
      ...['0 of 2 ended, 1 waiting for a person', '1 of 2 ended', '2 of 2 ended'],
    ]);
    expect(frames.slice(-2)).toEqual(['2 of 2 ended', '']);
    expect((await batch(['started'], {}, { terminal })).screen?.endsWith(CLEARED)).toBe(true);
  });

  it.each<[string, Record<number, Running>, exitCode: number, rest: string]>([
    ['a row waits for a person', { 1: { endsAt: 60_000, isAskedAt: () => true } }, 3, '1 still running'],
    ['no row waits for a person', { 1: { endsAt: 60_000 } }, 1, '1 still running'],
    ['a row was answered', { 1: { endsAt: 60_000, isAskedAt: (ms) => ms < 2_000 } }, 1, '1 still running'],
    [
      'a row that waited has ended',
      { 1: { endsAt: 3_000, isAskedAt: () => true }, 2: { endsAt: 60_000 } },
      1,
      '1 boarded, 1 still running',
    ],
  ])('ends with --timeout while %s', async (_, runs, exitCode, rest) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new TimedOut()), 10_500);
    const startings = Object.keys(runs).map(() => 'started' as const);
    const { stdout, stderr, error } = await batch(startings, { wait }, { runs, signal: stop.signal });
    expect(stdout.at(-1)).toBe(`${startings.length === 1 ? '1 row' : '2 rows'}: ${rest}`);
    expect(stderr.at(-1)).toBe(CONTINUES);
    expect(error).toMatchObject({ exitCode });
  });
});

describe('an interruption', () => {
  const after = (milliseconds: number, reason: Error) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), milliseconds);
    return { signal: stop.signal };
  };

  it.each<[Error, exitCode: number]>([
    [Interrupted.by('SIGINT'), 130],
    [Interrupted.by('SIGTERM'), 143],
    [new Interrupted('a closed pipe', 0), 1],
    [new TimedOut(), 1],
  ])(
    'by %s completes the start in progress, waits for nothing, and exits with %i',
    async (reason, exitCode) => {
      const three = ['started', 'started', 'started'] as const;
      const { stdout, stderr, error } = await batch(three, { rate: 1, wait: true }, after(500, reason));
      expect(stdout).toEqual(['1 w-1 started', '3 rows: 1 started, 2 not started']);
      expect([stderr, error?.exitCode]).toEqual([[CONTINUES], exitCode]);
    },
  );

  it('before the first row starts nothing', async () => {
    const signal = AbortSignal.abort(Interrupted.by('SIGINT'));
    const { started, stdout, error } = await batch(['started'], {}, { signal });
    expect([started, stdout, error?.exitCode]).toEqual([[], ['1 row: 1 not started'], 130]);
  });

  it('of a preview leaves nothing that continues', async () => {
    const signal = AbortSignal.abort(Interrupted.by('SIGINT'));
    expect(await batch(['started'], { dryRun: true }, { signal })).toMatchObject({ stderr: [] });
  });
});

describe('--csv', () => {
  it('prints a row for each row of the file, in its order, with its start and its end', async () => {
    const runs = { 1: { endsAt: 2_000 } };
    const { stdout, stderr, error } = await batch(
      ['slow', 'refused', 'started'],
      { csv: true, wait: true, concurrency: 2 },
      { runs },
    );
    expect(stdout).toEqual([
      'line,externalId,workflowId,runId,started,outcome,mid,merchantProfileId,error',
      '1,m-1,w-1,r-1,false,boarded,9,1,',
      '2,m-2,w-2,,,,,,the partner has no such merchant',
      '3,m-3,w-3,r-3,true,boarded,9,1,',
    ]);
    expect(stderr).toEqual(['3 rows: 1 failed, 1 started, 1 attached', LEAVE, '2 rows: 2 boarded']);
    expect(error).toEqual(failed(1));
  });

  it('prints what was started before it broke off, and its header even without a row', async () => {
    const header = 'line,externalId,workflowId,runId,started';
    const { stdout, error } = await batch(['started', 'broken'], { csv: true });
    expect([stdout, error]).toEqual([[header, '1,m-1,w-1,r-1,true'], { message: 'a bug' }]);
    expect((await batch(['broken'], { csv: true })).stdout).toEqual([header]);
  });
  it('prints what was started when the wait is interrupted', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(Interrupted.by('SIGTERM')), 500);
    const runs = { 1: { endsAt: 60_000 } };
    const { stdout, error } = await batch(
      ['started'],
      { csv: true, wait: true },
      { runs, signal: stop.signal },
    );
    expect(stdout.at(-1)).toBe('1,m-1,w-1,r-1,true');
    expect(error).toMatchObject({ exitCode: 143 });
  });
});
