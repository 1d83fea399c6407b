import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import type { DevServerOptions } from '../../src/apps/demo/dev-server.js';
import { type SandboxOptions, startSandbox } from '../../src/apps/sandbox/server.js';
import { sandboxAccount } from '../../src/apps/sandbox/systems.js';
import type {
  BusinessOnboardingInput,
  CustomerOnboardingInput,
  MerchantBoardingInput,
} from '../../src/messages/inputs.js';
import type {
  BusinessOnboardingOutcome,
  CustomerOnboardingOutcome,
  MerchantBoardingOutcome,
} from '../../src/messages/onboardings.js';
import { clientInterceptors } from '../../src/temporal/connection.js';
import { BUSINESS, CUSTOMER, MERCHANT } from '../../src/temporal/kinds/kinds.js';
import { dataConverter, generatePayloadKey } from '../../src/temporal/payload-codec.js';
import type { WorkersConfig } from '../../src/worker/create-worker.js';
import { Onboarding } from './onboarding.js';
import { SandboxControl } from './sandbox-control.js';
import type { Until } from './shared.js';
import { isSimulated, simulatedPlace } from './simulated-place.js';
import { registerNamespace, startTemporal } from './temporal-server.js';
import { eventually } from './waiting.js';
import { type RunningWorker, runWorker } from './worker.js';
import { keysFrom, type WorkerOptions } from './worker-config.js';

export interface RigOptions extends WorkerOptions {
  /** A Temporal server of the caller. Default: the server that all test files share. */
  readonly address?: string;
  /** A Temporal server for this rig alone, which ends with it: for other settings, or to stop it. */
  readonly server?: DevServerOptions;
  /** The server suggests that a workflow continues as new from this many events on. It is of this rig alone. */
  readonly continueAfter?: number;
  /** The most time that lists may lag behind, on the simulated service. It is of this rig alone. */
  readonly listedWithinMs?: number;
  /** A namespace for this rig alone: for lists of all workflows, and for workflows that every rig would call the same. */
  readonly ownNamespace?: true;
  /** The namespace of another rig, for one with other keys or another worker in it. */
  readonly namespace?: string;
  readonly sandbox?: SandboxOptions;
  /** Default: true. With false, the test starts the worker. */
  readonly worker?: boolean;
}

/**
 * A real Temporal client, sandbox and worker. The sandbox's underwriters take a step with each status read, so that no step is
 * missed and no test waits for the next poll.
 */
export interface Rig {
  readonly client: Client;
  readonly sandbox: SandboxControl;
  readonly taskQueue: string;
  readonly documentDir: string;
  readonly statementDir: string;
  /** Environment of a Gangway process that uses this rig. */
  readonly env: Record<string, string>;
  startWorker(overrides?: WorkerOptions): Promise<RunningWorker>;
  board(input: MerchantBoardingInput): Promise<Onboarding<MerchantBoardingOutcome>>;
  onboardBusiness(input: BusinessOnboardingInput): Promise<Onboarding<BusinessOnboardingOutcome>>;
  onboard(
    input: CustomerOnboardingInput,
    options?: { again?: boolean; actor?: string },
  ): Promise<Onboarding<CustomerOnboardingOutcome>>;
  /** Ends all workflows of the rig, until none is listed as running, and deletes the faults of its sandbox that still wait. */
  clear(): Promise<void>;
  /** Closes something else together with the rig. */
  readonly atClose: Until;
  close(): Promise<void>;
}

/** The place where a rig runs: a Temporal server and a sandbox, real or simulated. */
export interface RigPlace {
  readonly client: Client;
  readonly sandbox: SandboxControl;
  /** Settings of a Gangway process that connects to it. */
  readonly env: Readonly<Record<string, string>>;
  runWorker(dirs: WorkerDirs, options: WorkerOptions): Promise<RunningWorker>;
  close(): Promise<void>;
}

export type WorkerDirs = Pick<WorkersConfig, 'taskQueue' | 'documentDir' | 'statementDir'>;

/** The underwriters take a step with each read of a status. */
export const PACE: SandboxOptions = { pace: { reads: 1 } };

export async function realPlace(options: RigOptions, taskQueue: string): Promise<RigPlace> {
  const { continueAfter } = options;
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': continueAfter ?? 0 };
  const wanted = options.server ?? (continueAfter === undefined ? undefined : { dynamicConfig });
  const server = wanted && (await startTemporal(wanted));
  const address = options.address ?? server?.address ?? inject('temporalAddress');
  const connection = await Connection.connect({ address });
  const payloadKeys = options.payloadKeys ?? generatePayloadKey();
  const converter = dataConverter(keysFrom(payloadKeys));
  const namespace = options.namespace ?? (options.ownNamespace ? taskQueue : 'default');
  if (options.ownNamespace) await registerNamespace(connection, namespace);
  const natives: NativeConnection[] = [];
  const sandbox = await startSandbox({ ...PACE, ...options.sandbox });
  return {
    client: new Client({
      connection,
      namespace,
      dataConverter: converter,
      interceptors: clientInterceptors,
    }),
    sandbox: new SandboxControl(sandbox.url),
    env: {
      ...environmentFor(sandbox.url),
      TEMPORAL_ADDRESS: address,
      ...(namespace !== 'default' && { TEMPORAL_NAMESPACE: namespace }),
      PAYLOAD_KEYS: payloadKeys,
    },
    async runWorker(dirs, more) {
      // A connection of its own, as in a process of its own.
      const native = await NativeConnection.connect({ address });
      natives.push(native);
      const place = { connection: native, namespace, sandboxUrl: sandbox.url, ...dirs };
      return runWorker(place, { payloadKeys, ...more });
    },
    async close() {
      await sandbox.close();
      await Promise.all(natives.map((native) => native.close()));
      await connection.close();
      await server?.stop();
    },
  };
}

export async function createRig(options: RigOptions = {}): Promise<Rig> {
  const { dbaForm = 'shown', fourEyes = [] } = options;
  const taskQueue = `test-${randomUUID()}`;
  const place = await (isSimulated() ? simulatedPlace : realPlace)(options, taskQueue);
  const { client } = place;
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const dirs = { documentDir: join(folder, 'documents'), statementDir: join(folder, 'statements') };
  await Promise.all(Object.values(dirs).map((dir) => mkdir(dir, 0o700)));
  const workers: RunningWorker[] = [];
  const others: (() => unknown)[] = [];

  const rig: Rig = {
    client,
    sandbox: place.sandbox,
    taskQueue,
    ...dirs,
    env: {
      ...place.env,
      GANGWAY_TASK_QUEUE: taskQueue,
      GANGWAY_DBA: dbaForm,
      GANGWAY_FOUR_EYES: fourEyes.join(','),
      DOCUMENT_DIR: dirs.documentDir,
      STATEMENT_DIR: dirs.statementDir,
    },
    async startWorker(overrides = {}) {
      const worker = await place.runWorker({ taskQueue, ...dirs }, { ...options, ...overrides });
      workers.push(worker);
      return worker;
    },
    async board(input) {
      const { workflowId: id } = await MERCHANT.start(client, input, { taskQueue, dbaForm, fourEyes });
      return new Onboarding(client, id);
    },
    async onboardBusiness(input) {
      const { workflowId: id } = await BUSINESS.start(client, input, { taskQueue, dbaForm, fourEyes });
      return new Onboarding(client, id);
    },
    async onboard(input, more) {
      const { workflowId: id } = await CUSTOMER.start(client, input, {
        taskQueue,
        dbaForm,
        fourEyes,
        ...more,
      });
      return new Onboarding(client, id);
    },
    async clear() {
      await eventually(
        () => endWorkflows(client, taskQueue),
        (ended) => ended === 0,
        'the end of all workflows in the list',
      );
      await rig.sandbox.clearFaults();
    },
    atClose(close) {
      others.push(close);
    },
    async close() {
      await endWorkflows(client, taskQueue);
      await Promise.all(workers.map((worker) => worker.stop()));
      await Promise.all(others.map((close) => close()));
      await place.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (options.worker !== false) await rig.startWorker();
  return rig;
}

/** @returns how many were listed as running */
async function endWorkflows(client: Client, taskQueue: string): Promise<number> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
  let count = 0;
  for await (const { workflowId } of client.workflow.list({ query })) {
    count += 1;
    // It may have ended since it was listed.
    await client.workflow
      .getHandle(workflowId)
      .terminate()
      .catch(() => undefined);
  }
  return count;
}

/** Settings for all partners at a sandbox, and for fast polls. */
export function environmentFor(url: string): Record<string, string> {
  return {
    GANGWAY_POLL_MIN: '100ms',
    GANGWAY_POLL_MAX: '1s',
    GANGWAY_HEALTH_ADDRESS: '127.0.0.1:0',
    GANGWAY_UI_URL: 'http://127.0.0.1:8233',
    ...sandboxAccount(url),
  };
}
