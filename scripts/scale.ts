/** The tables of docs/scale.md: what a year of onboardings costs, calculated from the results of the bench. */
import { sum } from '../bench/histories.js';
import { lineOf, type Results } from '../bench/results.js';
import { type PollBounds, pollDelay } from '../src/activities/poll.js';
import { markdownTable } from '../src/services/texts/docs.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 365;

/** Everything that the page assumes. Change it here, and run `npm run docs`. */
const ASSUMED = {
  onboardings: 1_000_000,
  /** Days in which nothing changes: with the underwriters, and at the bank. */
  daysOfReview: 5,
  /** Bounds of the wait between two reads. */
  poll: { minMs: MINUTE_MS, maxMs: HOUR_MS },
  /** The same for a partner whose webhooks report each change. */
  withWebhooks: { minMs: MINUTE_MS, maxMs: 4 * HOUR_MS },
  /** Calls for each read: the status, and the notes or tickets. */
  callsOfRead: 2,
  retentionDays: 90,
  /** Starts in the busiest hour, as a multiple of the average. */
  peak: 10,
};

/** Evenly spread random numbers from 0 to 1, for an average over the jitter. */
const RANDOM = Array.from({ length: 20 }, (_, index) => (index + 0.5) / 20);

/** Reads of a status that does not change for so long. */
function readsIn(days: number, poll: PollBounds): number {
  const delayAfter = (elapsed: number) =>
    sum(RANDOM.map((random) => pollDelay(elapsed, poll, random))) / RANDOM.length;
  let reads = 0;
  for (let elapsed = 0; elapsed < days * DAY_MS; elapsed += delayAfter(elapsed)) reads++;
  return reads;
}

/** What one onboarding costs without the reads while it waits. */
function baseOf(results: Results, what: string) {
  const of = (unit: string) => lineOf(results, 'histories', what, unit);
  const { figure: events, parts: { workflowTaskCompleted: workflowTasks = 0 } = {} } = of('events');
  return { events, bytes: of('bytes').figure, actions: of('actions').figure, workflowTasks };
}

const BOARDING = 'straight boarding, production shape';
const CUSTOMER = 'straight customer';

/** The workflows of a customer. */
const WHOLE = [CUSTOMER, 'its merchant-boarding', 'its business-onboarding'];

type Base = ReturnType<typeof together>;

function together(results: Results, workflows: readonly string[], partnerCalls = 0) {
  const bases = workflows.map((what) => baseOf(results, what));
  const total = (field: keyof (typeof bases)[number]) => sum(bases.map((base) => base[field]));
  const [events, bytes] = [total('events'), total('bytes')];
  return { events, bytes, actions: total('actions'), workflowTasks: total('workflowTasks'), partnerCalls };
}

/** A way to follow a status: what each read costs. */
type Way = ReturnType<typeof waysIn>['gangway' | 'others'][number];

function waysIn(results: Results) {
  const { daysOfReview, poll, withWebhooks } = ASSUMED;
  const rounds = 100;
  const [loop, single] = ['in a loop of reads and sleeps', 'in a workflow of its own'] as const;
  const history = (reads: number) =>
    lineOf(results, 'polls', `history of a boarding after ${reads} reads in one status`, 'bytes').baseline
      ?.figure ?? Number.NaN;
  const cpu = (baseline: string) => lineOf(results, 'polls', 'worker CPU of a read', 'ms', baseline);
  const own = { workflowTasks: 0, bytes: 0, cpuMs: cpu(loop).figure, actions: actionsOfRead(results) };
  // Each read is an activity, and a timer or the start of a workflow. The activity and the other each cause a workflow task.
  const other = { reads: readsIn(daysOfReview, poll), actions: 2, workflowTasks: 2 };
  return {
    gangway: [
      { name: 'Gangway', reads: readsIn(daysOfReview, poll), ...own },
      { name: 'with webhooks', reads: readsIn(daysOfReview, withWebhooks), ...own },
    ],
    others: [
      {
        name: 'sleep loop',
        ...other,
        cpuMs: cpu(loop).baseline?.figure ?? Number.NaN,
        bytes: (history(rounds) - history(0)) / rounds,
      },
      {
        name: 'workflow per poll',
        ...other,
        cpuMs: cpu(single).baseline?.figure ?? Number.NaN,
        bytes: lineOf(results, 'polls', 'history of a bare workflow that reads once', 'bytes').figure,
      },
    ],
  };
}

/** An attempt, and its share of the heartbeats, in a boarding that waits for two weeks. */
function actionsOfRead(results: Results): number {
  const waited = results['actions']?.lines.find(({ unit }) => unit === 'actions');
  const { 'activity attempts': attempts, heartbeats = 0 } = waited?.parts ?? {};
  if (!attempts)
    throw new Error('bench/results.json lacks the actions of a wait: run "npm run bench -- actions"');
  return 1 + heartbeats / attempts;
}

/** A year of onboardings. `cpuMs` is the worker's without reads, `statuses` how many statuses each of them follows. */
function yearOf(base: Base & { readonly cpuMs: number; readonly statuses: number }, way: Way): string[] {
  const { onboardings, daysOfReview, callsOfRead, retentionDays, peak } = ASSUMED;
  const reads = base.statuses * way.reads;
  const actions = base.actions + reads * way.actions;
  const each = (what: number) => figure((onboardings * what) / 1e6);
  const aSecond = (what: number) => figure((onboardings * what) / (DAYS * 24 * 3_600));
  const stored = (days: number, readsOfEach: number) =>
    figure((onboardings / DAYS) * days * (base.bytes + readsOfEach * way.bytes) * 1e-9);
  const cores = (starts: number) =>
    (onboardings * (starts * base.cpuMs + reads * way.cpuMs)) / (DAYS * DAY_MS);
  return [
    each(actions),
    aSecond(actions),
    each(base.workflowTasks + reads * way.workflowTasks),
    // Those that run have made half of their reads on average.
    stored(daysOfReview, reads / 2),
    stored(retentionDays, reads),
    aSecond(base.partnerCalls + reads * callsOfRead),
    figure(cores(1)),
    figure(cores(peak)),
  ];
}

const YEAR = [
  'actions, millions',
  'actions a second',
  'workflow tasks, millions',
  `history of those that run, GB`,
  `history of those that have ended, ${ASSUMED.retentionDays} days, GB`,
  'partner calls a second',
  'worker cores, on average',
  'worker cores, busiest hour',
];

function yearTable(columns: Readonly<Record<string, string[]>>): string {
  const names = Object.keys(columns);
  const rows = YEAR.map((name, row) => [name, ...names.map((column) => columns[column]?.[row] ?? '')]);
  return markdownTable(['a year', ...names], rows, names);
}

/** Three digits, with commas between thousands. */
function figure(value: number): string {
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

function assumptions(): string {
  const { onboardings, daysOfReview, poll, withWebhooks, callsOfRead, retentionDays, peak } = ASSUMED;
  const minutes = (ms: number) => `${figure(ms / MINUTE_MS)} min`;
  return markdownTable(
    ['assumption', 'value'],
    [
      ['onboardings a year', figure(onboardings)],
      ['starts in the busiest hour, as a multiple of the average', figure(peak)],
      ['days in one status, with the underwriters and at the bank', figure(daysOfReview)],
      ['shortest and longest wait between two reads', `${minutes(poll.minMs)}, ${minutes(poll.maxMs)}`],
      ['longest wait where the partner sends webhooks', minutes(withWebhooks.maxMs)],
      ['partner calls for each read', figure(callsOfRead)],
      ['retention period of the namespace, days', figure(retentionDays)],
    ],
    ['value'],
  );
}

function oneOnboarding(results: Results): string {
  const single = ['straight boarding', BOARDING, 'straight business'];
  const whole = [CUSTOMER, together(results, WHOLE)] as const;
  const bases = [...single.map((name) => [name, baseOf(results, name)] as const), whole];
  const rows = bases.map(([name, { events, bytes, actions, workflowTasks }]) => [
    name,
    ...[events, bytes, actions, workflowTasks].map(figure),
  ]);
  const notes = 'more for two notes, seen by the second read, answered one by one';
  const { figure: events, parts: { workflowTaskCompleted = 0 } = {} } = lineOf(
    results,
    'notes',
    notes,
    'events',
  );
  const head = ['one onboarding', 'events', 'bytes', 'actions', 'workflow tasks'];
  const last = [notes, figure(events), '', '', figure(workflowTaskCompleted)];
  return markdownTable(head, [...rows, last], head.slice(1));
}

function waits(): string {
  const { poll, withWebhooks } = ASSUMED;
  const rows = [1, 5, 14].map((days) => [
    `${days}`,
    figure(readsIn(days, poll)),
    figure(readsIn(days, withWebhooks)),
  ]);
  const head = ['days in one status', 'reads', 'reads, with webhooks'];
  return markdownTable(head, rows, head);
}

function memory(results: Results): string {
  const measured = (results['memory']?.lines ?? []).filter(({ unit }) => unit === 'MiB');
  const rows = Map.groupBy(measured, ({ what }) =>
    what.replace(/^(used after a garbage collection|resident), |, (used|resident)$/, ''),
  );
  const head = ['workflows', 'used, MiB', 'resident, MiB'];
  const cells = [...rows].map(([name, own]) => [name, ...own.map((line) => figure(line.figure))]);
  return markdownTable(head, cells, head.slice(1));
}

/** What a worker with many accounts costs. */
function accounts(results: Results): string {
  const rows = Map.groupBy(results['accounts']?.lines ?? [], ({ what }) =>
    what.replace(/, nothing happens$/, ''),
  );
  const head = ['accounts', 'threads', 'resident, MiB', '% of a core'];
  const cells = [...rows].map(([name, own]) => [name, ...own.map((line) => figure(line.figure))]);
  return markdownTable(head, cells, head.slice(1));
}

/** The tables of docs/scale.md, by their names. */
export function scaleTables(results: Results): Readonly<Record<string, string>> {
  const { gangway, others } = waysIn(results);
  const calls = (what: string) => lineOf(results, 'histories', what, 'partner calls').figure;
  const cpuMs = lineOf(results, 'throughput', 'worker CPU of a straight boarding', 'ms').figure;
  const boarding = { ...together(results, [BOARDING], calls(BOARDING)), cpuMs, statuses: 1 };
  const customer = together(results, WHOLE, calls(CUSTOMER));
  // Only the CPU of a boarding is measured. It grows with the workflow tasks.
  const share = customer.workflowTasks / boarding.workflowTasks;
  const whole = { ...customer, cpuMs: cpuMs * share, statuses: 2 };
  const years = (base: typeof boarding, ways: readonly Way[]) =>
    yearTable(Object.fromEntries(ways.map((way) => [way.name, yearOf(base, way)])));
  return {
    assumptions: assumptions(),
    boardings: years(boarding, [...gangway, ...others]),
    customers: years(whole, gangway),
    'one onboarding': oneOnboarding(results),
    waits: waits(),
    memory: memory(results),
    accounts: accounts(results),
  };
}
