import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { BadSetting } from '../../../src/platform/settings/settings.js';
import { temporalSettings } from '../../../src/temporal/connection.js';
import { gangway } from '../../rigs/command.js';
import { merchant } from '../../rigs/inputs.js';
import { listening } from '../../rigs/listening.js';
import { launch, run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { type Certificates, makeCertificates, type Pair } from '../../rigs/temporal/certificates.js';
import { type GuardedServer, startGuardedServer } from '../../rigs/temporal/guarded-server.js';
import { eventually } from '../../rigs/waiting.js';

let rig: Rig;
let certificates: Certificates;
let byKey: GuardedServer;
let byCertificate: GuardedServer;
const apiKeys = new Set(['key-of-people', 'key-of-worker', 'key-of-receiver']);
beforeAll(async () => {
  rig = await createRig({ worker: false });
  certificates = await makeCertificates();
  const temporal = inject('temporalAddress');
  byKey = await startGuardedServer(temporal, certificates, { apiKeys });
  byCertificate = await startGuardedServer(temporal, certificates, { mutualTls: true });
});
afterAll(async () => {
  await rig.close();
  await byKey.close();
  await byCertificate.close();
  await certificates.remove();
});

const trusting = () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.authority });
const showing = ({ cert, key }: Pair) => ({
  TEMPORAL_ADDRESS: byCertificate.address,
  TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
  TEMPORAL_TLS_CLIENT_KEY_PATH: key,
});
const withKey = (key: string) => ({ TEMPORAL_ADDRESS: byKey.address, TEMPORAL_API_KEY: key });

async function launched(name: 'worker' | 'receiver', env: Record<string, string>) {
  const settings = { ...rig.env, ...trusting(), RECEIVER_ADDRESS: '127.0.0.1:0', ...env };
  const process = await launch(name, settings, `${name} is ready`);
  onTestFinished(() => void process.child.kill('SIGKILL'));
  return { ...process, url: process.addresses().url };
}

/** Boards by the command with `env`, while the worker of the test works. */
async function board(env: Record<string, string>) {
  const input = JSON.stringify(merchant());
  return gangway({ ...rig.env, ...trusting(), ...env }, ['board', '-', '--wait', '--json'], input);
}

describe('Temporal behind TLS', () => {
  it('accepts all processes with a client certificate', async () => {
    const env = showing(certificates.client);
    const [worker, receiver] = await Promise.all([launched('worker', env), launched('receiver', env)]);
    await expect.poll(async () => (await fetch(`${receiver.url}/readyz`)).status).toBe(200);
    const boarded = await board(env);
    expect([boarded.stderr, boarded.code]).toEqual(['', 0]);
    expect(await Promise.all([worker.stop(), receiver.stop()])).toEqual([0, 0]);
  });

  it('accepts all processes with API keys that are replaced in their files while the processes run', async () => {
    const files = {
      worker: join(certificates.folder, 'worker-key'),
      receiver: join(certificates.folder, 'receiver-key'),
    };
    await writeFile(files.worker, 'key-of-worker\n', { mode: 0o600 });
    await writeFile(files.receiver, 'key-of-receiver\n', { mode: 0o600 });
    const { address: TEMPORAL_ADDRESS } = byKey;
    const [worker, receiver] = await Promise.all([
      launched('worker', { TEMPORAL_ADDRESS, TEMPORAL_API_KEY_FILE: files.worker }),
      launched('receiver', { TEMPORAL_ADDRESS, TEMPORAL_API_KEY_FILE: files.receiver }),
    ]);
    const isReady = async () => (await fetch(`${receiver.url}/readyz`)).status === 200;
    expect((await board(withKey('key-of-people'))).code).toBe(0);
    await expect.poll(isReady).toBe(true);

    apiKeys.add('new-key-of-worker').add('new-key-of-receiver');
    await writeFile(files.worker, 'new-key-of-worker\n');
    await writeFile(files.receiver, 'new-key-of-receiver\n');
    const both = async () => {
      await Promise.all([rig.board(merchant()).then((boarding) => boarding.outcome()), isReady()]);
      return ['new-key-of-worker', 'new-key-of-receiver'].every((key) => byKey.seen.has(key));
    };
    await eventually(both, Boolean, 'calls with the new keys', 120_000);
    apiKeys.delete('key-of-worker');
    apiKeys.delete('key-of-receiver');
    const boarded = await board(withKey('key-of-people'));
    expect([boarded.stderr, boarded.code]).toEqual(['', 0]);
    await expect.poll(isReady).toBe(true);

    const checked = await gangway({ ...rig.env, ...trusting(), ...withKey('key-of-people') }, ['doctor']);
    expect([checked.stdout, checked.code]).toEqual([expect.stringMatching(/^ok +workers /m), 0]);
    expect(await Promise.all([worker.stop(), receiver.stop()])).toEqual([0, 0]);
    for (const { stderr } of [worker, receiver]) expect(stderr()).not.toMatch(/key-of/);
  }, 300_000);

  it('names the search attributes to add when the client may not register them', async () => {
    const env = { ...rig.env, ...trusting(), ...withKey('key-of-people') };
    const there = await gangway(env, ['setup']);
    expect([there.stdout.split('\n')[0], there.code]).toEqual([
      'search attributes: all are already registered',
      0,
    ]);

    const namespace = `bare-${randomUUID()}`;
    const create = ['operator', 'namespace', 'create', '--namespace', namespace];
    await run(inject('temporalCli'), [...create, '--address', inject('temporalAddress')], {});
    const setup = () => gangway({ ...env, TEMPORAL_NAMESPACE: namespace }, ['setup']);
    const { stderr, stdout, code } = await eventually(
      setup,
      (s) => !s.stderr.includes('not found'),
      'the namespace',
    );
    expect([stdout, code]).toEqual(['', 1]);
    const [why, ...attributes] = stderr.trimEnd().split('\n');
    expect(why).toBe(
      'this client may not register search attributes in the namespace; add them where it is administered:',
    );
    expect(attributes).toEqual([
      '  Dba Keyword',
      '  DbaWords Text',
      '  PartnerAccount Keyword',
      '  OnboardingStage Keyword',
      '  PartnerStatus Keyword',
      '  MerchantProfileId Keyword',
      '  BankingProfileId Keyword',
      '  Mid Keyword',
      '  AgentProfileId Keyword',
      '  ActionRequired Bool',
      '  ActionDueAt Datetime',
      '  Requirements KeywordList',
      '  StageTimes KeywordList',
    ]);
  });
});

describe('Temporal that rejects a client', () => {
  const cases: readonly (readonly [what: string, env: () => Record<string, string>, why: string])[] = [
    [
      'no API key',
      () => ({ TEMPORAL_ADDRESS: byKey.address }),
      'it requires an API key, and TEMPORAL_API_KEY is not set',
    ],
    ['a wrong API key', () => withKey('guessed'), 'it does not accept TEMPORAL_API_KEY'],
    [
      'a server that nobody vouches for',
      () => ({ ...withKey('key-of-people'), TEMPORAL_TLS_SERVER_CA_CERT_PATH: '' }),
      'its certificate is not trusted: SELF_SIGNED_CERT_IN_CHAIN (TEMPORAL_TLS_SERVER_CA_CERT_PATH)',
    ],
    [
      'no client certificate',
      () => ({ TEMPORAL_ADDRESS: byCertificate.address }),
      'it requires a client certificate (TEMPORAL_TLS_CLIENT_CERT_PATH)',
    ],
    [
      'a client certificate of another authority',
      () => showing(certificates.stranger),
      'it does not accept the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH',
    ],
  ];

  // One after the other: the server is in this process, and must answer within the deadline of a connection.
  it.each(cases)('because of %s: one line, without the key', async (_, env, why) => {
    const settings: Record<string, string> = { ...rig.env, ...trusting(), ...env() };
    const line = `cannot reach Temporal at ${settings['TEMPORAL_ADDRESS']} (TEMPORAL_ADDRESS): ${why}\n`;
    // They connect by two libraries, which have nothing in common.
    const worker = await run(process.execPath, ['dist/worker.js'], settings);
    const command = await gangway(settings, ['list']);
    expect([worker.code, worker.stdout, worker.stderr]).toEqual([1, '', line]);
    expect([command.code, command.stdout, command.stderr]).toEqual([1, '', line]);
  });

  it('because of an expired client certificate: the day of its expiry', async () => {
    const { stderr, code } = await gangway({ ...rig.env, ...trusting(), ...showing(certificates.expired) }, [
      'list',
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /: TEMPORAL_TLS_CLIENT_CERT_PATH: the certificate expired on \w{3} +\d+ .* GMT\n$/,
    );
  });

  it('does not count as one that accepts a connection and is too busy to respond', async () => {
    const { server, client } = certificates;
    const [cert, key] = await Promise.all([readFile(server.cert), readFile(server.key)]);
    const silent = createServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
      socket.on('error', () => undefined);
    });
    const TEMPORAL_ADDRESS = await listening(silent);
    const settings = { ...rig.env, ...trusting(), ...showing(client), TEMPORAL_ADDRESS };
    const { stderr, code } = await gangway(settings, ['list']);
    expect([stderr, code]).toEqual([`cannot reach Temporal at ${TEMPORAL_ADDRESS} (TEMPORAL_ADDRESS)\n`, 4]);
  });

  it.each([
    [
      { TEMPORAL_API_KEY: 'k', TEMPORAL_API_KEY_FILE: '/k' },
      'TEMPORAL_API_KEY_FILE: is set as well as TEMPORAL_API_KEY',
    ],
    [{ TEMPORAL_API_KEY_FILE: '/nowhere' }, 'TEMPORAL_API_KEY_FILE: cannot be read (ENOENT)'],
    [{ TEMPORAL_API_KEY_FILE: '/dev/null' }, 'TEMPORAL_API_KEY_FILE: is empty'],
    [{ TEMPORAL_TLS_CLIENT_CERT_DATA: 'c' }, 'TEMPORAL_TLS_CLIENT_KEY_PATH: is not set'],
    [{ TEMPORAL_TLS_CLIENT_KEY_DATA: 'k' }, 'TEMPORAL_TLS_CLIENT_CERT_PATH: is not set'],
    [
      { TEMPORAL_TLS_CLIENT_CERT_DATA: 'c', TEMPORAL_TLS_CLIENT_KEY_DATA: 'k' },
      'TEMPORAL_TLS_*: cannot be used (',
    ],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere' }, 'TEMPORAL_*: ENOENT'],
  ])('an invalid setting is named before anything connects: %o', (env, line) => {
    expect(() => temporalSettings(env)).toThrow(BadSetting);
    expect(() => temporalSettings(env)).toThrow(line);
  });
});
