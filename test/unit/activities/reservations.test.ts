import { describe, expect, it } from 'vitest';
import { isClearlyBefore } from '../../../src/activities/partner-dates.js';
import { isRunning, reservationsAt } from '../../../src/activities/reservations.js';
import { PartnerError } from '../../../src/partners/partner-error.js';
import { environment } from '../../rigs/activities/environment.js';
import { grpcError } from '../../rigs/temporal/answering-service.js';

describe('a date of the partner', () => {
  it.each([
    ['2026-01-31T09:00:00Z', true],
    ['2026-01-31T10:55:00Z', false],
    ['2026-01-31T06:00:00-04:30', true],
    ['2026-01-31T07:00:00-04:30', false],
    // Without a zone it may be that of any place.
    ['2026-01-30T12:00:00', false],
    ['2026-01-30', false],
    ['2026-01-28', true],
    ['soon', false],
    // The first day of a calendar stands for no date.
    ['0001-01-01T00:00:00', false],
    ['1900-01-01T00:00:00Z', false],
    ['1970-01-01T00:00:00Z', false],
    [null, false],
  ])('%s is clearly before 2026-01-31T11:00:00Z: %s', (date, isBefore) => {
    expect(isClearlyBefore(date, '2026-01-31T11:00:00Z')).toBe(isBefore);
  });
});

it.each([
  ['2026-01-31T10:55:00Z', '2026-01-31T11:00:05Z', true],
  // It may be rounded down to the minute, and the response may come a minute late.
  ['2026-01-31T10:58:00Z', '2026-01-31T11:00:05Z', false],
  ['2026-01-31T10:57:00Z', '2026-01-31T11:00:05Z', true],
  // With seconds, it is not rounded. Catches a merchant of the minute before last that counts as new.
  ['2026-01-31T10:58:58Z', '2026-01-31T11:00:05Z', true],
  ['2026-01-31T10:59:01Z', '2026-01-31T11:00:05Z', false],
  ['2026-01-31T16:28:58.500+05:30', '2026-01-31T11:00:05Z', true],
  // The partner's clock is behind, so its dates are as well.
  ['2026-01-31T10:55:00Z', '2026-01-31T10:55:05Z', false],
  // Ours is behind.
  ['2026-01-31T10:59:59Z', '2026-01-31T11:07:00Z', false],
  ['2026-01-31T10:55:00', '2026-01-31T11:00:05Z', false],
])('%s is clearly before a create at 11:00 that the partner answered at %s: %s', (date, theirs, isBefore) => {
  expect(isClearlyBefore(date, '2026-01-31T11:00:00Z', theirs)).toBe(isBefore);
});

const info = { workflowExecution: { workflowId: 'own', runId: 'run' }, taskQueue: 'gangway-boarding' };
const withDeadline = (_: unknown, call: () => unknown) => call();

describe('a record that another onboarding has', () => {
  const owner = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"other"') };
  const there = { workflowExecutionInfo: { execution: { runId: 'r' }, memo: { fields: { owner } } } };

  it('is not claimed, and a person learns whose it is even if the partner does not show it', async () => {
    const client = { workflowService: { describeWorkflowExecution: async () => there }, withDeadline };
    const details = { system: 'boarding', operation: 'get-status', status: 403, fields: [] } as const;
    const forbidden = () =>
      Promise.reject(new PartnerError({ ...details, kind: 'Forbidden', reason: 'not permitted' }));
    const claim = () => reservationsAt('boarding', undefined).reserveNew(5001, forbidden);
    expect(await environment(info, { client }).run(claim)).toEqual(['other has it']);
  });

  it('is not claimed if it was reserved at the same moment', async () => {
    let reads = 0;
    const workflowService = {
      describeWorkflowExecution: async () => {
        reads += 1;
        if (reads < 2) throw grpcError('NOT_FOUND');
        return there;
      },
      startWorkflowExecution: () => Promise.reject(grpcError('ALREADY_EXISTS')),
    };
    const claim = () => reservationsAt('boarding', undefined).reserveNew(5001, async () => []);
    const client = { workflowService, withDeadline };
    expect(await environment(info, { client }).run(claim)).toEqual(['other has it']);
  });
});

describe('the onboarding that has a record', () => {
  it.each([
    ['RUNNING', true],
    ['PAUSED', true],
    ['COMPLETED', false],
    ['TERMINATED', false],
  ])('and that is %s keeps it: %s', async (name, keeps) => {
    const workflow = { getHandle: () => ({ describe: async () => ({ status: { name } }) }) };
    const client = { workflow, withDeadline };
    expect(await environment({}, { client }).run(() => isRunning({ owner: 'other' }))).toBe(keeps);
  });
});
