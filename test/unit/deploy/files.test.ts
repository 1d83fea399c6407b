import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { PROCESS_SETTINGS } from '../../../scripts/settings.js';
import { loadCodecSettings } from '../../../src/apps/codec-server/settings.js';
import { loadConsoleSettings } from '../../../src/apps/console/settings.js';
import { loadLinkSettings } from '../../../src/apps/link/settings.js';
import { loadReceiverSettings } from '../../../src/apps/receiver/settings.js';
import { partnerTaskQueue } from '../../../src/messages/ids.js';
import { SYSTEM_NAMES } from '../../../src/partners/descriptors.js';
import { generatePayloadKey } from '../../../src/temporal/payload-codec.js';
import { loadWorkerSettings } from '../../../src/worker/settings.js';
import { SHUTDOWN_FORCE } from '../../../src/worker/tuning.js';

// biome-ignore lint/suspicious/noExplicitAny: documents of other programs, of which tests read a few fields
type Document = any;

const text = (path: string) => readFileSync(path, 'utf8');
const yaml = (path: string) =>
  parseAllDocuments(text(path), { merge: true }).map((document) => document.toJS() as Document);
const manifests = readdirSync('deploy/kubernetes', { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.yaml') && !name.endsWith('kustomization.yaml'))
  .flatMap((name) => yaml(`deploy/kubernetes/${name}`));
const manifest = (kind: string, name: string): Document =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name);
const pods = manifests.filter(({ spec }) => spec?.template).map(({ spec }) => spec.template.spec);
const containers = pods.flatMap((pod) => pod.containers);
/** The services of a file for Compose, of build 0.1.0 and with the defaults of all other variables. */
const servicesIn = (path: string) => {
  const filled = text(path).replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, name: string, otherwise = '') =>
    name === 'GANGWAY_TAG' ? '0.1.0' : otherwise,
  );
  return Object.entries<Document>(parse(filled, { merge: true }).services);
};
const services = [...servicesIn('deploy/compose.yaml'), ...servicesIn('deploy/compose.worker.yaml')];
const ours = services.filter(([, { image }]) => image.startsWith('gangway:')).map(([, service]) => service);

const WORKFLOWS = ['ci', 'release', 'nightly'].map((name) => `.github/workflows/${name}.yml`);

/** `NAME=value` lines, commented out or not. */
const namesIn = (path: string) =>
  [...text(path).matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name ?? '');
const values = (path: string) =>
  Object.fromEntries([...text(path).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
const CONFIG_MAPS: Readonly<Record<string, Record<string, string>>> = {
  gangway: values('deploy/kubernetes/settings/settings.env'),
  'gangway-partners': values('deploy/kubernetes/settings/partners.env'),
  'gangway-link': values('deploy/kubernetes/settings/link.env'),
};
/** The Dockerfile, each instruction on one line. */
const DOCKERFILE = text('Dockerfile').replaceAll(/\\\n\s*/g, '');
const [, SET = ''] = /^ENV (.+)$/m.exec(DOCKERFILE) ?? [];
const IMAGE = Object.fromEntries(SET.split(' ').map((pair) => pair.split('=') as [string, string]));

/** The settings, with sample contents of the files of secrets. */
function withSecrets(environment: Record<string, string>): Record<string, string> {
  const samples: Record<string, string> = {
    PAYLOAD_KEYS: generatePayloadKey(),
    RECEIVER_SECRETS: `whsec_${Buffer.alloc(32).toString('base64')}`,
  };
  const read = Object.keys(environment).flatMap((key) => /^(.*)_FILE$/.exec(key)?.[1] ?? []);
  const rest = Object.entries(environment).filter(([key]) => !key.endsWith('_FILE'));
  return Object.fromEntries([...rest, ...read.map((name) => [name, samples[name] ?? 'x'.repeat(32)])]);
}

const MONITORING = { namespaceSelector: { matchLabels: { 'gangway.example.com/monitoring': 'true' } } };
const shutdownSeconds = Number.parseInt(SHUTDOWN_FORCE, 10);

describe('what is deployed', () => {
  it('copies into the image only what .dockerignore allows', () => {
    const context = [...text('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
    const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    expect(new Set(copied)).toEqual(new Set(context));
    for (const path of context) expect(existsSync(path), path).toBe(true);
  });

  it('pins each image to a version', () => {
    const [base, ...stages] = [...text('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(stages)).toEqual(new Set(['base']));
    const images = services.map(([, { image }]) => image).filter((image) => !image.startsWith('gangway:'));
    expect(
      [base, ...images].filter((image) => !/:v?\d+\.\d+[\w.-]*(@sha256:[\da-f]{64})?$/.test(image)),
    ).toEqual([]);
    expect(text('Dockerfile')).toContain(`FROM node:${text('.nvmrc').trim()}-`);
  });

  it('names each action of CI by its commit, because a tag can move', () => {
    const actions = WORKFLOWS.flatMap((path) =>
      [...text(path).matchAll(/uses: (.+)$/gm)].map(([, action]) => action),
    );
    for (const path of WORKFLOWS) expect(text(path), path).not.toContain('@latest');
    expect(actions.length).toBeGreaterThan(3);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('has a bot that adds digests to images and actions, and raises them', () => {
    const { extends: presets, enabledManagers } = JSON.parse(text('.github/renovate.json'));
    // It has docker:pinDigests and helpers:pinGitHubActionDigests.
    expect(presets).toContain('config:best-practices');
    expect(enabledManagers).toEqual(
      expect.arrayContaining(['npm', 'github-actions', 'dockerfile', 'docker-compose']),
    );
  });

  it('releases a package and an image with an SBOM and provenance, once each check of a tag has passed', () => {
    const { permissions, jobs } = parse(text('.github/workflows/release.yml'));
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of [jobs.package, jobs.image])
      expect(job).toMatchObject({ needs: 'check', if: "startsWith(github.ref, 'refs/tags/v')" });
    const step = ({ steps }: Document, text: string): Document =>
      steps.find(({ uses = '', run = '' }: Document) => `${uses}${run}`.includes(text));
    const attestations = { 'id-token': 'write', attestations: 'write' };
    expect(jobs.package.permissions).toEqual({ contents: 'write', ...attestations });
    // The package and its SBOM have one folder, and their names begin with that of the package.
    expect(step(jobs.package, 'release-check').run).toMatch(/ sbom$/);
    expect(text('scripts/release-check.sh')).toContain(
      '--output-file ".cache/release/gangway-$version.cdx.json"',
    );
    expect(step(jobs.package, 'npm pack').run).toBe('npm pack --pack-destination .cache/release');
    expect(step(jobs.package, 'actions/attest@').with).toEqual({
      'subject-path': '.cache/release/gangway-*',
    });
    expect(step(jobs.package, 'gh release').run).toMatch(/ \.cache\/release\/gangway-\*$/);
    expect(jobs.image.permissions).toEqual({ contents: 'read', packages: 'write' });
    expect(step(jobs.image, 'docker buildx build').run).toMatch(/--sbom=true --provenance=mode=max --push/);
  });

  it('has CI make each correction, each check of a release, and each night all parts of it', () => {
    const [jobs, { check }, { part }] = WORKFLOWS.map((path) => parse(text(path)).jobs);
    const [, parts = ''] = /^\[ \$# -gt 0 \] \|\| chosen=\((.+)\)$/m.exec(text('scripts/nightly.sh')) ?? [];
    expect(part.strategy.matrix.part).toEqual(parts.split(' '));
    const corrections = readdirSync('test/corrections').map((file) => basename(file, '.patch'));
    expect(jobs.correction.strategy.matrix.correction).toEqual(corrections);
    const [, all = ''] =
      /^\[ \$# -gt 0 \] \|\| checks=\((.+)\)$/m.exec(text('scripts/release-check.sh')) ?? [];
    const others = all.split(' ').filter((name) => !['version', 'gate'].includes(name));
    // One machine takes too long for it.
    expect([...check.strategy.matrix.check].sort()).toEqual([...others, 'mutants'].sort());
  });

  it('serves metrics at a port that only Prometheus reaches', () => {
    const processes = ['codec-server', 'console', 'link', 'receiver', 'worker'];
    const served = containers.filter(({ name }) => processes.includes(name));
    expect(served.map(({ name }) => name).sort()).toEqual(processes);
    for (const { name, env, ports } of served) {
      const addresses = env.filter((entry: Document) => entry.name.endsWith('_METRICS_ADDRESS'));
      expect(addresses, name).toMatchObject([{ value: '0.0.0.0:9464' }]);
      expect(ports, name).toContainEqual({ name: 'metrics', containerPort: 9464 });
    }
    const { podSelector, ingress } = manifest('NetworkPolicy', 'from-monitoring').spec;
    expect(podSelector.matchExpressions[0].values.toSorted()).toEqual(processes);
    expect(ingress).toEqual([{ from: [MONITORING], ports: [{ port: 'metrics', protocol: 'TCP' }] }]);
    const [{ ports: open }] = manifest('NetworkPolicy', 'from-ingress').spec.ingress;
    expect(open).toEqual([{ port: 'http', protocol: 'TCP' }]);
  });

  it('has Prometheus ask each process where it serves metrics', () => {
    const { scrape_configs: jobs } = parse(text('deploy/prometheus/prometheus.yml'));
    const question = jobs.map(
      ({ job_name, dns_sd_configs: [result] = [], static_configs: [fixed] = [] }: Document) => [
        job_name,
        fixed?.targets[0] ?? `${result.names[0]}:${result.port}`,
      ],
    );
    expect(Object.fromEntries(question)).toEqual({
      'gangway-worker': 'worker:9464',
      'gangway-receiver': 'receiver:9464',
      'gangway-console': 'console:9464',
      'gangway-codec-server': 'codec-server:9464',
      'gangway-link': 'link:9464',
    });
    const addresses = services.flatMap(([name, { environment = {}, ports = [] }]) => {
      expect(ports.join(), name).not.toContain('9464');
      const set = Object.entries(environment).filter(([setting]) => setting.endsWith('_METRICS_ADDRESS'));
      return set.map(([, address]) => [name, address]);
    });
    const everywhere = { worker: '0.0.0.0:9464', receiver: '0.0.0.0:9464', console: '0.0.0.0:9464' };
    expect(Object.fromEntries(addresses)).toEqual({
      ...everywhere,
      link: '0.0.0.0:9464',
      'codec-server': '172.30.83.1:9464',
    });
    const [, prometheus] = services.find(([name]) => name === 'prometheus') ?? [];
    expect(prometheus.extra_hosts).toEqual(['codec-server:172.30.83.1']);
    expect(parse(text('deploy/compose.yaml')).networks.default.ipam.config[0].gateway).toBe('172.30.83.1');
  });

  it('sets nothing that is not a setting', () => {
    const files = PROCESS_SETTINGS.flatMap(({ secrets }) => secrets.map((name) => `${name}_FILE`));
    const entries = new Set([...namesIn('.env.example'), ...files, 'GANGWAY_BUILD_ID', 'SANDBOX_ADDRESS']);
    const set = [
      ...ours.flatMap(({ environment = {} }) => Object.keys(environment)),
      ...containers.flatMap(({ env }) => env.map(({ name }: Document) => name)),
      ...namesIn('deploy/sandbox.env'),
      ...namesIn('deploy/kubernetes/settings/settings.env'),
      ...namesIn('deploy/kubernetes/settings/partners.env'),
      ...namesIn('deploy/kubernetes/settings/link.env'),
    ];
    expect(set.length).toBeGreaterThan(40);
    expect(set.filter((name) => !entries.has(name))).toEqual([]);
  });

  it('runs only processes that exist', () => {
    const commands = [...ours.map(({ command }) => command), ...containers.map(({ args }) => args)];
    const files = commands.map((command) => command?.[0] ?? 'dist/worker.js');
    const names = files.map((file) => /^dist\/(.+)\.js$/.exec(file)?.[1]);
    const all = ['worker', 'receiver', 'console', 'codec-server', 'link', 'sandbox', 'starter'];
    expect(new Set(names)).toEqual(new Set(all));
  });

  it('gives each process settings that it accepts, and payload keys to all but the merchant’s page, which knows no Temporal', () => {
    const ofPods = containers.map(({ name, env, envFrom }): [string, Document] => {
      const maps = envFrom.map(({ configMapRef }: Document) => CONFIG_MAPS[configMapRef.name]);
      const own = Object.fromEntries(env.map((entry: Document) => [entry.name, entry.value]));
      return [name, Object.assign({}, ...maps, own)];
    });
    const ofServices = services
      .filter(([, { image }]) => image.startsWith('gangway:'))
      .map(([name, { environment, env_file }]): [string, Document] => [
        name,
        { ...(env_file && values('deploy/sandbox.env')), ...environment },
      ]);
    const loaders: Readonly<Record<string, (environment: NodeJS.ProcessEnv) => unknown>> = {
      receiver: loadReceiverSettings,
      console: loadConsoleSettings,
      'codec-server': loadCodecSettings,
      link: loadLinkSettings,
    };
    for (const [name, environment] of [...ofPods, ...ofServices].filter(([each]) => each !== 'sandbox')) {
      const load = loaders[name] ?? loadWorkerSettings;
      expect(() => load(withSecrets({ ...IMAGE, ...environment })), name).not.toThrow();
      const secrets = Object.keys(environment).filter((key) => /^PAYLOAD_|^TEMPORAL_/.test(key));
      if (name === 'link') expect(secrets).toEqual([]);
      else expect(secrets, name).toContain('PAYLOAD_KEYS_FILE');
    }
  });

  it('gives a worker more time to end than it needs at most', () => {
    const [, service] = services.find(([name]) => name === 'worker') ?? [];
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(shutdownSeconds);
    const { terminationGracePeriodSeconds } = manifest('Deployment', 'worker-this-build').spec.template.spec;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(shutdownSeconds);
  });

  it('runs pods without privileges and with read-only files, and probes ports that they have', () => {
    const names = containers.map(({ name }) => name).sort();
    expect(names).toEqual(['codec-server', 'console', 'link', 'receiver', 'setup', 'worker']);
    for (const { securityContext } of pods)
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
    for (const { securityContext, ports = [], livenessProbe, readinessProbe } of containers) {
      expect(securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      const open = ports.map(({ name }: Document) => name);
      for (const probe of [livenessProbe, readinessProbe].filter(Boolean))
        expect(open).toContain(probe.httpGet.port);
    }
  });

  it('gives each process the secrets that it reads in files, and has no other', () => {
    const keysOf = (name: string) => Object.keys(manifest('Secret', name).stringData);
    const all = containers.flatMap(({ env }) =>
      env.flatMap(({ name, value }: Document) => (name.endsWith('_FILE') ? value : [])),
    );
    const secrets = manifests.filter(({ kind }) => kind === 'Secret');
    const keys = secrets.flatMap(({ metadata }) => keysOf(metadata.name));
    expect(new Set(all)).toEqual(new Set(keys.map((key) => `/run/secrets/gangway/${key}`)));
    for (const { containers: ofPod, volumes } of pods) {
      const [{ name, env }] = ofPod;
      const { projected } = volumes.find((volume: Document) => volume.name === 'secrets');
      const mounted = projected.sources.flatMap(({ secret }: Document) => keysOf(secret.name));
      const read = env.flatMap((entry: Document) => /^(.+)_FILE$/.exec(entry.name)?.[1] ?? []);
      expect(mounted.toSorted(), name).toEqual(read.toSorted());
    }
  });

  it('gives each build workers of its own, which no other build’s manifests touch', () => {
    const build = { 'gangway.example.com/build': 'this-build' };
    const { metadata, spec } = manifest('Deployment', 'worker-this-build');
    expect(metadata.labels).toMatchObject(build);
    expect(spec.selector.matchLabels).toMatchObject(build);
    expect(spec.template.metadata.labels).toMatchObject(build);
    const [{ env }] = spec.template.spec.containers;
    expect(env).toContainEqual({ name: 'GANGWAY_BUILD_ID', value: 'this-build' });
    expect(yaml('deploy/kubernetes/worker/kustomization.yaml')[0].images).toEqual([
      { name: 'gangway', newName: 'registry.example.com/gangway', newTag: 'this-build' },
    ]);
    const [, worker] = services.find(([name]) => name === 'worker') ?? [];
    expect([worker.image, worker.environment.GANGWAY_BUILD_ID]).toEqual(['gangway:0.1.0', '0.1.0']);
    const budget = manifest('PodDisruptionBudget', 'worker-this-build');
    expect(budget.metadata.labels).toMatchObject(build);
    expect(budget.spec.selector.matchLabels).toEqual(spec.selector.matchLabels);
  });

  it('gives the worker controller the pods of a build, their build ID, and the address in the settings', () => {
    const { spec } = manifest('WorkerDeployment', 'gangway');
    const { TEMPORAL_ADDRESS: hostPort, TEMPORAL_NAMESPACE: temporalNamespace } = values(
      'deploy/kubernetes/settings/settings.env',
    );
    expect(spec.workerOptions).toEqual({
      connectionRef: { name: 'gangway' },
      temporalNamespace,
      unsafeCustomBuildID: 'this-build',
    });
    expect(manifest('Connection', 'gangway').spec).toMatchObject({ hostPort });
    expect(yaml('deploy/kubernetes/worker/controller/pods/kustomization.yaml')[0].replacements).toEqual([
      {
        source: { kind: 'Deployment', name: 'worker-this-build', fieldPath: 'spec.template' },
        targets: [
          {
            select: { kind: 'WorkerDeployment' },
            fieldPaths: ['spec.template'],
            options: { create: true },
          },
        ],
      },
    ]);
  });

  it('scales the workers of a build by its backlog on each task queue that they poll', () => {
    const { metadata, spec } = manifest('ScaledObject', 'worker-this-build');
    expect(metadata.labels).toEqual({ 'gangway.example.com/build': 'this-build' });
    expect(spec.scaleTargetRef).toEqual({ name: 'worker-this-build' });
    const triggers: Document[] = spec.triggers.map(({ metadata: trigger }: Document) => trigger);
    const partners = [...SYSTEM_NAMES, 'events' as const].map((system) =>
      partnerTaskQueue('gangway', system),
    );
    expect(new Set(triggers.map(({ taskQueue }) => taskQueue))).toEqual(new Set(['gangway', ...partners]));
    for (const trigger of triggers) {
      expect(trigger).toMatchObject({
        workerDeploymentName: 'gangway',
        workerDeploymentBuildId: 'this-build',
        queueTypes: trigger.taskQueue === 'gangway' ? 'workflow,activity' : 'activity',
      });
    }
  });

  it('lets traces out to the collector, and only there', () => {
    const { egress } = manifest('NetworkPolicy', 'gangway').spec;
    const traces = egress.find(({ ports }: Document) => ports.some(({ port }: Document) => port === 4318));
    expect(traces).toEqual({ to: [MONITORING], ports: [{ port: 4318, protocol: 'TCP' }] });
  });

  it('lets each process out to what its settings name', () => {
    const reached = (component: string): unknown[] =>
      manifests
        .filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec.policyTypes.includes('Egress'))
        .filter(({ spec: { podSelector } }) =>
          (podSelector.matchExpressions ?? [{ values: [component] }])[0].values.includes(component),
        )
        .flatMap(({ spec }) => spec.egress)
        .flatMap(({ to, ports }) => ports.map(({ port }: Document) => (to ? port : `${port} anywhere`)));
    const labels = manifests.flatMap(({ spec }) => spec?.template?.metadata.labels ?? []);
    const components = labels.map((each) => each['app.kubernetes.io/component']);
    const [inside, temporal, https] = [[53, 53, 4318], '7233 anywhere', '443 anywhere'];
    expect(Object.fromEntries(components.map((name) => [name, reached(name)]))).toEqual({
      worker: [...inside, temporal, https],
      console: [...inside, temporal, https],
      receiver: [...inside, temporal],
      setup: [...inside, temporal],
      'codec-server': [...inside, https],
      link: [...inside, https],
    });
    // The addresses in the manifests have no other port.
    const addresses = Object.values(CONFIG_MAPS).flatMap((map) =>
      Object.entries(map).filter(([name]) => /_(URL|ADDRESS)$/.test(name)),
    );
    expect(addresses.length).toBeGreaterThan(2);
    for (const [name, value] of addresses)
      expect(value).toMatch(name === 'TEMPORAL_ADDRESS' ? /:7233$/ : /^https:\/\/[\w.-]+$/);
  });

  it('limits the memory of each container', () => {
    for (const [name, { mem_limit }] of services) expect(mem_limit, name).toMatch(/^\d+[mg]$/);
    for (const { name, resources } of containers) expect(resources.limits.memory, name).toMatch(/^\d+[MG]i$/);
  });
});
