import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { weakSettings } from '../../../src/commands/system/weak-settings.js';
import { BadSetting, loadConfig } from '../../../src/settings/settings.js';
import { isLoopback, requireKeys } from '../../../src/temporal/connection.js';
import { generatePayloadKey, parsePayloadKeys } from '../../../src/temporal/payload-codec.js';

const KEYS = generatePayloadKey();

async function weaknesses(environment: Record<string, string>): Promise<string[]> {
  return weakSettings(loadConfig({ PAYLOAD_KEYS: KEYS, ...environment }), environment);
}

describe('settings that work and are unwise', () => {
  it('are told, and never their values', async () => {
    const account = { USERNAME: 'gangway', PASSWORD: 'gangway' };
    const partner = (name: string) => ({
      [`${name}_URL`]: 'https://partner.example.com',
      [`${name}_USERNAME`]: account.USERNAME,
      [`${name}_PASSWORD`]: account.PASSWORD,
    });
    const told = await weaknesses({
      ...partner('BOARDING'),
      ...partner('BANKING'),
      BANKING_DEVICE_TOKEN: 'd-1',
      PAYLOAD_KEYS: '',
      GANGWAY_LOG_LEVEL: 'trace',
      GANGWAY_METRICS_ADDRESS: '0.0.0.0:9464',
    });
    expect(told).toEqual([
      'PAYLOAD_KEYS is not set: whoever reads the namespace reads private data',
      'BOARDING_PASSWORD is short, or the user name',
      'BANKING_PASSWORD is short, or the user name',
      'BANKING_TOTP_SECRET is not set: if the account has a second factor, a person is asked for each sign-in',
      'GANGWAY_LOG_LEVEL is trace',
      'GANGWAY_METRICS_ADDRESS listens to other machines',
    ]);
  });

  it('are those of the receiver, where one is set up', async () => {
    const told = await weaknesses({
      RECEIVER_ADDRESS: '127.0.0.1:0',
      RECEIVER_BANKING_AUTH: 'none',
      RECEIVER_PROCESSOR_AUTH: 'header:X-Caller-Auth:c2VjcmV0c2VjcmV0',
    });
    expect(told).toEqual([
      'RECEIVER_SECRETS is not set: whoever reaches the receiver may send events',
      'RECEIVER_BANKING_AUTH is none: whoever reaches the receiver may send webhooks',
      'RECEIVER_PROCESSOR_AUTH: the value of x-caller-auth is shorter than 32 characters',
    ]);
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    expect(
      await weaknesses({
        RECEIVER_ADDRESS: '0.0.0.0:8082',
        RECEIVER_SECRETS: secret,
        RECEIVER_BOARDING_AUTH: 'path:0f1e2d3c4b5a69788796a5b4c3d2e1f0',
      }),
    ).toEqual(['RECEIVER_ADDRESS listens to other machines: is TLS in front of it?']);
    await expect(weaknesses({ RECEIVER_TOKENS: 'short' })).rejects.toThrow(BadSetting);
  });

  it('are files and folders that others can read', async () => {
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
    const load = () => weakSettings(loadConfig(settings), settings);
    await chmod(keys, 0o644);
    await chmod(documents, 0o755);
    await chmod(auth, 0o640);
    expect(await load()).toEqual([
      `PAYLOAD_KEYS_FILE: ${keys} can be read by other users of this machine`,
      `RECEIVER_BOARDING_AUTH_FILE: ${auth} can be read by other users of this machine`,
      `DOCUMENT_DIR: ${documents} can be read by other users of this machine`,
    ]);
    await chmod(keys, 0o600);
    await chmod(documents, 0o700);
    await chmod(auth, 0o600);
    expect(await load()).toEqual([]);
  });
});

describe('without keys', () => {
  it.each(['localhost:7233', '127.0.0.1:7233', '127.8.0.1:1', '[::1]:7233', 'localhost'])(
    'a server on this machine (%s) will do',
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
  ])('no other will (%s)', (address) => {
    expect(() => requireKeys(address, undefined)).toThrow(BadSetting);
    expect(() => requireKeys(address, undefined)).toThrow(/^PAYLOAD_KEYS: is not set.*gangway keys new/);
    expect(() => requireKeys(address, parsePayloadKeys(KEYS))).not.toThrow();
  });
});
