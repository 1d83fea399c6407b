import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort } from '../../src/apps/demo/dev-server.js';
import { webhookFigures } from '../../src/services/reports/webhooks.js';
import { alerts } from '../rigs/deploy/monitoring.js';
import { monitoringPrograms, PROGRAMS_TIMEOUT_MS, type Programs } from '../rigs/deploy/programs.js';
import { type Monitoring, startMonitoring } from '../rigs/deploy/running-monitoring.js';
import { SECRET } from '../rigs/events/subscriber.js';
import { merchant } from '../rigs/inputs.js';
import { API_TOKEN, LINK } from '../rigs/link/stand-in-api.js';
import { Onboarding } from '../rigs/onboarding.js';
import { launch, type RunningProcess, run } from '../rigs/processes.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { testEnds } from '../rigs/shared.js';
import { type Certificates, makeCertificates } from '../rigs/temporal/certificates.js';
import { type GuardedServer, startGuardedServer } from '../rigs/temporal/guarded-server.js';
import { FORGETFUL } from '../rigs/temporal-server.js';
import { eventually } from '../rigs/waiting.js';
import { bankOf } from '../rigs/workflows/bank.js';

const TIMEOUT_MS = 900_000;

const WEBHOOK_SECRET = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';

/** Workers ask Temporal every half minute. */
const WAIT_LIMIT_MS = 300_000;

const DUE_AT_ONCE = { dueInHours: 0.000_01, unclaimedInHours: 0.000_01 };

let programs: Programs;
beforeAll(async () => {
  programs = await monitoringPrograms();
}, PROGRAMS_TIMEOUT_MS);

describe('with real processes', () => {
  let rig: Rig;
  let certificates: Certificates;
  /** The connection of a worker, the receiver and the console to Temporal, until it is closed. */
  let door: GuardedServer;
  let destination: Awaited<ReturnType<typeof halfBroken>>;
  let monitoring: Monitoring;
  const running = new Map<string, RunningProcess>();
  let receiverUrl: string;
  let consoleUrl: string;
  let codecServerUrl: string;
  let linkUrl: string;
  let lockedAddress: string;
  const lockedQueue = `locked-${randomUUID()}`;
  /** The task queue of the builds. */
  const otherQueue = `builds-${randomUUID()}`;

  beforeAll(async () => {
    const oldKey = `k20250101-0a1b2c:${randomBytes(32).toString('base64')}`;
    rig = await createRig({ worker: false, payloadKeys: oldKey, server: { dynamicConfig: FORGETFUL } });
    certificates = await makeCertificates();
    // Keys of Temporal Cloud are JWTs; nobody here checks their signatures.
    const apiKey = new UnsecuredJWT({}).setExpirationTime('13 days').encode();
    door = await startGuardedServer(rig.env['TEMPORAL_ADDRESS'] ?? '', certificates, {
      mutualTls: true,
      apiKeys: new Set([apiKey]),
    });
    destination = await halfBroken();
    const addresses = await Promise.all(
      Array.from({ length: 6 }, async () => `127.0.0.1:${await freePort()}`),
    );
    const [main = '', behindDoor = '', a = '', b = '', c = '', locked = ''] = addresses;
    const closed = `http://127.0.0.1:${await freePort()}`;
    await startWorker('main', main, {
      GANGWAY_ACCOUNTS: 'north,south,slow',
      ...partners('NORTH', rig.sandbox.url, 'of-somebody-else'),
      ...partners('SOUTH', closed),
      ...partners('SLOW', rig.sandbox.url),
      SLOW_BOARDING_ACTIVITIES_PER_SECOND: '0.02',
      EVENTS_URLS: destination.url,
      EVENTS_SECRETS: SECRET,
      EVENTS_TO_LOOPBACK: 'true',
    });
    const throughDoor = {
      TEMPORAL_ADDRESS: door.address,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.authority,
      TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.client.cert,
      TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.client.key,
      TEMPORAL_API_KEY: apiKey,
    };
    await startWorker('behind the door', behindDoor, throughDoor);
    // The same key ID, and another value.
    lockedAddress = locked;
    const otherKey = `k20250101-0a1b2c:${randomBytes(32).toString('base64')}`;
    await startWorker('locked', locked, { GANGWAY_TASK_QUEUE: lockedQueue, PAYLOAD_KEYS: otherKey });
    await startBuild('a', a);
    await startBuild('b', b);
    await startBuild('c', c);
    const receiver = await launch(
      'receiver',
      {
        ...rig.env,
        ...throughDoor,
        RECEIVER_SECRETS: SECRET,
        RECEIVER_ADDRESS: '127.0.0.1:0',
        RECEIVER_METRICS_ADDRESS: '127.0.0.1:0',
        RECEIVER_BOARDING_AUTH: `path:${WEBHOOK_SECRET}`,
      },
      'receiver is ready',
    );
    running.set('receiver', receiver);
    receiverUrl = addressOf(receiver, 'url');
    const console = await launch(
      'console',
      {
        ...rig.env,
        ...throughDoor,
        CONSOLE_ADDRESS: '127.0.0.1:0',
        CONSOLE_METRICS_ADDRESS: '127.0.0.1:0',
      },
      'console is ready',
    );
    running.set('console', console);
    consoleUrl = addressOf(console, 'url');
    const codecServer = await launch(
      'codec-server',
      {
        ...rig.env,
        CODEC_ADDRESS: '127.0.0.1:0',
        CODEC_METRICS_ADDRESS: '127.0.0.1:0',
        // Nobody publishes keys there.
        CODEC_JWKS_URL: closed,
        CODEC_JWT_ISSUER: 'issuer',
        CODEC_JWT_AUDIENCE: 'gangway',
      },
      'codec server is ready',
    );
    running.set('codec server', codecServer);
    codecServerUrl = addressOf(codecServer, 'url');
    const address = `127.0.0.1:${await freePort()}`;
    const link = await launch(
      'link',
      {
        LINK_ADDRESS: address,
        LINK_METRICS_ADDRESS: '127.0.0.1:0',
        LINK_URL: `http://${address}`,
        LINK_API_URL: closed,
        LINK_API_TOKEN: API_TOKEN,
        LINK_COMPANY: 'Acme Payments',
      },
      'link is ready',
    );
    running.set('link', link);
    linkUrl = addressOf(link, 'url');
    monitoring = await startMonitoring(programs, {
      'gangway-worker': addresses,
      'gangway-receiver': [new URL(addressOf(receiver, 'metrics')).host],
      'gangway-console': [new URL(addressOf(console, 'metrics')).host],
      'gangway-link': [new URL(addressOf(link, 'metrics')).host],
      'gangway-codec-server': [new URL(addressOf(codecServer, 'metrics')).host],
    });
  }, TIMEOUT_MS);

  afterAll(async () => {
    await monitoring?.close();
    await Promise.all([...running.keys()].map(stop));
    await rig.close();
    await door.close();
    await certificates.remove();
    destination.close();
  });

  async function startWorker(name: string, address: string, more: Readonly<Record<string, string>>) {
    const env = { ...rig.env, GANGWAY_POLL_MAX: '3s', ...more, GANGWAY_METRICS_ADDRESS: address };
    running.set(name, await launch('worker', env, 'worker is ready'));
  }

  const startBuild = (build: string, address: string) =>
    startWorker(build, address, { GANGWAY_TASK_QUEUE: otherQueue, GANGWAY_BUILD_ID: build });

  async function stop(name: string): Promise<void> {
    const process = running.get(name);
    running.delete(name);
    process?.child.kill('SIGKILL');
    await process?.exit;
  }

  const promote = (build: string) =>
    eventually(
      () =>
        run(
          inject('temporalCli'),
          [
            'worker',
            'deployment',
            'set-current-version',
            '--yes',
            '--deployment-name',
            otherQueue,
            '--build-id',
            build,
            '--address',
            rig.env['TEMPORAL_ADDRESS'] ?? '',
          ],
          {},
        ),
      ({ code }) => code === 0,
      `${build} as the current version`,
    );

  /** Sends an event to the receiver. */
  async function send(signature?: string): Promise<number> {
    const [id, now] = [randomUUID(), new Date()];
    const data = merchant();
    const type = 'merchant.boarding.requested.v1';
    const body = JSON.stringify({ specversion: '1.0', id, source: '/crm', type, data });
    const headers = {
      'content-type': 'application/cloudevents+json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': signature ?? new Webhook(SECRET).sign(id, now, body),
    };
    return (await fetch(`${receiverUrl}/events`, { method: 'POST', headers, body })).status;
  }

  /** Sends a webhook of the boarding partner, and returns the number of onboardings that it is about. */
  async function sendWebhook(externalId: string): Promise<number> {
    const body = JSON.stringify({ guid: externalId });
    const headers = { 'content-type': 'application/json' };
    const url = `${receiverUrl}/webhooks/boarding/${WEBHOOK_SECRET}`;
    const response = await fetch(url, { method: 'POST', headers, body });
    return ((await response.json()) as { workflows: number }).workflows;
  }

  /** Opens the inbox of the console. */
  const inbox = async () => (await fetch(consoleUrl)).status;

  /** Opens a merchant's link. */
  const openLink = async () => (await fetch(`${linkUrl}${LINK}`)).status;

  /** Asks the codec server with a token of an issuer that is unavailable. */
  async function decode(): Promise<number> {
    const authorization = `Bearer ${await new SignJWT({})
      .setProtectedHeader({ alg: 'EdDSA' })
      .sign((await generateKeyPair('EdDSA')).privateKey)}`;
    return (await fetch(`${codecServerUrl}/decode`, { method: 'POST', headers: { authorization } })).status;
  }

  /** Waits until an alert with these labels was sent, after this number of others. */
  const sent = (alertname: string, labels: Readonly<Record<string, string>> = {}, after = 0) =>
    eventually(
      async () =>
        monitoring.sent
          .slice(after)
          .filter(({ status, labels: its }) => status === 'firing' && its['alertname'] === alertname),
      (all) =>
        all.some(({ labels: its }) => Object.entries(labels).every(([name, value]) => its[name] === value)),
      `${alertname} ${JSON.stringify(labels)}`,
      WAIT_LIMIT_MS,
    );

  it(
    'while all is well, only alerts about old keys and certificates are sent',
    async () => {
      const up = () => monitoring.query('sum by (job) (up)');
      await eventually(
        up,
        (jobs) =>
          jobs['gangway-worker'] === 6 &&
          ['receiver', 'console', 'link', 'codec-server'].every((name) => jobs[`gangway-${name}`] === 1),
        'targets',
      );
      const nudged = merchant('waiting');
      await rig.board(nudged);
      await eventually(
        () => sendWebhook(nudged.externalId),
        (workflows) => workflows === 1,
        'a webhook',
      );
      await promote('a');
      await eventually(
        () => monitoring.query(`min(gangway_task_queue_workers{task_queue="${otherQueue}"})`),
        (least) => least[''] === 1,
        'workers of the current build',
        WAIT_LIMIT_MS,
      );
      await eventually(
        () => monitoring.firing(),
        (firing) => firing.join() === 'GangwayCredentialExpires,GangwayPayloadKeyOld',
        'only alerts about old keys and certificates',
      );
      await sent('GangwayCredentialExpires', { credential: 'certificate' });
      await sent('GangwayCredentialExpires', { credential: 'api-key' });
      await sent('GangwayPayloadKeyOld', { key: 'k20250101-0a1b2c' });
    },
    TIMEOUT_MS,
  );

  it(
    'each alert is sent when its cause occurs, and names the partner and the account',
    async () => {
      const board = (scenario: string | undefined, count: number, more: object = {}) =>
        Promise.all(Array.from({ length: count }, () => rig.board(merchant(scenario, more))));

      // A build that an operation is pinned to, and the current one, lose their workers.
      const onBuilds = { ...rig, taskQueue: otherQueue };
      const bank = bankOf(onBuilds);
      const card = await bank.card();
      await rig.sandbox.plan('drop-before-commit', 'close-card');
      const closing = await bank.operate('close-card', card.paymentCardId, card);
      await closing.requirement('uncertain-write');
      await promote('b');
      await Promise.all([stop('a'), stop('b')]);
      await rig.client.workflow.start('merchantBoarding', {
        taskQueue: otherQueue,
        workflowId: `waits-${otherQueue}`,
        args: [merchant()],
      });

      // Partners that are unavailable, refuse our credentials, or are slow because of our limit.
      await board('unknown-status', 1);
      await board(undefined, 6, { account: 'south' });
      await board(undefined, 3, { account: 'north' });
      await board(undefined, 6, { account: 'slow' });

      // Requirements.
      const lost = merchant();
      await rig.sandbox.plan('drop-after-commit', 'create-merchant', { about: lost.externalId });
      await (await rig.board(lost)).requirement('uncertain-write');
      await board('notes', 1, DUE_AT_ONCE);

      // A workflow type that no release has, so its tasks fail; an activity whose code fails; one that a worker cannot decrypt; and
      // partners and receivers that keep failing. Here a minute takes a second, in which nothing is repeated often enough.
      const untilSeen = new AbortController();
      testEnds(() => untilSeen.abort());
      const failing = (async () => {
        const { workflow, activity } = rig.client;
        for (let count = 0; !untilSeen.signal.aborted; count += 1, await sleep(1_000)) {
          const id = `failing-${count}-${rig.taskQueue}`;
          const single = { startToCloseTimeout: '10s', scheduleToCloseTimeout: '5m' } as const;
          await workflow.start('unheardOf', { taskQueue: rig.taskQueue, workflowId: id });
          await activity.start('readStatus', {
            ...single,
            id,
            taskQueue: `${rig.taskQueue}-boarding`,
            args: [],
          });
          await activity.start('checkCorrection', {
            ...single,
            id: `locked-${id}`,
            taskQueue: lockedQueue,
            args: [{}],
          });
          await board(undefined, 1, count % 2 === 0 ? {} : { account: 'south' });
          await send('v1,AAAA');
        }
      })();

      // Half of the outbound events are rejected, and status reads are rate limited.
      const many = await board('uw-level-1', 10);
      for (const { workflowId } of many)
        await new Onboarding(rig.client, workflowId).requirement('underwriting-note');
      await rig.sandbox.plan('429', 'get-status', { times: 1_000, milliseconds: 1_000 });

      // Callers with a wrong secret; then Temporal is unavailable for one worker, the receiver and the console.
      expect(await send('v1,AAAA')).toBe(401);
      await sent('GangwayReceiverRefuses', { problem: 'bad-signature' });
      await door.close();
      const untilAlerted = new AbortController();
      const replies: Promise<number>[] = [];
      const sending = (async () => {
        for (; !untilAlerted.signal.aborted; await sleep(250)) {
          replies.push(send(), inbox(), openLink(), decode());
        }
      })();
      await Promise.all([
        sent('GangwayReceiverErrors'),
        sent('GangwayConsoleErrors'),
        sent('GangwayLinkErrors'),
        sent('GangwayCodecServerErrors'),
      ]);
      untilAlerted.abort();
      await sending;
      expect(new Set(await Promise.all(replies))).toEqual(new Set([503]));

      const boarding = { system: 'boarding' };
      const north = { system: 'boarding', account: 'north' };
      await Promise.all([
        sent('GangwayRequirementOverdue'),
        sent('GangwayRequirementUnclaimed', { kind: 'underwriting-note' }),
        sent('GangwayUncertainWrite', boarding),
        sent('GangwayCredentials', { ...north, kind: 'credentials' }),
        sent('GangwayPartnerErrors', { system: 'boarding', account: 'south' }),
        sent('GangwayPartnerRateLimited', boarding),
        sent('GangwayPartnerDrift', { ...boarding, operation: 'get-status', kind: 'unknown-status' }),
        sent('GangwayDeliveriesFailing'),
        sent('GangwayWebhooksStopped', { ...boarding, workflowType: 'merchantBoarding' }),
        sent('GangwayTemporalUnavailable'),
        sent('GangwayNoPollers', { task_queue: otherQueue }),
        sent('GangwayBuildWithoutWorkers', { build: `${otherQueue}:a` }),
        sent('GangwayBuildWithoutWorkers', { build: `${otherQueue}:b` }),
        sent('GangwayWorkflowTasksWait', { task_queue: otherQueue }),
        sent('GangwayActivitiesWait', {
          task_queue: `${rig.taskQueue}-boarding-slow`,
          system: 'boarding',
          account: 'slow',
        }),
        sent('GangwayWorkflowTasksFail', { workflow_type: 'unheardOf' }),
        sent('GangwaySoftwareFails', { activityType: 'readStatus', build: 'without an ID' }),
        sent('GangwayPayloadsUnreadable', { instance: lockedAddress }),
      ]);
      untilSeen.abort();
      await failing;
      // What `gangway doctor` and the report show of it.
      const from = { GANGWAY_PROMETHEUS_URL: monitoring.url };
      const figures = await webhookFigures(from, new AbortController().signal);
      const merchants = figures?.find((each) => each.subject === 'merchant' && each.account === null);
      expect(merchants).toMatchObject({ sinceLastSeconds: expect.any(Number), hasStopped: true });
      expect(merchants?.pollOnly).toBeGreaterThanOrEqual(5);
      expect(await monitoring.firing()).not.toContain('GangwayNoWorker');
      const before = monitoring.sent.length;
      await Promise.all([...running.keys()].map(stop));
      await Promise.all([sent('GangwayNoWorker', {}, before), sent('GangwayCodecServerDown', {}, before)]);

      const names = new Set(monitoring.sent.map(({ labels }) => labels['alertname']));
      expect(names).toEqual(new Set(alerts().map(({ alert }) => alert)));
      for (const { to, labels, annotations } of monitoring.sent) {
        expect(to).toBe(labels['severity'] === 'page' ? '/pager' : '/tickets');
        expect(annotations['summary']).not.toMatch(/<no value>|\{\{/);
      }
    },
    TIMEOUT_MS,
  );
});

/** An address in the log line of a process that is ready. */
function addressOf({ stderr }: RunningProcess, name: 'url' | 'metrics'): string {
  return new RegExp(`"${name}":"([^"]+)"`).exec(stderr())?.[1] ?? '';
}

/** Receives outbound events, and responds with 503 to every second one. */
async function halfBroken() {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    count += 1;
    response.writeHead(count % 2 === 0 ? 204 : 503).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Settings of an account at the boarding partner. */
function partners(prefix: string, url: string, password = 'sandbox'): Record<string, string> {
  return {
    [`${prefix}_BOARDING_URL`]: url,
    [`${prefix}_BOARDING_USERNAME`]: 'sandbox',
    [`${prefix}_BOARDING_PASSWORD`]: password,
  };
}
