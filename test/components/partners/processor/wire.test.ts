import { describe, expect, it, onTestFinished } from 'vitest';
import { byHand } from '../../../../src/partners/by-hand.js';
import { processorClient } from '../../../../src/partners/processor/operations.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, recordingServer, responding } from '../../../rigs/partners/servers.js';

const DONE =
  '{"status":true,"message":"Webhook registered successfully","data":null,"errors":null,"error_code":null}';

const registration = {
  event_names: ['TransactionCompleted', 'TransactionFailed'],
  webhook_url: ['https://example.com/hooks?a=1'],
};

async function processor(respond: Respond) {
  const server = await recordingServer(respond);
  const client = byHand(processorClient({ url: server.url, apiKey: 'k3y' }));
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
  it('is confirmed by the envelope', async () => {
    const { client } = await processor(responding(200, DONE));
    expect(await client.registerWebhook(registration)).toEqual(JSON.parse(DONE));
  });

  it.each([
    ['an event that the contract does not name', { event_names: ['PayoutOnHold', 'Anything'] }],
    ['several URLs', { webhook_url: ['https://example.com/1', 'HTTPS://example.org:8443/2'] }],
  ])('may have %s', async (_, change) => {
    const { client, requests } = await processor(responding(200, DONE));
    await client.registerWebhook({ ...registration, ...change });
    expect(JSON.parse(String(requests[0]?.body))).toEqual({ ...registration, ...change });
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
      reason: `HTTP ${status}`,
      fields: [{ field: '', message: 'Invalid token' }],
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
      fields: [{ field: '', message: expect.stringMatching(/^\S+, \d+ bytes(: <html>)?$/) }],
    });
  });
});
