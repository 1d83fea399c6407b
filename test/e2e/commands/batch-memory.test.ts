import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { run } from '../../rigs/processes.js';

/** A heap in which no large file fits. In a larger one, V8 keeps garbage at times, and that counts as well. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=2'];

/** Peak memory of `gangway batch FILE --dry-run`, in MiB. */
async function peakMemory(file: string): Promise<number> {
  const hook = `process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)))`;
  const program = ['--import', `data:text/javascript,${hook}`, 'dist/starter.js'];
  const args = [...SMALL_HEAP, ...program, 'batch', file, '--dry-run'];
  const { code, stderr } = await run(process.execPath, args, {});
  expect(code).toBe(0);
  // The progress is above it.
  return Number(stderr.split('\n').at(-1)) / 1024;
}

it.each(['csv', 'ndjson'])(
  'does not hold a large %s file in memory',
  async (format) => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
    try {
      const [small, large] = [join(folder, `small.${format}`), join(folder, `large.${format}`)];
      await Promise.all([write(small, format, 1), write(large, format, 10_000)]);
      const size = (await stat(large)).size / 1024 / 1024;
      expect(size).toBeGreaterThan(75);
      const peaks = [await peakMemory(small), await peakMemory(large)] as const;
      expect(peaks[1] - peaks[0]).toBeLessThan(50);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  300_000,
);

/** A file of rows of 8 KiB. */
async function write(path: string, format: string, rows: number): Promise<void> {
  const text = 'x'.repeat(8_192);
  const merchant = {
    dba: 'Corner Bakery',
    firstName: 'Ada',
    lastName: 'Baker',
    cashDiscount: 'No',
    pos: 'None',
  };
  const row = (place: number) =>
    format === 'csv'
      ? `m-${place},Corner Bakery,Ada,Baker,No,None,${text}\n`
      : `${JSON.stringify({ externalId: `m-${place}`, merchant, application: { text } })}\n`;
  function* content() {
    if (format === 'csv')
      yield 'externalId,merchant.dba,merchant.firstName,merchant.lastName,merchant.cashDiscount,merchant.pos,application.text\n';
    for (let place = 0; place < rows; place += 1) yield row(place);
  }
  await pipeline(Readable.from(content()), createWriteStream(path));
}
