/**
 * `gangway/plugin`: makes another program's worker run Gangway.
 *
 * @packageDocumentation
 */
import {
  type BundleOptions,
  type BundlerPlugin,
  NativeConnection,
  type ReplayWorkerOptions,
  type WorkerInterceptors,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import { BadSetting } from '../platform/settings/settings.js';
import { besideOwn, requireKeys } from '../temporal/connection.js';
import { dataConverter, replayConverter } from '../temporal/payload-codec.js';
import { workerIdentity } from '../temporal/workers.js';
import { BUNDLING_ENCODING, bundleFor, COMBINED_WORKFLOWS, THEIR_WORKFLOWS } from './bundles.js';
import {
  combineWorkers,
  countUnreadable,
  type interceptorOptions,
  partnerWorkers,
  patchActivation,
  versionOptions,
  workersClient,
  workflowQueue,
} from './create-worker.js';
import { loadWorkerSettings } from './settings.js';
import { SHUTDOWN } from './tuning.js';

/** The options of a plugin. */
export interface PluginOptions {
  /** Settings by name, as in docs/configuration.md. Default: the environment of the process. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
}

/** A plugin for `Worker.create`, for replays, and for `bundleWorkflowCode`. */
export type GangwayPlugin = BundlerPlugin &
  Required<Pick<WorkerPlugin, 'configureWorker' | 'configureReplayWorker' | 'runWorker'>>;

/**
 * Makes a worker run Gangway together with the worker's own workflows and activities. The worker gets Gangway's workflows, the
 * activities and the Nexus service on its task queue, the data converter with `PAYLOAD_KEYS`, and the interceptors. While it runs,
 * the plugin runs further workers over the same connection: one for each partner task queue of each account, one that delivers
 * outbound events, and one for checks of credentials.
 *
 * @throws {BadSetting} for an invalid setting. `PAYLOAD_KEYS` is required, because a worker does not reveal its server
 */
export function gangwayPlugin({ settings = process.env }: PluginOptions = {}): GangwayPlugin {
  const config = loadWorkerSettings({ ...settings });
  const { payloadKeys, taskQueue, version } = config;
  requireKeys('', payloadKeys);
  return {
    name: 'gangway',

    configureBundler: combineWorkflows,

    configureWorker(options) {
      const connection = connectionOf(options);
      if (options.taskQueue !== taskQueue) {
        throw new BadSetting('GANGWAY_TASK_QUEUE', `must be ${options.taskQueue}, the worker’s task queue`);
      }
      const client = workersClient({ connection, namespace: options.namespace ?? 'default' }, config);
      const { sinks, activities, nexusServices, interceptors, ...more } = workflowQueue(config, client);
      return {
        ...SHUTDOWN,
        ...more,
        ...versionOptions(version),
        ...withWorkflows(options),
        patchActivationCallback: patchActivation(config.activePatches, options.patchActivationCallback),
        identity: workerIdentity(payloadKeys, options.identity),
        sinks: { ...options.sinks, ...sinks },
        activities: withoutClash(options.activities, activities),
        nexusServices: [...(options.nexusServices ?? []), ...nexusServices],
        interceptors: merged(options.interceptors, interceptors),
      };
    },

    configureReplayWorker: (options) => ({
      ...withWorkflows(options),
      dataConverter: replayConverter(payloadKeys),
    }),

    async runWorker(worker, next) {
      const { namespace, identity, workerDeploymentOptions } = worker.options;
      const versioning = workerDeploymentOptions && { workerDeploymentOptions };
      const place = { connection: connectionOf(worker), namespace, identity, ...versioning };
      const partners = await partnerWorkers(place, config);
      const main = {
        run: () => next(worker),
        shutdown: () => worker.shutdown(),
        getState: () => worker.getState(),
      };
      await combineWorkers(main, partners).run();
    },
  };

  /** A worker without its own workflows needs no bundler. */
  function withWorkflows<Options extends WorkerOptions | ReplayWorkerOptions>(options: Options): Options {
    const { dataConverter: theirs = {}, workflowsPath, workflowBundle } = options;
    if (Object.keys(theirs).length > 0) {
      const why = 'Gangway’s encrypts the payloads, and every client of the workflows has it';
      throw new TypeError(`a worker with the Gangway plugin takes no data converter of its own: ${why}`);
    }
    return {
      ...options,
      dataConverter: dataConverter(payloadKeys, countUnreadable),
      ...(workflowsPath === undefined &&
        workflowBundle === undefined && { workflowBundle: bundleFor(payloadKeys) }),
    };
  }
}

/** @throws {TypeError} without a connection, or if the connection belongs to another copy of the SDK */
function connectionOf({ connection }: { readonly connection?: unknown }): NativeConnection {
  if (connection instanceof NativeConnection) return connection;
  const what = 'a worker with the Gangway plugin needs "connection" from the same @temporalio/worker';
  throw new TypeError(`${what}: install the version that gangway depends on`);
}

function withoutClash(theirs: object | undefined, ours: object): object {
  const both = Object.keys(theirs ?? {}).find((name) => name in ours);
  if (both !== undefined) throw new TypeError(`activity ${both} has the name of a Gangway activity`);
  return { ...theirs, ...ours };
}

function merged(
  { client, activity = [], ...others }: WorkerInterceptors = {},
  ours: ReturnType<typeof interceptorOptions>,
): WorkerInterceptors {
  return {
    ...others,
    client: besideOwn(client),
    activity: [...activity, ...ours.activity],
  };
}

function combineWorkflows(options: BundleOptions): BundleOptions {
  const { workflowsPath, workflowInterceptorModules = [], preloadModules = [], webpackConfigHook } = options;
  return {
    ...options,
    ...BUNDLING_ENCODING,
    workflowsPath: COMBINED_WORKFLOWS,
    workflowInterceptorModules: [
      ...workflowInterceptorModules,
      ...BUNDLING_ENCODING.workflowInterceptorModules,
    ],
    preloadModules: [...preloadModules, ...BUNDLING_ENCODING.preloadModules],
    webpackConfigHook(configuration) {
      const config = webpackConfigHook?.(configuration) ?? configuration;
      const alias = { ...config.resolve?.alias, [`${THEIR_WORKFLOWS}$`]: workflowsPath };
      return { ...config, resolve: { ...config.resolve, alias } };
    },
  };
}
