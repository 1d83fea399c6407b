import type { Fact, History } from './facts.js';

/** The last resort of a comparison: it must stay rare. */
export const ORDER = 'the order of what happens side by side, such as the two parts of a customer';

type Facts = readonly Fact[];

/** What must differ between the simulated service and a real server, why, and what is left without it. */
const MUST_DIFFER: readonly { readonly reason: string; readonly without: (facts: Facts) => Facts }[] = [
  {
    reason: 'the seconds of stages: they last as long as the machine takes',
    without: (facts) => facts.map((fact) => changed(fact, /(?<="StageTimes":\[)[^\]]*/g)),
  },
  {
    reason:
      'the number of reads of a poll, if it began, and its end once it is canceled: a read may be under way',
    without: (facts) => {
      const canceled = facts.filter(({ kind }) => kind === 'activityTaskCancelRequested').map(({ of }) => of);
      return facts.flatMap((fact) => {
        if (!/^await/.test(fact.of)) return [fact];
        const isEnd = /^activityTask(Completed|Canceled)$/.test(fact.kind) && canceled.includes(fact.of);
        return isEnd || fact.kind === 'activityTaskStarted' ? [] : [changed(fact, /"isFirst":\w+/)];
      });
    },
  },
  {
    reason: 'the error code of a cut connection: the simulated one has no socket',
    without: (facts) => facts.map((fact) => changed(fact, /LIGHT_ECONNRESET|UND_ERR_SOCKET/g)),
  },
  {
    reason: 'workflow tasks: what happens within some milliseconds comes in one or in two',
    without: (facts) => facts.filter(({ kind }) => !kind.startsWith('workflowTask')),
  },
  {
    reason: ORDER,
    without: (facts) => facts.flatMap(inThread).sort((one, other) => compare(one.of, other.of)),
  },
];

const changed = (fact: Fact, what: RegExp): Fact => ({ ...fact, what: fact.what.replace(what, '') });

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** Names what happens one after the other alike: an activity and its end, timers, the reports of a part, a search attribute. */
function inThread(fact: Fact): Fact[] {
  const { kind, of, what } = fact;
  const [, part = ''] = /"part":"(\w+)"/.exec(what) ?? [];
  if (kind !== 'upsertWorkflowSearchAttributes')
    return [{ ...fact, of: `${of.replace(/ \d+$/, '')} ${part}` }];
  const { indexedFields } = JSON.parse(what).searchAttributes as { readonly indexedFields: object };
  return Object.entries(indexedFields).map(([name, value]) => ({
    kind,
    of: name,
    what: JSON.stringify(value),
  }));
}

const linesOf = (facts: Facts) => facts.map(({ kind, of, what }) => `${kind} ${of} ${what}`);

function countDifferences(one: Facts, other: Facts): number {
  const [these, those] = [linesOf(one), linesOf(other)];
  return Math.abs(these.length - those.length) + these.filter((line, index) => line !== those[index]).length;
}

/** The listed reasons for which two histories differ; undefined when they differ in something else. */
export function reasonsOf(one: History, other: History): readonly string[] | undefined {
  const reasons: string[] = [];
  let [these, those] = [one.facts, other.facts];
  let count = countDifferences(these, those);
  for (const { reason, without } of MUST_DIFFER) {
    if (count === 0) break;
    [these, those] = [without(these), without(those)];
    const left = countDifferences(these, those);
    if (left < count) reasons.push(reason);
    count = left;
  }
  return count === 0 ? reasons : undefined;
}

/** The first event at which they differ for no listed reason, in the order of what happens one after the other. */
export function differenceOf(own: History | undefined, real: History): string {
  if (!own) return 'is no run of the simulated service';
  const [these, those] = [own, real].map(({ facts }) =>
    linesOf(MUST_DIFFER.reduce((left, { without }) => without(left), facts)),
  ) as [string[], string[]];
  let at = 0;
  while (at < these.length && these[at] === those[at]) at += 1;
  const [a = 'nothing', b = 'nothing'] = [these[at], those[at]];
  const from = Math.max(0, [...a].findIndex((letter, index) => letter !== b[index]) - 120);
  const render = (line: string) => `${line.slice(0, 60)} … ${line.slice(from, from + 300)}`;
  return `differs after ${at} events:\n  simulated: ${render(a)}\n  server:    ${render(b)}`;
}
