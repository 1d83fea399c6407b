import { expect, it } from 'vitest';
import { stoppedAt } from '../../../rigs/clock.js';
import { consoleOfCalls } from '../../../rigs/console/console-of-calls.js';
import { errorAt, typedAt, typedInto } from '../../../rigs/console/pages.js';
import { business, merchant } from '../../../rigs/inputs.js';
import { grpcError } from '../../../rigs/temporal/answering-service.js';

const NOON = Date.parse('2026-01-31T12:00:00Z');

it('a start gives Temporal ten seconds, and what was typed is still there when they have passed', async () => {
  stoppedAt(NOON);
  const onStart = () => {
    throw grpcError('DEADLINE_EXCEEDED');
  };
  const { open, asked: questions } = await consoleOfCalls({ onStart });
  const form = typedInto(business());
  const reply = await open({ role: 'admin' }, '/start/business', { form });
  const at = questions.findIndex(([what]) => what === 'start');
  expect(questions.slice(at - 1, at + 1)).toEqual([
    ['deadline', NOON + 10_000],
    ['start', 'businessOnboarding', `business-onboarding-${form['externalId']}`],
  ]);
  expect([reply.status, typedAt(reply, 'holder.givenName')]).toEqual([503, form['holder.givenName']]);
  expect(reply.text).toContain('The same external ID never starts a second one.');
});

it('fees are fields of their own, folded until one is filled in', async () => {
  const { open } = await consoleOfCalls();
  const input = merchant(undefined, { fees: { cashDiscountRate: 3.5 } });
  const form = { ...typedInto(input), 'fees.minimumDiscountAmount': '501' };
  const reply = await open({ role: 'admin' }, '/start/merchant', { form });
  expect([reply.status, typedAt(reply, 'fees.cashDiscountRate')]).toEqual([422, '3.5']);
  expect(errorAt(reply, 'fees.minimumDiscountAmount')).toBe('must be at most 500');
  expect(reply.text).toMatch(/<details class="group" open><summary>Fees</);
  expect((await open({ role: 'admin' }, '/start/merchant')).text).toMatch(
    /<details class="group"><summary>Fees</,
  );
});
