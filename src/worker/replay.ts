import { readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { relative, resolve } from 'node:path';
import type { temporal } from '@temporalio/proto';
import {
  DefaultLogger,
  type InjectedSinks,
  type ReplayWorkerOptions,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { LOCATED, type ReplaySinks, type Requested, type TraceSinks } from '../messages/trace-sinks.js';
import { truncate } from '../partners/text-limits.js';
import { redact } from '../platform/privacy/masked.js';
import { inPackage } from '../platform/process/package.js';
import { dataConverter, type PayloadKeys } from '../temporal/payload-codec.js';

/**
 * Replays histories with the workflows of a bundle, and finds the first command that differs. Payloads are decoded only in memory.
 * A replay calls no partner, because its worker has no activities, and its only sink records the code's requests.
 */

type History = temporal.api.history.v1.IHistory;

export interface RecordedHistory {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly history: History;
}

export interface Difference {
  /** The cause, without IDs and private values, so it is equal for all runs with the same problem. */
  readonly cause: string;
  /** Where the code requests the differing command, or the last one before it: `src/workflows/boarding/steps.ts:88`. */
  readonly at?: string | undefined;
  readonly eventId?: string | undefined;
}

export interface ReplayResult extends Omit<RecordedHistory, 'history'> {
  readonly difference?: Difference;
}

export interface ReplayConfig {
  readonly namespace: string;
  /** The workers' task queue. Workflows derive other task queues from it. */
  readonly taskQueue: string;
  readonly payloadKeys: PayloadKeys | undefined;
  readonly code: string;
  /** The same workflows without encryption of errors. Default: `code`. */
  readonly readableCode?: string;
}

/** A worker replays one history at a time, so use several. Each thread needs a CPU, and memory for a bundle. */
const THREADS = 2;

/** The number of histories that each thread prefetches, so it does not wait for the server. */
const AHEAD = 4;

/** Replays runs, with at most five histories in memory per thread. */
export async function* replayHistories(
  config: ReplayConfig,
  next: () => Promise<RecordedHistory | undefined>,
) {
  const replayers: Replayer[] = [];
  const replayerOfCode = (code: string) => {
    // Only before the first run: the process waits for the runtime, which only a worker ends.
    installQuietRuntime();
    const replayer = replayerOf(config, code);
    replayers.push(replayer);
    return replayer;
  };
  const threads = Array.from({ length: THREADS }, () => thread(config, replayerOfCode, next));
  const nextOf = (each: (typeof threads)[number]) => each.next().then((result) => ({ each, result }));
  const pending = new Map(threads.map((each) => [each, nextOf(each)]));
  try {
    while (pending.size > 0) {
      const { each, result } = await Promise.race(pending.values());
      if (result.done) pending.delete(each);
      else {
        pending.set(each, nextOf(each));
        yield result.value;
      }
    }
  } finally {
    await Promise.allSettled(threads.map((each) => each.return(undefined)));
    // The SDK's runtime ends with the last worker. A worker that another thread is about to create would then hang.
    await Promise.allSettled(replayers.map((each) => each.close()));
  }
}

/** Silences the SDK, which logs each failed replay with its cause, which may contain private values. A process has one runtime. */
function installQuietRuntime(): void {
  try {
    const logger = new DefaultLogger('ERROR', () => undefined);
    const logging = { forward: {}, filter: 'off' };
    Runtime.install({ logger, telemetryOptions: { logging }, shutdownSignals: [] });
  } catch {
    // Another part of this process has installed a runtime.
  }
}

async function* thread(
  { code, readableCode = code }: ReplayConfig,
  replayerOfCode: (code: string) => Replayer,
  next: () => Promise<RecordedHistory | undefined>,
): AsyncGenerator<ReplayResult> {
  let replayer: Replayer | undefined;
  // Finding the source location takes as long as the replay, so do it only for histories that differ.
  let locating: Replayer | undefined;
  const fetched = () => {
    const run = next();
    // The loop awaits it.
    run.catch(() => undefined);
    return run;
  };
  const ahead = Array.from({ length: AHEAD }, fetched);
  for (let current = await ahead.shift(); current; current = await ahead.shift()) {
    ahead.push(fetched());
    const { history, ...run } = current;
    replayer ??= replayerOfCode(code);
    if (!(await replayer.replay(current)).error) yield run;
    else {
      locating ??= replayerOfCode(`globalThis.${LOCATED} = true;${readableCode}`);
      const { error, requested } = await locating.replay(current);
      // A history that differs once is not safe, even if it passes the second time.
      const difference = error
        ? await differenceOf(run.type, history, requested, error)
        : { cause: `${run.type}: the replay fails at times` };
      yield { ...run, difference };
    }
  }
}

interface Replayer {
  replay(
    run: RecordedHistory,
  ): Promise<{ readonly error?: Error | undefined; readonly requested: Requested[] }>;
  close(): Promise<void>;
}

function replayerOf({ namespace, taskQueue, payloadKeys }: ReplayConfig, code: string): Replayer {
  let requested: Requested[] = [];
  let current: RecordedHistory | undefined;
  const ignored = { fn: () => undefined, callDuringReplay: false };
  const sinks = {
    replay: {
      requested: { fn: (_: unknown, one: Requested) => void requested.push(one), callDuringReplay: true },
    },
    // The SDK logs calls of a sink that is missing.
    trace: { start: ignored },
    outbound: { publish: ignored },
  } satisfies InjectedSinks<ReplaySinks & TraceSinks>;
  // The SDK accepts options that its type leaves out. Payloads belong to their namespace. Without debugMode, workflows run in
  // threads.
  const place: object = { namespace, taskQueue, debugMode: false };
  const options: ReplayWorkerOptions = {
    ...place,
    dataConverter: dataConverter(payloadKeys),
    workflowBundle: { code },
    sinks,
  };
  async function* histories() {
    while (current) yield current;
  }
  const results = Worker.runReplayHistories(options, histories());
  return {
    async replay(run) {
      current = run;
      requested = [];
      const { value, done } = await results.next();
      if (done) throw new Error('the replay ended before its last history');
      return { error: value.error, requested };
    },
    async close() {
      current = undefined;
      await results.return?.();
    },
  };
}

/** Timers and upserts. Some never reach a history, so only the SDK can compare them, and they have no source location. */
const UNPLACED_EVENT = /HistoryEvent\(id: (\d+), (Timer|Upsert|WorkflowProp)?/;
const UNPLACED_COMMAND = /error: (Timer|Upsert|ModifyWorkflowProp)/;

/** Finds the first activity or child in which the history and the code differ; for anything else, returns the SDK's message. */
async function differenceOf(
  type: string,
  { events }: History,
  requested: readonly Requested[],
  error: Error,
): Promise<Difference> {
  const recorded = (events ?? []).flatMap((event) => {
    const name =
      event.activityTaskScheduledEventAttributes?.activityType?.name ??
      event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name;
    const what = event.activityTaskScheduledEventAttributes ? 'activity' : 'child';
    return name ? [{ what, name, eventId: String(event.eventId) }] : [];
  });
  const index = recorded.findIndex(
    ({ what, name }, at) => requested[at]?.what !== what || requested[at]?.name !== name,
  );
  const [was, is] = index < 0 ? [undefined, requested[recorded.length]] : [recorded[index], requested[index]];
  const [, eventId, event] = UNPLACED_EVENT.exec(error.message) ?? [];
  const isEvent = event !== undefined && (!is || error.message.includes('No command scheduled'));
  if (isEvent || UNPLACED_COMMAND.test(error.message))
    return { cause: `${type}: ${reasonOf(error)}`, eventId };
  const isNondeterminism = error.name === 'DeterminismViolationError';
  if (!isNondeterminism || !(was || is)) {
    const at =
      (await sourceOf(error.message.replaceAll('\\n', '\n'))) ?? (await sourceOf(requested.at(-1)?.stack));
    return { cause: `${type}: ${reasonOf(error)}`, at };
  }
  const has = was ? `the history has ${was.what} ${was.name}` : 'the history has no such command';
  const asks = is ? `the code requests ${is.what} ${is.name}` : 'the code requests no such command';
  const at = await sourceOf((is ?? requested.at(-1))?.stack);
  return { cause: `${type}: ${has}, ${asks}`, at, eventId: was?.eventId };
}

const LONGEST_REASON = 300;

/** Returns the SDK's reason in one line, without IDs. Workers with keys encrypt the errors of their code. */
function reasonOf({ message }: Error): string {
  if (message.includes('Encoded failure'))
    return 'the code fails, with an encrypted error: check that PAYLOAD_KEYS has the keys of these workflows';
  const [, ofCode] = /\bmessage: "((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
  const [line = ''] = (ofCode ?? message.split('Details: ').at(-1) ?? message).split('\n');
  return truncate(redact(line, 'failure').replace(/\b(id|event_id): \d+/g, '$1: …'), LONGEST_REASON);
}

const ROOT = inPackage('.');

/** All steps and activities pass through these files, so a location in them is not helpful. */
const PASSED = /\/workflows\/(interceptors|runtime\/)|\/node_modules\//;

/** Returns the location of our code in a stack trace, in the sources if there is a source map. */
async function sourceOf(stack = ''): Promise<string | undefined> {
  const places = [
    ...stack.matchAll(/(?<=[(:]|\b(?:at|async) )((?:\/|webpack:)[^():\n]{0,400}):(\d+):(\d+)\)?$/gm),
  ];
  const place = places.find(([, file = '']) => /\/workflows\//.test(file) && !PASSED.test(file)) ?? places[1];
  if (!place) return undefined;
  const [, file = '', line = '1', column = '1'] = place;
  try {
    const map = new SourceMap(JSON.parse(await readFile(`${file}.map`, 'utf8')) as SourceMapPayload);
    const { originalSource, originalLine } = map.findEntry(Number(line) - 1, Number(column) - 1) as {
      originalSource?: string;
      originalLine?: number;
    };
    if (originalSource !== undefined && originalLine !== undefined)
      return `${relative(ROOT, resolve(file, '..', originalSource))}:${originalLine + 1}`;
  } catch {
    // There is no source map, as in a package without sources.
  }
  return `${relative(ROOT, file)}:${line}`;
}
