import { describe, expect, it } from 'vitest';
import { runKeyed } from '../../../rigs/sandbox/keyed.js';
import { shared, type Until } from '../../../rigs/shared.js';

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

  it.each([
    [
      'an unknown event',
      REGISTRATION.replace('TransactionCompleted', 'Earthquake'),
      [
        422,
        refusal(
          'The given data was invalid.',
          '{"event_names.0":["The selected event_names.0 is invalid."]}',
        ),
      ],
    ],
    [
      'some unknown events',
      REGISTRATION.replace('"TransactionCompleted"', '"A","BatchRefund","B"'),
      [
        422,
        refusal(
          'The given data was invalid.',
          '{"event_names.0":["The selected event_names.0 is invalid."],"event_names.2":["The selected event_names.2 is invalid."]}',
        ),
      ],
    ],
    ['no TLS', REGISTRATION.replace('https:', 'http:'), [422, refusal('HTTPS is required.')]],
  ])('refuses %s', async (_, body, expected) => {
    const processor = refusing();
    const { status, text } = await processor.call(LINE, body);
    expect([status, text]).toEqual(expected);
    expect(await processor.effects()).toEqual([]);
  });

  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer guess' }],
    ['another scheme', { authorization: 'Basic sandbox' }],
  ])('refuses %s', async (_, shown) => {
    const processor = refusing();
    const { status, text } = await processor.call(LINE, REGISTRATION, shown as Record<string, string>);
    expect([status, text]).toEqual([401, refusal('Invalid token.')]);
    expect(await processor.effects()).toEqual([]);
  });
});
