import { OUTCOMES, STAGES } from '../../messages/onboarding-state.js';
import { ASKING, EACH_ONBOARDING, ONBOARDINGS } from '../../messages/workflow-types.js';
import type { Listed } from '../../temporal/search.js';

/** The kinds of onboardings, for people. */
export const SUBJECTS = EACH_ONBOARDING.map(([, { nouns }]) => nouns[0]);

export function subjectOf(workflowType: string): string {
  return EACH_ONBOARDING.find(([type]) => type === workflowType)?.[1].nouns[0] ?? workflowType;
}

export type Grouping = 'agent' | 'account';

export interface WaitFigure {
  readonly workflowId: string;
  readonly dba: string | null;
  /** `person`: it waits for an answer. `stage`: it waits in its stage. */
  readonly waits: 'person' | 'stage';
  /** The kind of its first requirement, or its stage. */
  readonly for: string;
  /** ISO 8601. */
  readonly since: string;
  readonly partnerStatus: string | null;
}

const LONGEST_WAITS = 10;

export const SUCCESSES = [...new Set(EACH_ONBOARDING.map(([, { success }]) => success))];

export interface TallyOptions {
  readonly now: Date;
  /** The first start of each workflow with several runs, by ID. */
  readonly firstStarts: ReadonlyMap<string, Date>;
  readonly by?: Grouping | undefined;
}

/** Counts onboardings one by one. Keeps only numbers, and the longest waits. */
export class Tally {
  readonly #stages = new Grouped(() => ({ running: 0, waiting: 0 }));
  readonly #times = new Grouped<number[]>(() => []);
  readonly #requirements = new Grouped(() => ({ overdue: 0, seconds: [] as number[] }));
  readonly #weeks = new Grouped<Record<string, number>>(() => ({}));
  readonly #groups = new Grouped(() => ({ running: 0, waiting: 0, others: 0, seconds: [] as number[] }));
  readonly #longest: Readonly<Record<WaitFigure['waits'], WaitFigure[]>> = { person: [], stage: [] };
  /** Counts a customer's parts, not the customer itself, in totals and in groups. */
  readonly #all = { running: 0, waiting: 0, waitingOverADay: 0, overADay: 0, ended: 0 };

  constructor(private readonly options: TallyOptions) {}

  /** Counts a workflow. A run that another one continues does not count. */
  add(row: Listed): void {
    if (row.state === 'continued_as_new') return;
    // A terminated workflow keeps its search attributes, but asks nobody.
    if (row.state === 'running' && ASKING.includes(row.type)) this.#addRequirements(row);
    if (!(row.type in ONBOARDINGS)) return;
    const subject = subjectOf(row.type);
    for (const [stage, seconds] of Object.entries(row.stageSeconds))
      this.#times.of(subject, stage).push(seconds);
    if (row.state === 'running') this.#addRunning(row, subject);
    else this.#addEnded(row, subject);
  }

  #addRunning(row: Listed, subject: string): void {
    const { stage = 'unknown', requirements } = row;
    const waiting = requirements.length > 0 ? 1 : 0;
    const isCounted = ASKING.includes(row.type);
    for (const counts of [
      this.#stages.of(subject, stage),
      ...(isCounted ? [this.#all, this.#group(row)] : []),
    ]) {
      counts.running += 1;
      counts.waiting += waiting;
    }
    if (!isCounted) return;
    const { now, firstStarts } = this.options;
    const since = stageBegan(row, firstStarts).toISOString();
    const isLong = (time: string) => now.getTime() - Date.parse(time) > DAY_MS;
    if (isLong(since)) this.#all.overADay += 1;
    if (requirements.some(({ raisedAt }) => isLong(raisedAt))) this.#all.waitingOverADay += 1;
    this.#keep({ ...aboutOf(row), waits: 'stage', for: stage, since });
  }

  #addEnded(row: Listed, subject: string): void {
    const outcome = outcomeOf(row);
    if (row.endedAt) {
      const week = this.#weeks.of(subject, mondayOf(row.endedAt));
      week[outcome] = (week[outcome] ?? 0) + 1;
    }
    if (!ASKING.includes(row.type)) return;
    this.#all.ended += 1;
    const group = this.#group(row);
    if (SUCCESSES.includes(outcome)) group.seconds.push(total(row));
    else group.others += 1;
  }

  #group({ agentProfileId, partnerAccount }: Listed) {
    return this.#groups.of((this.options.by === 'agent' ? agentProfileId : partnerAccount) ?? '');
  }

  #addRequirements(row: Listed): void {
    const { now } = this.options;
    for (const { kind, raisedAt, dueAt } of row.requirements) {
      const counted = this.#requirements.of(kind);
      counted.seconds.push(secondsBetween(raisedAt, now));
      if (Date.parse(dueAt) < now.getTime()) counted.overdue += 1;
    }
    const [oldest] = row.requirements.toSorted((one, other) => one.raisedAt.localeCompare(other.raisedAt));
    if (oldest) this.#keep({ ...aboutOf(row), waits: 'person', for: oldest.kind, since: oldest.raisedAt });
  }

  #keep(wait: WaitFigure): void {
    const figures = this.#longest[wait.waits];
    const at = figures.findIndex(({ since }) => since > wait.since);
    figures.splice(at < 0 ? figures.length : at, 0, wait);
    figures.length = Math.min(figures.length, LONGEST_WAITS);
  }

  get figures() {
    return {
      ...this.#all,
      stages: inOrder(
        this.#stages.all.map(([[subject = '', stage = ''], counts]) => ({ subject, stage, ...counts })),
      ),
      // The durations of completed stages.
      stageTimes: inOrder(
        this.#times.all.map(([[subject = '', stage = ''], seconds]) => ({
          subject,
          stage,
          count: seconds.length,
          medianSeconds: median(seconds),
          p90Seconds: percentile(seconds, 0.9),
          overADay: seconds.filter((each) => each * 1_000 > DAY_MS).length,
        })),
      ),
      requirements: this.#requirements.all
        .map(([[kind = ''], { overdue, seconds }]) => ({
          kind,
          open: seconds.length,
          overdue,
          medianSeconds: median(seconds),
          longestSeconds: percentile(seconds, 1),
        }))
        .sort((one, other) => other.open - one.open),
      // The longest waits first, ten of each kind.
      longest: [...this.#longest.person, ...this.#longest.stage],
      // The number of each outcome in the ISO 8601 week of this Monday, UTC.
      weeks: this.#weeks.all
        .map(([[subject = '', monday = ''], outcomes]) => ({
          subject,
          week: weekOf(monday),
          monday,
          outcomes,
        }))
        .sort((one, other) => one.monday.localeCompare(other.monday)),
      ...(this.options.by && { groups: this.#groupFigures }),
    };
  }

  /** By agent profile or account; null for onboardings without one. `medianSeconds` covers only successful onboardings. */
  get #groupFigures() {
    const all = this.#groups.all.map(([[group = ''], { running, waiting, others, seconds }]) => ({
      group: group || null,
      running,
      waiting,
      succeeded: seconds.length,
      others,
      medianSeconds: seconds.length > 0 ? median(seconds) : null,
    }));
    const size = ({ running, succeeded, others }: (typeof all)[number]) => running + succeeded + others;
    return all.sort((one, other) => size(other) - size(one));
  }
}

/** The numbers of a report. Times are in seconds. */
export type Figures = Tally['figures'];

class Grouped<Value> {
  readonly #values = new Map<string, readonly [names: readonly string[], value: Value]>();

  constructor(private readonly blank: () => Value) {}

  of(...names: readonly string[]): Value {
    const key = JSON.stringify(names);
    const [, value] = this.#values.get(key) ?? [names, this.blank()];
    this.#values.set(key, [names, value]);
    return value;
  }

  get all() {
    return [...this.#values.values()];
  }
}

function aboutOf({ workflowId, dba, partnerStatus }: Listed) {
  return { workflowId, dba: dba ?? null, partnerStatus: partnerStatus ?? null };
}

/** Returns when a running onboarding entered its stage. @param firstStarts see {@link TallyOptions} */
export function stageBegan(row: Listed, firstStarts: ReadonlyMap<string, Date>): Date {
  const start = firstStarts.get(row.workflowId) ?? row.startedAt;
  return new Date(start.getTime() + total(row) * 1_000);
}

/** Returns the seconds in an onboarding's completed stages: all of its time, if it has ended. */
function total({ stageSeconds }: Listed): number {
  return Object.values(stageSeconds).reduce((sum, seconds) => sum + seconds, 0);
}

/** Returns the outcome. A terminated or failed workflow has none, and keeps its last stage. */
function outcomeOf({ state, stage }: Listed): string {
  if (state !== 'completed') return state.replaceAll('_', '-');
  return stage !== undefined && (OUTCOMES as readonly string[]).includes(stage) ? stage : 'completed';
}

/** Sorts by subject, and by the sequence of stages. */
function inOrder<Figure extends { readonly subject: string; readonly stage: string }>(figures: Figure[]) {
  const orderOf = ({ subject, stage }: Figure) =>
    SUBJECTS.indexOf(subject) * 100 + (STAGES as readonly string[]).indexOf(stage);
  return figures.sort((one, other) => orderOf(one) - orderOf(other));
}

const DAY_MS = 86_400_000;

/** Returns the Monday of a week, UTC: `2026-03-02`. */
export function mondayOf(date: Date): string {
  const daysSince = (date.getUTCDay() + 6) % 7;
  return new Date(date.getTime() - daysSince * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the ISO 8601 week that begins on a Monday, with the year of its Thursday. */
export function weekOf(monday: string): string {
  const thursday = new Date(Date.parse(monday) + 3 * DAY_MS);
  const newYear = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - newYear) / DAY_MS / 7) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

function secondsBetween(iso: string, now: Date): number {
  return Math.max(0, Math.round((now.getTime() - Date.parse(iso)) / 1_000));
}

/** Returns the value that a share of all values does not exceed; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return Math.round(((sorted[Math.ceil(sorted.length / 2) - 1] ?? upper) + upper) / 2);
}
