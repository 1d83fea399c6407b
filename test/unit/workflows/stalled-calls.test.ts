import { beforeEach, describe, expect, it } from 'vitest';
import type { StalledCall } from '../../../src/messages/onboarding-state.js';
import { StalledCalls } from '../../../src/workflows/runtime/stalled-calls.js';
import type { Question } from '../../../src/workflows/runtime/state.js';
import { stoppedAt } from '../../rigs/clock.js';

const NOON = '2026-01-31T12:00:00.000Z';
const AT_ONE = '2026-01-31T13:00:00.000Z';

beforeEach(() => stoppedAt(NOON));

/** Waits of steps that began at noon. `output` is what people see; `open` the questions that are not superseded. */
function waits() {
  let output: { step?: string; reason?: string } | undefined;
  let published: typeof output;
  const requirements: { question: Question; isSuperseded: () => boolean }[] = [];
  let taken = 0;
  const state = {
    setFacts: ({ waiting }: { waiting?: typeof output }) => {
      output = waiting;
    },
    refresh: () => {
      published = output;
    },
  };
  const ask = async (question: Question, isSuperseded: () => boolean) =>
    void requirements.push({ question, isSuperseded });
  const all = new StalledCalls(state as never, { ask } as never);
  const wait = (reason: string, more: Partial<StalledCall> = {}) =>
    all.onStalled({ reason, since: NOON, isStalled: false, ...more });
  const seen = () => output && `${output.step}: ${output.reason}`;
  const left = new Set<(typeof requirements)[number]>();
  /** A question that is superseded is closed for good. */
  const open = () => {
    for (const each of requirements.slice(taken)) left.add(each);
    taken = requirements.length;
    for (const each of left) if (each.isSuperseded()) left.delete(each);
    return [...left].map(({ question }) => question.title);
  };
  return { all, wait, seen, open, published: () => published, requirements };
}

describe('a wait that is shown', () => {
  it('is gone with its step, each time', () => {
    const { all, wait, seen } = waits();
    for (const step of ['create the merchant', 'submit to underwriting', 'create the merchant']) {
      const end = all.start(step);
      expect(seen()).toBeUndefined();
      for (const reason of ['HTTP 503', 'HTTP 429']) {
        wait(reason);
        expect(seen()).toBe(`${step}: ${reason}`);
      }
      end();
      expect(seen()).toBeUndefined();
    }
  });

  it('stays when another step ends', () => {
    const { all, wait, seen } = waits();
    const first = all.start('upload a.pdf');
    const second = all.start('upload b.pdf');
    wait('HTTP 503');
    first();
    expect(seen()).toBe('upload b.pdf: HTTP 503');
    second();
    expect(seen()).toBeUndefined();
  });

  it('of a poll is gone when the poll reads again, which goes on, and is shown again after that', () => {
    const { all, wait, seen, published, open } = waits();
    all.start('read the status', true);
    for (const reason of ['HTTP 503', 'HTTP 500', 'HTTP 503']) {
      wait(reason, { isPoll: true, isStalled: true });
      expect([seen(), open()]).toEqual([
        `read the status: ${reason}`,
        ['Waiting for the partner: read the status'],
      ]);
      wait('', { isPoll: true, isOver: true });
      expect([seen(), published(), open()]).toEqual([undefined, undefined, []]);
    }
  });
});

describe('a wait that is late', () => {
  it('is one question until its step ends, and another one in the next step', () => {
    const { all, wait, open, requirements } = waits();
    for (const [count, step] of ['create the merchant', 'submit to underwriting'].entries()) {
      const end = all.start(step);
      wait('HTTP 503');
      expect(open()).toEqual([]);
      for (const reason of ['HTTP 503', 'HTTP 429']) wait(reason, { isStalled: true });
      expect(open()).toEqual([`Waiting for the partner: ${step}`]);
      end();
      expect([open(), requirements.length]).toEqual([[], count + 1]);
    }
  });

  it('of a step is none of a poll, and none of a step that began later', () => {
    const { all, wait, seen, open } = waits();
    all.start('read the status', true);
    wait('HTTP 503', { isStalled: true });
    expect([seen(), open()]).toEqual([undefined, []]);
    all.start('submit to underwriting');
    wait('HTTP 503', { since: '2026-01-31T11:59:59.999Z', isStalled: true });
    expect([seen(), open()]).toEqual([undefined, []]);
    wait('HTTP 429', { since: AT_ONE, isStalled: true });
    expect([seen(), open()]).toEqual([
      'submit to underwriting: HTTP 429',
      ['Waiting for the partner: submit to underwriting'],
    ]);
  });
});
