import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startDevServer } from '../../src/apps/demo/dev-server.js';
import { percentile } from '../../src/services/reports/statistics.js';
import { generatePayloadKey } from '../../src/temporal/payload-codec.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { runProvider } from '../../test/rigs/console/provider.js';
import { type BrowserUser, SESSION_KEY, signIn, userOf } from '../../test/rigs/console/running-console.js';
import { launch } from '../../test/rigs/processes.js';
import type { Bench } from '../bench.js';
import { boarding, gangway, type RunningGangway, stopped } from '../gangway.js';
import { type Line, line } from '../line.js';
import { AT_ONCE, millisecondsOf } from '../timing.js';
import { startWaiting } from './inbox.js';

/** Rows of the first page. */
const ROWS = 50;

/** The console reads its list again when it is older than five seconds. */
const STALE_MS = 5_100;

/** A list that is read in the background is there by then. */
const READ_MS = 500;

/** Every so many looks, a person opens the whole page. Otherwise its script polls. */
const LOOKS_FOR_PAGE = 4;

const MOST_MS = 300;
const MOST_BESIDE_BATCH_MS = 500;

/**
 * The inbox of the console with 1,000 onboardings that wait for a person: its first page, and many people who keep it open during a
 * batch. The console is a process of its own, at which people sign in.
 */
export async function* consoleInbox(bench: Bench): AsyncGenerator<Line> {
  const server = await startDevServer();
  bench.atEnd(() => server.stop());
  const ours = await gangway(
    { ...bench, address: async () => server.address },
    { PAYLOAD_KEYS: generatePayloadKey() },
  );
  await registerSearchAttributes(ours.client);
  const waiting = bench.size(1_000, 60);
  await startWaiting(ours.client, waiting);
  const signedIn = await consoleOf(bench, ours);
  yield* views(bench, await signedIn('reader'));
  yield* besideBatch(bench, ours, signedIn);
}

/** Somebody of this name, who has seen the first page of the inbox. */
type SignedIn = (name: string) => Promise<BrowserUser>;

async function consoleOf(bench: Bench, { env }: RunningGangway): Promise<SignedIn> {
  const provider = await runProvider({}, (close) => bench.atEnd(async () => close()));
  const address = `127.0.0.1:${await freePort()}`;
  const settings = { CONSOLE_ADDRESS: address, CONSOLE_SESSION_KEYS: SESSION_KEY };
  const running = await launch('console', { ...env, ...provider.env, ...settings }, 'console is ready');
  bench.atEnd(() => stopped(running));
  return async (name) => {
    provider.add({ sub: name, name, roles: ['operator'] });
    const person = userOf(`http://${address}`);
    await signIn(person, name);
    return person;
  };
}

/** Opens the first page. Every fourth time, the list of the console is too old. */
async function* views(bench: Bench, person: BrowserUser): AsyncGenerator<Line> {
  const times: number[] = [];
  for (let turn = 0; turn < bench.size(120, 6); turn++) {
    times.push(await look(person, '/'));
    await sleep(turn % 4 === 0 ? STALE_MS : READ_MS);
  }
  const what = `first page of the inbox, p95 of ${times.length}`;
  yield line({ what, figure: percentile(times, 0.95), unit: 'ms', goal: { atMost: MOST_MS } });
}

/** Throughput of a batch with people who keep the inbox open, and before and after it without them. */
async function* besideBatch(bench: Bench, ours: RunningGangway, signedIn: SignedIn): AsyncGenerator<Line> {
  const seconds = bench.size(60, 5);
  const people = await Promise.all(
    Array.from({ length: bench.size(50, 5) }, (_, number) => signedIn(`person ${number}`)),
  );
  const batch = () => boardedPerSecond(ours, seconds);
  // Warms everything up.
  await batch();
  const alone = [await batch()];
  const watched: number[] = [];
  const looks: Looks[] = [];
  for (let turn = 0; turn < bench.size(2, 1); turn++) {
    const open = Promise.all(people.map((person) => keepOpen(person, seconds)));
    watched.push(await batch());
    looks.push(...(await open));
    alone.push(await batch());
  }
  const who = `${people.length} people keep the inbox open for ${seconds} s during a batch`;
  for (const kind of ['polls', 'pages'] as const) {
    const times = looks.flatMap((each) => each[kind]);
    yield line({
      what: `${who}: p95 of ${times.length} ${kind}`,
      figure: percentile(times, 0.95),
      unit: 'ms',
      goal: { atMost: MOST_BESIDE_BATCH_MS },
    });
  }
  yield line({
    what: `${who}: straight boardings`,
    figure: mean(watched),
    unit: 'a second',
    goal: { atLeast: 0.9 },
    baseline: { what: 'before and after, nobody looks', figure: mean(alone) },
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function boardedPerSecond(ours: RunningGangway, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let ended = 0;
  const keepBoarding = async () => {
    while (performance.now() < end) {
      await boarding(ours);
      if (performance.now() < end) ended++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, keepBoarding));
  return ended / seconds;
}

/** How long each look took, in milliseconds. */
interface Looks {
  readonly polls: number[];
  readonly pages: number[];
}

/** Polls as the script of the page does. Now and then the person opens the page again. */
async function keepOpen(person: BrowserUser, seconds: number): Promise<Looks> {
  const end = performance.now() + seconds * 1_000;
  const times: Looks = { polls: [], pages: [] };
  const { text } = await person.open('/');
  const [, source = '', pause = ''] = /data-live="([^"]+)" data-seconds="(\d+)"/.exec(text) ?? [];
  const path = source.replaceAll('&amp;', '&');
  await sleep(Math.random() * Number(pause) * 1_000);
  for (let looks = 1; performance.now() < end; looks++) {
    const isPage = looks % LOOKS_FOR_PAGE === 0;
    times[isPage ? 'pages' : 'polls'].push(await look(person, isPage ? '/' : path));
    await sleep(Number(pause) * 1_000);
  }
  return times;
}

/** @returns how long it took, in milliseconds */
function look(person: BrowserUser, path: string): Promise<number> {
  return millisecondsOf(async () => {
    const { status, text } = await person.open(path);
    if (status !== 200 || text.split('<tr id="row-').length !== ROWS + 1)
      throw new Error(`the inbox shows other rows: ${status} ${text.slice(0, 500)}`);
  });
}
