import type { KnownPartner } from './known-partner.js';

export const PROCESSOR: KnownPartner<'processor'> = {
  calls: {
    registerWebhook: (client) =>
      client.registerWebhook({
        event_names: ['TransactionCompleted', 'TransactionFailed'],
        webhook_url: ['https://example.com/hooks?a=1'],
      }),
  },
  wire: {
    registerWebhook:
      'POST /processor/api/v1/webhook {"event_names":["TransactionCompleted","TransactionFailed"],' +
      '"webhook_url":["https://example.com/hooks?a=1"]}',
  },
  headers: { authorization: 'Bearer sandbox' },
  refusals: [
    [422, 'register-webhook', 'POST /processor/api/v1/webhook', '{}'],
    [
      422,
      'register-webhook',
      'POST /processor/api/v1/webhook',
      '{"event_names":["Horoscope"],"webhook_url":["https://example.com"]}',
    ],
    [401, 'register-webhook', 'POST /processor/api/v1/webhook', '{}', 'guess'],
  ],
};
