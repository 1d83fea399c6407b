/**
 * A model of src/at-most-once, small enough to explore every interleaving: attempts that crash or live on after Temporal has closed
 * them (zombies), resets by an operator, a server restored from a backup, somebody else who changes the record, and a person.
 *
 * It leaves out: the read after a write and its recorded response; writes that may be repeated; cancellation and pause, which refuse
 * an intent like a closed attempt; the time between the first byte and the effect. An attempt that begins after a clearing reset
 * reports at once: if its worker dies first, the next attempt sends. A restored server has forgotten the write, and its workflow
 * begins again. Bounds: see LIMITS.
 */

import { type Attempt, begin, FIRST, type Place, type Rule, type State, UNSENT } from './model.js';

const LIMITS = { attempts: 3, resets: 1, restores: 1, again: 1 };

/** The invariants by the names that the code cites. @returns the first one that does not hold */
function broken({ attempts, requests, used, workflow, effects }: State): string | undefined {
  const sent = attempts.filter((each) => each.sent);
  if (sent.some(({ acknowledged }) => acknowledged === 'no')) return 'A1';
  if (sent.some(({ acknowledged }) => acknowledged === 'closed')) return 'A4';
  if (sent.some(({ found: result }) => result)) return 'A2';
  if (attempts.some(({ acknowledged }) => acknowledged === 'as another')) return 'A6';
  if (attempts.some(({ silent }) => silent)) return 'A3';
  if (requests > 1 + used.again) return 'A5';
  return workflow === 'done' && effects === 0 ? 'F5' : undefined;
}

type Step = readonly [label: string, after: State];
type Keeps = (rule: Rule) => boolean;

function ofServer(state: State, keeps: Keeps): Step[] {
  const { workflow, open, intent, attempts, hasTimedOut, isCleared, used } = state;
  const isBetween = workflow === 'waiting' && open === null;
  const steps: Step[] = [];
  if (isBetween && attempts.length < LIMITS.attempts) {
    const result = intent === 'none' ? isCleared && hasTimedOut : intent === 'sending';
    const reads = intent === 'none' ? 'a cleared intent counts as one' : 'an attempt reads the last intent';
    const attempt: Attempt = { ...UNSENT, at: 'begun', found: result, number: state.next };
    const start = { ...state, open: attempts.length, next: state.next + 1, attempts: [...attempts, attempt] };
    if (!result || !keeps(reads)) steps.push(['an attempt begins', start]);
    else steps.push(['an attempt finds an intent', { ...state, ...begin(state), workflow: 'uncertain' }]);
  }
  if (open !== null) {
    const late = { ...(attempts[open] as Attempt), isLate: true };
    const closed = { ...state, open: null, hasTimedOut: true, attempts: attempts.with(open, late) };
    steps.push(['the attempt times out', closed]);
  }
  if (isBetween && used.resets < LIMITS.resets) {
    const reset = {
      ...state,
      next: state.next - (state.next % 10) + 1,
      used: { ...used, resets: used.resets + 1 },
    };
    steps.push(['an operator resets it', reset]);
    steps.push(['an operator clears the intent', { ...reset, isCleared: true, intent: 'none' }]);
  }
  if (used.restores < LIMITS.restores) {
    const begins = keeps('a restored workflow begins as uncertain') ? 'uncertain' : 'waiting';
    const restored = { ...state, ...begin(state), used: { ...used, restores: used.restores + 1 } };
    steps.push(['the server is restored', { ...restored, workflow: begins }]);
  }
  if (!state.isChanged) steps.push(['somebody else changes the record', { ...state, isChanged: true }]);
  return steps;
}

function ofWorkflow(state: State, keeps: Keeps): Step[] {
  const { workflow, effects, isChanged, used } = state;
  if (workflow === 'waiting' || workflow === 'done') return [];
  const done: State = { ...state, workflow: 'done' };
  const isBelieved = isChanged && !keeps('only a change that the write alone explains is evidence');
  const lines: Step[] = effects > 0 || isBelieved ? [['evidence shows the effect', done]] : [];
  if (workflow === 'uncertain') {
    const next = keeps('after an uncertain outcome, a person is asked') ? 'asking' : 'waiting';
    return [...lines, ['no evidence', { ...state, workflow: next }]];
  }
  if (effects > 0) lines.push(['a person confirms it', done]);
  const again: State = {
    ...state,
    ...begin(state),
    workflow: 'waiting',
    used: { ...used, again: used.again + 1 },
  };
  return used.again < LIMITS.again ? [...lines, ['a person says again', again]] : lines;
}

/** What may become of a request: where the attempt is then, whether it took effect, and whether it may have. */
const SENDS: readonly (readonly [at: Place, effects: number, requests: number])[] = [
  ['responded', 1, 1],
  ['lost', 1, 1],
  ['lost', 0, 1],
  ['without effect', 0, 0],
];

function ofAttempt(state: State, index: number, keeps: Keeps): Step[] {
  const attempt = state.attempts[index] as Attempt;
  if (attempt.at === 'ended') return [];
  const isOpen = state.open === index;
  const speaks = !attempt.isLate || !keeps('an attempt is silent once its time is over');
  const isMistaken = !isOpen && speaks && attempt.number === state.attempts[state.open ?? -1]?.number;
  const becomes = (changed: Partial<Attempt>, more: Partial<State> = {}): State => {
    return { ...state, attempts: state.attempts.with(index, { ...attempt, ...changed }), ...more };
  };
  /** The server takes the report of an open attempt, and refuses any other. */
  const ends = (how: string, taken: Partial<State> = {}): Step => {
    return [how, becomes({ at: 'ended' }, isOpen || isMistaken ? { open: null, ...taken } : {})];
  };
  const crash: Step = ['crashes', becomes({ at: 'ended' })];
  const vain = (): Step => ['reports in vain', becomes({ at: 'ended', silent: isOpen })];
  const isRepeated = keeps('the outcome is reported until the server accepts it');
  const reports = (taken: Partial<State>) => [crash, ends('reports', taken), ...(isRepeated ? [] : [vain()])];
  const sends = () =>
    SENDS.map(([at, effects, requests]): Step => {
      const more = { effects: state.effects + effects, requests: state.requests + requests };
      return [`sends, ${at}`, becomes({ at, sent: true }, more)];
    });
  switch (attempt.at) {
    case 'begun': {
      const isAccepted = isOpen || isMistaken || !keeps('the server refuses the intent of a closed attempt');
      const acknowledged = isOpen ? 'open' : isMistaken ? 'as another' : 'closed';
      const recorded = becomes({ at: 'acknowledged', acknowledged }, isAccepted ? { intent: 'sending' } : {});
      const isEnded = !isAccepted && keeps('a refused intent ends the attempt');
      const intent: Step = isEnded ? ends('is refused') : ['records its intent', recorded];
      const isAwaited = keeps('the request waits for the acknowledgment');
      // What cannot connect is retried by the server.
      return [crash, ends('cannot connect'), intent, ...(isAwaited ? [] : sends())];
    }
    case 'acknowledged':
      return [crash, ...sends()];
    case 'responded':
      return reports({ workflow: 'done', intent: 'none' });
    case 'lost':
    case 'without effect': {
      const isKept = attempt.at === 'lost' && keeps('only a request that had no effect withdraws its intent');
      return reports(isKept ? { workflow: 'uncertain' } : { intent: 'withdrawn' });
    }
  }
}

function stepsFrom(state: State, keeps: Keeps): Step[] {
  const ofAttempts = state.attempts.flatMap((_, index) =>
    ofAttempt(state, index, keeps).map(([label, after]): Step => [`attempt ${index + 1} ${label}`, after]),
  );
  return [...ofServer(state, keeps), ...ofWorkflow(state, keeps), ...ofAttempts];
}

/**
 * Explores every course, the shorter ones first, until an invariant breaks.
 *
 * @param without the rule that the protocol lacks
 */
export function explore(without?: Rule) {
  const courses = new Map<string, string>([[JSON.stringify(FIRST), '']]);
  const states = [FIRST];
  for (const state of states) {
    const before = courses.get(JSON.stringify(state));
    for (const [label, after] of stepsFrom(state, (rule) => rule !== without)) {
      const key = JSON.stringify(after);
      if (courses.has(key)) continue;
      const course = before ? `${before}; ${label}` : label;
      courses.set(key, course);
      states.push(after);
      const invariant = broken(after);
      if (invariant !== undefined) return { states, found: [invariant, course] as const };
    }
  }
  return { states, found: undefined };
}
