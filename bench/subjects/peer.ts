import { randomUUID } from 'node:crypto';
import { merchant } from '../../test/rigs/inputs.js';
import { type BareWorker, bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { boarding, gangway } from '../gangway.js';
import { type Goal, type Line, line } from '../line.js';
import { AT_ONCE, inTurns, median, perSecond } from '../timing.js';

/** Both sides wait this long between two reads. */
const PAUSE_MS = 100;

interface Case {
  readonly scenario: string;
  /** Of the sandbox. */
  readonly pace: string;
  readonly goal: Goal;
}

const CASES: Readonly<Record<string, Case>> = {
  'declined at the first read': { scenario: 'declined', pace: '1reads', goal: { atLeast: 0.9 } },
  'approved at the first read, mid at the second': {
    scenario: 'straight',
    pace: '1reads',
    goal: { atLeast: 0.9 },
  },
  'declined at the third read': { scenario: 'declined', pace: '3reads', goal: { atLeast: 1 } },
};

/**
 * Compares boardings with those that people write by hand (bare/workflows.ts), which call the same partner over HTTP, encrypt
 * their payloads in the same way, and have no marks.
 */
export async function* peer(bench: Bench): AsyncGenerator<Line> {
  const ours = await gangway(bench);
  const other = await bareWorker(bench, ours.sandbox.url, ours.env['PAYLOAD_KEYS']);
  const rate = (run: () => Promise<unknown>) => () => perSecond(bench.size(64, 5), AT_ONCE, run);
  for (const [name, { pace, scenario, goal }] of Object.entries(CASES)) {
    await ours.sandbox.pace(pace);
    const board = rate(() => boarding(ours, scenario));
    const byHand = rate(() => boardByHand(other, scenario));
    // The first turn, which warms both up, is not measured.
    await inTurns(1, board, byHand);
    const rates = await inTurns(bench.size(5, 1), board, byHand);
    yield line({
      what: `boardings, ${name}`,
      figure: median(rates.ours),
      unit: 'a second',
      goal,
      baseline: { what: 'written by hand, without intents', figure: median(rates.other) },
    });
  }
}

function boardByHand({ client, taskQueue }: BareWorker, scenario: string): Promise<unknown> {
  const { merchant: basics, externalId: guid, agentProfileId, boardingSettingsId } = merchant(scenario);
  return client.workflow.execute('boardByHand', {
    workflowId: `by-hand-${randomUUID()}`,
    taskQueue,
    args: [{ ...basics, guid, agentProfileId, boardingSettingsId }, PAUSE_MS],
  });
}
