import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Verdict } from '../../../src/commands/system/doctor/check.js';
import { examineSettings, weakSettings } from '../../../src/commands/system/doctor/settings.js';
import { BadSetting } from '../../../src/settings/settings.js';
import { isLoopback, requireKeys } from '../../../src/temporal/connection.js';
import { generatePayloadKey, parsePayloadKeys } from '../../../src/temporal/payload-codec.js';
import { loadWorkerSettings } from '../../../src/worker/settings.js';

const KEYS = generatePayloadKey();

/** `detail; fix`, a warning each. */
async function weaknesses(environment: Record<string, string>): Promise<string[]> {
  const set = { PAYLOAD_KEYS: KEYS, ...environment };
  return shown(await weakSettings(loadWorkerSettings(set), set));
}

const shown = (verdicts: readonly Verdict[]) =>
  verdicts.map((verdict) => `${verdict.state}: ${verdict.detail}; ${'fix' in verdict ? verdict.fix : ''}`);

describe('settings that work but are unsafe', () => {
  it('are reported without their values', async () => {
    const account = { USERNAME: 'gangway', PASSWORD: 'gangway' };
    const partner = (name: string) => ({
      [`${name}_URL`]: 'https://partner.example.com',
      [`${name}_USERNAME`]: account.USERNAME,
      [`${name}_PASSWORD`]: account.PASSWORD,
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
      'warn: GANGWAY_METRICS_ADDRESS accepts connections from other machines; restrict them with a firewall, or set GANGWAY_METRICS_ADDRESS to a loopback address',
      'warn: GANGWAY_LOG_LEVEL is trace: logs hold more than production needs; set GANGWAY_LOG_LEVEL=info',
      'warn: BOARDING_PASSWORD is shorter than 12 characters, or equals the user name; choose another password at the partner, and set BOARDING_PASSWORD to it',
      'warn: BANKING_PASSWORD is shorter than 12 characters, or equals the user name; choose another password at the partner, and set BANKING_PASSWORD to it',
      'warn: BANKING_TOTP_SECRET is not set: if the account has a second factor, every sign-in needs a person; set BANKING_TOTP_SECRET, if the account has a second factor',
    ]);
  });

  it('include those of a receiver that is set up', async () => {
    const reported = await weaknesses({
      RECEIVER_ADDRESS: '127.0.0.1:0',
      RECEIVER_METRICS_ADDRESS: '0.0.0.0:9464',
      RECEIVER_BANKING_AUTH: 'none',
      RECEIVER_PROCESSOR_AUTH: 'header:X-Caller-Auth:c2VjcmV0c2VjcmV0',
    });
    expect(reported).toEqual([
      'warn: RECEIVER_METRICS_ADDRESS accepts connections from other machines; restrict them with a firewall, or set RECEIVER_METRICS_ADDRESS to a loopback address',
      'warn: RECEIVER_SECRETS is not set: anyone who reaches the receiver can send events; set RECEIVER_SECRETS to what echo "whsec_$(openssl rand -base64 32)" prints',
      'warn: RECEIVER_BANKING_AUTH is none: anyone who reaches the receiver can send webhooks; set RECEIVER_BANKING_AUTH to signature:..., header:... or path:... (docs/events.md)',
      'warn: RECEIVER_PROCESSOR_AUTH has a value of x-caller-auth that is shorter than 32 characters; set RECEIVER_PROCESSOR_AUTH to a longer value, here and at the partner',
    ]);
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    expect(
      await weaknesses({
        RECEIVER_ADDRESS: '0.0.0.0:8082',
        RECEIVER_SECRETS: secret,
        RECEIVER_BOARDING_AUTH: 'path:0f1e2d3c4b5a69788796a5b4c3d2e1f0',
      }),
    ).toEqual([
      'warn: RECEIVER_ADDRESS accepts connections from other machines; put a proxy with TLS in front of it (docs/deployment.md)',
    ]);
  });

  it('include those of a console that is set up', async () => {
    expect(await weaknesses({ CONSOLE_METRICS_ADDRESS: '0.0.0.0:9464', GANGWAY_LOG_LEVEL: 'warn' })).toEqual([
      'warn: CONSOLE_METRICS_ADDRESS accepts connections from other machines; restrict them with a firewall, or set CONSOLE_METRICS_ADDRESS to a loopback address',
      'warn: OIDC_ISSUER is not set: anyone on this machine can use the console as an admin; set OIDC_ISSUER and OIDC_CLIENT_ID (docs/deployment.md)',
      'warn: GANGWAY_LOG_LEVEL is warn: the console writes no audit log; set GANGWAY_LOG_LEVEL=info for the console',
    ]);
    const signIn = {
      ...{ OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'gangway' },
      ...{ CONSOLE_ADDRESS: '0.0.0.0:8085', CONSOLE_SESSION_KEYS: '0f1e2d3c4b5a69788796a5b4c3d2e1f0' },
    };
    expect(await weaknesses({ ...signIn, CONSOLE_URL: 'http://127.0.0.1:8085' })).toEqual([
      'warn: CONSOLE_ADDRESS accepts connections from other machines, and CONSOLE_URL is not https; put a proxy with TLS in front of it, and set CONSOLE_URL to its address (docs/deployment.md)',
    ]);
    expect(await weaknesses({ ...signIn, CONSOLE_URL: 'https://console.example.com' })).toEqual([]);
  });

  it('include files and folders that other users can read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [keys, documents, auth] = ['keys', 'documents', 'auth'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(keys, KEYS);
    await writeFile(auth, 'path:0f1e2d3c4b5a69788796a5b4c3d2e1f0');
    await mkdir(documents);
    const settings = {
      PAYLOAD_KEYS_FILE: keys,
      DOCUMENT_DIR: documents,
      RECEIVER_SECRETS: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
      RECEIVER_BOARDING_AUTH_FILE: auth,
      STATEMENT_DIR: join(folder, 'none'),
    };
    const load = async () => shown(await weakSettings(loadWorkerSettings(settings), settings));
    await chmod(keys, 0o644);
    await chmod(documents, 0o755);
    await chmod(auth, 0o640);
    expect(await load()).toEqual([
      `warn: PAYLOAD_KEYS_FILE: other users of this machine can read ${keys}; run "chmod go= ${keys}"`,
      `warn: RECEIVER_BOARDING_AUTH_FILE: other users of this machine can read ${auth}; run "chmod go= ${auth}"`,
      `warn: DOCUMENT_DIR: other users of this machine can read ${documents}; run "chmod go= ${documents}"`,
    ]);
    await chmod(keys, 0o600);
    await chmod(documents, 0o700);
    await chmod(auth, 0o600);
    expect(await load()).toEqual([]);
  });
});

describe('a setting that cannot be used', () => {
  const account = { BOARDING_USERNAME: 'gangway', BOARDING_PASSWORD: 'long enough 4 us' };
  const wrong = (detail: string, fix: string) => ({ state: 'wrong', detail, fix });
  const LONGER = 'GANGWAY_POLL_MIN: must not be longer than GANGWAY_POLL_MAX';

  it.each<[Record<string, string>, string, string]>([
    [{ GANGWAY_POLL_MIN: '2h' }, LONGER, 'correct GANGWAY_POLL_MIN'],
    [{ GANGWAY_POLL_MAX: '30s' }, LONGER, 'correct GANGWAY_POLL_MIN'],
    [
      { GANGWAY_POLL_MIN: 'soon' },
      'GANGWAY_POLL_MIN: must be a duration such as',
      'correct GANGWAY_POLL_MIN',
    ],
    [{ BOARDING_URL: 'x', ...account }, 'BOARDING_URL: must be a URL', 'correct BOARDING_URL'],
    [{ BOARDING_URL: 'https://a.example.com' }, 'BOARDING_USERNAME: is not set', 'correct BOARDING_USERNAME'],
    [{ PAYLOAD_KEYS_FILE: '/nowhere' }, 'PAYLOAD_KEYS_FILE: cannot be read', 'correct PAYLOAD_KEYS_FILE'],
    [{ RECEIVER_TOKENS: 'short' }, 'RECEIVER_TOKENS: each token must be', 'correct RECEIVER_TOKENS'],
    [
      { OIDC_CLIENT_ID: 'gangway', CONSOLE_SESSION_KEYS: 'short' },
      'CONSOLE_SESSION_KEYS: each',
      'correct CON',
    ],
  ])('is a finding, and the others are checked as well: %o', async (environment, detail, fix) => {
    const { usable, bad } = examineSettings({ GANGWAY_DBA: 'secret', ...environment });
    expect(bad).toEqual(
      expect.arrayContaining([
        wrong(expect.stringContaining(detail) as never, expect.stringContaining(fix) as never),
      ]),
    );
    expect(bad.map((each) => each.detail.split(':')[0])).toContain('GANGWAY_DBA');
    expect(usable?.env).toEqual({ ...usable?.env });
    expect(usable?.config.dbaForm).toBe('shown');
  });

  it('ends the examination where no certificate would be checked', () => {
    const environment = {
      ...{ NODE_TLS_REJECT_UNAUTHORIZED: '0', BOARDING_URL: 'https://a.example.com' },
      ...account,
    };
    const { usable, bad } = examineSettings(environment);
    expect(usable).toBeUndefined();
    expect(bad).toHaveLength(1);
  });
});

describe('without keys', () => {
  it.each(['localhost:7233', '127.0.0.1:7233', '127.8.0.1:1', '[::1]:7233', 'localhost'])(
    'a server on this machine (%s) is accepted',
    (address) => {
      expect(isLoopback(address)).toBe(true);
      expect(() => requireKeys(address, undefined)).not.toThrow();
    },
  );

  it.each([
    'temporal.example.com:7233',
    '10.0.0.7:7233',
    'localhost.example.com:7233',
    '127.0.0.1.example.com',
  ])('any other server (%s) is rejected', (address) => {
    expect(() => requireKeys(address, undefined)).toThrow(BadSetting);
    expect(() => requireKeys(address, undefined)).toThrow(/^PAYLOAD_KEYS: is not set.*gangway keys new/);
    expect(() => requireKeys(address, parsePayloadKeys(KEYS))).not.toThrow();
  });
});
