import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithMemo, inMemo } from '../../../../src/temporal/search.js';
import { differenceFromStart } from '../../../../src/temporal/start.js';
import { executions, idOf, wasStarted } from '../../../rigs/commands/files.js';
import { errorAt, formWithFile, leadsTo, typedAt, typedInto } from '../../../rigs/console/pages.js';
import { runConsole } from '../../../rigs/console/running-console.js';
import { startingRig } from '../../../rigs/console/starting.js';
import { business, customer, merchant, OWNER } from '../../../rigs/inputs.js';
import { clientOf } from '../../../rigs/receiver/running-receiver.js';
import { eventually } from '../../../rigs/waiting.js';

const { rig, console, admin } = await startingRig();
afterAll(() => rig.close());

const OTHER = { role: 'admin', accounts: ['default', 'east', 'west'] } as const;

const post = (kind: string, form: Readonly<Record<string, string>>, who = admin) =>
  who.open(`/start/${kind}`, { form });

const UNREAD =
  'No worker read the partner’s lists of agents and programs in time. Type a number or a name, or reload';

describe('the form of a kind', () => {
  it('says when the lists of the partner cannot be read, unless it has no use for them', async () => {
    const east = await console.signedIn({ role: 'admin', accounts: ['east'] });
    const shows = async (kind: string, who = east) =>
      (await who.open(`/start/${kind}`)).text.includes(UNREAD);
    expect([await shows('merchant'), await shows('customer'), await shows('business')]).toEqual([
      true,
      true,
      false,
    ]);
    // A person of several accounts has no choices.
    expect(await shows('merchant', admin)).toBe(false);
  });

  const fees = { cashDiscountRate: 3.5, amex: { credit: { perItem: 0.1, percent: 2.5 } } };
  it.each([
    ['merchant', () => merchant('straight', { application: { note: { a: 1 } }, fees, account: 'west' })],
    ['business', () => ({ ...business(), beneficialOwners: [OWNER, OWNER], openFinancialAccount: true })],
    ['customer', () => customer()],
  ])('starts a %s with exactly the input that was typed', async (kind, make) => {
    const input = make();
    const reply = await post(kind, typedInto(input));
    const [, id = ''] = /^\/onboardings\/(.*)$/.exec(leadsTo(reply)) ?? [];
    expect([reply.status, id]).toEqual([303, expect.stringContaining(input.externalId)]);
    expect(await differenceFromStart(rig.client, id, input)).toEqual([]);
    // Alone catches a start of the console that only the audit log has.
    const starter = inMemo(rig.client, await describeWithMemo(rig.client, id), 'startedBy');
    expect(await starter).toBe(admin.actor);
    expect(console.audited()).toContainEqual(
      expect.objectContaining({ what: 'start', workflowId: id, actor: admin.actor }),
    );
  });

  it('starts the same external ID once, however often it is sent, and names what differs', async () => {
    const input = merchant();
    const other = await console.signedIn(OTHER);
    const send = async (who = admin) => (await post('merchant', typedInto(input), who)).status;
    // The second click of a double click gets what the first one got.
    const [click, second, ofOther] = await Promise.all([send(), send(), send(other)]);
    expect([click === second, [click, ofOther].sort()]).toEqual([true, [200, 303]]);
    const basics = { ...input.merchant, dba: 'Else', pos: 'CustomPos' };
    const changed = await post('merchant', typedInto({ ...input, merchant: basics }));
    expect(changed.text).toContain('It already exists');
    expect(changed.text.match(/(?<=<li>)[\w ]+(?=<)/g)).toEqual(['Doing business as', 'Point of sale']);
    const all = await executions(rig.client, rig.taskQueue, 1);
    expect(all.filter(({ workflowId }) => workflowId === idOf(input))).toHaveLength(1);
    // What was typed is still there, for another external ID.
    expect(typedAt(changed, 'merchant.dba')).toBe('Else');
  });
});

describe('a doubtful input', () => {
  // It reads the lists of the partner. What was started before has been read, and must not run now.
  beforeAll(async () => {
    await rig.clear();
    await rig.startWorker({ accounts: ['east', 'west'] });
  });

  const uncertain = () => {
    const input = merchant(undefined, { agentProfileId: 999 });
    return { ...input, merchant: { ...input.merchant, email: 'not-an-email' } };
  };
  const confirmedIn = (text: string) => /name="confirmed" value="(\w+)"/.exec(text)?.[1] ?? '';

  it('of the form starts only after a person has confirmed exactly this input', async () => {
    const input = uncertain();
    const first = await eventually(
      () => post('merchant', typedInto(input)),
      (reply) => errorAt(reply, 'agent')?.includes('the partner does not list this id') ?? false,
      'the lists of the partner to be read',
    );
    expect([first.status, errorAt(first, 'merchant.email')]).toEqual([422, 'is not an e-mail address']);
    expect(typedAt(first, 'merchant.firstName')).toBe(input.merchant.firstName);
    const confirmed = confirmedIn(first.text);
    const other = { ...input, merchant: { ...input.merchant, email: 'still-none' } };
    const second = await post('merchant', { ...typedInto(other), confirmed });
    expect([second.status, errorAt(second, 'merchant.email')]).toEqual([422, 'is not an e-mail address']);
    expect(await wasStarted(rig.client, idOf(input))).toBe(false);
    const third = await post('merchant', { ...typedInto(input), confirmed });
    expect([third.status, await wasStarted(rig.client, idOf(input))]).toEqual([303, true]);
  });

  // Alone catches a query that no server answers, and a first input that cannot be read.
  it('is a business that has an onboarding of another external ID', async () => {
    const input = business();
    expect((await post('business', typedInto(input))).status).toBe(303);
    const again = await eventually(
      () => post('business', typedInto({ ...business(), holder: input.holder })),
      ({ status }) => status === 422,
      'the first one to be listed',
    );
    expect(again.text).toMatch(/is the same as business-onboarding-b-[\w-]+, under another externalId/);
    expect(again.text).toContain('>Start anyway<');
  });

  it('of a file starts only with a confirmation', async () => {
    const input = uncertain();
    const upload = async (fields: Readonly<Record<string, string>>) => {
      const file = { input: ['input.json', JSON.stringify(input)] as const };
      return admin.open('/start/file', { body: formWithFile(await admin.csrf(), file, fields) });
    };
    const first = await upload({});
    expect([first.status, first.text]).toEqual([422, expect.stringContaining('is not an e-mail address')]);
    expect((await upload({ warnings: 'true' })).status).toBe(303);
    expect(await wasStarted(rig.client, idOf(input))).toBe(true);
  });
});

describe('the form', () => {
  it('offers what the partner lists to a person of one account, and pickers for numbers and dates', async () => {
    const west = await console.signedIn({ role: 'admin', accounts: ['west'] });
    const { text } = await eventually(
      () => west.open('/start/customer'),
      (page) => page.text.includes('Harbor Agents (101)'),
      'the lists of the partner to be read',
    );
    const select = (name: string) =>
      new RegExp(`<select[^>]*name="${name}".*?</select>`, 's').exec(text)?.[0] ?? '';
    expect(select('boarding.agent')).toContain('<option value="101">Harbor Agents (101)</option>');
    expect(select('boarding.boardingSettings')).toContain('<option value="11">Standard (11)</option>');
    expect(select('boarding.boardingSettings')).toContain('<option value="false">none');
    expect(select('business.holder.businessType')).toContain('<option value="4">LLC</option>');
    // The bank numbers the states, and publishes no list: a guess would send an address elsewhere.
    expect(text).toContain(
      'a number from 1 to 53: the bank numbers the states and publishes no list, so ask the bank',
    );
    expect(/<input[^>]*name="business.holder.dateOfBirth"[^>]*>/.exec(text)?.[0]).toContain('type="date"');
    expect(text).not.toContain(UNREAD);
  });

  it.each(['merchant', 'business', 'customer'])('has a template of a CSV of a %s', async (kind) => {
    const { status, text, headers } = await admin.open(`/start/${kind}/template.csv`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [header = '', advice = ''] = text.split('\r\n');
    expect(header.split(',')).toContain('externalId');
    expect(advice).toContain('required: your own key (this line is skipped)');
    // Alone catches a template whose line of advice is taken for an onboarding.
    const file = { file: ['rows.csv', text] as const };
    const checked = await admin.open('/batches', { body: formWithFile(await admin.csrf(), file) });
    expect(checked.text).toContain('The file has no rows.');
  });
});

it('the partner accounts of a person are the only choices, and an input for another one is rejected at the field', async () => {
  const west = await console.signedIn({ role: 'admin', accounts: ['west'] });
  const { text } = await west.open('/start/merchant');
  const select = /<select[^>]*name="account".*?<\/select>/.exec(text)?.[0] ?? '';
  expect(select).toContain('value="west"');
  expect(select).not.toMatch(/value="east"|the account without a name/);
  const input = merchant();
  const east = await post('merchant', typedInto({ ...input, account: 'east' }), west);
  expect([east.status, errorAt(east, 'account')]).toEqual([
    422,
    expect.stringContaining('must be one of GANGWAY_ACCOUNTS: west'),
  ]);
  const form = formWithFile(await west.csrf(), { input: ['input.json', JSON.stringify(input)] });
  expect((await west.open('/start/file', { body: form })).status).toBe(422);
  expect(await wasStarted(rig.client, idOf(input))).toBe(false);
});

describe('a JSON file', () => {
  const upload = async (content: string, who = admin) =>
    who.open('/start/file', { body: formWithFile(await who.csrf(), { input: ['input.json', content] }) });

  it.each([
    ['merchant', () => merchant(), 'merchant-boarding'],
    ['business', () => business(), 'business-onboarding'],
    ['customer', () => customer(), 'customer-onboarding'],
  ])('of a %s starts it, and a second time shows the first one', async (_, make, prefix) => {
    const input = make();
    const id = `${prefix}-${input.externalId}`;
    const first = await upload(JSON.stringify(input));
    expect([first.status, leadsTo(first)]).toEqual([303, `/onboardings/${id}`]);
    expect(await differenceFromStart(rig.client, id, input)).toEqual([]);
    // A double click on the button.
    expect(leadsTo(await upload(JSON.stringify(input)))).toBe(`/onboardings/${id}`);
    const { status, text } = await upload(JSON.stringify(input), await console.signedIn(OTHER));
    expect([status, text]).toEqual([200, expect.stringContaining('Its input is the same.')]);
  });

  it.each([
    ['that is not JSON', 422, '{"externalId": }', 'input.json: is not JSON: line 1, column 16'],
    ['that is no onboarding', 422, '{"a": 1}', 'is not an onboarding'],
    ['with a wrong field', 422, JSON.stringify(merchant(undefined, { dueInHours: 0 })), 'dueInHours: must'],
    ['that is empty', 422, '', 'Choose a file first'],
    ['that is too large', 413, ' '.repeat(2 * 1024 * 1024 + 1), 'larger than 2 MiB'],
  ])('%s is rejected with %i and the reason', async (_, expected, content, reason) => {
    const { status, text } = await upload(content);
    expect([status, text]).toEqual([expected, expect.stringContaining(reason)]);
  });
});

it('what was typed is still there when Temporal does not respond', async () => {
  const lonely = await runConsole({ ...rig, client: clientOf('127.0.0.1:1') });
  const person = await lonely.signedIn({ role: 'admin' });
  const fields = typedInto(business());
  const reply = await post('business', fields, person);
  expect(reply.status).toBe(503);
  expect(typedAt(reply, 'holder.givenName')).toBe(fields['holder.givenName']);
  expect(reply.text).toContain('What you typed is still here');
});
