import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FormKind, isPreviewed, readAnswerForm, roleFor } from '../../../../src/apps/console/answer.js';
import { Fields } from '../../../../src/apps/console/query.js';
import type { Role } from '../../../../src/apps/console/route.js';
import { businessOnboardingInput, merchantBoardingInput } from '../../../../src/messages/inputs.js';
import type { AnswerKind, Requirement, RequirementKind } from '../../../../src/messages/requirements.js';
import { mayMoveMoney } from '../../../../src/services/forms/corrections.js';
import { InvalidInput } from '../../../../src/services/texts/invalid-input.js';
import { stoppedAt } from '../../../rigs/clock.js';
import {
  type CallOptions,
  consoleOfCalls,
  PROVIDER,
  rejected,
} from '../../../rigs/console/console-of-calls.js';
import { multipart } from '../../../rigs/console/multipart.js';
import { newFolder } from '../../../rigs/folders.js';
import { business, holder, merchant } from '../../../rigs/inputs.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

const KINDS: readonly AnswerKind[] = [
  'text',
  'documents',
  'correction',
  'confirm',
  'retry',
  'code',
  'choice',
  'take-back',
  'abandon',
];

describe('of the answers to a requirement', () => {
  it.each<[RequirementKind, approvers: string, previewed: string]>([
    ['underwriting-note', 'choice abandon', 'correction confirm choice abandon'],
    ['new-status', 'choice abandon', 'correction confirm choice abandon'],
    ['uncertain-write', KINDS.join(' '), 'correction confirm retry choice abandon'],
  ])('%s, approvers decide %s, and %s are shown first', (kind, approvers, previewed) => {
    const roles = KINDS.map((answer) => roleFor({ kind }, answer));
    expect(KINDS.filter((_, index) => roles[index] === 'approver').join(' ')).toBe(approvers);
    expect(roles.every((role) => role === 'approver' || role === 'operator')).toBe(true);
    expect(KINDS.filter((answer) => isPreviewed({ kind }, answer)).join(' ')).toBe(previewed);
  });

  const SCHEMAS = {
    boarding: merchantBoardingInput({ posNames: [], accounts: {} } as never),
    business: businessOnboardingInput({ posNames: [], accounts: {} } as never),
  };
  type Named = [input: keyof typeof SCHEMAS, known: string, fields: string, may: boolean];

  it.each<Named>([
    ['boarding', 'merchant.dba', 'fees fees.cashDiscountRate fees.standard.rate application.fees.rate', true],
    // No schema describes these, whatever their names are.
    ['boarding', 'merchant.dba', 'application application.volume application.merchantProfile.volume', true],
    ['boarding', 'merchant.dba', 'application.payout application.payout.0.iban application.payout.dda', true],
    ['boarding', 'merchant.dba', 'application.payout.aba application.payout.acct', true],
    ['boarding', 'merchant.dba', 'application.payout.rate', true],
    ['boarding', 'merchant.dba', 'merchant.toString merchant.dba.0 application.equipment', true],
    ['business', 'holder.city', 'holder.iban beneficialOwners.0.account beneficialOwners.N.city', true],
    // None has such a field, and the next one that gets it may.
    ['business', 'holder.city', 'bankAccount routingNumber accountNumber', true],
    ['business', 'holder.city', 'depositAccount settlement.delay', true],
    // They decide commission and pricing.
    ['boarding', 'merchant', 'agentProfileId agent boardingSettingsId boardingSettings', true],
    ['boarding', 'merchant', 'merchant.dba merchant.email', false],
    ['business', 'holder', 'holder.website holder.annualBusinessRevenue holder.state', false],
    ['business', 'beneficialOwners', 'beneficialOwners.3 beneficialOwners.0.city', false],
  ])('a correction of %s.%s, and of %s, may move money: %s', (input, value, fields, may) => {
    expect(mayMoveMoney([{ field: value }], SCHEMAS[input])).toBe(false);
    for (const field of fields.split(' '))
      expect([field, mayMoveMoney([{ field: value }, { field }], SCHEMAS[input])]).toEqual([field, may]);
  });
});

describe('the form of an answer', () => {
  const read = (kind: FormKind, input: object, of: Partial<Requirement> = {}) =>
    readAnswerForm(new Fields(input), kind, of, async () => ({ correctable: CORRECTABLE, accounts: KNOWN }));
  const CORRECTABLE = { input: { fees: { rate: 2 } } } as never;
  const KNOWN = { posNames: [], accounts: {} } as never;
  const why = { reason: ' because ' };
  const long = (length: number) => 'a'.repeat(length);

  it.each<[FormKind, object, answer: object, Partial<Requirement>?]>([
    ['text', { text: ' one\r\ntwo\rthree ' }, { text: 'one\ntwo\nthree' }],
    ['text', { text: long(4_000) }, { text: long(4_000) }],
    ['code', { code: ' 123 456 ' }, { code: '123456' }],
    ['confirm', { ...why, id: ' 1234567890 ' }, { id: '1234567890' }],
    ['confirm', { ...why, id: long(64) }, { id: long(64) }, { idFormat: 'text' }],
    ['choice', { ...why, choice: 'declined' }, { choice: 'declined' }, { choices: ['approved', 'declined'] }],
    ['retry', why, {}],
    ['take-back', why, {}],
    ['abandon', { reason: long(500) }, {}],
  ])('%s takes %j', async (kind, input, answer, of) => {
    expect((await read(kind, input, of)).answer).toEqual({ kind, ...answer });
  });

  it.each<[FormKind, object, field: string, message: string, Partial<Requirement>?]>([
    ['text', { text: ' \r\n ' }, 'text', 'must not be empty'],
    ['text', { text: long(4_001) }, 'text', 'must be at most 4000 characters'],
    ['code', { code: '12345' }, 'code', 'must be 6 digits'],
    ['confirm', { ...why, id: '0123' }, 'id', 'must be the ID at the partner, in digits'],
    ['confirm', { ...why, id: '12345678901' }, 'id', 'must be the ID at the partner, in digits'],
    ['confirm', { ...why, id: 'x1' }, 'id', 'must be the ID at the partner, in digits'],
    [
      'confirm',
      { ...why, id: long(65) },
      'id',
      'must be 1 to 64 letters, digits or symbols, without spaces',
      { idFormat: 'text' },
    ],
    ['choice', { ...why, choice: 'x' }, 'choice', 'must be one of a, b', { choices: ['a', 'b'] }],
    ['abandon', { reason: long(501) }, 'reason', 'must be at most 500 characters'],
    ...(['confirm', 'retry', 'choice', 'take-back', 'abandon'] as const).map(
      (kind): [FormKind, object, string, string, Partial<Requirement>] => [
        kind,
        { id: '1', choice: 'a', reason: ' ' },
        'reason',
        'is required: the timeline shows why you decided this',
        { choices: ['a'] },
      ],
    ),
  ])('%s does not take %j', async (kind, input, field, message, of) => {
    const error = await read(kind, input, of).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInput);
    expect((error as InvalidInput).problems).toEqual([{ field, message }]);
  });

  it('needs no reason for an answer to the partner', async () => {
    for (const [kind, input] of [
      ['text', { text: 'a' }],
      ['code', { code: '123456' }],
    ] as const)
      expect(await read(kind, input)).toMatchObject({ reason: 'no reason given' });
    expect(await read('text', { text: 'a', ...why })).toMatchObject({ reason: 'because' });
  });
});

const ID = 'merchant-boarding-m-1';
const PAGE = `/onboardings/${ID}/requirements/note-1`;
const NOTE: Requirement = {
  id: 'note-1',
  kind: 'underwriting-note',
  title: 'A note',
  detail: 'Send a check.',
  raisedAt: NOON,
  dueAt: NOON,
  answers: ['text', 'confirm', 'abandon', 'retry', 'correction'],
};

/** A console with one onboarding, of which an answer may correct these fields of this input. */
const correcting = (fields: string[], input: object, options: CallOptions = {}, state: object = {}) => {
  const queries = { input: { type: 'merchantBoarding', fields, input } };
  return consoleOfCalls({
    workflows: { [ID]: { state: { requirements: [NOTE], ...state }, queries } },
    ...options,
  });
};

const asking = (more: Partial<Requirement> = {}, options: CallOptions = {}, unsent: string[] = []) => {
  const requirements = unsent.length > 0 ? [] : [{ ...NOTE, ...more }];
  return correcting(['fees'], { fees: { rate: 2 } }, options, { requirements, unsent });
};

type Form = Readonly<Record<string, string>>;
const TEXT: Form = { kind: 'text', text: 'Here.', reason: 'called' };
const ABANDON: Form = { kind: 'abandon', reason: 'fraud' };
const BACK: Form = { kind: 'take-back', reason: 'a mistake' };
describe('an answer', () => {
  it.each<[Role, Form, answer: object, reason: string]>([
    ['operator', TEXT, { kind: 'text', text: 'Here.' }, 'called'],
    ['approver', { ...ABANDON, step: 'send' }, { kind: 'abandon' }, 'fraud'],
  ])('of %s is sent: %j', async (role, form, answer, reason) => {
    const { open, updates, audited } = await asking({}, { onUpdate: () => ({ open: 2 }) });
    const reply = await open({ role }, PAGE, { form });
    const message = { text: 'Your answer is accepted. 2 still open.' };
    expect([reply.status, reply.to, reply.message]).toEqual([303, `/onboardings/${ID}`, message]);
    const request = { requirementId: 'note-1', answer, actor: 'olga', reason };
    expect(updates()).toEqual([['resolveRequirement', ID, request]]);
    const about = { workflowId: ID, requirementId: 'note-1', detail: form['kind'] };
    expect(audited()).toEqual([{ actor: 'olga', ...about, what: 'answer', result: 'accepted' }]);
  });

  // Alone catches a message that says a note is sent, while the partner gets it only with the others.
  it('to a note, with another one open, says that both are sent together', async () => {
    const requirements = [NOTE, { ...NOTE, id: 'note-2' }];
    const { open } = await correcting([], {}, { onUpdate: () => ({ open: 1 }) }, { requirements });
    const text = 'Your answer is accepted. It is sent together with the other notes, which are still open.';
    expect((await open({}, PAGE, { form: TEXT })).message).toEqual({ text });
  });

  it.each([
    [['ticket-1'], '1 still open for this customer.'],
    [[], 'Nothing else is open for this customer.'],
  ])('of a part counts what its customer asks: %j', async (ids, left) => {
    const customer = 'customer-onboarding-c-1';
    const requirements = ids.map((id) => ({ ...NOTE, id, kind: 'ticket' as const }));
    const { open } = await consoleOfCalls({
      workflows: {
        [ID]: { state: { requirements: [NOTE] }, parent: customer },
        [customer]: { state: { requirements } },
      },
    });
    const message = { text: `Your answer is accepted. ${left}` };
    expect((await open({}, PAGE, { form: TEXT })).message).toEqual(message);
  });

  it('of two clicks on one button is sent once, and both get the same page', async () => {
    const { open, updates, audited } = await asking({}, { onUpdate: () => setImmediate({ open: 0 }) });
    const click = () => open({}, PAGE, { form: TEXT });
    const replies = await Promise.all([click(), click()]);
    replies.push(await click());
    const message = { text: 'Your answer is accepted. Nothing else is open.' };
    for (const { status, to, message: said } of replies)
      expect([status, to, said]).toEqual([303, `/onboardings/${ID}`, message]);
    expect([updates().length, audited().length]).toEqual([1, 1]);
    await open({}, PAGE, { form: { ...TEXT, text: 'There.' } });
    expect(updates()).toHaveLength(2);
  });

  // Alone catches a mistake that names no field of the form.
  it('of blanks is refused by the label of its field', async () => {
    const { open } = await asking();
    const { status, text } = await open({}, PAGE, { form: { ...TEXT, text: '   ' } });
    expect([status, text]).toEqual([422, expect.stringContaining('<li>Answer: must not be empty</li>')]);
  });

  // Alone catches a clerk who types the answer for the last business at the question of the next one.
  it('leads to a page that says that its question is another one', async () => {
    const { open } = await asking();
    const isOther = async (path: string) =>
      /This is another question:.*?<strong>/.test((await open({}, path)).text);
    expect([await isOther(`${PAGE}?list=&next=yes`), await isOther(`${PAGE}?list=`)]).toEqual([true, false]);
  });

  it('of a person who has answered before is not sent, and the page shows no mistake', async () => {
    const entry = { at: NOON, event: 'requirement-resolved', actor: 'olga', detail: 'note-1: text: Here.' };
    const state = { requirements: [], timeline: [entry] };
    const { open, updates } = await correcting([], {}, {}, state);
    const { text } = await open({}, PAGE, { form: TEXT });
    expect(text).toContain('You answered this');
    expect(text).toContain('Nothing was sent a second time.');
    expect(text).not.toMatch(/class="problem"|answered this first|Your answer was not sent/);
    const other = await open({ actor: 'pia', csrf: 'csrf-of-pia' }, PAGE, {
      form: { ...TEXT, csrf: 'csrf-of-pia' },
    });
    expect(other.text).toContain('olga answered this first');
    expect(other.text).toContain('Your answer was not sent.');
    expect(updates()).toEqual([]);
  });

  // Alone catches a person whose own confirmation is shown to them as somebody else's answer.
  it('of a person who has confirmed one of the merchant says so', async () => {
    const detail = 'note-1: documents: check.pdf';
    const timeline = [
      { at: NOON, event: 'answer-confirmed', actor: 'olga', detail },
      { at: NOON, event: 'requirement-resolved', actor: 'the merchant (L-0123456789abcdef)', detail },
    ];
    const { open } = await correcting([], {}, {}, { requirements: [], timeline });
    const { text } = await open({}, PAGE);
    expect(text).toMatch(/You confirmed the answer of <span[^>]*>the merchant<.span>/);
    expect(text).not.toContain('answered this first');
  });

  it('that corrects a date takes the day that was picked, which begins at midnight', async () => {
    const fees = { minimumDiscountStartDate: '2026-01-01T00:00:00Z' };
    const { open, updates } = await correcting(['fees'], merchant(undefined, { fees }));
    const name = 'set.fees.minimumDiscountStartDate';
    const { text } = await open({ role: 'approver' }, PAGE);
    expect(text.match(new RegExp(`<input[^>]*name="${name}"[^>]*>`))?.[0]).toContain('type="date"');
    const typed = async (day: string, step: string) =>
      open({ role: 'approver' }, PAGE, { form: { kind: 'correction', reason: 'wrong', [name]: day, step } });
    expect((await typed('31 Jan', 'send')).status).toBe(422);
    expect((await typed('2026-03-01', '')).text).toContain('<strong>2026-03-01</strong>');
    expect((await typed('2026-03-01', 'send')).status).toBe(303);
    const patch = { fees: { minimumDiscountStartDate: '2026-03-01T00:00:00Z' } };
    expect(updates()).toMatchObject([['resolveRequirement', ID, { answer: { kind: 'correction', patch } }]]);
  });

  const HOLDER = 'business-onboarding-b-1';
  const OF_HOLDER = `/onboardings/${HOLDER}/requirements/note-1`;
  const corrected = (input: object) => {
    const queries = { input: { type: 'businessOnboarding', fields: ['holder'], input } };
    return consoleOfCalls({ workflows: { [HOLDER]: { state: { requirements: [NOTE] }, queries } } });
  };
  /** The fields of the correction as a browser sends them, when nobody has typed. */
  const leftAlone = (text: string) => {
    const form = /<form[^>]*id="form-note-1-correction".*?<.form>/s.exec(text)?.[0] ?? '';
    const inputs = [
      ...form.matchAll(/<input [^>]*?name="((?:set|was)[^"]*)"[^>]*?value(?:="([^"]*)")?[^>]*>/g),
    ];
    const selects = [
      ...form.matchAll(
        /<select [^>]*name="(set[^"]*)"[^>]*>(?:(?!<.select>).)*?<option value="([^"]*)" selected>/gs,
      ),
    ];
    const pairs = [...inputs, ...selects].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&amp;', '&'),
    ]);
    return { kind: 'correction', reason: 'wrong', ...Object.fromEntries(pairs) } as Form;
  };

  // Alone catches a mask that takes the place of the SSN at the bank, and a value that nobody has changed but the form.
  it('that corrects one field sends that field alone, and never the mask of another one', async () => {
    const input = business(undefined, {
      holder: holder(undefined, { website: 'https://a.example', businessType: 4 }),
    });
    const { open, updates } = await corrected(input);
    const form = leftAlone((await open({}, OF_HOLDER)).text);
    expect(form).toMatchObject({
      'set.holder.city': 'Albany',
      'set.holder.ssn': '',
      'set.holder.businessType': '4',
    });
    expect(Object.values(form).join()).not.toContain('Redacted');
    const nothing = await open({}, OF_HOLDER, { form });
    expect([nothing.status, nothing.text]).toEqual([422, expect.stringContaining('changes nothing')]);
    const changed = { ...form, 'set.holder.city': 'Troy', 'set.holder.website': '' };
    const preview = await open({}, OF_HOLDER, { form: changed });
    expect(preview.text).toMatch(/>Website<.*>https:..a.example<.*>removed</s);
    expect(preview.text).not.toContain('name="set.holder.state"');
    await open({}, OF_HOLDER, { form: { ...changed, step: 'send' } });
    const patch = { holder: { city: 'Troy', website: null } };
    expect(updates()).toMatchObject([
      ['resolveRequirement', HOLDER, { answer: { kind: 'correction', patch } }],
    ]);
    const mask = await open({}, OF_HOLDER, {
      form: { ...form, 'set.holder.phone': '[Redacted]', step: 'send' },
    });
    expect([mask.status, mask.text]).toEqual([422, expect.stringContaining('is the sign of a hidden value')]);
    expect(updates()).toHaveLength(1);
  });

  // Alone catches fees of a correction as JSON, without their units, and what an application has as a text.
  it('has fees as a table with their units, and takes what an application has as what it is', async () => {
    const fees = { statement: { monthly: { perItem: 7.5, percent: 0.25 } } };
    const input = { ...merchant(), fees, application: { volume: 90_000, seasonal: true } };
    const { open, updates } = await correcting(['fees', 'application'], input);
    const { text } = await open({ role: 'approver' }, PAGE);
    const line =
      /<tr[^>]*>(?:(?!<.tr>).)*set\.fees\.statement\.monthly\.perItem.*?<.tr>/s.exec(text)?.[0] ?? '';
    expect(line).toMatch(/perItem"[^>]*value="\$7\.50".*percent"[^>]*value="0\.25%"/s);
    expect(text).toMatch(/<select[^>]*name="set\.application\.seasonal".*?<option value="false"/s);
    expect(text).toMatch(/<summary>Advanced .*name="set\.fees\.amex"/s);
    const form = {
      ...leftAlone(text),
      'set.fees.statement.monthly.perItem': '$8',
      'set.application.seasonal': 'false',
    };
    const wrong = { ...form, 'set.application.volume': '120,000', step: 'send' };
    const refused = await open({ role: 'approver' }, PAGE, { form: wrong });
    expect(refused.text).toContain(
      'write a number as 1234.56: digits, and a point before the decimals</a></li>',
    );
    await open({ role: 'approver' }, PAGE, { form: { ...form, step: 'send' } });
    const patch = { fees: { statement: { monthly: { perItem: 8 } } }, application: { seasonal: false } };
    expect(updates()).toMatchObject([['resolveRequirement', ID, { answer: { kind: 'correction', patch } }]]);
  });

  // Alone catches a clerk who undoes the correction of a colleague with a form that was opened before it.
  it('leaves alone what a colleague has corrected since the form was opened', async () => {
    const before = await corrected(business());
    const form = leftAlone((await before.open({}, OF_HOLDER)).text);
    const now = business();
    const { open, updates } = await corrected({ ...now, holder: { ...now.holder, postalCode: '12180' } });
    await open({}, OF_HOLDER, { form: { ...form, 'set.holder.city': 'Troy', step: 'send' } });
    const patch = { holder: { city: 'Troy' } };
    expect(updates()).toEqual([
      ['resolveRequirement', HOLDER, expect.objectContaining({ answer: { kind: 'correction', patch } })],
    ]);
  });

  it('that corrects private values shows what was typed, except numbers that identify a person', async () => {
    const { open } = await corrected(business());
    const form = { kind: 'correction', 'set.holder.phone': '5185550177', 'set.holder.ssn': '123456788' };
    const { text } = await open({}, OF_HOLDER, { form });
    const table = /<table.*?<\/table>/s.exec(text)?.[0] ?? '';
    const cells = [...table.matchAll(/<td[^>]*data-title="(Now|Then)"[^>]*>(.*?)<\/td>/g)].map(
      ([, title, cell = '']) => `${title}: ${cell.replace(/<[^>]*>/g, '')}`,
    );
    expect(cells).toEqual(['Now: hidden', 'Then: 5185550177', 'Now: hidden', 'Then: hidden']);
  });

  it('waits for a second person where its kind needs one, and what takes an answer back does not', async () => {
    const env = PROVIDER;
    const proposing = await asking({ fourEyes: ['text', 'abandon'] }, { env });
    const reply = await proposing.open({ role: 'approver' }, PAGE, { form: TEXT });
    expect(reply.message).toEqual({ text: 'Your answer is proposed. A second person must confirm it.' });
    expect(proposing.updates()).toMatchObject([['proposeAnswer', ID, { actor: 'olga' }]]);
    expect(proposing.audited()).toMatchObject([{ what: 'propose an answer', result: 'proposed' }]);
    const back = await asking({}, { env }, ['note-1']);
    expect((await back.open({}, PAGE, { form: BACK })).message).toEqual({
      text: 'The answer is taken back. Nothing else is open.',
    });
    expect(back.updates()).toMatchObject([['resolveRequirement', ID, { answer: { kind: 'take-back' } }]]);
  });

  it.each<[Role, Partial<Requirement>, Form, status: number, shown: string]>([
    ['operator', {}, ABANDON, 403, 'This needs the role approver. Your role is operator.'],
    ['operator', {}, { ...ABANDON, step: 'send' }, 403, 'This needs the role approver.'],
    ['operator', { kind: 'uncertain-write' }, TEXT, 403, 'This needs the role approver.'],
    ['viewer', {}, TEXT, 403, 'This needs the role operator.'],
    // Shown before it is sent.
    ['approver', {}, ABANDON, 200, 'Check before it is sent'],
    ['operator', {}, { kind: 'confirm', id: '1012', reason: 'x' }, 200, 'Check before it is sent'],
    ['operator', {}, { ...TEXT, step: 'edit' }, 200, 'Here.'],
    ['operator', {}, { ...TEXT, text: '' }, 422, 'must not be empty'],
    ['operator', { answers: ['retry'] }, TEXT, 422, 'This requirement does not accept this answer'],
    ['operator', { id: 'note-2' }, TEXT, 409, 'Your answer was not sent.'],
    ['operator', {}, BACK, 409, 'The partner already has this answer, or someone took it back.'],
    ['operator', {}, { kind: 'documents' }, 400, 'This form is not from this console.'],
  ])('of %s to %j is not sent: %j', async (role, more, form, status, text) => {
    const { open, updates, audited } = await asking(more);
    const reply = await open({ role }, PAGE, { form });
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(text)]);
    expect([updates(), audited()]).toEqual([[], []]);
  });

  const FEES = { fees: { cashDiscountRate: 3.1 } };
  const PAYOUT = { application: { payout: { iban: 'x' } } };
  it.each<[what: string, Form, patch: object]>([
    ['fees in their own field', { 'set.fees.cashDiscountRate': '3.1' }, FEES],
    ['fees by name', { 'other.0.name': 'fees.cashDiscountRate', 'other.0.value': '3.1' }, FEES],
    ['fees as a whole', { 'other.0.name': 'fees', 'other.0.value': '{"cashDiscountRate": 3.1}' }, FEES],
    ['what no schema names', { 'other.0.name': 'application.payout.iban', 'other.0.value': 'x' }, PAYOUT],
  ])('that corrects %s needs an approver', async (_, fields, patch) => {
    const input = merchant(undefined, { fees: { cashDiscountRate: 2 } });
    const { open, updates } = await correcting(['fees', 'application'], input);
    const sent = (role: Role, step: string) =>
      open({ role }, PAGE, { form: { kind: 'correction', reason: 'wrong', ...fields, step } });
    for (const step of ['', 'send']) {
      const { status, text } = await sent('operator', step);
      expect([status, text]).toEqual([403, expect.stringContaining('an approver must send it')]);
    }
    const { status, text } = await sent('approver', '');
    expect([status, text]).toEqual([200, expect.stringContaining('Check before it is sent')]);
    expect(updates()).toEqual([]);
    expect((await sent('approver', 'send')).status).toBe(303);
    expect(updates()).toMatchObject([['resolveRequirement', ID, { answer: { kind: 'correction', patch } }]]);
  });

  it('is checked against the state that the worker itself has in that moment', async () => {
    const { open, asked: questions } = await asking();
    const reads = () => questions.filter(([what, , name]) => what === 'query' && name === 'state').length;
    await open({}, PAGE);
    await open({}, PAGE);
    expect(reads()).toBe(1);
    await open({}, PAGE, { form: { ...TEXT, text: '' } });
    expect(reads()).toBe(2);
  });

  it('that changes what a correction must not change is refused before the workflow gets it', async () => {
    const { open, updates } = await correcting(['merchant'], merchant());
    const fields = { 'other.0.name': 'externalId', 'other.0.value': 'm-2' };
    const form = { kind: 'correction', reason: 'wrong', ...fields, step: 'send' };
    const { status, text } = await open({ role: 'approver' }, PAGE, { form });
    expect([status, text]).toEqual([422, expect.stringContaining('External ID: cannot be changed')]);
    expect(updates()).toEqual([]);
  });

  it.each([
    ['answer.text: must not be rude', 'text: must not be rude'],
    ['reason: must not be a joke', 'text-reason: must not be a joke'],
    ['answer: late\nreason: empty', 'text-reason: empty'],
    ['the answer: came late', ''],
  ])('that the workflow refuses with %j stays on the page, with %j at its field', async (message, said) => {
    const refuse = () => {
      throw rejected(message);
    };
    const { open, audited } = await asking({}, { onUpdate: refuse });
    const { status, text } = await open({}, PAGE, { form: TEXT });
    expect([status, text]).toEqual([422, expect.stringContaining('Here.')]);
    const errors = [...text.matchAll(/id="note-1-([\w-]+)-error"[^>]*>([^<]*)</g)];
    expect(errors.map(([, field, rule]) => `${field}: ${rule}`).join()).toBe(said);
    // What is about no field is above the form.
    if (said === '') expect(text).toContain(`<li>${message}</li>`);
    expect(audited()).toMatchObject([{ what: 'answer', result: 'rejected', detail: 'text' }]);
  });
});

describe('a document', () => {
  it.each<[what: string, reason: string, error: Error | undefined, status: number, kept: number]>([
    ['is kept for the partner once it is accepted', '', undefined, 303, 1],
    // A worker may apply the answer later, and then sends it.
    [
      'is kept while no worker has applied its answer',
      '',
      new WorkflowUpdateRPCTimeoutOrCancelledError('late'),
      503,
      1,
    ],
    ['is removed when the workflow refuses it', '', rejected('answer: late'), 422, 0],
    ['is removed when its reason is too long', 'a'.repeat(501), undefined, 422, 0],
  ])('%s', async (_, reason, error, status, stored) => {
    const folder = await newFolder();
    const onUpdate = () => {
      if (error) throw error;
      return { open: 0 };
    };
    const env = { ...PROVIDER, DOCUMENT_DIR: folder };
    const { open } = await asking({ answers: ['documents'] }, { env, onUpdate });
    const fields = Object.entries({ csrf: 'csrf-of-olga', reason });
    const file = { name: 'documents', fileName: 'a.pdf', content: '%PDF-1.7\n%%EOF\n' };
    const sent = multipart([...fields.map(([name, content]) => ({ name, content })), file]);
    expect((await open({}, `${PAGE}/documents`, sent)).status).toBe(status);
    expect(await readdir(folder)).toHaveLength(stored);
  });

  it('is sent although another one of the same size came just before', async () => {
    const folder = await newFolder();
    const env = { ...PROVIDER, DOCUMENT_DIR: folder };
    const { open, updates } = await asking({ answers: ['documents'] }, { env });
    const upload = (content: string) => {
      const file = { name: 'documents', fileName: 'a.pdf', content };
      return open({}, `${PAGE}/documents`, multipart([{ name: 'csrf', content: 'csrf-of-olga' }, file]));
    };
    const both = ['%PDF-1.7\n%%EOF\n', '%PDF-1.6\n%%EOF\n'].map(upload);
    for (const { status, to } of await Promise.all(both))
      expect([status, to]).toEqual([303, `/onboardings/${ID}`]);
    expect(updates()).toHaveLength(2);
    expect(await readdir(folder)).toHaveLength(2);
  });
});
