import { describe, expect, it } from 'vitest';
import {
  type Asking,
  type Found,
  type Outcome,
  untilDecided,
  untilKnown,
} from '../../../src/at-most-once/workflow.js';

type Failure = { readonly reason: string };

/** A person who is asked, and what becomes of a write meanwhile. */
function person(says: (() => Awaited<ReturnType<Asking<string>['ask']>>)[]) {
  const asked: string[] = [];
  const state = { seen: undefined as Found<string>, isMoot: false };
  const asking: Asking<string> = {
    evidence: () => state.seen,
    isMoot: () => state.isMoot,
    untilNeeded: async () => {
      asked.push('waits');
      state.isMoot = false;
    },
    ask: async (refused) => {
      asked.push(refused);
      const next = says.shift();
      if (!next) throw new Error('nobody expected a question');
      return next();
    },
    adopt: async (id) => (id === 'wrong' ? { refused: 'not ours' } : { found: `order ${id}` }),
  };
  return { asking, asked, state };
}

describe('a write is sent until its outcome is known', () => {
  const write = (outcomes: Outcome<string, Failure>[], next: 'again' | { readonly found: string }) => {
    const sent: boolean[] = [];
    const handle = async () => next as never;
    const known = untilKnown<string, Failure>({
      send: async (_, isFirst) => {
        sent.push(isFirst);
        return outcomes.shift() as Outcome<string, Failure>;
      },
      ...{ rejected: handle, forbidden: handle, uncertain: handle },
    });
    return known.then((result) => ({ result, sent }));
  };
  const done = { is: 'done', result: 'order 7' } as const;

  it('by its response, which is sent for once', async () => {
    expect(await write([done], 'again')).toEqual({ result: 'order 7', sent: [true] });
  });

  it.each(['rejected', 'forbidden', 'uncertain'] as const)('by what follows from a %s one', async (is) => {
    const outcome = { is, failure: { reason: '' } };
    expect(await write([outcome, done], 'again')).toEqual({ result: 'order 7', sent: [true, false] });
    expect(await write([outcome], { found: 'order 8' })).toEqual({ result: 'order 8', sent: [true] });
    expect(await write([outcome], { found: '' })).toEqual({ result: '', sent: [true] });
  });
});

// Proves A5.
describe('an uncertain outcome is decided', () => {
  it('by evidence, and nobody is asked', async () => {
    const { asking, asked, state } = person([]);
    state.seen = { found: 'order 7' };
    expect([await untilDecided(asking), asked]).toEqual([{ found: 'order 7' }, []]);
  });

  it('by evidence that appears while a person answers otherwise', async () => {
    const { asking, state } = person([
      () => {
        state.seen = { found: 'order 7' };
        return 'again';
      },
    ]);
    expect(await untilDecided(asking)).toEqual({ found: 'order 7' });
  });

  it('by a person who adopts an id, and who is told why another one is refused', async () => {
    const { asking, asked } = person([() => ({ adopt: 'wrong' }), () => ({ adopt: '7' })]);
    expect(await untilDecided(asking)).toEqual({ found: 'order 7', adopted: '7' });
    expect(asked).toEqual(['', 'not ours']);
  });

  it('by a person who says again, and by nothing else', async () => {
    const { asking, asked } = person([() => undefined, () => 'again']);
    expect(await untilDecided(asking)).toBe('again');
    expect(asked).toEqual(['', '']);
  });

  it('later, when somebody needs the write', async () => {
    const { asking, asked, state } = person([() => 'again']);
    state.isMoot = true;
    expect(await untilDecided(asking)).toBe('again');
    expect(asked).toEqual(['waits', '']);
  });

  it('by a person whose answer sends nothing while nobody needs the write', async () => {
    const { asking, asked, state } = person([
      () => {
        state.isMoot = true;
        return 'again';
      },
      () => ({ adopt: '7' }),
    ]);
    expect(await untilDecided(asking)).toEqual({ found: 'order 7', adopted: '7' });
    expect(asked).toEqual(['', 'waits', '']);
  });
});
