import { describe, expect, it } from 'vitest';
import { type RunningSandbox, runSandbox } from '../../../rigs/sandbox/running-sandbox.js';
import { shared } from '../../../rigs/shared.js';

const status = async (sandbox: RunningSandbox, id: number) =>
  (await sandbox.call(`GET /api/v1/merchant/status?id=${id}`)).json<{ data: Record<string, unknown> }>().data;

const submit = (sandbox: RunningSandbox, id: number) => sandbox.call(`POST /api/v1/merchant/submit?id=${id}`);

describe('a transition', () => {
  const running = shared(async (until) => {
    const sandbox = await runSandbox({}, until);
    await sandbox.create();
    return sandbox;
  });

  it('moves a merchant to any status, comment, mid and notes', async () => {
    const sandbox = await runSandbox();
    const id = await sandbox.create('Bakery [waiting]');
    const change = '{"status":"Odd One","comment":"why","mid":"777","notes":["one","two"]}';
    await sandbox.control(`POST /sandbox/merchants/${id}/transition`, change);
    expect(await status(sandbox, id)).toMatchObject({ status: 'Odd One', comment: 'why', mid: '777' });
    const notes = await sandbox.call(`GET /api/v1/merchant/underwritingNotes?id=${id}`);
    expect(notes.json<{ data: unknown[] }>().data).toEqual([
      { text: 'one', author: 'Underwriting', date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
      { text: 'two', author: 'Underwriting', date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
    ]);
  });

  it('keeps what it does not name, and removes what it sets to null', async () => {
    const sandbox = await runSandbox();
    const id = await sandbox.create('Bakery [waiting]');
    const move = (change: string) => sandbox.control(`POST /sandbox/merchants/${id}/transition`, change);
    await move('{"status":"Pending","comment":"why","mid":"777"}');
    await move('{"comment":null}');
    expect(await status(sandbox, id)).toMatchObject({ status: 'Pending', comment: null, mid: '777' });
  });

  it.each([
    [404, '/sandbox/merchants/7/transition', '{"status":"Approved"}'],
    [404, '/sandbox/merchants/seven/transition', '{"status":"Approved"}'],
    [400, '/sandbox/merchants/1001/transition', '{"status":""}'],
    [400, '/sandbox/merchants/1001/transition', '{"state":"Approved"}'],
    [400, '/sandbox/merchants/1001/transition', '{"notes":"one"}'],
  ])('that is invalid is a %i: %s %s', async (expected, path, body) => {
    const sandbox = running();
    expect((await sandbox.call(`POST ${path}`, body)).status).toBe(expected);
  });
});

describe('the record of a merchant', () => {
  it('shows all that the partner stores about it', async () => {
    const sandbox = await runSandbox();
    const body =
      '{"cashDiscount":"Yes","firstName":"A","lastName":"B","dba":"C","pos":"None","agentProfileId":102,"guid":"g-1"}';
    await sandbox.call('POST /api/v2/merchant/create', body);
    await sandbox.call(
      'POST /api/v2/merchant/submit',
      '{"merchantProfileId":1001,"serviceAcceptance":{"signed":true}}',
    );
    await sandbox.call('POST /api/v1/merchant/underwritingReview?id=1001', '{"comment":"done"}');
    expect(await sandbox.control('GET /sandbox/merchants/1001')).toMatchObject({
      id: 1001,
      isoId: 1,
      basics: JSON.parse(body),
      status: 'Pending Review',
      application: { serviceAcceptance: { signed: true } },
      reviewComments: ['done'],
      attachments: [],
      fees: {},
    });
  });
});

describe('attachments', () => {
  const upload = (sandbox: RunningSandbox, form: FormData) =>
    sandbox.call('POST /api/v1/merchant/attachment?id=1001', form);

  function formWith(content: Uint8Array<ArrayBuffer>, description?: string): FormData {
    const form = new FormData();
    form.append('file', new Blob([content], { type: 'application/pdf' }), 'voided check é.pdf');
    if (description !== undefined) form.append('description', description);
    return form;
  }

  it('are recorded with name, type, size and description', async () => {
    const sandbox = await runSandbox();
    await sandbox.create();
    expect((await upload(sandbox, formWith(Buffer.from('%PDF-1.7'), 'a check'))).status).toBe(200);
    expect((await upload(sandbox, formWith(Buffer.from('%PDF')))).status).toBe(200);
    const name = { fileName: 'voided check é.pdf', contentType: 'application/pdf' };
    expect(await sandbox.control('GET /sandbox/merchants/1001')).toMatchObject({
      attachments: [
        { ...name, bytes: 8, description: 'a check' },
        { ...name, bytes: 4, description: null },
      ],
    });
    expect((await sandbox.effects()).slice(1)).toEqual(['upload-attachment 1001', 'upload-attachment 1001']);
  });

  it('may have 25 MiB and not a byte more', async () => {
    const sandbox = await runSandbox();
    await sandbox.create();
    const limit = 25 * 1024 * 1024;
    expect((await upload(sandbox, formWith(new Uint8Array(limit)))).status).toBe(200);
    expect((await upload(sandbox, formWith(new Uint8Array(limit + 1)))).status).toBe(413);
    expect((await sandbox.effects()).slice(1)).toEqual(['upload-attachment 1001']);
  });
});

describe('the pace', () => {
  const running = shared((until) => runSandbox({}, until));

  it('may be a number of status reads; a read of the notes does not count', async () => {
    const sandbox = await runSandbox();
    expect(await sandbox.control('PUT /sandbox/pace', '{"pace":"3reads"}')).toEqual({ pace: { reads: 3 } });
    const id = await sandbox.create();
    await submit(sandbox, id);
    const seen: unknown[] = [];
    for (let read = 0; read < 6; read += 1) {
      await sandbox.call(`GET /api/v1/merchant/underwritingNotes?id=${id}`);
      const { status: name, mid } = await status(sandbox, id);
      seen.push(mid === null ? name : 'mid');
    }
    expect(seen).toEqual(['Pending', 'Pending', 'Approved', 'Approved', 'Approved', 'mid']);
  });

  it('may be a duration, also for merchants that are already in underwriting', async () => {
    const sandbox = await runSandbox({ pace: { milliseconds: 3_600_000 } });
    const id = await sandbox.create();
    await submit(sandbox, id);
    expect(await status(sandbox, id)).toMatchObject({ status: 'Pending' });
    expect(await sandbox.control('PUT /sandbox/pace', '{"pace":"5ms"}')).toEqual({
      pace: { milliseconds: 5 },
    });
    const approved = { status: 'Approved', mid: '518000000001001' };
    await expect.poll(() => status(sandbox, id)).toMatchObject(approved);
  });

  it.each(['"fast"', '"5"', '5', '"-5ms"', '"1.5reads"', 'null'])('may not be %s', async (wrong) => {
    const sandbox = running();
    const { status: code, text } = await sandbox.call('PUT /sandbox/pace', `{"pace":${wrong}}`);
    expect(code).toBe(400);
    expect(JSON.parse(text).fields[0].field).toBe('pace');
  });
});

describe('the list of scenarios', () => {
  it('shows how to choose them, the users, and the faults that can be planned', async () => {
    const sandbox = await runSandbox();
    expect(await sandbox.control('GET /sandbox/scenarios')).toMatchObject({
      usage: expect.stringContaining('[notes]'),
      users: [
        { username: 'sandbox', password: 'sandbox', isoId: 1, mayWrite: true },
        { username: 'other-iso', password: 'other-iso', isoId: 2, mayWrite: true },
        { username: 'read-only', password: 'read-only', isoId: 1, mayWrite: false },
      ],
      paymentsKeys: expect.arrayContaining([{ key: 'sandbox', partnerId: 1 }]),
      processorEvents: expect.arrayContaining(['TransactionCompleted', 'TransactionFailed']),
      faults: expect.objectContaining({ refuse: expect.any(String), 429: expect.any(String) }),
    });
  });
});
