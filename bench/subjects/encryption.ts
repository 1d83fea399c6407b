import { merchant } from '../../test/rigs/inputs.js';
import type { Rig } from '../../test/rigs/rig.js';
import type { Bench } from '../bench.js';
import { gangway } from '../gangway.js';
import { type Line, line } from '../line.js';
import { inTurns, median, perSecond } from '../timing.js';

const AT_ONCE = 64;

/** The same boardings with and without `PAYLOAD_KEYS`. */
export async function* encryption(bench: Bench): AsyncGenerator<Line> {
  const clear = await gangway(bench, { PAYLOAD_KEYS: '' });
  const encrypted = await gangway(bench);
  const beside = 'not encrypted';
  yield line({
    ...{ what: 'history of a straight boarding, encrypted', figure: await bytesOf(encrypted), unit: 'bytes' },
    beside: { what: beside, figure: await bytesOf(clear) },
  });
  const rate = (rig: Rig) => () =>
    perSecond(bench.size(100, 5), AT_ONCE, async () => (await rig.board(merchant())).outcome());
  // The first turn, which warms both up, is not measured.
  await inTurns(1, rate(encrypted), rate(clear));
  const rates = await inTurns(bench.size(9, 1), rate(encrypted), rate(clear));
  yield line({
    ...{ what: 'straight boardings, encrypted', figure: median(rates.ours), unit: 'a second' },
    ...{ beside: { what: beside, figure: median(rates.other) }, goal: { atLeast: 0.97 } },
  });
}

async function bytesOf({ board }: Rig): Promise<number> {
  const boarding = await board(merchant());
  await boarding.outcome();
  return (await boarding.handle.describe()).historySize ?? 0;
}
