import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answered, gangway } from '../../../rigs/command.js';
import { issuingToken } from '../../../rigs/partners/banking/partner.js';
import { type Respond, recordingServer, responding } from '../../../rigs/partners/servers.js';
import { untilPolled } from '../../../rigs/polled.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await createRig();
afterAll(() => rig.close());
beforeAll(() => untilPolled(rig, 'banking'));

const call = (args: readonly string[], env: Record<string, string> = {}) =>
  gangway({ ...rig.env, ...env }, ['call', ...args]);

/** Calls that workers have made of a partner. */
async function idsOf(system: string): Promise<string[]> {
  const query = `ActivityType = 'callPartner' AND TaskQueue = '${rig.taskQueue}-${system}'`;
  return eventually(
    async () => {
      const ids: string[] = [];
      for await (const { activityId } of rig.client.activity.list(query)) ids.push(activityId);
      return ids;
    },
    (ids) => ids.length > 0,
    'the list of activities, which the server writes later',
  );
}

const WEBHOOK = '{"name":"gangway","url":"https://h.example.com","notificationType":"Fee"}';
const MERCHANT = {
  dba: 'Corner Bakery',
  firstName: 'Ada',
  lastName: 'Baker',
  cashDiscount: 'No',
  pos: 'None',
  agentProfileId: 101,
  boardingSettingsId: 11,
};

/** Calls, with --local, a partner that responds to every operation in the same way. */
async function callAt(system: string, args: readonly string[], respond: Respond) {
  const { url, requests } = await recordingServer((response, request) => {
    const isSignIn = request.url?.startsWith('/api/auth/v2') && !args.includes('issue-token');
    (isSignIn ? issuingToken('t0k3n') : respond)(response, request);
  });
  const done = await call([system, ...args, '--local'], { [`${system.toUpperCase()}_URL`]: url });
  return { ...done, requests };
}

describe('a call whose response reports a failure although its HTTP status is 200', () => {
  const CLOSE = ['banking', 'close-card', '{"paymentCardId":"card-1003"}', '--yes'];
  const reason = 'the partner reports a failure:\n  the card is closed already\n';
  beforeAll(async () => {
    expect(await call([...CLOSE, '--local'])).toMatchObject({ code: 0 });
  });

  it.each([
    ['by a worker', []],
    ['with --local', ['--local', '--json']],
  ])('prints the response and the problems, and exits 1, %s', async (_, more) => {
    const { code, stdout, stderr } = await call([...CLOSE, ...more]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: reason });
    expect(JSON.parse(stdout)).toMatchObject({ success: false, errors: 'the card is closed already' });
  });

  it('does so again for gangway call response', async () => {
    for (const id of await idsOf('banking')) {
      expect(await call(['response', id])).toMatchObject({ code: 1, stderr: reason });
    }
  });

  it('exits 1 where data of the boarding partner carries the failure', async () => {
    const body = '{"data":{"status":"Pending","success":false,"error":"No status"},"requestId":1}';
    const { code, stderr } = await callAt('boarding', ['get-status2', '{"id":1}'], responding(200, body));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'the partner reports a failure:\n  No status\n',
    });
  });

  it('exits 1 where the envelope reports it, and prints the response', async () => {
    const body = '{"status":false,"message":"Invalid","data":null,"errors":{"event_names.0":["is invalid"]}}';
    const request = '{"event_names":["A"],"webhook_url":["https://h.example.com"]}';
    const args = ['register-webhook', request, '--json'];
    const { code, stdout, stderr } = await callAt('processor', args, responding(200, body));
    expect([code, stdout, stderr.replace(/^.* is deprecated: .*\n/, '')]).toEqual([
      1,
      `${body}\n`,
      'the processor partner rejected the request (HTTP 200)\n  event_names.0: is invalid\n',
    ]);
  });

  it('and exits 0 otherwise', async () => {
    const body = responding(200, '{"success":true,"errors":[],"validationErrors":{}}');
    expect(await callAt('banking', ['create-webhook', WEBHOOK], body)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a warning of a call', () => {
  it('of the partner is printed with the response', async () => {
    const body = '{"data":[],"warning":"ask ada@example.com","requestId":1}';
    const notes = (more: string[]) =>
      callAt('boarding', ['get-underwriting-notes', '{"id":1}', '--json', ...more], responding(200, body));
    expect(await notes([])).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: 'warning: ask [Redacted]\n',
    });
    expect((await notes(['--reveal'])).stderr).toBe('warning: ask ada@example.com\n');
  });

  it('names unknown fields before the call is confirmed, and with its response', async () => {
    const request = JSON.stringify({ ...MERCHANT, legalName: 'Baker LLC', emial: 'ada@example.com' });
    const warning = 'warning: unknown fields are sent unchanged: legalName, emial\n';
    const args = ['call', 'boarding', 'create-merchant', request];
    const question = await answered(rig.env, args, 'no');
    expect([question.code, question.stderr]).toEqual([1, expect.stringMatching(new RegExp(`^${warning}`))]);
    expect(await call([...args.slice(1), '--yes', '--local'])).toMatchObject({ code: 0, stderr: warning });
    expect(await call([...args.slice(1), '--yes'])).toMatchObject({ code: 0, stderr: warning });
    for (const id of await idsOf('boarding')) {
      expect(await call(['response', id])).toMatchObject({ code: 0, stderr: warning });
    }
  });

  it('is an error for a v1 create, whose fields the contract lists', async () => {
    const request = JSON.stringify({ ...MERCHANT, legalName: 'Baker LLC' });
    expect(await call(['boarding', 'create-merchant-v1', request, '--yes', '--local'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('legalName: is not a known field'),
    });
  });
});

it('the reason of a partner that rejects a call is printed without secrets', async () => {
  const user = '{"nickName":"bo","password":"p4ss-w0rd","tokenDevice":"dev-1","nameDevice":"n"}';
  const refused = responding(403, '{"message":"p4ss-w0rd: captcha"}');
  expect(await callAt('banking', ['issue-token', user], refused)).toMatchObject({
    code: 1,
    stderr:
      'the banking partner denied the request (403): the account lacks the permission\n  [Redacted]: captcha\n',
  });
});

describe('a payment action without an event_id', () => {
  it('gets one, prints it, and does nothing twice when it is passed again', async () => {
    const payment = await capturedPayment();
    const refund = (request: object) =>
      call(['payments', 'refund-payment', JSON.stringify(request), '--yes', '--json']);
    const request = { transaction_id: payment, amount: 100 };
    const { code, stderr } = await refund(request);
    const [, key = ''] =
      /^the request has no event_id and gets a new one; to repeat this call, add (\{.*\}) to the request$/m.exec(
        stderr,
      ) ?? [];
    expect([code, key]).toEqual([0, expect.stringMatching(/^\{"event_id":"[\da-f-]{36}"\}$/)]);
    const again = await refund({ ...request, ...JSON.parse(key) });
    expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('event_id') });
    expect(await rig.sandbox.ledger({ operation: 'refund-payment' })).toHaveLength(1);
  });

  it('prints it before the call is sent, so that it is known without a response', async () => {
    const request = '{"transaction_id":"t-1"}';
    const { stderr, requests } = await callAt('payments', ['reverse-payment', request, '--yes'], (response) =>
      response.destroy(),
    );
    const { event_id } = JSON.parse(String(requests[0]?.body)) as { event_id: string };
    expect(stderr).toMatch(/^the request has no event_id .*\nthe payments partner sent no clear response/);
    expect(stderr).toContain(event_id);
  });
});

/** A captured payment at the platform. */
async function capturedPayment(): Promise<string> {
  const request = { terminal_id: 'terminal-1001', amount: 1250, event_id: randomUUID() };
  const started = await call(['payments', 'start-payment', JSON.stringify(request), '--local', '--yes']);
  const { id } = JSON.parse(started.stdout) as { id: string };
  // The sandbox moves it on with each read.
  await call(['payments', 'get-transaction', JSON.stringify({ transaction_id: id }), '--local']);
  return id;
}
