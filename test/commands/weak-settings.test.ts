import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { weakSettings } from '../../src/commands/weak-settings.js';
import { BadSetting, loadConfig } from '../../src/config.js';
import { isLoopback, requireKeys } from '../../src/temporal/connection.js';
import { generatePayloadKey, parsePayloadKeys } from '../../src/temporal/payload-keys.js';

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

  it('are files and folders that others can read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [keys, documents] = [join(folder, 'keys'), join(folder, 'documents')];
    await writeFile(keys, KEYS);
    await mkdir(documents);
    const settings = {
      PAYLOAD_KEYS_FILE: keys,
      DOCUMENT_DIR: documents,
      STATEMENT_DIR: join(folder, 'none'),
    };
    const load = () => weakSettings(loadConfig(settings), settings);
    await chmod(keys, 0o644);
    await chmod(documents, 0o755);
    expect(await load()).toEqual([
      `PAYLOAD_KEYS_FILE: ${keys} can be read by other users of this machine`,
      `DOCUMENT_DIR: ${documents} can be read by other users of this machine`,
    ]);
    await chmod(keys, 0o600);
    await chmod(documents, 0o700);
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
