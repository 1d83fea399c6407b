// Checks the Dockerfile and the files of deploy/ and .github/ with the linters of their formats, without an engine or a cluster.
// Run: npm run lint:deploy
//
// Linters from PyPI are installed into .cache/ if they are missing. Five linters must be on the PATH:
// - promtool: Debian's package prometheus
// - amtool: Debian's package prometheus-alertmanager
// - kustomize: go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
// - dashboard-linter: go install github.com/grafana/dashboard-linter@v0.2.0
// - actionlint: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const REQUIREMENTS = 'scripts/deploy-linters.txt';
const version = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
const installed = `.cache/deploy-linters-${version}`;
const linter = (name) => `${installed}/bin/${name}`;
const KUBERNETES = 'deploy/kubernetes';
const filesIn = (folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`);
const manifests = filesIn(KUBERNETES).filter(
  // The schemas lack the resources of KEDA and the settings of kustomize.
  (name) => name.endsWith('.yaml') && !/kustomization|autoscaling|names/.test(name),
);
const WORKFLOWS = filesIn('.github/workflows');
const ISSUE_FORMS = filesIn('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('/config.yml'));

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (error) process.stderr.write(`${command}: ${error.message}\n`);
  return status === 0;
}

if (!existsSync(linter('hadolint'))) {
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS];
  const ready = run('python3', ['-m', 'venv', installed]) && run(linter('python'), install);
  if (!ready) process.exit(1);
}

const checked = (what, schema, files) => [
  what,
  linter('check-jsonschema'),
  ['--builtin-schema', schema, ...files],
];

const LINTS = [
  ['Dockerfile', linter('hadolint'), ['Dockerfile']],
  checked('Compose', 'vendor.compose-spec', ['deploy/compose.yaml', 'deploy/compose.worker.yaml']),
  ['Kubernetes', linter('kubernetes-validate'), ['--strict', '--quiet', ...manifests]],
  ['steps of the workflow', 'actionlint', WORKFLOWS],
  checked('workflow', 'vendor.github-workflows', WORKFLOWS),
  checked('timeouts of the workflow', 'custom.github-workflows-require-timeout', WORKFLOWS),
  checked('Renovate', 'vendor.renovate', ['.github/renovate.json']),
  checked('issue forms', 'vendor.github-issue-forms', ISSUE_FORMS),
  checked('choice of issue forms', 'vendor.github-issue-config', ['.github/ISSUE_TEMPLATE/config.yml']),
  ['kustomization', 'kustomize', ['build', '--output', '/dev/null', KUBERNETES]],
  ['kustomization of workers', 'kustomize', ['build', '--output', '/dev/null', `${KUBERNETES}/worker`]],
  ['Alertmanager', 'amtool', ['check-config', 'deploy/alertmanager/alertmanager.yml']],
  ['alerts', 'promtool', ['check', 'rules', 'deploy/prometheus/alerts.yml']],
  ['alerts’ tests', 'promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml']],
  ['dashboard', 'dashboard-linter', ['lint', '--strict', 'deploy/grafana/gangway.json']],
];

const failed = LINTS.filter(([, command, args]) => !run(command, args)).map(([what]) => what);
process.stdout.write(
  failed.length > 0 ? `failed: ${failed.join(', ')}\n` : `${LINTS.length} passed, 0 failed\n`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
