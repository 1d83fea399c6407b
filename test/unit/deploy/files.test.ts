import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { contextOf, environmentOf, readStages } from '../../../scripts/dockerfile.js';
import { loadCodecSettings } from '../../../src/codec-server/settings.js';
import { loadConfig } from '../../../src/config.js';
import { laneTaskQueue } from '../../../src/messages/task-queues.js';
import { SYSTEM_NAMES } from '../../../src/partners/systems.js';
import { loadReceiverSettings } from '../../../src/receiver/settings.js';
import { generatePayloadKey } from '../../../src/temporal/payload-keys.js';
import { SHUTDOWN_FORCE } from '../../../src/worker/create-worker.js';

// biome-ignore lint/suspicious/noExplicitAny: documents of other programs, of which a few members are looked at
type Document = any;

const text = (path: string) => readFileSync(path, 'utf8');
const yaml = (path: string) =>
  parseAllDocuments(text(path), { merge: true }).map((document) => document.toJS() as Document);
const manifests = readdirSync('deploy/kubernetes')
  .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  .flatMap((name) => yaml(`deploy/kubernetes/${name}`));
const pods = manifests.filter(({ spec }) => spec?.template).map(({ spec }) => spec.template.spec);
const containers = pods.flatMap((pod) => pod.containers);
const compose = yaml('deploy/compose.yaml')[0];
const services = Object.entries<Document>(compose.services);
const ours = services.filter(([, { image }]) => image.startsWith('gangway:')).map(([, service]) => service);

/** `NAME=value` lines, commented out or not. */
const namesIn = (path: string) =>
  [...text(path).matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name ?? '');
const values = (path: string) =>
  Object.fromEntries([...text(path).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
const CONFIG_MAPS: Readonly<Record<string, Record<string, string>>> = {
  gangway: values('deploy/kubernetes/settings.env'),
  'gangway-partners': values('deploy/kubernetes/partners.env'),
};
const IMAGE = environmentOf((await readStages('Dockerfile')).at(-1) ?? { name: '', instructions: [] });

/** The settings, with what the files of secrets would hold. */
function withSecrets(environment: Record<string, string>): Record<string, string> {
  const samples: Record<string, string> = {
    PAYLOAD_KEYS: generatePayloadKey(),
    RECEIVER_SECRETS: `whsec_${Buffer.alloc(32).toString('base64')}`,
  };
  const read = Object.keys(environment).flatMap((key) => /^(.*)_FILE$/.exec(key)?.[1] ?? []);
  const rest = Object.entries(environment).filter(([key]) => !key.endsWith('_FILE'));
  return Object.fromEntries([...rest, ...read.map((name) => [name, samples[name] ?? 'x'.repeat(32)])]);
}

const shutdownSeconds = Number.parseInt(SHUTDOWN_FORCE, 10);

describe('what is deployed', () => {
  it('copies into the image only what .dockerignore lets through', async () => {
    const context = await contextOf('.');
    const copied = (await readStages('Dockerfile'))
      .flatMap(({ instructions }) => instructions)
      .filter(({ name, text: words }) => name === 'COPY' && !words.startsWith('--from'))
      .flatMap(({ text: words }) => words.split(' ').slice(0, -1));
    expect(new Set(copied)).toEqual(new Set(context));
    for (const path of context) expect(existsSync(path), path).toBe(true);
  });

  it('pins each image to a version', () => {
    const bases = [...text('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    const images = services.map(([, { image }]) => image).filter((image) => !image.startsWith('gangway:'));
    expect([...bases, ...images].filter((image) => !/:v?\d+\.\d+[\w.-]*$/.test(image))).toEqual([]);
    expect(text('Dockerfile')).toContain(`FROM node:${text('.nvmrc').trim()}-`);
  });

  it('sets nothing that is not a setting', () => {
    const known = new Set([...namesIn('.env.example'), 'GANGWAY_BUILD_ID', 'SANDBOX_ADDRESS']);
    const set = [
      ...ours.flatMap(({ environment = {} }) => Object.keys(environment)),
      ...containers.flatMap(({ env }) => env.map(({ name }: Document) => name)),
      ...namesIn('deploy/sandbox.env'),
      ...namesIn('deploy/kubernetes/settings.env'),
      ...namesIn('deploy/kubernetes/partners.env'),
    ];
    expect(set.length).toBeGreaterThan(40);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
  });

  it('runs processes that there are', () => {
    const commands = [...ours.map(({ command }) => command), ...containers.map(({ args }) => args)];
    const files = commands.map((command) => command?.[0] ?? 'dist/worker.js');
    expect(new Set(files)).toEqual(
      new Set(['worker', 'receiver', 'codec-server', 'sandbox', 'starter'].map((name) => `dist/${name}.js`)),
    );
  });

  it('gives each process settings that it accepts, and payload keys', () => {
    const started = [
      ...containers.map(({ name, env, envFrom }) => ({
        name,
        environment: {
          ...Object.assign(
            {},
            ...envFrom.map(({ configMapRef }: Document) => CONFIG_MAPS[configMapRef.name]),
          ),
          ...Object.fromEntries(env.map((entry: Document) => [entry.name, entry.value])),
        },
      })),
      ...services
        .filter(([, { image }]) => image.startsWith('gangway:'))
        .map(([name, { environment, env_file }]) => ({
          name,
          environment: { ...(env_file && values('deploy/sandbox.env')), ...environment },
        })),
    ];
    for (const { name, environment } of started.filter((process) => process.name !== 'sandbox')) {
      const load =
        { receiver: loadReceiverSettings, 'codec-server': loadCodecSettings }[name as string] ?? loadConfig;
      expect(() => load(withSecrets({ ...IMAGE, ...environment })), name).not.toThrow();
      expect(Object.keys(environment), name).toContain('PAYLOAD_KEYS_FILE');
    }
  });

  it('gives a worker longer to end than it takes at most', () => {
    expect(Number.parseInt(compose.services.worker.stop_grace_period, 10)).toBeGreaterThan(shutdownSeconds);
    const worker = pods.find(({ containers: [{ name }] }) => name === 'worker');
    expect(worker.terminationGracePeriodSeconds).toBeGreaterThan(shutdownSeconds);
  });

  it('runs pods as nobody, with files that cannot be changed, and asks them by ports that they have', () => {
    expect(containers.map(({ name }) => name).sort()).toEqual([
      'codec-server',
      'receiver',
      'setup',
      'worker',
    ]);
    for (const { securityContext } of pods)
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
    for (const { securityContext, ports = [], livenessProbe, readinessProbe } of containers) {
      expect(securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      const names = ports.map(({ name }: Document) => name);
      for (const probe of [livenessProbe, readinessProbe].filter(Boolean))
        expect(names).toContain(probe.httpGet.port);
    }
  });

  it('has a secret for each file that a pod reads, and no other', () => {
    const keys = manifests
      .filter(({ kind }) => kind === 'Secret')
      .flatMap(({ stringData }) => Object.keys(stringData));
    const files = containers.flatMap(({ env }) =>
      env.filter(({ name }: Document) => name.endsWith('_FILE')).map(({ value }: Document) => value),
    );
    expect(new Set(files)).toEqual(new Set(keys.map((key) => `/run/secrets/gangway/${key}`)));
  });

  it('scales by task queues that workers poll', () => {
    const [{ spec }] = yaml('deploy/kubernetes/autoscaling/worker.yaml');
    const queues = spec.triggers.map(({ metadata }: Document) => metadata.taskQueue);
    const polled = [
      'gangway',
      ...[...SYSTEM_NAMES, 'events' as const].map((lane) => laneTaskQueue('gangway', lane)),
    ];
    expect(queues.filter((queue: string) => !polled.includes(queue))).toEqual([]);
  });
});
