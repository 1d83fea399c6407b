import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { servedAccounts } from '../../../src/partners/account-settings.js';
import { BadSetting } from '../../../src/settings/settings.js';
import { loadWorkerSettings } from '../../../src/worker/settings.js';

const partner = {
  BOARDING_URL: 'https://boarding.example.com',
  BOARDING_USERNAME: 'user',
  BOARDING_PASSWORD: 'secret',
};

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

describe('the settings', () => {
  it('have defaults, and a partner without a URL is off', () => {
    expect(loadWorkerSettings({})).toEqual({
      taskQueue: 'gangway',
      dbaForm: 'shown',
      poll: { minMs: 60_000, maxMs: 3_600_000 },
      patience: { retryAfterMaxMs: 3_600_000, stepMs: 86_400_000, unreadableMs: 600_000 },
      version: undefined,
      activePatches: [],
      payloadKeys: undefined,
      healthAddress: { host: '127.0.0.1', port: 8081 },
      metricsAddress: undefined,
      logLevel: 'info',
      partners: {
        boarding: undefined,
        banking: undefined,
        'plant-store': undefined,
        payments: undefined,
        processor: undefined,
      },
      activitiesPerSecond: {},
      portals: {},
      posNames: [],
      pathSegment: 'svc',
      settingsPrefix: '',
      accounts: {},
      events: { secrets: [], toLoopback: false, destinations: [] },
      documentDir: 'documents',
      statementDir: 'statements',
    });
  });

  it('are read from the environment', () => {
    const config = loadWorkerSettings({
      ...partner,
      GANGWAY_TASK_QUEUE: 'boarding-east',
      GANGWAY_POLL_MIN: '200ms',
      GANGWAY_POLL_MAX: '1.5h',
      GANGWAY_HEALTH_ADDRESS: '0.0.0.0:9000',
      BOARDING_POS_NAMES: 'Till One, Till Two',
      GANGWAY_METRICS_ADDRESS: '127.0.0.1:9464',
      DOCUMENT_DIR: '/var/lib/gangway',
      STATEMENT_DIR: '/var/lib/statements',
      BOARDING_ACTIVITIES_PER_SECOND: '12.5',
      EVENTS_URLS: 'https://crm.example.com/hook?key=1, https://erp.example.com',
      EVENTS_SECRETS: SECRET,
    });
    expect(config).toMatchObject({
      taskQueue: 'boarding-east',
      poll: { minMs: 200, maxMs: 5_400_000 },
      healthAddress: { host: '0.0.0.0', port: 9000 },
      partners: {
        boarding: { url: 'https://boarding.example.com', username: 'user', password: 'secret' },
      },
      posNames: ['Till One', 'Till Two'],
      metricsAddress: { host: '127.0.0.1', port: 9464 },
      documentDir: '/var/lib/gangway',
      statementDir: '/var/lib/statements',
      activitiesPerSecond: { boarding: 12.5 },
      events: {
        secrets: [SECRET],
        toLoopback: false,
        destinations: [
          { id: 'crm.example.com-fffe701c', url: 'https://crm.example.com/hook?key=1' },
          { id: 'erp.example.com-16900fb6', url: 'https://erp.example.com' },
        ],
      },
    });
  });

  it('of a build name its version, of a deployment that is called as the task queue', () => {
    expect(loadWorkerSettings({ GANGWAY_BUILD_ID: '1.4.0-a1b2c3d' }).version).toEqual({
      deploymentName: 'gangway',
      buildId: '1.4.0-a1b2c3d',
    });
    const named = { GANGWAY_BUILD_ID: '2', GANGWAY_TASK_QUEUE: 'east' };
    expect(loadWorkerSettings(named).version).toEqual({ deploymentName: 'east', buildId: '2' });
  });

  it('of the banking partner make us a user, or with a partner ID a partner', () => {
    const banking = {
      BANKING_URL: 'https://banking.example.com',
      BANKING_USERNAME: 'user',
      BANKING_PASSWORD: 'secret',
      BANKING_DEVICE_TOKEN: 'device',
    };
    expect(loadWorkerSettings(banking).partners.banking).toEqual({
      url: 'https://banking.example.com',
      username: 'user',
      password: 'secret',
      deviceToken: 'device',
      deviceName: 'gangway',
      form: 'user',
    });
    const more = {
      BANKING_PARTNER_ID: '42',
      BANKING_TOTP_SECRET: 'JBSWY3DPEHPK3PXP',
      BANKING_PATH_SEGMENT: 'brand',
    };
    expect(loadWorkerSettings({ ...banking, ...more })).toMatchObject({
      partners: { banking: { form: 'partner', partnerId: '42', totpSecret: 'JBSWY3DPEHPK3PXP' } },
      pathSegment: 'brand',
    });
  });

  it('treat an empty value as not set', () => {
    expect(loadWorkerSettings({ BOARDING_URL: '', GANGWAY_POLL_MIN: '' }).partners.boarding).toBeUndefined();
  });

  it('take a secret from the file that <NAME>_FILE names, without its last line break', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'gangway-config-')), 'password');
    await writeFile(file, 'from a file\n');
    const { BOARDING_PASSWORD: _, ...rest } = partner;
    expect(loadWorkerSettings({ ...rest, BOARDING_PASSWORD_FILE: file }).partners.boarding?.password).toBe(
      'from a file',
    );
  });
});

describe('the settings of stores', () => {
  it('take a bucket, and a server that is not AWS’s', () => {
    const config = loadWorkerSettings({
      DOCUMENT_DIR: 's3://example-bucket/gangway/documents/',
      STATEMENT_DIR: 's3://example-bucket',
      AWS_ENDPOINT_URL_S3: 'https://s3.example.com',
    });
    expect(config).toMatchObject({
      documentDir: 's3://example-bucket/gangway/documents/',
      statementDir: 's3://example-bucket',
    });
  });

  const MALFORMED = 'must be a folder, or s3://bucket/prefix';
  it.each([
    ['s3://', MALFORMED],
    ['s3:/example-bucket', MALFORMED],
    ['S3://example-bucket', MALFORMED],
    ['s3://Example', MALFORMED],
    ['s3://example-bucket//a', MALFORMED],
    ['s3://example-bucket/../a', MALFORMED],
    ['s3://example-bucket/a b', MALFORMED],
    ['s3://key:secret@example-bucket', MALFORMED],
  ])('refuse %s', (place, rule) => {
    expect(() => loadWorkerSettings({ DOCUMENT_DIR: place })).toThrow(`DOCUMENT_DIR: ${rule}`);
  });

  it('send files to no server in the clear but to this machine', () => {
    const rule = 'AWS_ENDPOINT_URL_S3: must be https (http only to loopback)';
    expect(() => loadWorkerSettings({ AWS_ENDPOINT_URL_S3: 'http://s3.example.com' })).toThrow(rule);
  });
});

describe('the settings of the other systems', () => {
  it('turn each on by itself', () => {
    const { partners } = loadWorkerSettings({
      PLANT_STORE_URL: 'https://plants.example.com',
      PLANT_STORE_TOKEN: 't0k3n',
    });
    expect(partners['plant-store']).toEqual({ url: 'https://plants.example.com', token: 't0k3n' });
    expect([partners.payments, partners.processor]).toEqual([undefined, undefined]);
    const other = { PROCESSOR_URL: 'https://processor.example.com', PROCESSOR_API_KEY: 'k3y' };
    expect(loadWorkerSettings(other).partners.processor).toEqual({
      url: 'https://processor.example.com',
      apiKey: 'k3y',
    });
  });

  it.each([
    ['https://api.example.com', 'uat'],
    ['https://api.example.com', 'production'],
    ['https://uat.example.com', 'uat'],
    ['https://api-sandbox.example.com', 'uat'],
    ['https://production.example.com', 'production'],
    ['https://contest.example.com', 'production'],
    ['https://delivery.example.com', 'uat'],
    ['http://127.0.0.1:4010', 'uat'],
    ['http://127.0.0.1:4010', 'production'],
  ])('take the payments platform at %s for %s', (url, environment) => {
    const set = { PAYMENTS_URL: url, PAYMENTS_ENVIRONMENT: environment, PAYMENTS_API_KEY: 'k3y' };
    expect(loadWorkerSettings(set).partners.payments).toEqual({
      url,
      environment,
      apiKey: 'k3y',
      apiKeyHeader: 'x-svc-api-key',
    });
  });

  it('take a payments platform on this machine for UAT, and the header by any name', () => {
    const set = {
      PAYMENTS_URL: 'http://localhost:4010',
      PAYMENTS_API_KEY: 'k3y',
      PAYMENTS_API_KEY_HEADER: 'x-brand-api-key',
    };
    expect(loadWorkerSettings(set).partners.payments).toMatchObject({
      environment: 'uat',
      apiKeyHeader: 'x-brand-api-key',
    });
  });

  it.each([
    ['PLANT_STORE_TOKEN', { PLANT_STORE_URL: 'https://plants.example.com' }],
    ['PAYMENTS_API_KEY', { PAYMENTS_URL: 'https://api.example.com', PAYMENTS_ENVIRONMENT: 'uat' }],
    ['PROCESSOR_API_KEY', { PROCESSOR_URL: 'https://processor.example.com' }],
  ])('need %s, or a file that holds it', async (name, set) => {
    expect(() => loadWorkerSettings(set)).toThrow(new BadSetting(name, 'is not set'));
    const file = join(await mkdtemp(join(tmpdir(), 'gangway-config-')), 'secret');
    await writeFile(file, 'from a file\n');
    const config = loadWorkerSettings({ ...set, [`${name}_FILE`]: file });
    expect(JSON.stringify(config)).toContain('"from a file"');
  });
});

describe('the settings of named accounts', () => {
  const named = {
    GANGWAY_ACCOUNTS: 'acme, north-iso',
    ACME_BOARDING_URL: 'https://boarding.example.com',
    ACME_BOARDING_USERNAME: 'acme',
    ACME_BOARDING_PASSWORD: 'a-secret',
    ACME_BOARDING_POS_NAMES: 'Till',
    ACME_BOARDING_ACTIVITIES_PER_SECOND: '5',
    NORTH_ISO_BOARDING_URL: 'https://boarding.example.com',
    NORTH_ISO_BOARDING_USERNAME: 'north',
    NORTH_ISO_BOARDING_PASSWORD: 'n-secret',
  };

  it('are theirs alone, and have nothing of those without a name', () => {
    const { accounts, ...config } = loadWorkerSettings({
      ...partner,
      BOARDING_ACTIVITIES_PER_SECOND: '1',
      ...named,
    });
    const url = 'https://boarding.example.com';
    const off = { banking: undefined, 'plant-store': undefined, payments: undefined, processor: undefined };
    expect(accounts).toEqual({
      acme: {
        settingsPrefix: 'ACME_',
        partners: { ...off, boarding: { url, username: 'acme', password: 'a-secret' } },
        posNames: ['Till'],
        pathSegment: 'svc',
        activitiesPerSecond: { boarding: 5 },
        portals: {},
      },
      'north-iso': {
        settingsPrefix: 'NORTH_ISO_',
        partners: { ...off, boarding: { url, username: 'north', password: 'n-secret' } },
        posNames: [],
        pathSegment: 'svc',
        activitiesPerSecond: {},
        portals: {},
      },
    });
    expect(config).toMatchObject({
      partners: { boarding: { username: 'user' } },
      posNames: [],
      activitiesPerSecond: { boarding: 1 },
    });
  });

  it('take secrets from files', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'gangway-config-')), 'password');
    await writeFile(file, 'from a file\n');
    const { ACME_BOARDING_PASSWORD: _, ...rest } = named;
    const { accounts } = loadWorkerSettings({ ...rest, ACME_BOARDING_PASSWORD_FILE: file });
    expect(accounts['acme']?.partners.boarding?.password).toBe('from a file');
  });

  it('decide whom a process works for', () => {
    const served = (set: NodeJS.ProcessEnv) => servedAccounts(loadWorkerSettings(set)).map(([name]) => name);
    expect(served({})).toEqual([undefined]);
    expect(served(partner)).toEqual([undefined]);
    expect(served(named)).toEqual(['acme', 'north-iso']);
    expect(served({ ...partner, ...named })).toEqual([undefined, 'acme', 'north-iso']);
  });
});

const ACCOUNT_RULE =
  'takes lower-case letters, digits and single hyphens in between, begins with a letter and has 20 characters at most';

describe('a bad setting', () => {
  it.each([
    ...['Acme', 'north_iso', '9iso', 'a--b', 'acme-', 'a'.repeat(21), 'acme,'].map(
      (names): [NodeJS.ProcessEnv, string] => [
        { GANGWAY_ACCOUNTS: names },
        `GANGWAY_ACCOUNTS: each ${ACCOUNT_RULE}`,
      ],
    ),
    [{ GANGWAY_ACCOUNTS: 'acme,acme' }, 'GANGWAY_ACCOUNTS: names an account twice'],
    [
      { ...partner, GANGWAY_ACCOUNTS: 'north-iso', NORTH_ISO_BOARDING_URL: 'https://boarding.example.com' },
      'NORTH_ISO_BOARDING_USERNAME: is not set',
    ],
    [
      { GANGWAY_ACCOUNTS: 'acme', ACME_BANKING_URL: 'http://banking.example.com' },
      'ACME_BANKING_URL: must be https (http only to loopback)',
    ],
    [
      { GANGWAY_ACCOUNTS: 'acme', ACME_BOARDING_PASSWORD: 'x', ACME_BOARDING_PASSWORD_FILE: 'y' },
      'ACME_BOARDING_PASSWORD_FILE: is set as well as ACME_BOARDING_PASSWORD; set one of the two',
    ],
    [
      {
        GANGWAY_ACCOUNTS: 'acme',
        ACME_PAYMENTS_URL: 'https://uat.example.com',
        ACME_PAYMENTS_ENVIRONMENT: 'production',
        ACME_PAYMENTS_API_KEY: 'x',
      },
      'ACME_PAYMENTS_ENVIRONMENT: is production, and the host of ACME_PAYMENTS_URL is not',
    ],
    [{ GANGWAY_POLL_MIN: '10' }, 'GANGWAY_POLL_MIN: must be a duration such as 200ms, 1m or 1h'],
    [{ GANGWAY_POLL_MIN: '2h' }, 'GANGWAY_POLL_MIN: must not be longer than GANGWAY_POLL_MAX'],
    [{ GANGWAY_POLL_MAX: '1s' }, 'GANGWAY_POLL_MIN: must not be longer than GANGWAY_POLL_MAX'],
    [{ BOARDING_PORTAL_URL: 'https://portal.example.com' }, 'BOARDING_PORTAL_URL: must contain {id}'],
    [{ GANGWAY_HEALTH_ADDRESS: '8081' }, 'GANGWAY_HEALTH_ADDRESS: must be host:port, such as 127.0.0.1:8081'],
    [{ ...partner, BOARDING_URL: 'boarding' }, 'BOARDING_URL: must be a URL'],
    [
      { ...partner, BOARDING_URL: 'http://boarding.example.com' },
      'BOARDING_URL: must be https (http only to loopback)',
    ],
    [{ BOARDING_URL: partner.BOARDING_URL, BOARDING_PASSWORD: 'x' }, 'BOARDING_USERNAME: is not set'],
    [{ BOARDING_URL: partner.BOARDING_URL, BOARDING_USERNAME: 'x' }, 'BOARDING_PASSWORD: is not set'],
    [{ BANKING_TOTP_SECRET: '189' }, 'BANKING_TOTP_SECRET: must be base32'],
    [{ BANKING_PATH_SEGMENT: 'a/b' }, 'BANKING_PATH_SEGMENT: must be one path segment'],
    [
      { BANKING_URL: 'https://banking.example.com', BANKING_USERNAME: 'x', BANKING_PASSWORD: 'x' },
      'BANKING_DEVICE_TOKEN: is not set',
    ],
    [
      { PLANT_STORE_URL: 'http://plants.example.com' },
      'PLANT_STORE_URL: must be https (http only to loopback)',
    ],
    [{ PROCESSOR_URL: 'processor' }, 'PROCESSOR_URL: must be a URL'],
    [{ PAYMENTS_URL: 'http://api.example.com' }, 'PAYMENTS_URL: must be https (http only to loopback)'],
    [{ PAYMENTS_ENVIRONMENT: 'prod' }, 'PAYMENTS_ENVIRONMENT: must be uat or production'],
    [{ PAYMENTS_API_KEY_HEADER: 'x key' }, 'PAYMENTS_API_KEY_HEADER: must be the name of a header'],
    [{ PAYMENTS_URL: 'https://api.example.com', PAYMENTS_API_KEY: 'x' }, 'PAYMENTS_ENVIRONMENT: is not set'],
    ...['https://uat.example.com', 'https://api.SANDBOX.example.com', 'https://api-test.example.com'].map(
      (url): [NodeJS.ProcessEnv, string] => [
        { PAYMENTS_URL: url, PAYMENTS_ENVIRONMENT: 'production', PAYMENTS_API_KEY: 'x' },
        'PAYMENTS_ENVIRONMENT: is production, and the host of PAYMENTS_URL is not',
      ],
    ),
    ...['https://prod.example.com', 'https://api-live.example.com', 'https://production-1.example.com'].map(
      (url): [NodeJS.ProcessEnv, string] => [
        { PAYMENTS_URL: url, PAYMENTS_ENVIRONMENT: 'uat', PAYMENTS_API_KEY: 'x' },
        'PAYMENTS_ENVIRONMENT: is uat, and the host of PAYMENTS_URL is not',
      ],
    ),
    [{ BOARDING_PASSWORD_FILE: '/nowhere' }, 'BOARDING_PASSWORD_FILE: cannot be read (ENOENT)'],
    [
      { GANGWAY_BUILD_ID: 'a:b' },
      'GANGWAY_BUILD_ID: must be 1 to 100 letters, digits or signs of "._/-", and not begin with __',
    ],
    [
      { GANGWAY_BUILD_ID: '1', GANGWAY_TASK_QUEUE: 'a queue' },
      'GANGWAY_TASK_QUEUE: is the name of the deployment with GANGWAY_BUILD_ID, so it ' +
        'must be 1 to 100 letters, digits or signs of "._/-", and not begin with __',
    ],
    [
      { BANKING_ACTIVITIES_PER_SECOND: '0' },
      'BANKING_ACTIVITIES_PER_SECOND: must be a number above 0 and below 1000000, such as 5 or 0.5',
    ],
    [{ EVENTS_URLS: 'crm' }, 'EVENTS_URLS: each must be a URL'],
    [{ EVENTS_URLS: 'https://crm.example.com' }, 'EVENTS_SECRETS: is not set'],
    [
      { EVENTS_URLS: 'http://127.0.0.1:9000', EVENTS_SECRETS: SECRET },
      'EVENTS_URLS: each must be https (http only to loopback, with EVENTS_TO_LOOPBACK=true)',
    ],
    [
      { EVENTS_URLS: 'http://crm.example.com', EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' },
      'EVENTS_URLS: each must be https (http only to loopback, with EVENTS_TO_LOOPBACK=true)',
    ],
  ])('%o is named in one line', (environment, message) => {
    expect(() => loadWorkerSettings(environment)).toThrow(
      new BadSetting(...(message.split(/: (.*)/s) as [string, string])),
    );
  });

  it('is reported without its value', () => {
    const load = () => loadWorkerSettings({ ...partner, GANGWAY_LOG_LEVEL: 'hunter2' });
    expect(load).toThrow(/^GANGWAY_LOG_LEVEL: /);
    expect(load).not.toThrow(/hunter2/);
  });
});

describe('NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const events = { EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' };

  it.each<[string, Record<string, string>, setting: string]>([
    ['a partner', partner, 'BOARDING_URL'],
    [
      'a partner of another account',
      {
        GANGWAY_ACCOUNTS: 'acme',
        ACME_PROCESSOR_URL: 'https://processor.example.com',
        ACME_PROCESSOR_API_KEY: 'k',
      },
      'ACME_PROCESSOR_URL',
    ],
    [
      'a subscriber',
      { ...events, EVENTS_URLS: 'https://127.0.0.1/events,https://crm.example.com/events' },
      'EVENTS_URLS',
    ],
    ['a bucket', { STATEMENT_DIR: 's3://gangway.example.com/statements' }, 'STATEMENT_DIR'],
    ['a bucket with the name of this machine', { DOCUMENT_DIR: 's3://localhost' }, 'DOCUMENT_DIR'],
    [
      'a server of buckets',
      { DOCUMENT_DIR: 's3://example-bucket', AWS_ENDPOINT_URL_S3: 'https://storage.example.com' },
      'AWS_ENDPOINT_URL_S3',
    ],
  ])('is refused with %s on another machine', (_, settings, setting) => {
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
      ...events,
      BOARDING_URL: 'https://127.0.0.1:8443',
      EVENTS_URLS: 'https://localhost/events',
      DOCUMENT_DIR: 's3://example-bucket',
      AWS_ENDPOINT_URL_S3: 'https://[::1]:9000',
    };
    expect(() => loadWorkerSettings({ ...local, ...unverified })).not.toThrow();
  });
});
