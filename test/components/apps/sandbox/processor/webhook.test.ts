import { describe, expect, it } from 'vitest';
import { runKeyed } from '../../../../rigs/sandbox/keyed.js';
import { shared, type Until } from '../../../../rigs/shared.js';

const LINE = 'POST /processor/api/v1/webhook';
const REGISTRATION = '{"event_names":["TransactionCompleted"],"webhook_url":["https://example.com/hooks"]}';
const runProcessor = (until?: Until) => runKeyed({ authorization: 'Bearer sandbox' }, {}, until);

const refusal = (message: string, errors = 'null') =>
  `{"status":false,"message":"${message}","data":null,"errors":${errors},"error_code":null}`;

describe('the processor', () => {
  const refusing = shared(runProcessor);

  it('registers webhooks, and confirms that in its envelope', async () => {
    const processor = await runProcessor();
    const { status, text } = await processor.call(LINE, REGISTRATION);
    expect([status, text]).toEqual([
      200,
      '{"status":true,"message":"Webhook registered successfully.","data":null,"errors":null,"error_code":null}',
    ]);
    await processor.call(LINE, REGISTRATION);
    expect(await processor.effects()).toEqual(['register-webhook 1', 'register-webhook 2']);
  });

  const selected = (...positions: number[]) =>
    positions.map((at) => `"event_names.${at}":["The selected event_names.${at} is invalid."]`).join();
  const invalid = (...positions: number[]) =>
    refusal('The given data was invalid.', `{${selected(...positions)}}`);

  it.each([
    ['an unknown event', REGISTRATION.replace('TransactionCompleted', 'Earthquake'), invalid(0)],
    ['some', REGISTRATION.replace('"TransactionCompleted"', '"A","TransactionFailed","B"'), invalid(0, 2)],
    ['no TLS', REGISTRATION.replace('https:', 'http:'), refusal('HTTPS is required.')],
  ])('refuses %s', async (_, body, expected) => {
    const processor = refusing();
    const { status, text } = await processor.call(LINE, body);
    expect([status, text]).toEqual([422, expected]);
    expect(await processor.effects()).toEqual([]);
  });

  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer guess' }],
    ['another scheme', { authorization: 'Basic sandbox' }],
  ])('refuses %s', async (_, output) => {
    const processor = refusing();
    const { status, text } = await processor.call(LINE, REGISTRATION, output as Record<string, string>);
    expect([status, text]).toEqual([401, refusal('Invalid token.')]);
    expect(await processor.effects()).toEqual([]);
  });
});
