import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { gangway } from '../../../rigs/command.js';
import { jsonLines } from '../../../rigs/processes.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { startOldServer } from '../../../rigs/temporal/old-server.js';

const rig = await sharedRig();

const setUp = (name: string, env: Record<string, string> = {}, more: readonly string[] = []) =>
  gangway({ ...rig.env, ...env }, ['setup', '--nexus-endpoint', name, ...more]);

describe('gangway setup --nexus-endpoint', () => {
  it('creates an endpoint that leads to the workers, and is safe to run again', async () => {
    const name = `gangway-${randomUUID()}`;
    const { taskQueue } = rig;
    const place = `targets task queue ${taskQueue} of namespace default`;
    for (const what of ['created', 'already exists']) {
      const { code, stdout, stderr } = await setUp(name);
      expect([code, stdout.split('\n')[1], stderr]).toEqual([
        0,
        `Nexus endpoint ${name}: ${what}, ${place}`,
        '',
      ]);
    }
    const { endpoints } = await rig.client.connection.operatorService.listNexusEndpoints({ name });
    expect(endpoints).toMatchObject([
      { spec: { name, target: { worker: { namespace: 'default', taskQueue } } } },
    ]);
    expect(jsonLines(await setUp(name, {}, ['--json']))).toMatchObject([
      { registered: [], nexusEndpoint: { name, namespace: 'default', taskQueue, created: false } },
    ]);
  });

  it('refuses a name that leads elsewhere, and changes nothing', async () => {
    const name = `gangway-${randomUUID()}`;
    await setUp(name);
    const { code, stdout, stderr } = await setUp(name, { GANGWAY_TASK_QUEUE: 'another' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Nexus endpoint ${name} exists and targets task queue ${rig.taskQueue} of namespace default, not task queue ` +
        'another of namespace default; choose another name, or change the endpoint with "temporal operator nexus endpoint update"\n',
    );
    const { endpoints } = await rig.client.connection.operatorService.listNexusEndpoints({ name });
    expect(endpoints?.[0]?.spec?.target?.worker?.taskQueue).toBe(rig.taskQueue);
  });

  it('passes on why the server rejects a name', async () => {
    const { code, stdout, stderr } = await setUp('not a name');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Temporal: .*endpoint name.*\n$/);
  });

  it('reports that Nexus is off on a server without it', async () => {
    const address = await startOldServer(rig.env['TEMPORAL_ADDRESS'] ?? '', '1.32.0', ['ListNexusEndpoints']);
    const { code, stderr } = await setUp(`gangway-${randomUUID()}`, { TEMPORAL_ADDRESS: address });
    expect([code, stderr]).toEqual([1, 'Nexus is off on this Temporal server: see docs/nexus.md\n']);
  });
});
