import { describe, expect, it } from 'vitest';
import {
  type Outcome,
  type Proof,
  resolveUncertainWrite,
  sendUntilResolved,
  type WriteQuestion,
} from '../../../src/at-most-once/workflow.js';

type Failure = { readonly reason: string };

/** A person who is asked, and what becomes of a write meanwhile. */
function person(says: (() => Awaited<ReturnType<WriteQuestion<string>['ask']>>)[]) {
  const questions: string[] = [];
  const state = { seen: undefined as Proof<string>, isSuperseded: false };
  const asking: WriteQuestion<string> = {
    evidence: () => state.seen,
    isSuperseded: () => state.isSuperseded,
    untilNeeded: async () => {
      questions.push('waits');
      state.isSuperseded = false;
    },
    ask: async (refused) => {
      questions.push(refused);
      const next = says.shift();
      if (!next) throw new Error('nobody expected a question');
      return next();
    },
    confirm: async (id) => (id === 'wrong' ? { refused: 'not ours' } : { result: `order ${id}` }),
  };
  return { asking, questions, state };
}

describe('a write is sent until its outcome is known', () => {
  const write = (outcomes: Outcome<string, Failure>[], next: 'again' | { readonly result: string }) => {
    const sent: boolean[] = [];
    const handle = async () => next as never;
    const facts = sendUntilResolved<string, Failure>({
      send: async (_, isFirst) => {
        sent.push(isFirst);
        return outcomes.shift() as Outcome<string, Failure>;
      },
      rejected: handle,
      forbidden: handle,
      uncertain: handle,
    });
    return facts.then((result) => ({ result, sent }));
  };
  const done = { is: 'done', result: 'order 7' } as const;

  it('by its response, which is sent for once', async () => {
    expect(await write([done], 'again')).toEqual({ result: 'order 7', sent: [true] });
  });

  it.each(['rejected', 'forbidden', 'uncertain'] as const)('by what follows from a %s one', async (is) => {
    const outcome = { is, failure: { reason: '' } };
    expect(await write([outcome, done], 'again')).toEqual({ result: 'order 7', sent: [true, false] });
    expect(await write([outcome], { result: 'order 8' })).toEqual({ result: 'order 8', sent: [true] });
    expect(await write([outcome], { result: '' })).toEqual({ result: '', sent: [true] });
  });
});

// Proves A5.
describe('an uncertain outcome is decided', () => {
  it('by evidence, and nobody is asked', async () => {
    const { asking, questions, state } = person([]);
    state.seen = { result: 'order 7' };
    expect([await resolveUncertainWrite(asking), questions]).toEqual([{ result: 'order 7' }, []]);
  });

  it('by evidence that appears while a person answers otherwise', async () => {
    const { asking, state } = person([
      () => {
        state.seen = { result: 'order 7' };
        return 'again';
      },
    ]);
    expect(await resolveUncertainWrite(asking)).toEqual({ result: 'order 7' });
  });

  it('by a person who confirms an id, and who is told why another one is refused', async () => {
    const { asking, questions } = person([() => ({ confirm: 'wrong' }), () => ({ confirm: '7' })]);
    expect(await resolveUncertainWrite(asking)).toEqual({ result: 'order 7', confirmedId: '7' });
    expect(questions).toEqual(['', 'not ours']);
  });

  it('by a person who says again, and by nothing else', async () => {
    const { asking, questions } = person([() => undefined, () => 'again']);
    expect(await resolveUncertainWrite(asking)).toBe('again');
    expect(questions).toEqual(['', '']);
  });

  it('later, when somebody needs the write', async () => {
    const { asking, questions, state } = person([() => 'again']);
    state.isSuperseded = true;
    expect(await resolveUncertainWrite(asking)).toBe('again');
    expect(questions).toEqual(['waits', '']);
  });

  it('by a person whose answer sends nothing while nobody needs the write', async () => {
    const { asking, questions, state } = person([
      () => {
        state.isSuperseded = true;
        return 'again';
      },
      () => ({ confirm: '7' }),
    ]);
    expect(await resolveUncertainWrite(asking)).toEqual({ result: 'order 7', confirmedId: '7' });
    expect(questions).toEqual(['', 'waits', '']);
  });
});
