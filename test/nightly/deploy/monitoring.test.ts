import { beforeAll, expect, it } from 'vitest';
import { monitoringPrograms, PROGRAMS_TIMEOUT_MS, type Programs } from '../../rigs/deploy/programs.js';
import { run } from '../../rigs/processes.js';

let programs: Programs;
beforeAll(async () => {
  programs = await monitoringPrograms();
}, PROGRAMS_TIMEOUT_MS);

it.each<[string, keyof Programs, string[]]>([
  ['Prometheus takes its configuration', 'promtool', ['check', 'config', 'deploy/prometheus/prometheus.yml']],
  ['the rules pass their unit tests', 'promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml']],
  [
    'Alertmanager takes its configuration',
    'amtool',
    ['check-config', 'deploy/alertmanager/alertmanager.yml'],
  ],
])('%s', async (_, program, args) => {
  const [command] = programs[program];
  const { code, stdout, stderr } = await run(command, args, {});
  expect(code, stdout + stderr).toBe(0);
});
