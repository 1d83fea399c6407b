import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { afterEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../../src/messages/search-attributes.js';
import { MERCHANT } from '../../../../src/temporal/kinds/kinds.js';
import {
  dataConverter,
  generatePayloadKey,
  parsePayloadKeys,
} from '../../../../src/temporal/payload-codec.js';
import { gangway } from '../../../rigs/command.js';
import { type Finding, ownRig, problems, wrong } from '../../../rigs/commands/doctor.js';
import { merchant } from '../../../rigs/inputs.js';
import { run } from '../../../rigs/processes.js';
import type { Rig } from '../../../rigs/rig.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { startOldServer } from '../../../rigs/temporal/old-server.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await sharedRig();

it('doctor names what is wrong, what it called, and the settings to correct: credentials that each partner refuses, in each account', async () => {
  const sandbox = rig.sandbox.url;
  const env = {
    ...rig.env,
    BOARDING_PASSWORD: 'guess',
    BANKING_PASSWORD: 'guess',
    PLANT_STORE_TOKEN: 'guess',
    PAYMENTS_API_KEY: 'guess',
    GANGWAY_ACCOUNTS: 'north',
    NORTH_BOARDING_URL: sandbox,
    NORTH_BOARDING_USERNAME: 'sandbox',
    NORTH_BOARDING_PASSWORD: 'guess',
  };
  const matches = (await problems(env)).filter(({ check }) => check !== 'workers');
  const refused = (system: string, why: string, called: string) =>
    `the ${system} partner rejected our credentials (401): correct them in the settings; ${why}; called ${called}`;
  const ofBoarding = refused('boarding', 'Unauthorized: Invalid credentials', 'list-agent-profiles');
  expect(matches).toEqual([
    wrong('boarding partner', ofBoarding, 'correct BOARDING_USERNAME, BOARDING_PASSWORD'),
    wrong(
      'banking partner',
      refused('banking', 'Wrong nickName or password', 'issue-token'),
      'correct BANKING_USERNAME, BANKING_PASSWORD, BANKING_DEVICE_TOKEN',
    ),
    wrong(
      'plant store',
      'the plant-store partner rejected the request (HTTP 400); The token is missing or invalid (error 401); called list-plants',
      'check PLANT_STORE_URL, and correct PLANT_STORE_TOKEN',
    ),
    wrong(
      'payments platform',
      refused('payments', 'The API key is missing or invalid', 'list-terminals'),
      'correct PAYMENTS_API_KEY',
    ),
    wrong(
      'boarding partner of north',
      ofBoarding,
      'correct NORTH_BOARDING_USERNAME, NORTH_BOARDING_PASSWORD',
    ),
  ]);
});

describe('doctor names what is wrong, and nothing else:', () => {
  afterEach(() => rig.sandbox.clearFaults());

  it.each<[what: string, env: Record<string, string>, Finding]>([
    [
      'a partner that is not there',
      { BOARDING_URL: 'http://127.0.0.1:1' },
      wrong(
        'boarding partner',
        'the boarding partner could not be reached: it refused the connection (ECONNREFUSED); called list-agent-profiles',
        'check BOARDING_URL, the network and the certificate',
      ),
    ],
    [
      'a task queue that no worker polls',
      { GANGWAY_TASK_QUEUE: 'nobody-polls-this' },
      wrong(
        'workers',
        'no worker polls task queue nobody-polls-this',
        'start a worker with these settings: "npm run worker"',
      ),
    ],
    [
      'a server that is not there',
      { TEMPORAL_ADDRESS: '127.0.0.1:1' },
      wrong(
        'temporal',
        'cannot reach Temporal at 127.0.0.1:1 (TEMPORAL_ADDRESS)',
        'start Temporal, or correct TEMPORAL_ADDRESS, TEMPORAL_TLS and TEMPORAL_API_KEY',
      ),
    ],
    [
      'a namespace that does not exist',
      { TEMPORAL_NAMESPACE: 'nowhere' },
      wrong(
        'namespace',
        'Temporal: Namespace nowhere is not found.',
        'correct TEMPORAL_NAMESPACE, or run "temporal operator namespace create --namespace NAME"',
      ),
    ],
  ])('%s', async (_, env, finding) => {
    expect(await problems({ ...rig.env, ...env })).toEqual([finding]);
  });

  it('a partner that responds with 500, even when it is the sign-in', async () => {
    await rig.sandbox.plan('500-before-commit', 'issue-token', { times: 5 });
    expect(await problems(rig.env)).toEqual([
      wrong(
        'banking partner',
        'the banking partner did not sign us in: issue-token: HTTP 500; InternalServerError; called issue-token',
        'wait, run "gangway doctor" again, and ask the partner if it persists',
      ),
    ]);
  });

  it('the task queues of an account that the workers do not have', async () => {
    const env = {
      ...rig.env,
      GANGWAY_ACCOUNTS: 'north',
      NORTH_BOARDING_URL: rig.sandbox.url,
      NORTH_BOARDING_USERNAME: 'sandbox',
      NORTH_BOARDING_PASSWORD: 'sandbox',
    };
    const matches = await problems(env);
    expect(matches).toEqual([
      wrong(
        'workers',
        `no worker polls task queue ${rig.taskQueue}-boarding-north`,
        'start a worker that has north in GANGWAY_ACCOUNTS, and the URLs of its partners: "npm run worker"',
      ),
    ]);
  });
});

describe('doctor finds payload keys that cannot read the running workflows:', () => {
  const [first, second] = [generatePayloadKey(), generatePayloadKey()];
  const idOf = (key: string) => key.split(':')[0] ?? '';
  const ofKeys = async (env: Record<string, string>) =>
    (await problems(env)).filter(({ check }) => check === 'keys');

  /** Starts boardings as a client with these keys does. @returns their workflow IDs */
  async function started(own: Rig, keys: string, count: number): Promise<string[]> {
    const connection = await Connection.connect({ address: own.env['TEMPORAL_ADDRESS'] ?? '' });
    onTestFinished(() => connection.close());
    const client = new Client({ connection, dataConverter: dataConverter(parsePayloadKeys(keys)) });
    const ids: string[] = [];
    for (let number = 0; number < count; number++) {
      const { workflowId } = await MERCHANT.start(client, merchant(), {
        fourEyes: [],
        taskQueue: own.taskQueue,
      });
      ids.push(workflowId);
    }
    return ids;
  }

  it('a key of old ones, however many newer ones have another key', async () => {
    const own = await ownRig({ worker: false, payloadKeys: `${first},${second}` });
    const old = await started(own, first, 2);
    await started(own, second, 8);
    const env = { ...own.env, PAYLOAD_KEYS: second };
    const [result] = await eventually(
      () => ofKeys(env),
      (all) => old.every((id) => all[0]?.detail.includes(id)),
      'both',
    );
    expect(result).toEqual(
      wrong(
        'keys',
        `not in PAYLOAD_KEYS: key ${idOf(first)} of ${[...old].reverse().join(', ')}`,
        `add ${idOf(first)}:<base64> to PAYLOAD_KEYS, after the first key`,
      ),
    );
    expect(await ofKeys({ ...own.env, PAYLOAD_KEYS: `${second},${first}` })).toEqual([]);
  });

  it('another key of the same id, and no key at all', async () => {
    const own = await ownRig({ worker: false, payloadKeys: first });
    const [id] = await started(own, first, 1);
    const key = idOf(first);
    for (const [keys, detail, fix] of [
      [
        `${key}:${second.split(':')[1]}`,
        `key ${key} of this command is not the one that encrypted ${id}`,
        `correct the value of key ${key} in PAYLOAD_KEYS of this command`,
      ],
      [
        '',
        `PAYLOAD_KEYS is not set: key ${key} is missing of ${id}`,
        'set the same PAYLOAD_KEYS as the workers',
      ],
    ] as const) {
      const find = () => ofKeys({ ...own.env, PAYLOAD_KEYS: keys });
      const matches = await eventually(find, ({ length }) => length > 0, 'a finding');
      expect(matches).toEqual([wrong('keys', detail, fix)]);
    }
  });
});

it('doctor calls a check without a result unknown, blames no setting for it, and exits with 4', async () => {
  const address = await startOldServer(rig.env['TEMPORAL_ADDRESS'] ?? '', '1.31.0', [
    'ListWorkflowExecutions',
  ]);
  const { code, stdout, stderr } = await gangway({ ...rig.env, TEMPORAL_ADDRESS: address }, ['doctor']);
  expect(code).toBe(4);
  expect(stderr).toMatch(/^1 of \d+ findings is unknown\n$/);
  expect(stdout).toMatch(
    /^unknown {2}keys .*unknown method ListWorkflowExecutions\n +fix: run "gangway doctor" again when the system is less busy$/m,
  );
});

describe('doctor finds what is wrong with the server:', () => {
  it('it is older than Gangway needs, and why that matters', async () => {
    const address = await startOldServer(rig.env['TEMPORAL_ADDRESS'] ?? '', '1.30.2', []);
    expect(await problems({ ...rig.env, TEMPORAL_ADDRESS: address })).toEqual([
      wrong(
        'server features',
        'server 1.30.2 is too old: Gangway needs 1.31.0 or later, which has standalone activities for calls and outbound events',
        'update the Temporal server to 1.31.0 or later',
      ),
    ]);
  });

  it('its namespace has no search attributes', async () => {
    const namespace = `bare-${randomUUID()}`;
    const create = ['operator', 'namespace', 'create', '--namespace', namespace];
    await run(inject('temporalCli'), [...create, '--address', rig.env['TEMPORAL_ADDRESS'] ?? ''], {});
    const matches = await eventually(
      () => problems({ ...rig.env, TEMPORAL_NAMESPACE: namespace }),
      (all) => all.every(({ check }) => check !== 'namespace'),
      'the namespace',
    );
    const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
    expect(matches).toContainEqual(
      wrong('search attributes', `missing: ${names.join(', ')}`, 'run "gangway setup"'),
    );
  });
});
