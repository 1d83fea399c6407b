import { merchant } from '../../test/rigs/inputs.js';
import type { Rig } from '../../test/rigs/rig.js';
import type { Bench } from '../bench.js';
import { rigOn } from '../gangway.js';
import { type Line, line } from '../line.js';
import { inTurns, median, perSecond } from '../timing.js';

const AT_ONCE = 40;

/** The same boardings with encrypted and with plain payloads. */
export async function* encryption(bench: Bench): AsyncGenerator<Line> {
  const clear = await rigOn(bench, { payloadKeys: '' });
  const encrypted = await rigOn(bench);
  const beside = 'not encrypted';
  yield line({
    ...{ what: 'history of a straight boarding, encrypted', figure: await bytesOf(encrypted), unit: 'bytes' },
    beside: { what: beside, figure: await bytesOf(clear) },
  });
  const rate = (rig: Rig) => () =>
    perSecond(bench.size(200, 5), AT_ONCE, async () => (await rig.board(merchant())).outcome());
  const rates = await inTurns(bench.size(5, 1), rate(encrypted), rate(clear));
  yield line({
    ...{ what: 'straight boardings, encrypted', figure: median(rates.ours), unit: 'a second' },
    beside: { what: beside, figure: median(rates.other) },
  });
}

async function bytesOf({ board }: Rig): Promise<number> {
  const boarding = await board(merchant());
  await boarding.outcome();
  return (await boarding.handle.describe()).historySize ?? 0;
}
