import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { Fees } from '../../../../src/apps/console/pages/fees.js';
import { valueText } from '../../../../src/apps/console/pages/input-fields.js';
import { otherReferences } from '../../../../src/apps/console/pages/start-choices.js';
import { proposedId } from '../../../../src/services/forms/proposed-id.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { consoleOfCalls, PROVIDER } from '../../../rigs/console/console-of-calls.js';
import { errorAt, typedAt, typedInto } from '../../../rigs/console/pages.js';
import { fileWith } from '../../../rigs/folders.js';
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
  expect(reply.text).toMatch(
    /<details class="group" open><summary>Advanced<.*<details class="group" open><summary>Fees</s,
  );
  expect((await open({ role: 'admin' }, '/start/merchant')).text).toMatch(
    /<details class="group"><summary>Fees</,
  );
});

const ADMIN = { role: 'admin' } as const;

describe('the start form', () => {
  it('asks about the business, its owner and the pricing, and leaves the rest closed', async () => {
    const { open } = await consoleOfCalls();
    for (const kind of ['merchant', 'business', 'customer']) {
      const { text } = await open(ADMIN, `/start/${kind}`);
      const at = ['<legend>Business<', '<legend>Owner<', '<summary>Advanced<'].map((each) =>
        text.indexOf(each),
      );
      expect([kind, at.toSorted((one, other) => one - other), at.includes(-1)]).toEqual([kind, at, false]);
      expect(text).toMatch(/<details class="group"><summary>Advanced</);
      expect(text.match(/at least (0|1)\b|0\.00001/)).toBeNull();
      expect(text.indexOf('dueInHours')).toBeGreaterThan(text.indexOf('<summary>Advanced<'));
      expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    }
    const { text } = await open(ADMIN, '/start/merchant');
    for (const label of ['Doing business as', 'Point of sale', 'Sales agent', 'Program'])
      expect(text).toContain(`>${label}<`);
    expect(text).not.toMatch(/name="(agentProfileId|boardingSettingsId|feePlan)"/);
  });

  it('takes a sales agent and a program by number or by name, in one field', async () => {
    const { open, asked: calls } = await consoleOfCalls();
    const form = typedInto(merchant());
    const started = async (more: object) => {
      const id = `m-${calls.length}`;
      const reply = await open(ADMIN, '/start/merchant', { form: { ...form, ...more, externalId: id } });
      return [reply.status, calls.some((each) => each.includes(`merchant-boarding-${id}`))];
    };
    expect(await started({ agent: '101', boardingSettings: '11' })).toEqual([303, true]);
    expect(await started({ agent: 'Harbor Agents (101)' })).toEqual([303, true]);
    expect(await started({ agent: 'Harbor Agents', boardingSettings: 'false' })).toEqual([303, true]);
    const reply = await open(ADMIN, '/start/merchant', { form: { ...form, agent: '0' } });
    expect(errorAt(reply, 'agent')).toBe('must be an id at the partner, from 1 on');
  });

  it('proposes an external ID from the name, which a person sees before it is used', async () => {
    const { open, asked: calls } = await consoleOfCalls();
    const { externalId: _, ...form } = typedInto(merchant());
    const reply = await open(ADMIN, '/start/merchant', { form });
    expect([reply.status, typedAt(reply, 'externalId')]).toEqual([422, 'corner-bakery']);
    expect(calls.some(([what]) => what === 'start')).toBe(false);
    expect((await open(ADMIN, '/start/merchant', { form: { ...form, externalId: 'mine' } })).status).toBe(
      303,
    );
    const unnamed = await open(ADMIN, '/start/merchant', { form: { ...form, 'merchant.dba': '' } });
    expect(errorAt(unnamed, 'externalId')).toBe('is required');
  });

  // Alone catches errors in the order of a schema, and the words of a program for an empty choice.
  it('lists what is wrong in its own order, in its own words', async () => {
    const { open } = await consoleOfCalls();
    const { text } = await open(ADMIN, '/start/customer', { form: {} });
    const linked = [...text.matchAll(/<li><a href="#(field-[^"]+)"/g)].map(([, id]) =>
      text.indexOf(`id="${id}"`),
    );
    expect(linked.length).toBeGreaterThan(10);
    expect(linked).toEqual(linked.toSorted((one, other) => one - other));
    expect(text).toContain('>Point of sale</a>: choose one<');
  });

  // Alone catches an agent that counts as another one because the form has its number and the file had its name.
  it('knows an agent and a program by number and by name', () => {
    const lists = {
      agentProfileId: [{ id: 101, name: 'Harbor' }],
      boardingSettingsId: [{ id: 11, name: 'Standard' }],
    };
    const input = { boarding: { agentProfileId: 101, boardingSettings: 'Standard' } };
    const both = ['agentProfileId', 'agent', 'boardingSettingsId', 'boardingSettings'];
    const other = { boarding: { agent: 'Harbor', boardingSettingsId: 11 } };
    expect(otherReferences(input, lists, both)).toEqual(other);
    expect(otherReferences(input, lists, [])).toEqual(input);
  });

  it.each([
    ['Corner Bakery', 'corner-bakery'],
    ['  Ada’s Café & Söhne №5 ', 'ada-s-cafe-sohne-no5'],
    ['株式会社', ''],
    ['x'.repeat(100_000), 'x'.repeat(60)],
  ])('proposes for the name %j', (name, id) => {
    expect(proposedId(name)).toBe(id);
  });
});

// Alone catches an amount without separators, a fee without its unit, and digits of an ID that are grouped.
it.each([
  ['application.annualVolume', 120_000, '120,000'],
  ['holder.annualBusinessRevenue', 250_000, '$250,000'],
  ['fees.amex.qualified.percent', 0.25, '0.25%'],
  ['agentProfileId', 120_000, '120000'],
])('%s of %d reads %s', (field, value, text) => {
  expect(valueText(field, value)).toBe(text);
});

// Alone catches a changed fee that looks like the plan's own.
it('a fee that differs from its plan is marked with the fee of the plan', () => {
  const fees = { minimumDiscountAmount: 9, cashDiscountRate: 3.5 };
  const planned = { minimumDiscountAmount: 7.5, cashDiscountRate: 3.5 };
  const html = renderToString(
    Fees({ workflowId: 'merchant-boarding-m-1', fees, plan: 'retail', planned, atPartner: false }),
  );
  expect(html.match(/<strong>.*?<\/strong>/g)).toEqual(['<strong>$9.00 (plan: $7.50)</strong>']);
});

describe('a fee plan in the start form', () => {
  const env = { ...PROVIDER, GANGWAY_FEE_PLANS: 'examples/fee-plans.json' };
  const form = { ...typedInto(merchant()), feePlan: 'retail-2026' };
  // A browser sends empty fields, too.
  const ADVANCED = { 'fees.cashDiscountRate': '', 'fees.minimumDiscountAmount': '', 'fees.amex': '' };
  const percent = 'fees.visaMasterCardDiscover.interchangePlus.qualified.percent';

  it('is a choice, and a button shows its lines with the numbers that may change as fields', async () => {
    const { open, asked: calls } = await consoleOfCalls({ env });
    const first = await open(ADMIN, '/start/merchant');
    expect(first.text).toContain('<option value="retail-2026">retail-2026: Shops with a counter');
    expect(first.text).not.toContain('<table');
    const reply = await open(ADMIN, '/start/merchant', { form: { ...form, show: 'fees' } });
    expect([reply.status, typedAt(reply, percent)]).toEqual([200, '0.25%']);
    expect(reply.text).toMatch(/Authorization monthly and special program, chargeback.*?\$20\.00.*?0%/s);
    expect(typedAt(reply, 'fees.authorizationMonthlyAndSpecialProgram.chargeback.perItem')).toBeUndefined();
    expect(typedAt(reply, 'merchant.firstName')).toBe('Ada');
    expect(calls.some(([what]) => what === 'start')).toBe(false);
  });

  it('takes a changed number in its unit, and shows a wrong one with its rule', async () => {
    const { open } = await consoleOfCalls({ env });
    const send = (text: string) =>
      open(ADMIN, '/start/merchant', {
        form: { ...form, ...ADVANCED, shown: 'retail-2026', [percent]: text },
      });
    expect((await send('0.3%')).status).toBe(303);
    expect(errorAt(await send(''), percent)).toMatch(/^must be a percentage/);
    const wrong = await send('0,3%');
    expect([wrong.status, typedAt(wrong, percent)]).toEqual([422, '0,3%']);
    expect(errorAt(wrong, percent)).toMatch(/^must be a percentage/);
    expect(wrong.text).toContain(`href="#field-${percent}"`);
  });

  it('shows its own lines before it starts, if those of another plan were changed', async () => {
    const { open, asked: calls } = await consoleOfCalls({ env });
    const other = { ...form, shown: 'online-2026', [percent]: '9%' };
    const reply = await open(ADMIN, '/start/merchant', { form: other });
    expect([reply.status, typedAt(reply, percent)]).toEqual([422, '0.25%']);
    expect(reply.text).toContain('you chose another fee plan than the one you saw');
    expect(calls.some(([what]) => what === 'start')).toBe(false);
  });

  // Alone catches a number that is typed into one of two fields of a name, and a label that leads to the other one.
  it('has a number that may change once on its page, which stays below 60 kB', async () => {
    const fees = { cashDiscountRate: 3.5, minimumDiscountAmount: 20 };
    const plan = { name: 'retail-2026', fees, mayChange: ['minimumDiscountAmount'] };
    const file = await fileWith(JSON.stringify([plan]));
    const { open } = await consoleOfCalls({ env: { ...env, GANGWAY_FEE_PLANS: file } });
    for (const [kind, prefix] of [
      ['merchant', ''],
      ['customer', 'boarding.'],
    ] as const) {
      const filled = { [`${prefix}feePlan`]: plan.name, show: 'fees' };
      const { text } = await open(ADMIN, `/start/${kind}`, { form: filled });
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect([kind, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([kind, []]);
      expect(typedAt({ text }, `${prefix}fees.minimumDiscountAmount`)).toBe('$20.00');
      expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    }
  });

  it('that the file cannot give now is no choice, and the page says why', async () => {
    const { open } = await consoleOfCalls({ env: { ...env, GANGWAY_FEE_PLANS: '/dev/null/plans.json' } });
    const { text } = await open(ADMIN, '/start/merchant');
    expect(text).toContain('No fee plan can be used now: GANGWAY_FEE_PLANS: cannot be read (ENOTDIR)');
    expect((await open(ADMIN, '/start/business')).text).not.toContain('fee plan');
  });
});
