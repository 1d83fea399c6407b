import { expect, it } from 'vitest';
import { examineWorkers, temporalChecks } from '../../../../src/apps/command/system/doctor/temporal.js';
import { loadWorkerSettings } from '../../../../src/worker/settings.js';
import { type Answers, answering, execution, grpcError } from '../../../rigs/temporal/answering-service.js';

const NAMES = ['north', 'south', 'west'];
/** Two partners of each account are on. No worker polls for the others, and nobody misses one. */
const at = (prefix: string) => ({
  [`${prefix}PAYMENTS_URL`]: 'http://127.0.0.1:1',
  [`${prefix}PAYMENTS_API_KEY`]: 'secret',
  [`${prefix}BOARDING_URL`]: 'http://127.0.0.1:1',
  [`${prefix}BOARDING_USERNAME`]: 'olga',
  [`${prefix}BOARDING_PASSWORD`]: 'secret',
});
const accounts = NAMES.map((name) => at(`${name.toUpperCase()}_`));
const config = loadWorkerSettings(Object.assign({ GANGWAY_ACCOUNTS: NAMES.join() }, at(''), ...accounts));

/** The findings where no worker polls these task queues. */
async function findings(isIdle: (queue: string) => boolean): Promise<unknown[]> {
  const lastAccessTime = { seconds: Math.ceil(Date.now() / 1_000) };
  const { client } = answering({
    describeTaskQueue: ({ taskQueue: { name } }) => ({
      pollers: isIdle(name) ? [] : [{ identity: 'w-1', lastAccessTime }],
    }),
  });
  return (await examineWorkers(client, config)).map(({ state, detail, ...fix }) => [state, detail, fix]);
}

const notTaken = (account: string) => {
  const has = `that has ${account} in GANGWAY_ACCOUNTS, and the URLs of its partners`;
  return [
    'wrong',
    `no worker polls task queue gangway-boarding-${account}; the same goes for gangway-payments-${account}`,
    { fix: `start a worker ${has}: "npm run worker"` },
  ];
};

it('doctor names each account whose task queues no worker polls, the second and the third as well', async () => {
  expect(await findings((queue) => /-(south|west)$/.test(queue))).toEqual([
    notTaken('south'),
    notTaken('west'),
  ]);
  expect(await findings((queue) => /-(north|south|west)$/.test(queue))).toEqual(NAMES.map(notTaken));
});

it('doctor names only the main task queue where no worker polls any, and nothing where all are polled', async () => {
  const fix = 'start a worker with these settings: "npm run worker"';
  expect(await findings(() => true)).toEqual([
    ['wrong', expect.stringMatching(/^no worker polls task queue gangway$/), { fix }],
  ]);
  expect(await findings(() => false)).toEqual([['ok', expect.stringMatching(/; workers: 1$/), {}]]);
});

/** The findings of one check. */
async function found(name: string, answers: Answers): Promise<string[]> {
  const { client } = answering({
    describeNamespace: () => ({ namespaceInfo: { name: 'default' } }),
    describeTaskQueue: () => ({ pollers: [] }),
    ...answers,
  });
  const check = temporalChecks(Promise.resolve(client), config, new Map()).find((each) => each.name === name);
  const verdicts = await check?.run(AbortSignal.timeout(10_000));
  return (verdicts ?? []).map(({ state, detail }) => `${state}: ${detail}`);
}

it('doctor names each build that lacks workers, and each kind of requirement that waits', async () => {
  const pinned: Readonly<Record<string, number>> = { a: 2, b: 1, c: 0 };
  const builds = await found('builds', {
    describeWorkerDeployment: () => ({
      workerDeploymentInfo: {
        versionSummaries: Object.keys(pinned).map((buildId) => ({
          deploymentVersion: { deploymentName: 'gangway', buildId },
        })),
      },
    }),
    countWorkflowExecutions: ({ query }) => ({ count: pinned[/'gangway:(\w)'/.exec(query)?.[1] ?? ''] }),
  });
  expect(builds).toEqual(
    [2, 1].map(
      (count, place) =>
        `wrong: no worker runs gangway:${'ab'[place]}, and workflows are pinned to it: ${count}`,
    ),
  );
  const counts: Readonly<Record<string, number>> = { waiting: 1, unreadable: 2, 'software-error': 3 };
  const waits = await found('waits', {
    countWorkflowExecutions: ({ query }) => ({
      count: counts[/Requirements = '([\w-]+)'/.exec(query)?.[1] ?? ''],
    }),
  });
  expect(waits).toEqual([
    'warn: a partner needs attention; workflows with requirement waiting: 1',
    'warn: a partner needs attention; workflows with requirement unreadable: 2',
    'wrong: our software fails; workflows with requirement software-error: 3',
  ]);
});

it('doctor names ten of the workflows whose tasks fail, with the reason of each, and counts all', async () => {
  const ids = Array.from({ length: 12 }, (_, number) => `merchant-boarding-m-${number}`);
  const [line = '', ...more] = await found('workflow tasks', {
    countWorkflowExecutions: () => ({ count: ids.length }),
    listWorkflowExecutions: ({ pageSize }) => ({
      executions: ids.slice(0, pageSize).map((workflowId) => execution({ workflowId })),
    }),
    describeWorkflowExecution: ({ execution: { workflowId } }) => ({
      workflowExecutionInfo: execution({ workflowId }),
    }),
    queryWorkflow: ({ execution: { workflowId } }) => {
      throw grpcError('INVALID_ARGUMENT', `no code for ${workflowId}`);
    },
  });
  expect(line).toMatch(/^wrong: 12 blocked: .*; and 2 more$/);
  expect(
    ids.filter((id) => line.includes(`${id} cannot be read: its workflow task fails: no code for ${id}`)),
  ).toEqual(ids.slice(0, 10));
  expect(more).toEqual([]);
});
