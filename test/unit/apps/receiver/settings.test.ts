import { describe, expect, it } from 'vitest';
import { loadReceiverSettings } from '../../../../src/apps/receiver/settings.js';
import { BadSetting } from '../../../../src/platform/settings/settings.js';
import { fileWith } from '../../../rigs/folders.js';
import { CRM, OTHER_SECRET, SECRET, TOKEN } from '../../../rigs/receiver/running-receiver.js';

describe('the settings of the receiver', () => {
  it('have defaults', () => {
    const off = (...ids: [path: string, kind: string][]) => ({
      senders: [],
      idFields: ids.map(([path, kind]) => ({ path, kind })),
    });
    const merchant: [string, string] = ['merchantProfileId', 'MerchantProfileId'];
    expect(loadReceiverSettings({})).toEqual({
      dbaForm: 'shown',
      host: '127.0.0.1',
      port: 8082,
      secrets: [],
      clientsFile: undefined,
      documentDir: 'documents',
      fourEyes: [],
      requestsPerMinute: 3_000,
      trustedProxies: [],
      payloadKeys: undefined,
      taskQueue: 'gangway',
      webhooks: {
        banking: off(['profileId', 'BankingProfileId'], merchant),
        boarding: off(merchant, ['mid', 'Mid'], ['guid', 'externalId']),
        processor: off(['client_reference_id', 'externalId']),
      },
      posNames: [],
      accounts: {},
      logLevel: 'info',
      feePlans: expect.any(Function),
      people: expect.any(Function),
    });
  });

  it('are read from the environment, and secrets from files', async () => {
    const set = loadReceiverSettings({
      RECEIVER_ADDRESS: '0.0.0.0:9000',
      RECEIVER_SECRETS_FILE: await fileWith(`${SECRET}, ${OTHER_SECRET}\n`),
      API_CLIENTS_FILE: await fileWith(`${JSON.stringify(CRM)}\n`),
      RECEIVER_TRUSTED_PROXIES: '10.0.0.7, 192.0.2.0/24,2001:db8::/32',
      RECEIVER_BANKING_AUTH: `signature:${SECRET}, signature:${OTHER_SECRET}`,
      RECEIVER_BOARDING_AUTH_FILE: await fileWith(`path:${TOKEN}\n`),
      RECEIVER_PROCESSOR_AUTH: 'header:X-Caller-Auth:a value: with 24 signs',
      GANGWAY_TASK_QUEUE: 'mine',
      GANGWAY_LOG_LEVEL: 'warn',
      BOARDING_POS_NAMES: 'Till',
    });
    const [one, other] = [SECRET, OTHER_SECRET].map((secret) => ({ kind: 'signature', secret }));
    const header = { kind: 'header', name: 'x-caller-auth', value: 'a value: with 24 signs' };
    expect(set).toMatchObject({
      host: '0.0.0.0',
      port: 9000,
      secrets: [SECRET, OTHER_SECRET],
      trustedProxies: ['10.0.0.7', '192.0.2.0/24', '2001:db8::/32'],
      webhooks: {
        banking: { senders: [one, other] },
        boarding: { senders: [{ kind: 'path', secret: TOKEN }] },
        processor: { senders: [header] },
      },
      taskQueue: 'mine',
      posNames: ['Till'],
      logLevel: 'warn',
    });
  });

  const [NONE, ANYWHERE] = [{ RECEIVER_BANKING_AUTH: 'none' }, { RECEIVER_ADDRESS: '0.0.0.0:8082' }];
  it.each(['127.0.0.1:0', '127.8.0.1:8082', 'localhost:8082'])('allow %s without secrets', (address) => {
    const { host, webhooks } = loadReceiverSettings({ RECEIVER_ADDRESS: address, ...NONE });
    expect([host, webhooks.banking?.senders]).toEqual([address.split(':')[0], [{ kind: 'none' }]]);
  });

  const eachSecret = 'RECEIVER_SECRETS: each secret must be whsec_ and 24 to 64 bytes in base64';
  const eachAuth = (partner: string) => `RECEIVER_${partner}_AUTH: each must be`;
  const MIXED = 'RECEIVER_BANKING_AUTH: none cannot be combined with other forms';
  const NOT_LOOPBACK = 'RECEIVER_BANKING_AUTH: none is allowed only on loopback';
  type Refused = [string, Record<string, string>];
  it.each<Refused>([
    ['RECEIVER_SECRETS: is not set: anyone could start', ANYWHERE],
    ['RECEIVER_SECRETS: is not set: anyone could start', { RECEIVER_ADDRESS: 'events.example.com:8082' }],
    [eachSecret, { RECEIVER_SECRETS: SECRET.slice(6) }],
    [eachSecret, { RECEIVER_SECRETS: 'whsec_c2VjcmV0' }],
    [eachSecret, { RECEIVER_SECRETS: `${SECRET},` }],
    [eachSecret, { RECEIVER_SECRETS: `${SECRET} ${OTHER_SECRET}` }],
    ['API_CLIENTS_FILE: cannot be read (ENOENT)', { API_CLIENTS_FILE: '/c2VjcmV0' }],
    ['RECEIVER_ADDRESS: must be host:port', { RECEIVER_ADDRESS: '8082' }],
    [`${eachAuth('BANKING')} signature:whsec_`, { RECEIVER_BANKING_AUTH: SECRET }],
    [eachAuth('BANKING'), { RECEIVER_BANKING_AUTH: 'signature:whsec_c2VjcmV0' }],
    [eachAuth('BOARDING'), { RECEIVER_BOARDING_AUTH: `path:${TOKEN.slice(1)}` }],
    [eachAuth('BOARDING'), { RECEIVER_BOARDING_AUTH: `path:${TOKEN}/a` }],
    [eachAuth('PROCESSOR'), { RECEIVER_PROCESSOR_AUTH: 'header:X-Caller-Auth:c2VjcmV0' }],
    [eachAuth('PROCESSOR'), { RECEIVER_PROCESSOR_AUTH: `header:X Caller:${TOKEN}` }],
    [eachAuth('PROCESSOR'), { RECEIVER_PROCESSOR_AUTH: `path:${TOKEN},` }],
    [MIXED, { RECEIVER_BANKING_AUTH: `none,path:${TOKEN}` }],
    [NOT_LOOPBACK, { ...NONE, ...ANYWHERE, RECEIVER_SECRETS: SECRET }],
    ...['10.0.0.256', '10.0.0.0/33', '0.0.0.0/0', '::/0', 'gateway.example.com'].map(
      (proxy): Refused => [
        'RECEIVER_TRUSTED_PROXIES: each must be an address or a network',
        { RECEIVER_TRUSTED_PROXIES: `10.0.0.7,${proxy}` },
      ],
    ),
    ['PAYLOAD_KEYS: key 1 must be', { PAYLOAD_KEYS: 'c2VjcmV0' }],
  ])('are rejected: %s', (message, settings) => {
    const load = () => loadReceiverSettings(settings);
    expect(load).toThrow(BadSetting);
    expect(load).toThrow(message);
    expect(load).not.toThrow(/c2VjcmV0|6f1d0c5e|AAECAw/);
  });
});
