import { describe, expect, it } from 'vitest';
import { servedAccounts } from '../../../src/partners/account-settings.js';
import { BadSetting } from '../../../src/platform/settings/settings.js';
import { loadWorkerSettings } from '../../../src/worker/settings.js';
import { fileWith } from '../../rigs/folders.js';

const URL = 'https://boarding.example.com';
const partner = { BOARDING_URL: URL, BOARDING_USERNAME: 'user', BOARDING_PASSWORD: 'secret' };
const banking = {
  BANKING_URL: 'https://banking.example.com',
  BANKING_USERNAME: 'user',
  BANKING_PASSWORD: 'secret',
  BANKING_DEVICE_TOKEN: 'device',
};
const payments = (url: string, environment: string) => ({
  PAYMENTS_URL: url,
  PAYMENTS_ENVIRONMENT: environment,
  PAYMENTS_API_KEY: 'k3y',
});
const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const OFF = { banking: undefined, 'plant-store': undefined, payments: undefined, processor: undefined };

// Proves R3.
describe('the settings', () => {
  it('have defaults, and a partner without a URL is off', () => {
    expect(loadWorkerSettings({})).toEqual({
      taskQueue: 'gangway',
      dbaForm: 'shown',
      fourEyes: [],
      poll: { minMs: 60_000, maxMs: 3_600_000 },
      stalledCalls: { retryAfterMaxMs: 3_600_000, stepMs: 86_400_000, unreadableMs: 600_000 },
      version: undefined,
      activePatches: [],
      payloadKeys: undefined,
      healthAddress: { host: '127.0.0.1', port: 8081 },
      metricsAddress: undefined,
      logLevel: 'info',
      partners: { ...OFF, boarding: undefined },
      activitiesPerSecond: {},
      portals: {},
      posNames: [],
      feePlans: expect.any(Function),
      pathSegment: 'svc',
      settingsPrefix: '',
      accounts: {},
      events: { secrets: [], toLoopback: false, destinations: [] },
      documentDir: 'documents',
      statementDir: 'statements',
    });
  });

  const EAST = { GANGWAY_TASK_QUEUE: 'east' };
  it.each<[NodeJS.ProcessEnv, object]>([
    [EAST, { taskQueue: 'east' }],
    [{ GANGWAY_POLL_MIN: '200ms', GANGWAY_POLL_MAX: '1.5h' }, { poll: { minMs: 200, maxMs: 5_400_000 } }],
    [{ GANGWAY_HEALTH_ADDRESS: '0.0.0.0:9000' }, { healthAddress: { host: '0.0.0.0', port: 9_000 } }],
    [{ GANGWAY_METRICS_ADDRESS: '127.0.0.1:9464' }, { metricsAddress: { host: '127.0.0.1', port: 9_464 } }],
    [{ BOARDING_POS_NAMES: 'Till One, Till Two' }, { posNames: ['Till One', 'Till Two'] }],
    [{ BOARDING_ACTIVITIES_PER_SECOND: '12.5' }, { activitiesPerSecond: { boarding: 12.5 } }],
    [{ DOCUMENT_DIR: '/var/lib/gangway' }, { documentDir: '/var/lib/gangway' }],
    [{ STATEMENT_DIR: 's3://example-bucket' }, { statementDir: 's3://example-bucket' }],
    [{ DOCUMENT_DIR: 's3://example-bucket/a/b/' }, { documentDir: 's3://example-bucket/a/b/' }],
    [{ BANKING_PATH_SEGMENT: 'brand' }, { pathSegment: 'brand' }],
    // An empty value is not set.
    [{ BOARDING_URL: '', GANGWAY_POLL_MIN: '' }, { partners: { boarding: undefined } }],
    // The deployment has the name of the task queue.
    [{ GANGWAY_BUILD_ID: '1.4.0-a1' }, { version: { deploymentName: 'gangway', buildId: '1.4.0-a1' } }],
    [{ ...EAST, GANGWAY_BUILD_ID: '2' }, { version: { deploymentName: 'east', buildId: '2' } }],
  ])('%j becomes %j', (set, settings) => {
    expect(loadWorkerSettings(set)).toMatchObject(settings);
  });

  it('name who gets events, and identify each address', () => {
    const EVENTS_URLS = 'https://crm.example.com/hook?key=1, https://erp.example.com';
    expect(loadWorkerSettings({ EVENTS_URLS, EVENTS_SECRETS: SECRET }).events).toEqual({
      secrets: [SECRET],
      toLoopback: false,
      destinations: [
        { id: 'crm.example.com-fffe701c', url: 'https://crm.example.com/hook?key=1' },
        { id: 'erp.example.com-16900fb6', url: 'https://erp.example.com' },
      ],
    });
  });
});

describe('the settings of a partner', () => {
  const PLANTS = 'https://plants.example.com';
  const PROCESSOR = 'https://processor.example.com';
  const user = { username: 'user', password: 'secret' };
  const device = {
    deviceToken: 'device',
    deviceName: expect.stringMatching(/^gangway-[0-9a-f]{8}$/),
    form: 'user',
  };

  it.each<[NodeJS.ProcessEnv, object]>([
    [partner, { boarding: { url: URL, ...user } }],
    [
      { PLANT_STORE_URL: PLANTS, PLANT_STORE_TOKEN: 't0k3n' },
      { 'plant-store': { url: PLANTS, token: 't0k3n' } },
    ],
    [
      { PROCESSOR_URL: PROCESSOR, PROCESSOR_API_KEY: 'k3y' },
      { processor: { url: PROCESSOR, apiKey: 'k3y' } },
    ],
    [banking, { banking: { url: 'https://banking.example.com', ...user, ...device } }],
  ])('%j turn it on, and no other', (set, partners) => {
    expect(loadWorkerSettings(set).partners).toEqual({ ...OFF, boarding: undefined, ...partners });
  });

  it('of banking make us a partner with a partner ID', () => {
    const more = { BANKING_PARTNER_ID: '42', BANKING_TOTP_SECRET: 'JBSWY3DPEHPK3PXP' };
    const set = { form: 'partner', partnerId: '42', totpSecret: 'JBSWY3DPEHPK3PXP' };
    expect(loadWorkerSettings({ ...banking, ...more }).partners.banking).toMatchObject(set);
  });

  const UAT = ['https://uat.example.com', 'https://api.SANDBOX.example.com', 'https://api-test.example.com'];
  const LIVE = [
    'https://prod.example.com',
    'https://api-live.example.com',
    'https://production-1.example.com',
  ];
  const BOTH = ['https://api.example.com', 'http://127.0.0.1:4010'];
  it.each([
    ['uat', [...BOTH, ...UAT, 'https://delivery.example.com'], LIVE],
    ['production', [...BOTH, ...LIVE, 'https://contest.example.com'], UAT],
  ])('take payments for %s at an address that is not named for another', (environment, fitting, others) => {
    const load = (url: string) => () => loadWorkerSettings(payments(url, environment)).partners.payments;
    for (const url of fitting)
      expect(load(url)()).toEqual({ url, environment, apiKey: 'k3y', apiKeyHeader: 'x-svc-api-key' });
    const rule = `is ${environment}, and the host of PAYMENTS_URL is not`;
    for (const url of others) expect(load(url)).toThrow(new BadSetting('PAYMENTS_ENVIRONMENT', rule));
  });

  it('take payments on this machine for UAT, and the header by any name', () => {
    const { PAYMENTS_ENVIRONMENT: _, ...set } = payments('http://localhost:4010', '');
    const { partners } = loadWorkerSettings({ ...set, PAYMENTS_API_KEY_HEADER: 'x-brand-api-key' });
    expect(partners.payments).toMatchObject({ environment: 'uat', apiKeyHeader: 'x-brand-api-key' });
  });

  it.each([
    ['BOARDING_USERNAME', { BOARDING_URL: URL, BOARDING_PASSWORD: 'x' }],
    ['BOARDING_PASSWORD', { BOARDING_URL: URL, BOARDING_USERNAME: 'x' }],
    ['BANKING_DEVICE_TOKEN', { ...banking, BANKING_DEVICE_TOKEN: '' }],
    ['PLANT_STORE_TOKEN', { PLANT_STORE_URL: PLANTS }],
    ['PAYMENTS_API_KEY', { ...payments(URL, 'uat'), PAYMENTS_API_KEY: '' }],
    ['PAYMENTS_ENVIRONMENT', payments(URL, '')],
    ['PROCESSOR_API_KEY', { PROCESSOR_URL: PROCESSOR }],
    ['NORTH_ISO_BOARDING_USERNAME', { GANGWAY_ACCOUNTS: 'north-iso', NORTH_ISO_BOARDING_URL: URL }],
  ])('need %s', (name, set) => {
    expect(() => loadWorkerSettings(set)).toThrow(new BadSetting(name, 'is not set'));
  });

  it.each([
    ['BOARDING_PASSWORD', partner],
    ['BANKING_PASSWORD', banking],
    ['PLANT_STORE_TOKEN', { PLANT_STORE_URL: PLANTS }],
    ['PAYMENTS_API_KEY', payments(URL, 'uat')],
    ['PROCESSOR_API_KEY', { PROCESSOR_URL: PROCESSOR }],
    ['ACME_PROCESSOR_API_KEY', { GANGWAY_ACCOUNTS: 'acme', ACME_PROCESSOR_URL: URL }],
  ])('take %s from a file, without its last line break', async (name, set) => {
    const file = await fileWith('from a file\n');
    const config = loadWorkerSettings({ ...set, [name]: '', [`${name}_FILE`]: file });
    expect(JSON.stringify(config)).toContain('"from a file"');
  });

  it.each<[what: string, content: string, secret: string]>([
    ['with a line break at its end', 'hunter2\n', 'hunter2'],
    ['with one of Windows', 'hunter2\r\n', 'hunter2'],
    ['with blank space inside', 'a b\tc', 'a b\tc'],
    ['in other letters', 'pässwörd \u00a0 كلمة 😀', 'pässwörd \u00a0 كلمة 😀'],
    ['with a joiner', 'می\u200cخواهم 👩\u200d👧', 'می\u200cخواهم 👩\u200d👧'],
    ['with the sign of a vendor', 'hunter\uf8ff', 'hunter\uf8ff'],
  ])('take a secret %s, from a file or not', async (_, content, password) => {
    const BANKING_PASSWORD_FILE = await fileWith(content);
    for (const set of [{ BANKING_PASSWORD: '', BANKING_PASSWORD_FILE }, { BANKING_PASSWORD: content }])
      expect(loadWorkerSettings({ ...banking, ...set }).partners.banking).toMatchObject({ password });
  });

  const INVISIBLE = 'has an invisible character, such as a byte order mark';
  it.each<[what: string, content: string | Buffer, rule: string]>([
    ['is empty', '', 'is empty'],
    ['has only blank space', ' \r\n\n', 'is empty'],
    ['begins with a byte order mark', '\ufeffhunter2\n', INVISIBLE],
    ['has a byte order mark alone', '\ufeff', 'is empty'],
    ['is UTF-16', Buffer.from('\ufeffhunter2', 'utf16le'), 'is not UTF-8'],
    ['is UTF-16, high bytes first', Buffer.from('\ufeffhunter2', 'utf16le').swap16(), 'is not UTF-8'],
    ['is UTF-16 without a mark', Buffer.from('hunter2', 'utf16le'), INVISIBLE],
    ['is Windows-1252', Buffer.from('pässword', 'latin1'), 'is not UTF-8'],
    ['has a zero-width space', 'hunter\u200b2', INVISIBLE],
  ])('take no secret from a file that %s', async (_, content, rule) => {
    const file = await fileWith(content);
    const load = () => loadWorkerSettings({ ...banking, BANKING_PASSWORD: '', BANKING_PASSWORD_FILE: file });
    expect(load).toThrow(new BadSetting('BANKING_PASSWORD_FILE', rule));
  });
});

describe('the settings of named accounts', () => {
  const named = {
    GANGWAY_ACCOUNTS: 'acme, north-iso',
    ACME_BOARDING_URL: URL,
    NORTH_ISO_BOARDING_URL: URL,
    ACME_BOARDING_USERNAME: 'acme',
    ACME_BOARDING_PASSWORD: 'a-secret',
    ACME_BOARDING_POS_NAMES: 'Till',
    ACME_BOARDING_ACTIVITIES_PER_SECOND: '5',
    NORTH_ISO_BOARDING_USERNAME: 'north',
    NORTH_ISO_BOARDING_PASSWORD: 'n-secret',
  };

  it('are theirs alone, and have nothing of those without a name', () => {
    const more = { BOARDING_ACTIVITIES_PER_SECOND: '1' };
    const { accounts, ...config } = loadWorkerSettings({ ...partner, ...more, ...named });
    expect(accounts).toEqual({
      acme: {
        settingsPrefix: 'ACME_',
        posNames: ['Till'],
        pathSegment: 'svc',
        partners: { ...OFF, boarding: { url: URL, username: 'acme', password: 'a-secret' } },
        activitiesPerSecond: { boarding: 5 },
        portals: {},
      },
      'north-iso': {
        settingsPrefix: 'NORTH_ISO_',
        posNames: [],
        pathSegment: 'svc',
        partners: { ...OFF, boarding: { url: URL, username: 'north', password: 'n-secret' } },
        activitiesPerSecond: {},
        portals: {},
      },
    });
    expect(config).toMatchObject({ posNames: [], activitiesPerSecond: { boarding: 1 } });
    expect(config.partners.boarding?.username).toBe('user');
  });

  it('decide whom a process works for', () => {
    const served = (set: NodeJS.ProcessEnv) => servedAccounts(loadWorkerSettings(set)).map(([name]) => name);
    expect(served({})).toEqual([undefined]);
    expect(served(partner)).toEqual([undefined]);
    expect(served(named)).toEqual(['acme', 'north-iso']);
    expect(served({ ...partner, ...named })).toEqual([undefined, 'acme', 'north-iso']);
  });
});

const NAME =
  'each takes lower-case letters, digits and single hyphens in between, begins with a letter and has 20 characters at most';
const LOOPBACK = 'must be https (http only to loopback)';
const PART = 'must be 1 to 100 letters, digits or signs of "._/-", and not begin with __';
const EVENTS = 'each must be https (http only to loopback, with EVENTS_TO_LOOPBACK=true)';
const BUCKET = 'must be a folder, or s3://bucket/prefix';
const ACME = { GANGWAY_ACCOUNTS: 'acme' };

describe('a bad setting', () => {
  it.each<[setting: string, value: string, rule: string, NodeJS.ProcessEnv?]>([
    ['GANGWAY_ACCOUNTS', 'acme,acme', 'names an account twice'],
    ...['Acme', 'north_iso', '9iso', 'a--b', 'acme-', 'a'.repeat(21), 'acme,'].map(
      (names): [string, string, string] => ['GANGWAY_ACCOUNTS', names, NAME],
    ),
    ['ACME_BANKING_URL', 'http://banking.example.com', LOOPBACK, ACME],
    ['GANGWAY_POLL_MIN', '10', 'must be a duration such as 200ms, 1m or 1h'],
    ['GANGWAY_POLL_MIN', '2h', 'must not be longer than GANGWAY_POLL_MAX'],
    ['GANGWAY_POLL_MIN', '', 'must not be longer than GANGWAY_POLL_MAX', { GANGWAY_POLL_MAX: '1s' }],
    ['BOARDING_PORTAL_URL', 'https://portal.example.com', 'must contain {id}'],
    ['GANGWAY_HEALTH_ADDRESS', '8081', 'must be host:port, such as 127.0.0.1:8081'],
    ['BOARDING_URL', 'boarding', 'must be a URL', partner],
    ['BOARDING_URL', 'http://boarding.example.com', LOOPBACK, partner],
    ['BANKING_TOTP_SECRET', '189', 'must be base32'],
    ['BANKING_PATH_SEGMENT', 'a/b', 'must be one path segment'],
    ['PLANT_STORE_URL', 'http://plants.example.com', LOOPBACK],
    ['PROCESSOR_URL', 'processor', 'must be a URL'],
    ['PAYMENTS_URL', 'http://api.example.com', LOOPBACK],
    ['PAYMENTS_ENVIRONMENT', 'prod', 'must be uat or production'],
    ['PAYMENTS_API_KEY_HEADER', 'x key', 'must be the name of a header'],
    ['BOARDING_PASSWORD_FILE', '/nowhere', 'cannot be read (ENOENT)'],
    ['BOARDING_PASSWORD', '\ufeffhunter2', 'has an invisible character, such as a byte order mark', partner],
    ['BOARDING_PASSWORD', ' ', 'is empty', partner],
    ['BOARDING_PASSWORD', '\n', 'is empty', partner],
    ['GANGWAY_BUILD_ID', 'a:b', PART],
    [
      'GANGWAY_TASK_QUEUE',
      'a queue',
      `is the name of the deployment with GANGWAY_BUILD_ID, so it ${PART}`,
      { GANGWAY_BUILD_ID: '1' },
    ],
    ['BANKING_ACTIVITIES_PER_SECOND', '0', 'must be a number above 0 and below 1000000, such as 5 or 0.5'],
    ['EVENTS_URLS', 'crm', 'each must be a URL'],
    ['EVENTS_SECRETS', '', 'is not set', { EVENTS_URLS: 'https://crm.example.com' }],
    ['EVENTS_URLS', 'http://127.0.0.1:9000', EVENTS, { EVENTS_SECRETS: SECRET }],
    ['EVENTS_URLS', 'http://crm.example.com', EVENTS, { EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' }],
    ['AWS_ENDPOINT_URL_S3', 'http://s3.example.com', LOOPBACK],
    [
      'ACME_PAYMENTS_ENVIRONMENT',
      'production',
      'is production, and the host of ACME_PAYMENTS_URL is not',
      { ...ACME, ACME_PAYMENTS_URL: 'https://uat.example.com', ACME_PAYMENTS_API_KEY: 'x' },
    ],
    ...[
      's3://',
      's3:/example-bucket',
      'S3://example-bucket',
      's3://Example',
      's3://example-bucket//a',
      's3://example-bucket/../a',
      's3://example-bucket/a b',
      's3://key:secret@example-bucket',
    ].map((place): [string, string, string] => ['DOCUMENT_DIR', place, BUCKET]),
    [
      'ACME_BOARDING_PASSWORD_FILE',
      'y',
      'is set as well as ACME_BOARDING_PASSWORD; set one of the two',
      { ...ACME, ACME_BOARDING_PASSWORD: 'x' },
    ],
  ])('%s=%s is named in one line', (setting, value, rule, others) => {
    const load = () => loadWorkerSettings({ ...others, [setting]: value });
    expect(load).toThrow(new BadSetting(setting, rule));
  });

  it('is reported without its value', () => {
    const load = () => loadWorkerSettings({ ...partner, GANGWAY_LOG_LEVEL: 'hunter2' });
    expect(load).toThrow(/^GANGWAY_LOG_LEVEL: (?!.*hunter2)/);
  });
});

describe('NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const events = { EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' };
  const bucket = { DOCUMENT_DIR: 's3://example-bucket' };

  it.each<[setting: string, Record<string, string>]>([
    ['BOARDING_URL', partner],
    ['ACME_PROCESSOR_URL', { ...ACME, ACME_PROCESSOR_URL: URL, ACME_PROCESSOR_API_KEY: 'k' }],
    ['EVENTS_URLS', { ...events, EVENTS_URLS: 'https://127.0.0.1/events,https://crm.example.com/events' }],
    ['STATEMENT_DIR', { STATEMENT_DIR: 's3://gangway.example.com/statements' }],
    // A bucket, not this machine.
    ['DOCUMENT_DIR', { DOCUMENT_DIR: 's3://localhost' }],
    ['AWS_ENDPOINT_URL_S3', { ...bucket, AWS_ENDPOINT_URL_S3: 'https://storage.example.com' }],
  ])('is refused where %s is another machine', (setting, settings) => {
    const load = () => loadWorkerSettings({ ...settings, ...unverified });
    expect(load).toThrow(BadSetting);
    expect(load).toThrow(
      `NODE_TLS_REJECT_UNAUTHORIZED: is 0, so anyone could pose as the server of ${setting}; ` +
        'it is for loopback only. Name the CA in NODE_EXTRA_CA_CERTS instead',
    );
    expect(() => loadWorkerSettings({ ...settings, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).not.toThrow();
  });

  it('is accepted where all that is connected to is on loopback', () => {
    const local = {
      ...partner,
      BOARDING_URL: 'https://127.0.0.1:8443',
      EVENTS_URLS: 'https://localhost/events',
      ...events,
      ...bucket,
      AWS_ENDPOINT_URL_S3: 'https://[::1]:9000',
    };
    expect(() => loadWorkerSettings({ ...local, ...unverified })).not.toThrow();
  });
});
