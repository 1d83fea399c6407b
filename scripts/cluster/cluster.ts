import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { freePort } from '../../src/apps/demo/dev-server.js';
import type { Served } from '../../test/rigs/chaos/served.js';
import { insist } from '../../test/rigs/waiting.js';
import { type Postgres, startPostgres } from './postgres.js';
import { type Logged, logged, type Programs, programs } from './programs.js';

const run = promisify(execFile);

/** Temporal's services, one process each. */
const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;

type Service = (typeof SERVICES)[number];

/** The parts of a cluster that can be killed. */
export const PARTS: readonly string[] = [...SERVICES.map((service) => `temporal ${service}`), 'postgresql'];

/** Databases, and the names of their schemas. */
const DATABASES = { temporal: 'temporal', temporal_visibility: 'visibility' } as const;

/**
 * Settings of the development server: attributes exist as soon as they are registered, and timers are prompt. A task queue has one
 * partition, because each partition has its own order and its share of a rate limit.
 */
const DYNAMIC_CONFIG = {
  'system.forceSearchAttributesCacheRefreshOnRead': true,
  'history.timerProcessorMaxTimeShift': '20ms',
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

/** Pause before a service that ended on its own is restarted. */
const RESTART_MS = 500;

/** The server stores membership ports as signed 16-bit integers. */
const MEMBERSHIP_PORTS = { least: 20_000, most: 32_000 } as const;

const RETENTION_SECONDS = 24 * 3_600;

/**
 * A Temporal cluster on PostgreSQL with its data in `folder`. Its namespace is `default`.
 *
 * @param report gets a line before anything is built
 */
export async function startCluster(folder: string, report: (line: string) => void): Promise<Served> {
  const result = await programs(report);
  const postgres = await startPostgres(result, folder);
  await makeDatabases(result, postgres);
  const { config, address } = await configFiles(folder, postgres);
  const running = new Map<Service, Logged>();
  const start = (service: Service) => {
    const one = startService(result.server, config, service, folder);
    running.set(service, one);
    // The first services of a new cluster may conflict with each other, and all end when the database is down for a long time.
    void one.exited.then(async () => {
      await sleep(RESTART_MS);
      if (running.get(service) === one) start(service);
    });
  };
  for (const service of SERVICES) start(service);
  await insist(() => registerNamespace(address));

  const stop = async (service: Service) => {
    const one = running.get(service);
    running.delete(service);
    one?.child.kill('SIGKILL');
    await one?.exited;
  };
  return {
    address,
    parts: PARTS,
    async kill(part, downMs) {
      const service = SERVICES.find((one) => part === `temporal ${one}`);
      if (!service) return postgres.kill(downMs);
      await stop(service);
      await sleep(downMs);
      start(service);
    },
    async stop() {
      await Promise.all(SERVICES.map(stop));
      await postgres.stop();
    },
  };
}

async function makeDatabases({ sql }: Programs, { port, user }: Postgres): Promise<void> {
  for (const [database, schema] of Object.entries(DATABASES)) {
    const place = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '--port', `${port}`, '--user', user];
    const tool = (...args: string[]) => run(sql, [...place, '--db', database, ...args]);
    await tool('create-database');
    await tool('setup-schema', '-v', '0.0');
    await tool('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

async function configFiles(folder: string, { port, user }: Postgres) {
  const store = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user,
      maxConns: 20,
      maxIdleConns: 20,
    },
  });
  const rpc = async () => ({
    rpc: { grpcPort: await freePort(), membershipPort: await freeMembershipPort(), bindOnLocalHost: true },
  });
  const services = {
    frontend: await rpc(),
    history: await rpc(),
    matching: await rpc(),
    worker: await rpc(),
  };
  const address = `127.0.0.1:${services.frontend.rpc.grpcPort}`;
  const dynamic = join(folder, 'dynamic.yaml');
  const config = join(folder, 'config.yaml');
  const server = {
    log: { stdout: true, level: 'error' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services,
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamic, pollInterval: '10s' },
  };
  const entries = Object.entries(DYNAMIC_CONFIG).map(([name, value]) => [name, [{ value }]]);
  await writeFile(dynamic, stringify(Object.fromEntries(entries)));
  await writeFile(config, stringify(server));
  return { config, address };
}

async function freeMembershipPort(): Promise<number> {
  const { least, most } = MEMBERSHIP_PORTS;
  const wanted = randomInt(least, most);
  return (await freePort(wanted)) === wanted ? wanted : freeMembershipPort();
}

function startService(server: string, config: string, service: Service, folder: string): Logged {
  const args = ['--config-file', config, '--allow-no-auth', 'start', '--service', service];
  return logged(join(folder, `temporal-${service}.log`), (stdio) =>
    spawn(server, args, { detached: true, stdio }),
  );
}

async function registerNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 });
  try {
    const { workflowService } = new Client({ connection });
    const namespace = 'default';
    const facts = await workflowService.listNamespaces({});
    if (!facts.namespaces.some(({ namespaceInfo }) => namespaceInfo?.name === namespace)) {
      const workflowExecutionRetentionPeriod = { seconds: RETENTION_SECONDS as unknown as Long };
      await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    }
    await workflowService.countWorkflowExecutions({ namespace });
  } finally {
    await connection.close();
  }
}
