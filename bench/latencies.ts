import { type Line, line } from './line.js';
import { percentile } from './timing.js';

/** The median and the slowest of a hundred, beside the bare way. */
export async function* latencies(
  what: string,
  { ours, other }: { readonly ours: readonly number[]; readonly other: readonly number[] },
): AsyncGenerator<Line> {
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    yield line({
      what: `${what}, ${name} of ${ours.length}`,
      ...{ figure: percentile(ours, share), unit: 'ms' },
      beside: { what: 'signal to result, bare', figure: percentile(other, share) },
    });
  }
}
