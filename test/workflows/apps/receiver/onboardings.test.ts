import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import {
  event,
  problemOf,
  type Reply,
  type RunningReceiver,
  runReceiver,
  STRUCTURED,
  TOKEN,
} from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig({ accounts: ['acme', 'north-iso'] });
afterEach(() => rig.clear());

const inJson = { 'content-type': 'application/json' };
const authorization = `Bearer ${TOKEN}`;

function put({ call }: RunningReceiver, externalId: string, body: unknown): Promise<Reply> {
  return call(`PUT /v1/onboardings/${externalId}`, JSON.stringify(body), { ...inJson, authorization });
}

function get({ call }: RunningReceiver, id: string): Promise<Reply> {
  return call(`GET /v1/onboardings/${id}`, undefined, { authorization });
}

describe('PUT and GET /v1/onboardings', () => {
  it.each([
    ['merchant', 'merchant-boarding', 'boarded', merchant],
    ['business', 'business-onboarding', 'onboarded', business],
    ['customer', 'customer-onboarding', 'onboarded', customer],
  ])('start and show a %s', async (type, prefix, outcome, callback) => {
    const receiver = await runReceiver(rig);
    const { externalId, ...input } = callback();
    const workflowId = `${prefix}-${externalId}`;
    for (const expected of [
      [202, { workflowId }],
      [200, { workflowId, unchanged: true }],
    ]) {
      const { status, headers, text } = await put(receiver, externalId, { type, ...input });
      expect([status, JSON.parse(text)]).toEqual(expected);
      expect(headers.get('location')).toBe(`/v1/onboardings/${workflowId}`);
    }
    await new Onboarding(rig.client, workflowId).outcome();
    const timeline = await get(receiver, `${workflowId}/timeline?limit=1`);
    expect(JSON.parse(timeline.text)).toMatchObject({ entries: [{ event: 'started', actor: 'crm (API)' }] });
    const { status, headers, text } = await get(receiver, workflowId);
    expect([status, JSON.parse(text)]).toMatchObject([200, { workflowId, type, externalId, outcome }]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('reject another body for a known id, and name the fields that differ', async () => {
    const receiver = await runReceiver(rig);
    const { externalId, ...input } = merchant('notes', {
      application: { remark: 'as agreed', equipment: { type: 'terminal' } },
    });
    const workflowId = `merchant-boarding-${externalId}`;
    await put(receiver, externalId, { type: 'merchant', ...input });
    const { email: _, ...withoutEmail } = { ...input.merchant, lastName: 'Private' };
    const application = { remark: 'as agreed', equipment: { type: 'terminal', count: 2 } };
    const other = { ...input, merchant: withoutEmail, application, dueInHours: 3 };
    const rejected = await put(receiver, externalId, { type: 'merchant', ...other });
    expect(problemOf(rejected)).toEqual({
      type: 'urn:gangway:problem:other-input',
      title: 'The onboarding was started with another input',
      status: 409,
      detail: 'nothing was changed: correct the onboarding by its requirements, or use another externalId',
      errors: ['merchant.lastName', 'application.equipment.count', 'dueInHours'].map((field) => {
        return { field, message: 'differs from the first input' };
      }),
    });
    expect(rejected.text).not.toContain('Private');
    const again = await put(receiver, externalId, { type: 'merchant', ...input });
    expect([again.status, JSON.parse(again.text)]).toEqual([200, { workflowId, unchanged: true }]);
    const { raw } = await rig.client.workflow.getHandle(workflowId).describe();
    expect(raw.workflowExecutionInfo?.executionTime).toEqual(raw.workflowExecutionInfo?.startTime);
  });

  it('accept the longest externalId', async () => {
    const receiver = await runReceiver(rig);
    const { externalId, ...input } = merchant();
    const long = externalId.padEnd(200, 'x');
    const { status, text } = await put(receiver, long, { type: 'merchant', ...input });
    expect([status, text]).toEqual([202, `{"workflowId":"merchant-boarding-${long}"}`]);
  });
});

describe('a partner account', () => {
  const accounts = { acme: { posNames: ['Till'] }, 'north-iso': { posNames: [] } };

  it('is kept for the workflow, by REST and by events', async () => {
    const receiver = await runReceiver(rig, { accounts });
    const { externalId, ...input } = merchant();
    const other = merchant();
    await put(receiver, externalId, { type: 'merchant', account: 'acme', ...input });
    expect((await get(receiver, `merchant-boarding-${externalId}@acme`)).status).toBe(200);
    const requested = event('merchant.boarding.requested.v1', { ...other, account: 'north-iso' });
    await receiver.post(JSON.stringify(requested), { 'content-type': STRUCTURED });
    const accountOf = async (id: string) => {
      const { searchAttributes } = await rig.client.workflow.getHandle(`merchant-boarding-${id}`).describe();
      return searchAttributes['PartnerAccount'];
    };
    expect(await accountOf(`${externalId}@acme`)).toEqual(['acme']);
    expect(await accountOf(`${other.externalId}@north-iso`)).toEqual(['north-iso']);
  });

  it.each([
    [{ account: 'south' }, { field: 'account', message: 'must be one of GANGWAY_ACCOUNTS: acme, north-iso' }],
    [{ account: 7 }, { field: 'account', message: 'must be text' }],
    [
      { account: 'north-iso', merchant: { ...merchant().merchant, pos: 'Till' } },
      { field: 'merchant.pos', message: 'belongs to another account' },
    ],
  ])('is rejected in %j', async (more, wrong) => {
    const receiver = await runReceiver(rig, { accounts });
    const { externalId, ...input } = merchant();
    const problem = problemOf(await put(receiver, externalId, { type: 'merchant', ...input, ...more }));
    expect(problem).toMatchObject({ status: 422, detail: 'the request had no effect', errors: [wrong] });
    expect((await get(receiver, `merchant-boarding-${externalId}`)).status).toBe(404);
  });
});

describe('a problem is the response to', () => {
  it('an unknown onboarding', async () => {
    const detail = 'there is no onboarding with this ID, or this client may not see it';
    const unknown = { type: 'urn:gangway:problem:unknown-onboarding', title: 'There is no such onboarding' };
    const problem = problemOf(await get(await runReceiver(rig), 'merchant-boarding-nobody'));
    expect(problem).toEqual({ ...unknown, status: 404, detail });
  });

  const { externalId: _, ...rest } = merchant();
  const input = { ...rest, type: 'merchant' };
  const wrong = { ...input, agentProfileId: '101', fees: { amexx: {} } };
  const at = (field: string, message: string) => ({ field, message });
  it.each<[string, string, unknown, object[]]>([
    ['no type', 'm-1', rest, [at('type', 'is required: one of merchant, business, customer')]],
    [
      'another type',
      'm-1',
      { ...rest, type: 'person' },
      [at('type', 'must be one of merchant, business, customer')],
    ],
    ['a second externalId', 'm-1', { ...input, externalId: 'm-2' }, [at('externalId', 'is in the path')]],
    [
      'wrong fields',
      '123-45-6789',
      wrong,
      [
        at('externalId', 'contains what looks like a social security number'),
        at('agentProfileId', 'must be a number, without quotes'),
        at('fees.amexx', 'is not a known field; did you mean amex?'),
      ],
    ],
    ['no object', 'm-1', [], [at('', 'must be an object')]],
  ])('%s', async (_, externalId, body, errors) => {
    const reply = await put(await runReceiver(rig), externalId, body);
    expect(problemOf(reply)).toEqual({
      type: 'urn:gangway:problem:invalid',
      title: 'Fields are missing or wrong',
      status: 422,
      detail: 'the request had no effect',
      errors,
    });
  });

  const invalidToken = 'Bearer realm="gangway", error="invalid_token"';
  it.each([
    ['no token', undefined, 'Bearer realm="gangway"'],
    ['another token', `Bearer ${TOKEN.replace('6', '7')}`, invalidToken],
  ])('%s', async (_, value, challenge) => {
    const { call } = await runReceiver(rig);
    const headers = { ...(value !== undefined && { authorization: value }) };
    for (const reply of [
      await call('GET /v1/onboardings/nobody', undefined, headers),
      await call('PUT /v1/onboardings/nobody', '{', { ...inJson, ...headers }),
    ]) {
      expect(problemOf(reply)).toEqual({
        type: 'urn:gangway:problem:bad-token',
        title: 'The bearer token is missing or wrong',
        status: 401,
        detail: 'send a token of API_CLIENTS_FILE as Authorization: Bearer',
      });
      expect(reply.headers.get('www-authenticate')).toBe(challenge);
    }
  });

  const bearer = (after: string) => `authorization: Bearer${after}`;
  it.each<[string, (path: string) => string]>([
    ['two headers', (path) => head(path, [bearer(` ${TOKEN}x`), bearer(` ${TOKEN}`)])],
    ['a token after another', (path) => head(path, [bearer(` x, Bearer ${TOKEN}`)])],
    ['a token after a tab', (path) => head(path, [bearer(`\t${TOKEN}`)])],
    ['a token that goes on', (path) => head(path, [bearer(` ${TOKEN}\u00a0`)])],
    ['a token in upper case', (path) => head(path, [bearer(` ${TOKEN.toUpperCase()}`)])],
    ['a token in base64', (path) => head(path, [bearer(` ${btoa(TOKEN)}`)])],
    ['a token in the query', (path) => head(`${path}?access_token=${TOKEN}&token=${TOKEN}`, [])],
    ['a token in a cookie', (path) => head(path, [`cookie: ${bearer(` ${TOKEN}`)}; token=${TOKEN}`])],
    ['a token in another header', (path) => head(path, [`x-${bearer(` ${TOKEN}`)}`])],
    ['a token for a proxy', (path) => head(path, [`proxy-${bearer(` ${TOKEN}`)}`])],
    ['a path that leads there', (path) => head(`/healthz/..${path}`, [])],
    ['a path with two slashes', (path) => head(`/${path}`, [])],
    ['an absolute URL', (path) => head(`http://127.0.0.1${path}`, [])],
    ['another method in a header', (path) => head(path, ['x-http-method-override: OPTIONS'])],
    ['an absolute address', (path) => head(path, ['x-forwarded-for: 127.0.0.1', 'forwarded: for=127.0.0.1'])],
  ])('%s', async (_, requestTo) => {
    const { url, log } = await runReceiver(rig);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end(requestTo('/v1/onboardings/nobody'));
    const response = await text(socket);
    // None of these responses reveals that there is no such onboarding.
    expect(response).toMatch(/^HTTP\/1\.1 40[014] /);
    expect(response).not.toContain('no such onboarding');
    for (const output of [response, log()]) expect(output).not.toContain(TOKEN);
  });

  function head(path: string, headers: readonly string[]): string {
    return [`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', ...headers, '', ''].join('\r\n');
  }

  it('every caller, when there is no list of clients', async () => {
    const receiver = await runReceiver(rig, { clientsFile: undefined });
    expect((await get(receiver, 'nobody')).status).toBe(401);
  });
});
