import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { processorClient } from '../../../src/partners/processor/client.js';
import { answering, clientOf, recordingServer } from '../../rigs/partners/servers.js';

const registration = { event_names: ['TransactionFailed'], webhook_url: ['https://example.com'] };

it('a deprecated operation says so once in the life of the process, and no other one does', async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error) => warnings.push(warning);
  process.on('warning', keep);
  onTestFinished(() => void process.off('warning', keep));
  const { url } = await recordingServer(answering(200, '{"status":true,"message":"done","data":[]}'));
  const clients = [1, 2].map(() => processorClient({ url, apiKey: 'k3y' }));
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))));

  const warned = once(process, 'warning');
  for (const client of [...clients, ...clients]) await client.registerWebhook(registration);
  await clientOf(url).listAgentProfiles({});
  await warned;
  await setImmediate();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({
    name: 'DeprecationWarning',
    code: 'GANGWAY_processor_register-webhook',
    message:
      'processor register-webhook is deprecated: the contract wants a stable replacement used, and does not name it',
  });
});
