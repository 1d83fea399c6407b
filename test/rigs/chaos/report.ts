import { tableOf } from '../../../src/commands/cli/table.js';
import type { FaultPlan } from '../../../src/sandbox/faults.js';
import { KINDS } from './cast.js';
import type { Examined } from './questions.js';
import type { Verdict, Verdicts } from './verdicts.js';

const ENDS = ['as expected', 'waits', 'wrong'] as const;

/** How many of each kind and scenario ended as expected, wait, or are wrong. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = new Map<string, { readonly head: readonly string[]; readonly of: Verdict[] }>();
  const sorted = verdicts.toSorted(
    (one, other) =>
      KINDS.indexOf(one.party.kind) - KINDS.indexOf(other.party.kind) ||
      one.party.scenario.localeCompare(other.party.scenario),
  );
  for (const verdict of sorted) {
    const { kind, scenario } = verdict.party;
    const key = `${kind} ${scenario}`;
    const row = rows.get(key) ?? { head: [kind, scenario], of: [] };
    row.of.push(verdict);
    rows.set(key, row);
  }
  const counts = (of: readonly Verdict[]) => [
    of.length,
    ...ENDS.map((end) => of.filter((one) => one.end === end).length),
  ];
  const lines = [...rows.values()].map(({ head, of }) => [...head, ...counts(of).map(shown)]);
  const head = ['kind', 'scenario', 'count', 'ended as expected', 'waits on uncertain-write', 'wrong'];
  return tableOf(head, [...lines, ['all', '', ...counts(verdicts).map(shown)]]);
}

function shown(count: number): string {
  return count === 0 ? '-' : String(count);
}

/** How often each fault was planned, and how often it was met. */
export function faultTable(planned: readonly FaultPlan[], unmet: readonly FaultPlan[]): string {
  const times = (plans: readonly FaultPlan[], fault: string) =>
    plans.filter((plan) => plan.fault === fault).reduce((sum, plan) => sum + plan.times, 0);
  const faults = [...new Set(planned.map(({ fault }) => fault))].sort();
  const rows = faults.map((fault) => {
    const count = times(planned, fault);
    return [fault, String(count), String(count - times(unmet, fault))];
  });
  const sum = (column: number) => String(rows.reduce((total, row) => total + Number(row[column]), 0));
  return tableOf(['fault', 'planned', 'met'], [...rows, ['all', sum(1), sum(2)]]);
}

/** Each question about a write, with the request that had arrived by then. */
export function questionLines(questions: readonly Examined[]): string[] {
  return questions.map(({ workflowId, title, at, doubt, request }) => {
    if (!request) return `${at} ${workflowId}: ${title}${doubt}: never sent`;
    const { seq, fault = 'no fault', status = 'no response' } = request;
    return `${at} ${workflowId}: ${title}: request ${seq} of ${request.at}, ${fault}, ${status}`;
  });
}

/** Onboardings that did not end as expected, and writes that belong to no party. */
export function wrongIn(when: string, { verdicts, unowned }: Verdicts): string[] {
  const of = verdicts.filter(({ end }) => end === 'wrong');
  const shown = of.map(
    ({ party, why }) => `${when}: ${party.workflowId} (${party.kind}, ${party.scenario}): ${why.join('; ')}`,
  );
  const waiting = when === 'after' ? verdicts.filter(({ end }) => end === 'waits') : [];
  return [
    ...shown,
    ...waiting.map(({ party }) => `after: ${party.workflowId} still waits`),
    ...unowned.map((entry) => `${when}: ${entry}`),
  ];
}
