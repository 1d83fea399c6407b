import { readFileSync } from 'node:fs';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { CommandFailed, EXIT_CODES, Interrupted, TimedOut } from '../../../../src/apps/command/cli/errors.js';
import { exitCodeOf, explainActivity, partnerCallFailed } from '../../../../src/apps/command/cli/failures.js';
import type { PartnerErrorDetails } from '../../../../src/partners/partner-error.js';
import { PAYMENT_OPERATIONS, PAYMENTS_OPERATIONS } from '../../../../src/partners/payments/operations.js';
import { BadSetting } from '../../../../src/platform/settings/settings.js';
import { InvalidInput } from '../../../../src/services/texts/invalid-input.js';
import { TemporalUnavailable } from '../../../../src/temporal/connection.js';
import { type Obstacle, UnreadableOnboarding } from '../../../../src/temporal/unreadable.js';

const unreadable = (obstacle: Obstacle) => new UnreadableOnboarding('m-1', obstacle, obstacle);
const failure = (kind: PartnerErrorDetails['kind'], more: Partial<PartnerErrorDetails> = {}) => ({
  system: 'banking',
  operation: 'create-card',
  kind,
  reason: 'r',
  fields: [],
  ...more,
});

describe('the exit code', () => {
  it('is explained in docs/commands.md, each one', () => {
    const page = readFileSync('docs/commands.md', 'utf8');
    for (const [code, , meaning] of EXIT_CODES) expect(page).toContain(`| ${code} | ${meaning} |\n`);
  });

  it.each<[code: number, Error]>([
    [1, new CommandFailed('x')],
    [1, new Error('a bug')],
    [2, new InvalidInput('x')],
    [2, new BadSetting('X', 'is wrong')],
    [4, new TemporalUnavailable('127.0.0.1:9', undefined)],
    [1, new TemporalUnavailable('127.0.0.1:9', 'it does not accept TEMPORAL_API_KEY')],
    [130, Interrupted.by('SIGINT')],
    [143, Interrupted.by('SIGTERM')],
    [1, new TimedOut()],
    [3, new TimedOut(3)],
    [4, unreadable('no-worker')],
    [4, unreadable('no-response')],
    [4, unreadable('build-gone')],
    [1, unreadable('task-fails')],
    [1, unreadable('no-key')],
    [1, unreadable('never-ran')],
  ])('is %i for %s', (code, error) => {
    expect(exitCodeOf(error)).toBe(code);
  });

  it.each<[PartnerErrorDetails['kind'], boolean, code: number, needs?: 'one-time-code']>([
    ['NotSent', false, 4],
    ['RateLimited', false, 4],
    ['Uncertain', true, 4],
    ['Uncertain', false, 1],
    ['Rejected', true, 1],
    ['Unauthorized', true, 1],
    ['Forbidden', true, 1],
    ['Forbidden', true, 3, 'one-time-code'],
    ['RateLimited', true, 3, 'one-time-code'],
    ['NotSent', true, 3, 'one-time-code'],
  ])('of a call that ends with %s, repeatable: %s, is %i (needs %s)', (kind, isRepeatable, code, needs) => {
    const details = failure(kind, { ...(needs && { needs }) });
    expect(partnerCallFailed(details, isRepeatable).exitCode).toBe(code);
    const reported = ApplicationFailure.create({ type: 'PartnerError', details: [details] });
    expect(exitCodeOf(explainActivity(reported, 'queue', isRepeatable))).toBe(code);
  });

  it.each([
    ['SCHEDULE_TO_START', undefined, false, 4],
    ['START_TO_CLOSE', { sending: true }, false, 1],
    ['START_TO_CLOSE', { sending: false }, false, 4],
    ['START_TO_CLOSE', undefined, false, 4],
    ['START_TO_CLOSE', undefined, undefined, 1],
    ['START_TO_CLOSE', undefined, true, 4],
  ] as const)(
    'of a call that ends with the timeout %s, mark: %o, repeatable: %s, is %i',
    (type, mark, isRepeatable, code) => {
      const late = new TimeoutFailure('late', mark, type);
      expect(exitCodeOf(explainActivity(late, 'queue', isRepeatable))).toBe(code);
    },
  );
});

it('every operation that moves money is irreversible, and is confirmed', () => {
  const { closeBatch, updateTransaction } = PAYMENTS_OPERATIONS;
  for (const operation of [...Object.values(PAYMENT_OPERATIONS), closeBatch, updateTransaction])
    expect([operation.summary, operation.irreversible]).toEqual([operation.summary, true]);
});
