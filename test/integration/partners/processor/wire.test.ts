import { describe, expect, it, onTestFinished } from 'vitest';
import { type ByHand, byHand } from '../../../../src/partners/by-hand.js';
import {
  PROCESSOR_OPERATIONS,
  type ProcessorClient,
  type ProcessorSettings,
  processorClient,
} from '../../../../src/partners/processor/operations.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import {
  type RecordingServer,
  type Respond,
  recordingServer,
  responding,
} from '../../../rigs/partners/servers.js';

const DONE =
  '{"status":true,"message":"Webhook registered successfully","data":null,"errors":null,"error_code":null}';

const registration = {
  event_names: ['TransactionCompleted', 'TransactionFailed'],
  webhook_url: ['https://example.com/hooks?a=1'],
};

async function processor(
  respond: Respond,
  settings: Partial<ProcessorSettings> = {},
): Promise<RecordingServer & { client: ByHand<ProcessorClient> }> {
  const server = await recordingServer(respond);
  const client = byHand(processorClient({ url: server.url, apiKey: 'k3y', ...settings }));
  onTestFinished(() => client.close());
  return { ...server, client };
}

const failureAt = async (status: number, body: string) => {
  const { client, requests } = await processor(responding(status, body));
  const error = await failureOf(client.registerWebhook(registration));
  expect(requests).toHaveLength(1);
  return error;
};

describe('a registration', () => {
  it('is the one operation of the contract', () => {
    expect(Object.keys(PROCESSOR_OPERATIONS)).toEqual(['registerWebhook']);
  });

  it('goes over the wire as printed', async () => {
    const { client, requests } = await processor(responding(200, DONE));
    expect(await client.registerWebhook(registration)).toEqual(JSON.parse(DONE));
    expect(requests).toHaveLength(1);
    const [request] = requests;
    expect(request?.line).toBe('POST /processor/api/v1/webhook');
    expect(request?.headers.authorization).toBe('Bearer k3y');
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.body.toString('utf8')).toBe(
      '{"event_names":["TransactionCompleted","TransactionFailed"],"webhook_url":["https://example.com/hooks?a=1"]}',
    );
  });

  it.each([
    ['an event that the contract does not name', { event_names: ['PayoutOnHold', 'Anything'] }],
    ['several URLs', { webhook_url: ['https://example.com/1', 'HTTPS://example.org:8443/2'] }],
  ])('may have %s', async (_, change) => {
    const { client, requests } = await processor(responding(200, DONE));
    await client.registerWebhook({ ...registration, ...change });
    expect(JSON.parse(String(requests[0]?.body))).toEqual({ ...registration, ...change });
  });

  it.each([
    ['nothing', {}, ['event_names', 'webhook_url']],
    ['one event instead of a list', { ...registration, event_names: 'TransactionFailed' }, ['event_names']],
    ['no event', { ...registration, event_names: [] }, ['event_names']],
    ['an empty event', { ...registration, event_names: ['A', ''] }, ['event_names.1']],
    ['a number for an event', { ...registration, event_names: [1] }, ['event_names.0']],
    ['one URL instead of a list', { ...registration, webhook_url: 'https://example.com' }, ['webhook_url']],
    ['no URL', { ...registration, webhook_url: [] }, ['webhook_url']],
    ['a URL without TLS', { ...registration, webhook_url: ['http://example.com'] }, ['webhook_url.0']],
    ['a URL to loopback', { ...registration, webhook_url: ['http://127.0.0.1/'] }, ['webhook_url.0']],
    ['half a URL', { ...registration, webhook_url: ['https://example.com', 'https://'] }, ['webhook_url.1']],
    ['a path', { ...registration, webhook_url: ['/hooks'] }, ['webhook_url.0']],
    ['a further field', { ...registration, secret: 'x' }, ['secret']],
  ])('with %s is refused before it is sent', async (_, request, fields) => {
    const { client, connections } = await processor(responding(200, DONE));
    const error = await failureOf(client.registerWebhook(request as never));
    expect(error.details).toMatchObject({ kind: 'Rejected', reason: 'not sent: invalid request' });
    expect(error.fields.map(({ field }) => field)).toEqual(fields);
    expect(connections()).toBe(0);
  });
});

describe('an envelope with status true is a success:', () => {
  it.each([
    ['errors that are an empty list', '{"status":true,"message":"done","data":null,"errors":[]}'],
    ['only the required fields', '{"status":true,"message":"done"}'],
    ['further fields', '{"status":true,"message":"done","data":{"id":1},"error_code":7,"more":1}'],
  ])('with %s', async (_, body) => {
    const { client } = await processor(responding(201, body));
    expect(await client.registerWebhook(registration)).toEqual(JSON.parse(body));
  });
});

describe('an envelope with status false is a failure, whatever the HTTP status:', () => {
  const saying = (message: string, errors = 'null') =>
    `{"status":false,"message":"${message}","data":null,"errors":${errors},"error_code":null}`;

  it.each([
    [200, 'Unauthorized'],
    [201, 'Unauthorized'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
  ])('a bad token at %i is %s', async (status, kind) => {
    const error = await failureAt(status, saying('Invalid token'));
    expect(error.details).toEqual({
      system: 'processor',
      operation: 'register-webhook',
      kind,
      status,
      fields: [{ field: '', message: 'Invalid token' }],
      reason: `HTTP ${status}`,
    });
  });

  it.each([200, 400, 422])('a connection without TLS at %i', async (status) => {
    const error = await failureAt(status, saying('HTTPS is required'));
    expect(error).toMatchObject({ kind: 'Rejected', status });
    expect(error.fields).toEqual([{ field: '', message: 'HTTPS is required' }]);
  });

  it.each([200, 400, 422])('an invalid event name at %i, by its field path', async (status) => {
    const errors = '{"event_names.0":["is invalid","is unknown"],"event_names.2":["is invalid"]}';
    const error = await failureAt(status, saying('The given data was invalid', errors));
    expect(error).toMatchObject({ kind: 'Rejected', status });
    expect(error.fields).toEqual([
      { field: 'event_names.0', message: 'is invalid' },
      { field: 'event_names.0', message: 'is unknown' },
      { field: 'event_names.2', message: 'is invalid' },
    ]);
    expect(error.message).toBe(
      `processor register-webhook: Rejected, HTTP ${status} (event_names.0, event_names.2)`,
    );
  });

  it.each([500, 503])('at %i, which never shows what happened', async (status) => {
    expect(await failureAt(status, saying('Oops'))).toMatchObject({ kind: 'Uncertain', status });
  });

  it('with an empty list of errors', async () => {
    expect((await failureAt(422, saying('No', '[]'))).fields).toEqual([{ field: '', message: 'No' }]);
  });
});

describe('a body without an envelope', () => {
  it.each(['', '{}', '<html>', '{"status":"true"}', '[]'])('is no success: %s', async (body) => {
    expect((await failureAt(200, body)).details).toMatchObject({
      kind: 'Uncertain',
      reason: 'unreadable response',
      fields: [{ field: '', message: expect.stringMatching(/^\S+, \d+ bytes$/) }],
    });
  });
});
