import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../../../../src/apps/command/cli/command-line.js';
import { type ShowOptions, show } from '../../../../src/apps/command/partner/call-run.js';

const RESPONSE = [{ id: 7, ssn: '123456789', email: 'ada@example.com' }];
const WARNING = 'unknown field of ada@example.com';

/** What `gangway call` prints of a response, on both streams. */
function shown(options: ShowOptions, response: unknown = RESPONSE, env: NodeJS.ProcessEnv = {}): string {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const cli = new CommandLine({ env, stdin: new PassThrough(), stdout, stderr, signal });
  show(cli, { response, warnings: [WARNING] }, options, 'call-1');
  return `${stdout.read()}${stderr.read()}`;
}

describe('the response of a call', () => {
  const FORMATS: readonly ShowOptions[] = [{}, { json: true }, { table: true }, { csv: true }];

  it.each(FORMATS)('is printed without private values, as %j', (format) => {
    const printed = shown(format);
    for (const secret of ['123456789', 'ada@example.com'])
      expect([secret, printed.includes(secret)]).toEqual([secret, false]);
    expect(printed).toContain('[Redacted]');
    expect(printed).toContain('private fields are redacted; "gangway call response call-1 --reveal" shows');
  });

  it.each(FORMATS)('is printed with private values for --reveal, as %j', (format) => {
    const printed = shown({ ...format, reveal: true });
    expect(printed.match(/ada@example\.com/g)).toHaveLength(2);
    expect(printed).not.toContain('[Redacted]');
  });

  it('has times in a table as the partner wrote them, whatever the zone of the machine', () => {
    const times = { opened: '1980-02-29T00:00:00Z', closed: '2026-03-01T09:30:00' };
    const [, row] = shown({ table: true }, [times], { TZ: 'America/New_York' }).split('\n');
    expect(row).toBe('1980-02-29T00:00:00Z  2026-03-01T09:30:00');
  });
});
