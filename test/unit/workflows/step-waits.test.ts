import { beforeEach, expect, it } from 'vitest';
import { StepWaits } from '../../../src/workflows/journey/step-waits.js';
import { stoppedAt } from '../../rigs/clock.js';

const NOON = '2026-01-31T12:00:00.000Z';
const AT_ONE = '2026-01-31T13:00:00.000Z';

beforeEach(() => stoppedAt(NOON));

it('a wait that is reported after its step has ended is none of a step that began later', () => {
  const known: unknown[] = [];
  const state = { know: (facts: object) => void known.push(facts), refresh: () => undefined };
  const waits = new StepWaits(state as never, {} as never);
  const wait = { reason: 'HTTP 503', isLate: false };
  waits.begin('create the merchant')();
  stoppedAt(AT_ONE);
  waits.begin('submit to underwriting');
  waits.onWait({ ...wait, since: NOON });
  expect(known).toEqual([]);
  waits.onWait({ ...wait, since: AT_ONE });
  expect(known).toEqual([{ waiting: { step: 'submit to underwriting', since: AT_ONE, reason: 'HTTP 503' } }]);
});
