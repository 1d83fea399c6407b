import { describe, expect, inject, it } from 'vitest';
import { run } from '../../rigs/processes.js';

const PARTNER = {
  BOARDING_URL: 'https://boarding.example.com',
  BOARDING_USERNAME: 'user',
  BOARDING_PASSWORD: 'correct-horse',
};
const TEMPORAL = { TEMPORAL_ADDRESS: 'temporal.example.com:7233' };
const TRACES = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com' };
const PROVIDER = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'console',
  CONSOLE_SESSION_KEYS: 'VWo0c0x5dGZKQ1lFQm5oWnRwM1pGZz09c2Vzc2lvbg',
};
const CODEC = {
  PAYLOAD_KEYS: 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  CODEC_JWKS_URL: 'https://login.example.com/keys',
  CODEC_JWT_ISSUER: 'https://login.example.com',
  CODEC_JWT_AUDIENCE: 'gangway-codec',
};

describe('with NODE_TLS_REJECT_UNAUTHORIZED=0 nothing is sent, because nothing starts', () => {
  it.concurrent.each<[string, Record<string, string>]>([
    ['worker.js', PARTNER],
    ['receiver.js', TEMPORAL],
    ['console.js', PROVIDER],
    ['codec-server.js', CODEC],
    ['starter.js call boarding list-agent-profiles', PARTNER],
    ['starter.js list', TRACES],
  ])('%s, %o', async (command, settings) => {
    const [file = '', ...args] = command.split(' ');
    const env = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      ...settings,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    const { code, stdout, stderr } = await run(process.execPath, [`dist/${file}`, ...args], env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED: is 0, so anyone could pose as the server of');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('doctor reports it, and checks nothing else', async () => {
    const env = { ...PARTNER, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { code, stdout } = await run(process.execPath, ['dist/starter.js', 'doctor', '--json'], env);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ check: 'settings', state: 'wrong' },
      detail: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED: is 0, so anyone could pose'),
    });
  });
});
