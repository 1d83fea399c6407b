import { userInfo } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { SESSION_KEY, userOf } from '../rigs/console/running-console.js';
import { endOf, interruptedWorker } from '../rigs/process/interrupted-worker.js';
import { ANYONE, ELSEWHERE, PARTNER, type Settings, SOMEBODY, settingsOf } from '../rigs/process/settings.js';
import { launch, run } from '../rigs/processes.js';
import { createRig } from '../rigs/rig.js';

const PROVIDER = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'console',
  CONSOLE_SESSION_KEYS: SESSION_KEY,
};
const JWKS = {
  CODEC_TOKENS: '',
  CODEC_JWKS_URL: 'https://login.example.com/keys',
  CODEC_JWT_ISSUER: 'https://login.example.com',
  CODEC_JWT_AUDIENCE: 'gangway-codec',
};
it.each<[command: string, Settings, code: number, line: RegExp]>([
  ['receiver', ELSEWHERE, 2, /^PAYLOAD_KEYS: is not set/],
  ['receiver', { RECEIVER_ADDRESS: '127.0.0.1:99999' }, 2, /^RECEIVER_ADDRESS: options.port should be/],
  ['receiver', { ...ANYONE, TEMPORAL_ADDRESS: 'temporal.example.com:7233' }, 2, SOMEBODY],
  ['console', ELSEWHERE, 2, /^PAYLOAD_KEYS: is not set/],
  ['console', { CONSOLE_ADDRESS: '127.0.0.1:99999' }, 2, /^CONSOLE_ADDRESS: options.port should be/],
  ['console', { ...ANYONE, ...PROVIDER }, 2, SOMEBODY],
  ['codec-server', { PAYLOAD_KEYS: '' }, 2, /^PAYLOAD_KEYS: is not set/],
  ['codec-server', { CODEC_ADDRESS: '127.0.0.1:99999' }, 2, /^CODEC_ADDRESS: options.port should be/],
  ['codec-server', { ...ANYONE, ...JWKS }, 2, SOMEBODY],
  [
    'worker',
    { GANGWAY_POLL_MAX: 'long' },
    2,
    /^GANGWAY_POLL_MAX: must be a duration such as 200ms, 1m or 1h$/,
  ],
  [
    'worker',
    { TEMPORAL_ADDRESS: '127.0.0.1:1' },
    1,
    /^cannot reach Temporal at 127.0.0.1:1 \(TEMPORAL_ADDRESS\)$/,
  ],
  ['worker', { GANGWAY_HEALTH_ADDRESS: '192.0.2.1:80' }, 2, /^GANGWAY_HEALTH_ADDRESS: listen EADDRNOTAVAIL/],
  ['worker', PARTNER, 2, SOMEBODY],
  ['starter call boarding list-agent-profiles', PARTNER, 2, SOMEBODY],
  ['starter list', { ...ANYONE, OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com' }, 2, SOMEBODY],
])('%s with %o ends at once with one line that has the reason', async (command, settings, code, line) => {
  const [name = '', ...args] = command.split(' ');
  const ended = await run(process.execPath, [`dist/${name}.js`, ...args], settingsOf(name, settings));
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr.split('\n')).toEqual([expect.stringMatching(line), '']);
});

it('doctor reports that anyone could pose as a server, and checks nothing else', async () => {
  const { code, stdout } = await run(process.execPath, ['dist/starter.js', 'doctor', '--json'], {
    ...settingsOf('worker', PARTNER),
  });
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { check: 'settings', state: 'wrong', detail: expect.stringMatching(SOMEBODY) },
  ]);
});

it('the console without a provider warns that everybody on this machine may use it, and takes the user’s name', async () => {
  const { stderr, addresses, child } = await launch('console', settingsOf('console', {}), 'console is ready');
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(stderr()).toContain('OIDC_ISSUER is not set: anyone on this machine can use the console');
  expect((await userOf(addresses().url).open('/')).text).toContain(`${userInfo().username}, admin`);
});

it('the worker ends at once after a second signal', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const { worker, boarding, held } = await interruptedWorker(rig, 'SIGTERM');
  worker.child.kill('SIGINT');
  expect(await endOf(worker)).toEqual({ code: null, signal: 'SIGINT' });
  await held.letGo();
  await boarding.handle.terminate();
});
