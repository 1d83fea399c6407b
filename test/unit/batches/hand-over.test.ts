import { expect, it } from 'vitest';
import { handOver, PartFailed } from '../../../src/batches/batches.js';
import type { Ready } from '../../../src/batches/ready.js';
import { type Answers, answering, time, valuesOf } from '../../rigs/temporal/answering-service.js';

const row = (line: number): Ready => {
  const externalId = `m-${line}`;
  const workflowId = `merchant-boarding-${externalId}`;
  return {
    ...{ line, externalId, unique: { externalId }, type: 'merchantBoarding', workflowId },
    input: { externalId },
  };
};

/** Hands rows over to a worker whose activities end so. */
function handingOver(rows: AsyncIterable<Ready> | Iterable<Ready>, outcome: object) {
  const answers: Answers = {
    describeTaskQueue: () => ({
      pollers: [{ identity: '1@host', lastAccessTime: time(new Date().toISOString()) }],
    }),
    startActivityExecution: () => ({ runId: 'run-1' }),
    pollActivityExecution: () => ({ runId: 'run-1', outcome }),
  };
  const { client, sent } = answering(answers);
  const activities = () =>
    sent.flatMap(([name, request]) =>
      name === 'startActivityExecution' ? [[request.activityType.name, valuesOf(request.input)[0]]] : [],
    );
  const end = handOver(client, 'gangway', rows, { name: 'rows.csv', actor: 'olga' });
  return { end, activities, started: () => sent.some(([name]) => name === 'startWorkflowExecution') };
}

it('rows that the document store does not take are refused with its reason, and removed', async () => {
  const failure = { message: '/documents: no space is left (ENOSPC)', applicationFailureInfo: {} };
  const { end, activities, started } = handingOver([row(1)], { failure });
  const error = (await end.catch((thrown: unknown) => thrown)) as PartFailed;
  expect(error).toBeInstanceOf(PartFailed);
  expect([error.message, error.isUnavailable]).toEqual([
    'nothing was started, because a worker cannot keep the rows: /documents: no space is left (ENOSPC)',
    true,
  ]);
  const [[, kept], forgotten] = activities() as [[string, { batch: string }], unknown];
  expect(forgotten).toEqual(['forgetRows', { batch: kept.batch, parts: 1 }]);
  expect(started()).toBe(false);
});

it('rows that were kept before an interruption are removed', async () => {
  async function* interrupted() {
    for (let line = 1; line <= 201; line += 1) yield row(line);
    throw new Error('interrupted');
  }
  const { end, activities, started } = handingOver(interrupted(), { result: {} });
  await expect(end).rejects.toThrow('interrupted');
  expect(activities().map(([name]) => name)).toEqual(['keepRows', 'forgetRows']);
  expect(activities()[1]).toMatchObject(['forgetRows', { parts: 1 }]);
  expect(started()).toBe(false);
});
