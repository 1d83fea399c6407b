import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { newFolder } from '../../../rigs/folders.js';
import { merchant } from '../../../rigs/inputs.js';
import { run } from '../../../rigs/processes.js';

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
    const folder = await newFolder();
    const [small, large] = [join(folder, `small.${format}`), join(folder, `large.${format}`)];
    await Promise.all([write(small, format, 1), write(large, format, 10_000)]);
    expect((await stat(large)).size / 1024 / 1024).toBeGreaterThan(75);
    const [first, second] = [await peakMemory(small), await peakMemory(large)];
    expect(second - first).toBeLessThan(50);
  },
  300_000,
);

/** A file of rows of 8 KiB. */
async function write(path: string, format: string, rows: number): Promise<void> {
  const text = 'x'.repeat(8_192);
  const { merchant: of } = merchant();
  const row = (place: number) =>
    format === 'csv'
      ? `m-${place},Corner Bakery,Ada,Baker,No,None,${text}\n`
      : `${JSON.stringify({ externalId: `m-${place}`, merchant: of, application: { text } })}\n`;
  function* content() {
    if (format === 'csv')
      yield 'externalId,merchant.dba,merchant.firstName,merchant.lastName,merchant.cashDiscount,merchant.pos,application.text\n';
    for (let place = 0; place < rows; place += 1) yield row(place);
  }
  await pipeline(Readable.from(content()), createWriteStream(path));
}
