import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/logging.js';
import { temporalLogger } from '../../src/worker/temporal-logger.js';

/** What a log entry looks like on the wire. */
function logged(entry: object): string {
  const lines: string[] = [];
  createLogger('trace', { write: (line) => void lines.push(line) }).info(entry, 'something');
  return lines.join('');
}

describe('the log', () => {
  it.each([
    { ssn: '000-12-3456' },
    { request: { password: 'hunter2' } },
    { config: { payments: { apiKey: 'hunter2' } } },
    { call: { headers: { authorization: 'Basic aHVudGVyMg==' } } },
    { input: { application: { owner: { email: 'ada@example.com' } } } },
  ])('leaves out private members: %o', (entry) => {
    const line = logged(entry);
    expect(line).toContain('[Redacted]');
    for (const secret of ['000-12', 'hunter2', 'aHVudGVyMg', 'ada@']) expect(line).not.toContain(secret);
  });

  it.each([
    ['the SSN 000-12-3456 is taken', 'the SSN [Redacted] is taken'],
    ['EIN 12-3456789', 'EIN [Redacted]'],
    ['ada@example.com is taken', '[Redacted] is taken'],
    ['sent Bearer 0a1b2c3d-4e5f', 'sent [Redacted]'],
    ['merchant 518000001 at 2026-03-01T10:00:00Z', 'merchant 518000001 at 2026-03-01T10:00:00Z'],
  ])('leaves out what looks private in a text: %s', (text, shown) => {
    expect((JSON.parse(logged({ detail: text })) as { detail: string }).detail).toBe(shown);
  });

  it('tells the message of a failure, and not the details, which may quote an input', () => {
    const error = ApplicationFailure.nonRetryable('boarding create-merchant: Rejected', 'PartnerError', {
      fields: [{ field: 'email', message: 'ada@example.com is taken' }],
    });
    const { error: shown } = JSON.parse(logged({ error })) as { error: object };
    expect(shown).toEqual({ name: 'ApplicationFailure', message: error.message, stack: error.stack });
  });

  it('takes what the SDK says, level by level', () => {
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
