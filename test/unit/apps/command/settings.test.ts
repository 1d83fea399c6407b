import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCommandSettings } from '../../../../src/apps/command/cli/command-line.js';
import type { Verdict } from '../../../../src/apps/command/system/doctor/check.js';
import { examineSettings, weakSettings } from '../../../../src/apps/command/system/doctor/settings.js';
import { misspelledSettings, warnOfUnknown } from '../../../../src/apps/settings.js';
import { createLogger } from '../../../../src/platform/process/logging.js';
import { BadSetting } from '../../../../src/platform/settings/settings.js';
import { isLoopback, requireKeys } from '../../../../src/temporal/connection.js';
import { generatePayloadKey, parsePayloadKeys } from '../../../../src/temporal/payload-codec.js';
import { loadWorkerSettings } from '../../../../src/worker/settings.js';
import { fileWith, newFolder } from '../../../rigs/folders.js';

describe('the settings of the command', () => {
  it('have defaults', () => {
    const usual = { taskQueue: 'gangway', documentDir: 'documents', accounts: {} };
    expect(loadCommandSettings({})).toMatchObject({ ...usual, payloadKeys: undefined, uiUrl: undefined });
  });

  it('reject an address of the Web UI that is not a URL, and nothing of the worker', () => {
    const error = new BadSetting('GANGWAY_UI_URL', 'must be a URL');
    expect(() => loadCommandSettings({ GANGWAY_UI_URL: 'ui' })).toThrow(error);
    expect(() => loadCommandSettings({ GANGWAY_POLL_MIN: 'often', GANGWAY_LOG_LEVEL: 'loud' })).not.toThrow();
  });

  it('are checked against partners whose certificates are not verified', () => {
    const environment = { BOARDING_URL: 'https://boarding.example.com', BOARDING_USERNAME: 'u' };
    const settings = { ...environment, BOARDING_PASSWORD: 'p', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(() => loadCommandSettings(settings)).toThrow('NODE_TLS_REJECT_UNAUTHORIZED');
  });
});

const KEYS = generatePayloadKey();
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const TOKEN = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';

/** `detail; fix`, a warning each. */
async function weaknesses(environment: Record<string, string>): Promise<string[]> {
  const set = { PAYLOAD_KEYS: KEYS, ...environment };
  return lines(await weakSettings(loadWorkerSettings(set), set));
}

const lines = (verdicts: readonly Verdict[]) =>
  verdicts.map((verdict) => `${verdict.state}: ${verdict.detail}; ${'fix' in verdict ? verdict.fix : ''}`);

/** The warning about metrics that other machines can read. */
const open = (name: string) =>
  `warn: ${name} accepts connections from other machines; restrict them with a firewall, or set ${name} to a loopback address`;
const weakPassword = (name: string) =>
  `warn: ${name} is shorter than 12 characters, or equals the user name; choose another password at the partner, and set ${name} to it`;

describe('settings that work but are unsafe', () => {
  it('are reported without their values', async () => {
    const partner = (name: string) => ({
      [`${name}_URL`]: 'https://partner.example.com',
      [`${name}_USERNAME`]: 'gangway',
      [`${name}_PASSWORD`]: 'gangway',
    });
    const reported = await weaknesses({
      ...partner('BOARDING'),
      ...partner('BANKING'),
      BANKING_DEVICE_TOKEN: 'd-1',
      PAYLOAD_KEYS: '',
      GANGWAY_LOG_LEVEL: 'trace',
      GANGWAY_METRICS_ADDRESS: '0.0.0.0:9464',
    });
    expect(reported).toEqual([
      'warn: PAYLOAD_KEYS is not set: anyone with access to the namespace can read private data; set PAYLOAD_KEYS to the key that "gangway keys new" prints',
      open('GANGWAY_METRICS_ADDRESS'),
      'warn: GANGWAY_LOG_LEVEL is trace: logs hold more than production needs; set GANGWAY_LOG_LEVEL=info',
      weakPassword('BOARDING_PASSWORD'),
      weakPassword('BANKING_PASSWORD'),
      'warn: BANKING_TOTP_SECRET is not set: if the account has a second factor, every sign-in needs a person; set BANKING_TOTP_SECRET, if the account has a second factor',
    ]);
  });

  it('include those of each account at the partners', async () => {
    const [url, username, password] = ['https://partner.example.com', 'gangway', 'gangway'];
    const north = { NORTH_BOARDING_URL: url, NORTH_BOARDING_USERNAME: username };
    const set = { GANGWAY_ACCOUNTS: 'north', ...north, NORTH_BOARDING_PASSWORD: password };
    expect(await weaknesses(set)).toEqual([weakPassword('NORTH_BOARDING_PASSWORD')]);
  });

  it('include those of a receiver that is set up', async () => {
    const reported = await weaknesses({
      RECEIVER_ADDRESS: '127.0.0.1:0',
      RECEIVER_METRICS_ADDRESS: '0.0.0.0:9464',
      RECEIVER_BANKING_AUTH: 'none',
      RECEIVER_PROCESSOR_AUTH: 'header:X-Caller-Auth:c2VjcmV0c2VjcmV0',
    });
    expect(reported).toEqual([
      open('RECEIVER_METRICS_ADDRESS'),
      'warn: RECEIVER_SECRETS is not set: anyone who reaches the receiver can send events; set RECEIVER_SECRETS to what echo "whsec_$(openssl rand -base64 32)" prints',
      'warn: RECEIVER_BANKING_AUTH is none: anyone who reaches the receiver can send webhooks; set RECEIVER_BANKING_AUTH to signature:..., header:... or path:... (docs/events.md)',
      'warn: RECEIVER_PROCESSOR_AUTH has a value of x-caller-auth that is shorter than 32 characters; set RECEIVER_PROCESSOR_AUTH to a longer value, here and at the partner',
    ]);
    const RECEIVER_BOARDING_AUTH = `path:${TOKEN}`;
    const guarded = { RECEIVER_ADDRESS: '0.0.0.0:8082', RECEIVER_SECRETS: SECRET, RECEIVER_BOARDING_AUTH };
    expect(await weaknesses(guarded)).toEqual([
      'warn: RECEIVER_ADDRESS accepts connections from other machines; put a proxy with TLS in front of it (docs/deployment.md)',
    ]);
  });

  it('include those of a console that is set up', async () => {
    expect(await weaknesses({ CONSOLE_METRICS_ADDRESS: '0.0.0.0:9464', GANGWAY_LOG_LEVEL: 'warn' })).toEqual([
      open('CONSOLE_METRICS_ADDRESS'),
      'warn: OIDC_ISSUER is not set: anyone on this machine can use the console as an admin; set OIDC_ISSUER and OIDC_CLIENT_ID (docs/deployment.md)',
      'warn: GANGWAY_LOG_LEVEL is warn: the console writes no audit log; set GANGWAY_LOG_LEVEL=info for the console',
    ]);
    const signIn = {
      OIDC_ISSUER: 'https://login.example.com',
      OIDC_CLIENT_ID: 'gangway',
      CONSOLE_ADDRESS: '0.0.0.0:8085',
      CONSOLE_SESSION_KEYS: TOKEN,
    };
    expect(await weaknesses({ ...signIn, CONSOLE_URL: 'http://127.0.0.1:8085' })).toEqual([
      'warn: CONSOLE_ADDRESS accepts connections from other machines, and CONSOLE_URL is not https; put a proxy with TLS in front of it, and set CONSOLE_URL to its address (docs/deployment.md)',
    ]);
    expect(await weaknesses({ ...signIn, CONSOLE_URL: 'https://console.example.com' })).toEqual([]);
  });

  it('include files and folders that other users can read', async () => {
    const folder = await newFolder();
    const [keys, auth, documents] = [
      await fileWith(KEYS),
      await fileWith(`path:${TOKEN}`),
      join(folder, 'd'),
    ];
    await mkdir(documents);
    const settings = {
      PAYLOAD_KEYS_FILE: keys,
      RECEIVER_SECRETS: SECRET,
      RECEIVER_BOARDING_AUTH_FILE: auth,
      DOCUMENT_DIR: documents,
      STATEMENT_DIR: join(folder, 'none'),
    };
    const load = async () => lines(await weakSettings(loadWorkerSettings(settings), settings));
    await Promise.all([chmod(keys, 0o644), chmod(documents, 0o755), chmod(auth, 0o640)]);
    const readable = (name: string, path: string) =>
      `warn: ${name}: other users of this machine can read ${path}; run "chmod go= ${path}"`;
    expect(await load()).toEqual([
      readable('PAYLOAD_KEYS_FILE', keys),
      readable('RECEIVER_BOARDING_AUTH_FILE', auth),
      readable('DOCUMENT_DIR', documents),
    ]);
    await Promise.all([chmod(keys, 0o600), chmod(documents, 0o700), chmod(auth, 0o600)]);
    expect(await load()).toEqual([]);
  });
});

describe('a setting that cannot be used', () => {
  const account = { BOARDING_USERNAME: 'gangway', BOARDING_PASSWORD: 'long enough 4 us' };

  it.each<[Record<string, string>, string]>([
    [{ GANGWAY_POLL_MAX: '30s' }, 'GANGWAY_POLL_MIN: must not be longer than GANGWAY_POLL_MAX'],
    [{ GANGWAY_POLL_MIN: 'soon' }, 'GANGWAY_POLL_MIN: must be a duration such as'],
    [{ BOARDING_URL: 'x', ...account }, 'BOARDING_URL: must be a URL'],
    [{ BOARDING_URL: 'https://a.example.com' }, 'BOARDING_USERNAME: is not set'],
    [{ PAYLOAD_KEYS_FILE: '/nowhere' }, 'PAYLOAD_KEYS_FILE: cannot be read'],
    [{ API_CLIENTS_FILE: '/nowhere' }, 'API_CLIENTS_FILE: cannot be read'],
    [{ OIDC_CLIENT_ID: 'gangway', CONSOLE_SESSION_KEYS: 'short' }, 'CONSOLE_SESSION_KEYS: each'],
    [{ PAYLOAD_KEYS: KEYS, CODEC_TOKENS: 'short' }, 'CODEC_TOKENS: each token must be'],
  ])('is a finding, and the others are checked as well: %o', (environment, detail) => {
    const { usable, bad } = examineSettings({ GANGWAY_DBA: 'secret', ...environment });
    const fix = `correct ${detail.split(':')[0]}`;
    expect(bad).toContainEqual({ state: 'wrong', detail: expect.stringContaining(detail), fix });
    expect(bad.map((each) => each.detail.split(':')[0])).toContain('GANGWAY_DBA');
    expect(usable?.config.dbaForm).toBe('shown');
  });

  it('ends the examination where no certificate would be checked', () => {
    const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0', BOARDING_URL: 'https://a.example.com' };
    expect(examineSettings({ ...unverified, ...account })).toMatchObject({ usable: undefined, bad: [{}] });
  });
});

describe('a name that is no setting', () => {
  it.each([
    ['BOARDING_USRNAME', 'BOARDING_USERNAME'],
    ['GANGWAY_POL_MIN', 'GANGWAY_POLL_MIN'],
    ['PAYLOAD_KEY', 'PAYLOAD_KEYS'],
    ['RECEIVER_SECRET', 'RECEIVER_SECRETS'],
    ['NORTH_ISO_BOARDING_URI', 'NORTH_ISO_BOARDING_URL'],
    ['BANKING_PASSWORD_FIL', 'BANKING_PASSWORD_FILE'],
    ['BORDING_URL', 'BOARDING_URL'],
    ['EVENT_URLS', 'EVENTS_URLS'],
    ['DOCUMENTS_DIR', 'DOCUMENT_DIR'],
    ['NORTHISO_BOARDING_URL', 'NORTH_ISO_BOARDING_URL'],
    ['TEMPORAL_ADRESS', 'TEMPORAL_ADDRESS'],
    ['TEMPORL_NAMESPACE', 'TEMPORAL_NAMESPACE'],
    ['OIDCISSUER', 'OIDC_ISSUER'],
  ])('%s is reported with the setting that it is similar to', (name, meant) => {
    expect(misspelledSettings({ [name]: 'x' }, ['north-iso']).map(({ why }) => why)).toEqual([
      `${name} is not a setting, so nothing reads it; did you mean ${meant}?`,
    ]);
  });

  it.each([
    'GANGWAY_SHOE_SIZE',
    'CONSOLE_IDLE',
    'CONSOLE_SESSION_MAX',
    'RECEIVER_LIMIT',
    'CODEC_CORS',
    'OIDC_PROMPT',
    'EVENTS_BATCH',
    'BOARDING_RETRY',
    'BANKING_REGION',
    'PLANT_STORE_COLOR',
    'NORTH_ISO_PAYMENTS_RETRY',
  ])('and that only Gangway can read is reported even if none is similar: %s', (name) => {
    const [{ why, fix } = {}] = misspelledSettings({ [name]: '1' }, ['north-iso']);
    expect([why, fix]).toEqual([
      expect.stringMatching(`^${name} is not a setting, so nothing reads it(; did you mean .*)?$`),
      'correct its name, or remove it',
    ]);
  });

  it('is logged when a process starts, without its value', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    warnOfUnknown(logger, { CONSOLE_IDLE: 'secret', CONSOLE_ADDRESS: '127.0.0.1:1' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 40,
        msg: 'CONSOLE_IDLE is not a setting, so nothing reads it; did you mean CONSOLE_URL?',
      },
    ]);
    expect(lines.join('')).not.toContain('secret');
  });

  it('and is that of another program is left alone, and so are settings', () => {
    const names =
      'PATH HOME TEMPORAL_ADDRESS TEMPORAL_TLS_CLIENT_KEY_PATH TEMPORAL_GRPC_META_TENANT AWS_REGION ' +
      'NODE_OPTIONS npm_config_cache LOGNAME PROCESSOR_ARCHITECTURE SOUTH_REGION ' +
      'BOARDING_URL BOARDING_PASSWORD_FILE GANGWAY_ACCOUNTS SOUTH_BANKING_URL CODEC_TOKENS';
    const environment = Object.fromEntries(names.split(' ').map((name) => [name, 'x']));
    expect(misspelledSettings(environment, ['south'])).toEqual([]);
  });
});

describe('without keys', () => {
  const OWN = 'localhost:7233 127.0.0.1:7233 127.8.0.1:1 [::1]:7233 localhost';
  it.each(OWN.split(' '))('a server on this machine (%s) is accepted', (address) => {
    expect(isLoopback(address)).toBe(true);
    expect(() => requireKeys(address, undefined)).not.toThrow();
  });

  const OTHERS = 'temporal.example.com:7233 10.0.0.7:7233 localhost.example.com:7233 127.0.0.1.example.com';
  it.each(OTHERS.split(' '))('any other server (%s) is rejected', (address) => {
    expect(() => requireKeys(address, undefined)).toThrow(BadSetting);
    expect(() => requireKeys(address, undefined)).toThrow(/^PAYLOAD_KEYS: is not set.*gangway keys new/);
    expect(() => requireKeys(address, parsePayloadKeys(KEYS))).not.toThrow();
  });
});
