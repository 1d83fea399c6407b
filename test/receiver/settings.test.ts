import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BadSetting } from '../../src/config.js';
import { loadReceiverSettings } from '../../src/receiver/settings.js';
import { OTHER_SECRET, SECRET, TOKEN } from './running-receiver.js';

describe('the settings of the receiver', () => {
  it('have defaults', () => {
    expect(loadReceiverSettings({})).toEqual({
      host: '127.0.0.1',
      port: 8082,
      secrets: [],
      tokens: [],
      requestsPerMinute: 3_000,
      payloadKeys: undefined,
      taskQueue: 'gangway',
      posNames: [],
      logLevel: 'info',
    });
  });

  it('are read from the environment', () => {
    const set = loadReceiverSettings({
      RECEIVER_ADDRESS: '0.0.0.0:9000',
      RECEIVER_SECRETS: `${SECRET}, ${OTHER_SECRET}`,
      RECEIVER_TOKENS: `${TOKEN}, ${TOKEN}-2`,
      RECEIVER_REQUESTS_PER_MINUTE: '60',
      GANGWAY_TASK_QUEUE: 'mine',
      GANGWAY_LOG_LEVEL: 'warn',
      BOARDING_POS_NAMES: 'Till',
    });
    expect(set).toMatchObject({
      host: '0.0.0.0',
      port: 9000,
      secrets: [SECRET, OTHER_SECRET],
      tokens: [TOKEN, `${TOKEN}-2`],
      requestsPerMinute: 60,
      taskQueue: 'mine',
      posNames: ['Till'],
      logLevel: 'warn',
    });
  });

  it('take secrets from files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'secrets'), `${SECRET}\n`);
    await writeFile(join(folder, 'tokens'), `${TOKEN}\n`);
    const { secrets, tokens } = loadReceiverSettings({
      RECEIVER_SECRETS_FILE: join(folder, 'secrets'),
      RECEIVER_TOKENS_FILE: join(folder, 'tokens'),
    });
    expect([secrets, tokens]).toEqual([[SECRET], [TOKEN]]);
  });

  it.each(['127.0.0.1:0', '127.8.0.1:8082', 'localhost:8082'])('allow %s without secrets', (address) => {
    expect(loadReceiverSettings({ RECEIVER_ADDRESS: address }).host).toBe(address.split(':')[0]);
  });

  const eachSecret = 'RECEIVER_SECRETS: each secret must be whsec_ and 24 to 64 bytes in base64';
  it.each<[string, Record<string, string>]>([
    ['RECEIVER_SECRETS: is not set: anyone could start', { RECEIVER_ADDRESS: '0.0.0.0:8082' }],
    ['RECEIVER_SECRETS: is not set: anyone could start', { RECEIVER_ADDRESS: 'events.example.com:8082' }],
    [eachSecret, { RECEIVER_SECRETS: SECRET.slice(6) }],
    [eachSecret, { RECEIVER_SECRETS: 'whsec_c2VjcmV0' }],
    [eachSecret, { RECEIVER_SECRETS: `${SECRET},` }],
    [eachSecret, { RECEIVER_SECRETS: `${SECRET} ${OTHER_SECRET}` }],
    ['RECEIVER_TOKENS: each token must be 32 or more', { RECEIVER_TOKENS: `${TOKEN},c2VjcmV0` }],
    ['RECEIVER_ADDRESS: must be host:port', { RECEIVER_ADDRESS: '8082' }],
    ['RECEIVER_REQUESTS_PER_MINUTE: must be a number from 1', { RECEIVER_REQUESTS_PER_MINUTE: '0' }],
    ['PAYLOAD_KEYS: key 1 must be', { PAYLOAD_KEYS: 'c2VjcmV0' }],
  ])('are refused: %s', (message, settings) => {
    const load = () => loadReceiverSettings(settings);
    expect(load).toThrow(BadSetting);
    expect(load).toThrow(message);
    expect(load).not.toThrow(/c2VjcmV0|6f1d0c5e|AAECAw/);
  });
});
