import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { maskInputs } from '../../../src/activities/interceptors.js';
import { createLogger, holdPrivate, temporalLogger } from '../../../src/platform/process/logging.js';

/** A log entry as it is written. */
function logged(entry: object): string {
  const lines: string[] = [];
  createLogger('trace', { write: (line) => void lines.push(line) }).info(entry, 'something');
  return lines.join('');
}

// Proves B2.
describe('the log', () => {
  it.each([
    { ssn: '000-12-3456' },
    { request: { password: 'hunter2' } },
    { config: { payments: { apiKey: 'hunter2' } } },
    { call: { headers: { authorization: 'Basic aHVudGVyMg==' } } },
    { input: { application: { owner: { email: 'ada@example.com' } } } },
    { a: [{ b: { c: { d: { e: { Tax_Id: 'hunter2' } } } } }] },
  ])('leaves out private fields: %o', (entry) => {
    const line = logged(entry);
    expect(line).toContain('[Redacted]');
    for (const secret of ['000-12', 'hunter2', 'aHVudGVyMg', 'ada@']) expect(line).not.toContain(secret);
  });

  it.each([
    ['the SSN 000-12-3456 is taken', 'the SSN [Redacted] is taken'],
    ['ada@example.com, (518) 555-0100', '[Redacted], [Redacted]'],
    ['run 01a1fd30-abdc-7c0d-a012-1234567abcde', 'run 01a1fd30-abdc-7c0d-a012-1234567abcde'],
    ['merchant 518000001 at 2026-03-01T10:00:00Z', 'merchant 518000001 at 2026-03-01T10:00:00Z'],
  ])('redacts what looks private in a text: %s', (text, output) => {
    expect((JSON.parse(logged({ detail: text })) as { detail: string }).detail).toBe(output);
  });

  it('leaves out nine bare digits of a failure, which may quote a partner', () => {
    const { error } = JSON.parse(logged({ error: new Error('profile of 900123456 exists') }));
    expect(error.message).toBe('profile of [Redacted] exists');
    expect(error.stack).not.toContain('900123456');
  });

  it.each<[string, string]>([
    ['as it is', 'input 900123456 is wrong'],
    ['as a whole number in JSON', '{"a":900123456}'],
    ['escaped in JSON', 'a street: 12 \\"Old\\" Mill\\nRoad'],
    ['in a URL', '/find?name=12%20%22Old%22%20Mill%0ARoad'],
    ['short, as a word of its own', 'asked Ada for it'],
  ])('redacts the private values of an input while an activity works on it: %s', (_, text) => {
    const input = { owners: [{ ssn: 900123456, firstName: 'Ada', homeAddress: '12 "Old" Mill\nRoad' }] };
    const [first, second] = [holdPrivate(input), holdPrivate({ again: input })];
    first();
    first();
    const held = logged({ detail: text });
    expect(held).toContain('[Redacted]');
    for (const secret of ['900123456', 'Mill', ' Ada ']) expect(held).not.toContain(secret);
    second();
    expect((JSON.parse(logged({ detail: text })) as { detail: string }).detail).toBe(text);
  });

  it('redacts the private values of an activity until the SDK has logged its end', async () => {
    const text = 'profile of 900123456 exists';
    const { execute } = maskInputs().inbound ?? {};
    const attempt = execute?.({ args: [{ holder: { ssn: '900123456' } }], headers: {} }, async () => {
      expect(logged({ detail: text })).not.toContain('900123456');
      throw new Error(text);
    });
    await expect(attempt).rejects.toThrow(text);
    expect(logged({ detail: text })).not.toContain('900123456');
    await new Promise((resolve) => setImmediate(resolve));
    expect(logged({ detail: text })).toContain('900123456');
  });

  it('keeps words that begin with a short name', () => {
    const release = holdPrivate({ firstName: 'Ada', lastName: 'B' });
    expect(logged({ detail: 'Adaptive Board' })).toContain('Adaptive Board');
    release();
  });

  it('takes linear time for a long text', () => {
    const start = performance.now();
    for (const sign of ['a', '1', '-', '.', '(', '+', 'eyJ.', '1-', '(555) ']) {
      logged({ detail: sign.repeat(1_000_000 / sign.length) });
    }
    expect(performance.now() - start).toBeLessThan(50_000);
  });

  it('has the message of a failure, and not its details, which may quote an input', () => {
    const error = ApplicationFailure.nonRetryable('boarding create-merchant: Rejected', 'PartnerError', {
      fields: [{ field: 'email', message: 'ada@example.com is taken' }],
    });
    const { error: output } = JSON.parse(logged({ error })) as { error: object };
    expect(output).toEqual({ name: 'ApplicationFailure', message: error.message, stack: error.stack });
  });

  it('has the log of the SDK, level by level', () => {
    const lines: string[] = [];
    const logger = temporalLogger(createLogger('warn', { write: (line) => void lines.push(line) }));
    logger.debug('quiet');
    logger.info('quiet');
    logger.warn('loud', { taskQueue: 'gangway', jobs: [{ input: 'of a workflow, decrypted' }] });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 40, time: expect.any(String), taskQueue: 'gangway', msg: 'loud' },
    ]);
  });
});
