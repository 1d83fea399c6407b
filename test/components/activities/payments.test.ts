import { describe, expect, it } from 'vitest';
import { paymentsActivities } from '../../../src/activities/payments.js';
import type { PaymentsActivities, ResponseOf } from '../../../src/messages/activities.js';
import type { PaymentsSettings } from '../../../src/partners/payments/client.js';
import { failed } from '../../rigs/activities/banking/running-activities.js';
import { environment } from '../../rigs/activities/environment.js';
import { paymentsPlatform } from '../../rigs/partners/payments/partner.js';
import { type Respond, responding } from '../../rigs/partners/servers.js';

const MID = '518000000001001';
const ADDRESS = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
const MADE = '{"id":"x-1","status":"active","api_key":{"key":"told once"}}';

const asked = {
  account: { name: 'Corner Bakery', address: ADDRESS },
  terminal: { name: 'Counter' },
  dueInHours: 48,
};

/** The activities with a payments platform that returns this response. */
async function activities(respond: Respond, settings: Partial<PaymentsSettings> = {}) {
  const { client, requests } = await paymentsPlatform(respond, settings);
  const all = paymentsActivities(client);
  const run = <Name extends keyof PaymentsActivities>(
    name: Name,
    request: unknown,
  ): Promise<ResponseOf<PaymentsActivities[Name]>> =>
    environment().run(all[name] as (request: unknown) => Promise<never>, request);
  const sent = () => requests.map(({ line, body }) => [line, body.toString()]);
  return { run, sent };
}

/** Lists nothing, and responds to writes like this. */
function empty(respond: Respond): Respond {
  const nothing = responding(200, '{"accounts":[],"terminals":[],"total":0}');
  return (response, request) => (request.method === 'GET' ? nothing : respond)(response, request);
}

const SEARCH = ['GET /v1/accounts?search=518000000001001&limit=200&offset=0', ''];
const SEARCH_TERMINAL = ['GET /v2/terminals?search=Counter&account_id=account-7&limit=200&offset=0', ''];

/** Answers one after the other. */
function inTurn(...answers: string[]): Respond {
  return (response, request) => responding(200, answers.shift() ?? '')(response, request);
}

describe('an account', () => {
  it('is created by v2 with the mid in its description, and its API key is dropped', async () => {
    const { run, sent } = await activities(empty(responding(200, MADE)));
    expect(await run('createAccount', { mid: MID, provisionTerminal: asked })).toEqual({ created: 'x-1' });
    expect(sent()).toEqual([
      SEARCH,
      [
        'POST /v2/accounts',
        '{"type":"merchant","name":"Corner Bakery","description":"mid 518000000001001",' +
          '"address":{"street_line1":"1 Main Street","city":"Albany","state":"NY","zip":"12207"}}',
      ],
    ]);
  });

  it('keeps the given description, and unknown fields', async () => {
    const { run, sent } = await activities(empty(responding(200, MADE)));
    const account = { ...asked.account, description: 'Bakes bread', mcc: '5462', timezone: 'UTC' };
    await run('createAccount', { mid: MID, provisionTerminal: { ...asked, account } });
    const description = 'Bakes bread, mid 518000000001001';
    expect(JSON.parse(sent()[1]?.[1] ?? '')).toEqual({ ...account, type: 'merchant', description });
  });

  it.each([
    ['nothing at all', undefined, ['provisionTerminal']],
    ['nothing in it', {}, ['provisionTerminal.account', 'provisionTerminal.terminal']],
    [
      'wrong fields',
      {
        account: { type: 'psp', name: '', address: { ...ADDRESS, zip: 12207 }, admin_email: 'ada' },
        terminal: { account_id: 'account-1', name: '' },
        toProduction: 'yes',
        location: 'x',
      },
      [
        ...['account.type', 'account.name', 'account.address.zip', 'account.admin_email', 'terminal.name'],
        ...['terminal.account_id', 'toProduction', 'location'],
      ].map((field) => `provisionTerminal.${field}`),
    ],
  ])('of which a correction left %s is not sent', async (_, provisionTerminal, wrong) => {
    const { run, sent } = await activities(empty(responding(200, MADE)));
    const { details, isRetried } = await failed(run('createAccount', { mid: MID, provisionTerminal }));
    expect(details).toMatchObject({ kind: 'Rejected', reason: 'not sent: invalid request' });
    expect(details.fields.map(({ field }) => field).sort()).toEqual(wrong.sort());
    expect(isRetried).toBe(false);
    expect(sent()).toEqual([]);
  });

  it('that the platform rejects is reported by the fields of the input', async () => {
    const body = '{"message":"no","errors":{"parent_id":["is unknown"],"type":["is not yours"]}}';
    const { run } = await activities(empty(responding(400, body)));
    const { details } = await failed(run('createAccount', { mid: MID, provisionTerminal: asked }));
    expect(details).toEqual({
      system: 'payments',
      operation: 'create-account',
      kind: 'Rejected',
      status: 400,
      fields: [
        { field: 'provisionTerminal.account.parent_id', message: 'is unknown' },
        { field: 'type', message: 'is not yours' },
      ],
      reason: 'HTTP 400',
    });
  });

  it('is written to production only on request', async () => {
    const { run, sent } = await activities(empty(responding(200, MADE)), { environment: 'production' });
    const { details } = await failed(run('createAccount', { mid: MID, provisionTerminal: asked }));
    expect(details).toMatchObject({
      kind: 'Rejected',
      fields: [{ field: '', message: 'a write to production must be requested explicitly' }],
    });
    expect(sent()).toEqual([SEARCH]);
    const explicitly = { ...asked, toProduction: true };
    await run('createAccount', { mid: MID, provisionTerminal: explicitly });
    await run('createTerminal', { accountId: 'x-1', provisionTerminal: explicitly });
    const writes = sent().filter(([line]) => line?.startsWith('POST'));
    expect(writes.map(([line]) => line)).toEqual(['POST /v2/accounts', 'POST /v2/terminals']);
  });
});

describe('looking for an account', () => {
  const FULL = [`mid ${MID}`, ...Array<string>(199).fill('x')];
  const page = (descriptions: (string | null)[], total: number | null) => {
    const accounts = descriptions.map((description, index) => ({ id: `account-${index + 1}`, description }));
    return JSON.stringify({ accounts, total });
  };

  it('finds those whose description ends in the mid, and in nothing else', async () => {
    const others = [`mid ${MID}1`, `amid ${MID}`, MID, `mid ${MID}, old`, null];
    const all = page([`mid ${MID}`, `Bread, mid ${MID}`, ...others], 7);
    const { run, sent } = await activities(responding(200, all));
    expect(await run('findAccounts', { mid: MID })).toEqual(['account-1', 'account-2']);
    expect(sent()).toEqual([['GET /v1/accounts?search=518000000001001&limit=200&offset=0', '']]);
  });

  it.each([
    ['until as many have come as there are', [page(['x', 'y'], 3), page([`mid ${MID}`], 3)], [0, 2]],
    ['until one is empty', [page(['x'], 3), page([`mid ${MID}`], 3), page([], 3)], [0, 1, 2]],
    ['until one is not full, when there is no total', [page(FULL, null), page(['x'], null)], [0, 200]],
  ])('reads all pages, %s', async (_, answers, offsets) => {
    const { run, sent } = await activities(inTurn(...answers));
    expect(await run('findAccounts', { mid: MID })).toEqual(['account-1']);
    expect(sent().map(([line]) => line)).toEqual(
      offsets.map((offset) => `GET /v1/accounts?search=${MID}&limit=200&offset=${offset}`),
    );
  });
});

describe('a terminal', () => {
  it('is created in the account, with unknown fields', async () => {
    const { run, sent } = await activities(empty(responding(200, MADE)));
    const terminal = { name: 'Counter', location_id: 'location-1', serial: 'S1' };
    const request = { accountId: 'account-7', provisionTerminal: { ...asked, terminal } };
    expect(await run('createTerminal', request)).toEqual({ created: 'x-1' });
    expect(sent()).toEqual([
      SEARCH_TERMINAL,
      [
        'POST /v2/terminals',
        '{"account_id":"account-7","name":"Counter","location_id":"location-1","serial":"S1"}',
      ],
    ]);
  });

  it('that the platform rejects is reported by the fields of the input', async () => {
    const body = '{"message":"no","errors":{"name":["is taken"],"account_id":["is unknown"]}}';
    const { run } = await activities(empty(responding(400, body)));
    const { details } = await failed(run('createTerminal', { accountId: 'x', provisionTerminal: asked }));
    expect(details.fields).toEqual([
      { field: 'provisionTerminal.terminal.name', message: 'is taken' },
      { field: 'account_id', message: 'is unknown' },
    ]);
  });

  it('is found by its name in the account, and in no other', async () => {
    const records = [
      { id: 'terminal-1', name: 'Counter', account_id: 'account-7' },
      { id: 'terminal-2', name: 'Counter 2', account_id: 'account-7' },
      { id: 'terminal-3', name: 'Counter', account_id: 'account-8' },
      { id: 'terminal-4', name: 'Counter' },
    ];
    const { run, sent } = await activities(responding(200, JSON.stringify({ terminals: records, total: 4 })));
    expect(await run('findTerminals', { accountId: 'account-7', name: 'Counter' })).toEqual(['terminal-1']);
    const provisionTerminal = { ...asked, terminal: { name: 'Counter' } };
    expect(await run('createTerminal', { accountId: 'account-7', provisionTerminal })).toEqual({
      found: ['terminal-1'],
    });
    expect(sent()).toEqual([SEARCH_TERMINAL, SEARCH_TERMINAL]);
  });
});
