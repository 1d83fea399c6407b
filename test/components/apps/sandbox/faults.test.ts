import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningSandbox, runSandbox } from '../../../rigs/sandbox/running-sandbox.js';
import { outcome, WRITE_FAULTS } from '../../../rigs/sandbox/write-faults.js';
import { shared } from '../../../rigs/shared.js';

const CREATE =
  '{"cashDiscount":"No","firstName":"A","lastName":"B","dba":"C","pos":"None","agentProfileId":101,"guid":"g-1"}';

const plan = (sandbox: RunningSandbox, json: string) => sandbox.control('POST /sandbox/faults', json);

const planned = (sandbox: RunningSandbox) =>
  sandbox.control<{ calls: number; waiting: unknown[] }>('GET /sandbox/faults');

const create = (sandbox: RunningSandbox) => outcome(sandbox.call('POST /api/v2/merchant/create', CREATE));

/** Repeats a call until this is its result. */
const until = (ask: () => Promise<unknown>, wanted: unknown) => expect.poll(ask).toBe(wanted);

/** Faults that do not concern a single write. */
const ELSEWHERE = ['refuse', 'duplicate-webhooks', 'reorder-webhooks'];

describe('a planned fault hits the next write', () => {
  it('and each listed fault is in the table, or does not concern a single write', async () => {
    const sandbox = await runSandbox();
    const { faults } = await sandbox.control<{ faults: object }>('GET /sandbox/scenarios');
    const entries = [...WRITE_FAULTS.map(([fault]) => fault), ...ELSEWHERE];
    expect(Object.keys(faults).sort()).toEqual(entries.sort());
  });

  it.each(WRITE_FAULTS)('%s: the caller sees %s, %i took effect', async (fault, seen, effects) => {
    const sandbox = await runSandbox();
    await plan(sandbox, `{"fault":"${fault}","operation":"create-merchant","milliseconds":20}`);
    expect(await create(sandbox)).toBe(seen);
    expect(await sandbox.effects()).toHaveLength(effects);
    expect(await create(sandbox), 'the call after it').toBe(200);
    expect(await sandbox.effects()).toHaveLength(effects + 1);
  });

  it.each([
    ['400-for-fields', /"Owner1.HomeAddress":\["cannot be taken today"\]/],
    ['400-quoting', /^{"message":"A cannot be taken today"/],
    ['200-refused', /^{"data":null,"status":"BadRequest","error":"BadRequest"/],
    ['another-form', /^({}|\[\]|{"data":"later"}|<html>.*)$/],
    [
      'warning',
      /"merchantProfileId":1001.*"warning":"Check it\.".*"validationResults":\[{"memberNames":\["dba"\]/,
    ],
    ['cut-short', /^{"data":{"merchantProfileId":1001[^}]*(}[^}]*)?$/],
  ])('%s: the response is %s', async (fault, body) => {
    const sandbox = await runSandbox();
    await plan(sandbox, `{"fault":"${fault}","operation":"create-merchant"}`);
    expect((await sandbox.call('POST /api/v2/merchant/create', CREATE)).text).toMatch(body);
  });

  it('of a read: a status is blank, and a list has its first element', async () => {
    const sandbox = await runSandbox();
    const id = await sandbox.create();
    const read = async (fault: string, operation: string, url: string) => {
      await plan(sandbox, `{"fault":"${fault}","operation":"${operation}"}`);
      return (await sandbox.call(`GET ${url}`)).text;
    };
    expect(await read('blank', 'get-status', `/api/v1/merchant/status?id=${id}`)).toContain('"comment":null');
    const agents = await read('first-page', 'list-agent-profiles', '/api/v1/agentProfiles');
    expect(agents).toMatch(/"data":\[{[^}]*}\],.*"totalCount":2/);
  });

  it.each([
    ['delay', 0],
    ['delay-after-commit', 1],
  ])('%s: %i took effect while the caller still waits', async (fault, effects) => {
    const sandbox = await runSandbox();
    await plan(sandbox, `{"fault":"${fault}","operation":"create-merchant","milliseconds":60000}`);
    let isOver = false;
    const call = create(sandbox).finally(() => {
      isOver = true;
    });
    // The fault is used up as soon as the call arrives.
    await until(async () => (await planned(sandbox)).calls, 1);
    expect([await sandbox.effects(), isOver]).toEqual([Array(effects).fill('create-merchant 1001'), false]);
    await sandbox.close();
    await call;
  });

  it('even if that is a multipart upload', async () => {
    const sandbox = await runSandbox();
    await sandbox.create();
    await plan(sandbox, '{"fault":"500-after-commit","operation":"upload-attachment"}');
    const form = new FormData();
    form.append('file', new Blob(['%PDF'], { type: 'application/pdf' }), 'a.pdf');
    expect(await outcome(sandbox.call('POST /api/v1/merchant/attachment?id=1001', form))).toBe(500);
    expect((await sandbox.effects()).slice(1)).toEqual(['upload-attachment 1001']);
    expect(await sandbox.control('GET /sandbox/ledger?name=a.pdf')).toHaveLength(1);
  });
});

describe('a planned fault that moves the merchant meanwhile', () => {
  const REVIEW = 'POST /api/v1/merchant/underwritingReview?id=1001';
  const SUBMIT = 'POST /api/v2/merchant/submit';
  const ID = '{"merchantProfileId":1001}';
  const status = async (sandbox: RunningSandbox) =>
    (await sandbox.call('GET /api/v1/merchant/status?id=1001')).json<{ data: { status: string } }>().data
      .status;
  const moving = (sandbox: RunningSandbox, fault: string, operation: string, to: string, steps: number) =>
    plan(sandbox, JSON.stringify({ fault, operation, meanwhile: { status: to, steps } }));

  it('finds the merchant in a body, and may move it back after some steps', async () => {
    const sandbox = await runSandbox();
    await sandbox.create();
    await moving(sandbox, 'drop-before-commit', 'submit-merchant', 'On Hold', 2);
    expect(await outcome(sandbox.call(SUBMIT, ID))).toBe('UND_ERR_SOCKET');
    expect([await status(sandbox), await status(sandbox)]).toEqual(['On Hold', 'Not Submitted']);
    expect(await outcome(sandbox.call(SUBMIT, ID))).toBe(200);
  });

  it('moves it back before what else its underwriters do', async () => {
    const sandbox = await runSandbox();
    await sandbox.create('Corner Bakery [notes-on-hold]');
    await sandbox.call(SUBMIT, ID);
    await moving(sandbox, '400', 'request-underwriting-review', 'UW Level 1: Pending', 1);
    const before = await status(sandbox);
    expect(await outcome(sandbox.call(REVIEW))).toBe(400);
    const after = [await status(sandbox), await status(sandbox), await status(sandbox)];
    expect([before, ...after]).toEqual(['Pending', 'Pending', 'On Hold', 'Pending']);
  });

  it('does not move it back after a decision', async () => {
    const sandbox = await runSandbox();
    await sandbox.create('Corner Bakery [waiting]');
    await sandbox.call(SUBMIT, ID);
    await moving(sandbox, '400', 'request-underwriting-review', 'On Hold', 2);
    expect(await outcome(sandbox.call(REVIEW))).toBe(400);
    await sandbox.control('POST /sandbox/merchants/1001/transition', '{"status":"Declined"}');
    const after = [await status(sandbox), await status(sandbox), await status(sandbox)];
    expect(after).toEqual(['Declined', 'Declined', 'Declined']);
  });
});

describe('the log of requests', () => {
  interface Logged {
    readonly operation: string;
    readonly fault?: string;
    readonly status?: number;
  }
  const logged = async (sandbox: RunningSandbox, query = '') =>
    (await sandbox.control<Logged[]>(`GET /sandbox/requests${query}`)).map(
      ({ operation, fault = 'none', status = 'cut' }) => `${operation} ${fault} ${status}`,
    );

  it('lists every write that arrived, and its result, whether it took effect or not', async () => {
    const sandbox = await runSandbox();
    await plan(sandbox, '{"fault":"drop-before-commit","operation":"create-merchant"}');
    await plan(sandbox, '{"fault":"500-before-commit","operation":"create-merchant"}');
    await create(sandbox);
    await create(sandbox);
    await create(sandbox);
    await outcome(sandbox.call('POST /api/v2/merchant/create', '{}'));
    await sandbox.call('GET /api/v1/agentProfiles');
    expect(await logged(sandbox)).toEqual([
      'create-merchant drop-before-commit cut',
      'create-merchant 500-before-commit 500',
      'create-merchant none 200',
      'create-merchant none 400',
    ]);
    expect(await sandbox.effects()).toHaveLength(1);
  });

  it('can be searched for whole words in URLs and bodies, and does not show bodies', async () => {
    const sandbox = await runSandbox();
    await create(sandbox);
    await outcome(sandbox.call('POST /api/v1/merchant/submit?id=1001'));
    const ofMerchant = '?operation=submit-merchant-v1&about=1001';
    expect(await logged(sandbox, ofMerchant)).toEqual(['submit-merchant-v1 none 200']);
    expect(await logged(sandbox, '?about=g-1&about=101')).toEqual(['create-merchant none 200']);
    for (const query of ['?about=g', '?about=100', '?about=g-1&about=1001', '?operation=update-fees']) {
      expect(await logged(sandbox, query), query).toEqual([]);
    }
    const { text } = await sandbox.call('GET /sandbox/requests', undefined, 'nobody');
    expect(text).not.toContain('g-1');
  });
});

describe('a planned fault', () => {
  const running = shared((until) => runSandbox({}, until));

  it('hits only its operation, as often as planned, in the planned order', async () => {
    const sandbox = await runSandbox();
    await plan(sandbox, '{"fault":"429","operation":"create-merchant","times":2}');
    await plan(sandbox, '{"fault":"500-before-commit","operation":"create-merchant"}');
    expect(await outcome(sandbox.call('POST /api/v1/merchant/create', CREATE))).toBe(200);
    const seen = [await create(sandbox), await create(sandbox), await create(sandbox), await create(sandbox)];
    expect(seen).toEqual([429, 429, 500, 200]);
  });

  it.each([429, 503])('%i has a Retry-After in whole seconds', async (code) => {
    const sandbox = await runSandbox();
    await plan(sandbox, `{"fault":"${code}","operation":"list-agent-profiles","milliseconds":1500}`);
    const { status, headers } = await sandbox.call('GET /api/v1/agentProfiles');
    expect([status, headers.get('retry-after')]).toEqual([code, '2']);
  });

  it('is listed while it waits, and can be canceled', async () => {
    const sandbox = await runSandbox();
    await plan(sandbox, '{"fault":"429","operation":"create-merchant","times":2,"milliseconds":5}');
    await create(sandbox);
    const waiting = [{ fault: '429', operation: 'create-merchant', times: 1, milliseconds: 5 }];
    expect(await planned(sandbox)).toEqual({ calls: 1, waiting, delayed: [] });
    expect(await sandbox.control('DELETE /sandbox/faults')).toEqual({ calls: 1, waiting, delayed: [] });
    expect(await create(sandbox)).toBe(200);
    expect(await planned(sandbox)).toEqual({ calls: 2, waiting: [], delayed: [] });
  });

  it('after the commit of a call that is refused leaves nothing behind', async () => {
    const sandbox = await runSandbox();
    await plan(sandbox, '{"fault":"500-after-commit","operation":"create-merchant"}');
    expect(await outcome(sandbox.call('POST /api/v2/merchant/create', '{}'))).toBe(500);
    expect(await sandbox.effects()).toEqual([]);
  });

  it.each([
    ['an unknown fault', '{"fault":"earthquake","operation":"create-merchant"}', 'fault'],
    ['no fault', '{"operation":"create-merchant"}', 'fault'],
    ['no operation', '{"fault":"429"}', 'operation'],
    ['an unknown operation', '{"fault":"429","operation":"createMerchant"}', 'operation'],
    ['webhooks of one call', '{"fault":"duplicate-webhooks","operation":"create-merchant"}', 'operation'],
    ['refuse for one operation', '{"fault":"refuse","operation":"create-merchant"}', 'operation'],
    ['a move to nowhere', '{"fault":"429","operation":"create-merchant","meanwhile":{}}', 'meanwhile.status'],
    ['never', '{"fault":"429","operation":"create-merchant","times":0}', 'times'],
    ['half a time', '{"fault":"429","operation":"create-merchant","times":1.5}', 'times'],
    ['back in time', '{"fault":"delay","operation":"create-merchant","milliseconds":-1}', 'milliseconds'],
    ['an unknown field', '{"fault":"429","operation":"create-merchant","delay":5}', 'delay'],
  ])('that is invalid is refused: %s', async (_, body, field) => {
    const sandbox = running();
    const { status, text } = await sandbox.call('POST /sandbox/faults', body);
    expect(status).toBe(400);
    expect(JSON.parse(text).fields.map((problem: { field: string }) => problem.field)).toEqual([field]);
    expect(await create(sandbox)).toBe(200);
  });
});

describe('refuse', () => {
  const ask = (sandbox: RunningSandbox) => () => outcome(sandbox.call('GET /api/v1/agentProfiles'));

  // Connections are refused until the test lets the time pass.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('refuses connections for a while, and keeps all data', async () => {
    const sandbox = await runSandbox();
    const seen: (number | string)[] = [await create(sandbox)];
    await plan(sandbox, '{"fault":"refuse","milliseconds":300}');
    const createAgain = async () => {
      seen.push(await create(sandbox));
      return seen.at(-1);
    };
    await until(createAgain, 'ECONNREFUSED');
    vi.advanceTimersByTime(300);
    await until(ask(sandbox), 200);
    expect(await sandbox.effects()).toHaveLength(seen.filter((one) => one === 200).length);
  });

  it('can be planned again, and a sandbox that was closed meanwhile stays closed', async () => {
    const sandbox = await runSandbox();
    for (let time = 0; time < 2; time += 1) {
      await plan(sandbox, '{"fault":"refuse","milliseconds":100}');
      await until(ask(sandbox), 'ECONNREFUSED');
      if (time === 0) vi.advanceTimersByTime(100);
      if (time === 0) await until(ask(sandbox), 200);
    }
    await sandbox.close();
    vi.advanceTimersByTime(100);
    expect(await ask(sandbox)()).toBe('ECONNREFUSED');
  });
});

describe('the ledger', () => {
  const three = shared(async (until) => {
    const sandbox = await runSandbox({}, until);
    await create(sandbox);
    await sandbox.call('GET /api/v1/merchant/status?id=1001');
    await sandbox.call('POST /api/v1/merchant/submit?id=1001');
    await sandbox.create('Without a key');
    return sandbox;
  });

  it('lists every write that took effect, in order, with the key of the caller, and no read', async () => {
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await three().control('GET /sandbox/ledger')).toEqual([
      { seq: 1, at, system: 'boarding', operation: 'create-merchant', id: 1001, guid: 'g-1' },
      { seq: 2, at, system: 'boarding', operation: 'submit-merchant-v1', id: 1001, guid: 'g-1' },
      { seq: 3, at, system: 'boarding', operation: 'create-merchant', id: 1002 },
    ]);
  });

  it.each([
    ['guid=g-1', [1, 2]],
    ['operation=create-merchant', [1, 3]],
    ['id=1002', [3]],
    ['id=1001&operation=submit-merchant-v1', [2]],
    ['guid=nobody', []],
  ])('can be filtered by %s', async (query, seqs) => {
    const entries = await three().control<{ seq: number }[]>(`GET /sandbox/ledger?${query}`);
    expect(entries.map(({ seq }) => seq)).toEqual(seqs);
  });
});
