import { NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { gangwayPlugin } from '../../../src/worker/plugin.js';

/** The key is an example. */
const SETTINGS = { PAYLOAD_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` };

/** Its class is checked, and it is not used. */
const connection = Object.create(NativeConnection.prototype) as NativeConnection;

/** The options of a worker on task queue "gangway" with the plugin. */
async function configured(options: Partial<WorkerOptions>, settings = {}): Promise<WorkerOptions> {
  const plugin = gangwayPlugin({ settings: { ...SETTINGS, ...settings } });
  return plugin.configureWorker({ connection, taskQueue: 'gangway', ...options });
}

const version = { deploymentName: 'orders', buildId: 'b-7' };
const versioned = {
  workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'AUTO_UPGRADE' },
} as const satisfies Partial<WorkerOptions>;

describe('a worker with the plugin', () => {
  it('is versioned by GANGWAY_BUILD_ID, unless it has a version of its own', async () => {
    expect((await configured({})).workerDeploymentOptions).toBeUndefined();
    const build = { GANGWAY_BUILD_ID: 'b-1' };
    expect((await configured({}, build)).workerDeploymentOptions).toEqual({
      ...versioned.workerDeploymentOptions,
      version: { deploymentName: 'gangway', buildId: 'b-1' },
    });
    expect(await configured(versioned, build)).toMatchObject(versioned);
  });

  it('waits for writes in progress when it stops, unless it has times of its own', async () => {
    expect(await configured({})).toMatchObject({ shutdownGraceTime: '50s', shutdownForceTime: '60s' });
    expect(await configured({ shutdownGraceTime: '2m' })).toMatchObject({ shutdownGraceTime: '2m' });
  });

  it('keeps its own activities, sinks and interceptors, and bundles its own workflows', async () => {
    const greeting = async () => 'Hello';
    const own = () => ({});
    const sinks = { audit: { entry: { fn: () => undefined } } };
    const options = await configured({
      workflowsPath: '/orders/workflows.js',
      activities: { greeting },
      sinks,
      interceptors: { activity: [own], workflowModules: ['/orders/interceptors.js'] },
    });
    expect(options).toMatchObject({ workflowsPath: '/orders/workflows.js', activities: { greeting }, sinks });
    expect(Object.keys(options.activities ?? {})).toContain('awaitOnboarding');
    expect(Object.keys(options.sinks ?? {})).toEqual(['audit', 'trace', 'outbound']);
    expect(options.interceptors?.activity?.[0]).toBe(own);
    expect(options.interceptors?.workflowModules).toEqual(['/orders/interceptors.js']);
    expect(options.workflowBundle).toBeUndefined();
  });

  it('runs the bundle that a program made at build time, as it is', async () => {
    const workflowBundle = { codePath: '/orders/bundle.js' };
    expect((await configured({ workflowBundle })).workflowBundle).toBe(workflowBundle);
  });

  it('replays histories with the workflows and the encryption of Gangway', async () => {
    const plugin = gangwayPlugin({ settings: SETTINGS });
    const { workflowBundle, dataConverter } = await plugin.configureReplayWorker({});
    expect(workflowBundle).toEqual({ codePath: expect.stringMatching(/workflow-bundle-encoding\.js$/) });
    expect(dataConverter?.payloadCodecs?.length).toBe(1);
  });

  it('replays histories of any namespace, which a replay does not know', async () => {
    const plugin = gangwayPlugin({ settings: SETTINGS });
    const [ofWorker] = (await configured({})).dataConverter?.payloadCodecs ?? [];
    const [ofReplay] = (await plugin.configureReplayWorker({})).dataConverter?.payloadCodecs ?? [];
    const place = (namespace: string) =>
      ({ type: 'workflow', namespace, workflowId: 'merchant-boarding-m-1' }) as const;
    const payloads = (await ofWorker?.encode([{ data: Buffer.from('Ada') }], place('onboarding'))) ?? [];
    await expect(ofWorker?.decode(payloads, place('default'))).rejects.toThrow(/namespace onboarding/);
    expect(await ofReplay?.decode(payloads, place('default'))).toMatchObject([{ data: Buffer.from('Ada') }]);
  });
});
