import type { Payload } from '@temporalio/common';
import { expect, it } from 'vitest';
import { type HandOver, handOver, PartFailed } from '../../../../src/services/batches/batches.js';
import type { Ready } from '../../../../src/services/batches/validation.js';
import { type Answers, answering, time, valuesOf } from '../../../rigs/temporal/answering-service.js';

const row = (line: number): Ready => {
  const externalId = `m-${line}`;
  const workflowId = `merchant-boarding-${externalId}`;
  return {
    line,
    externalId,
    unique: { externalId },
    type: 'merchantBoarding',
    workflowId,
    input: { externalId },
  };
};

/** Hands rows over to a worker whose activities end so. */
function handingOver(
  rows: AsyncIterable<Ready> | Iterable<Ready>,
  outcome: object,
  more: Partial<HandOver> = {},
) {
  const answers: Answers = {
    describeTaskQueue: () => ({ pollers: [{ lastAccessTime: time(new Date().toISOString()) }] }),
    startActivityExecution: () => ({ runId: 'run-1' }),
    pollActivityExecution: () => ({ runId: 'run-1', outcome }),
    startWorkflowExecution: () => ({ runId: 'run-1' }),
  };
  const { client, sent } = answering(answers);
  const activities = () =>
    sent.flatMap(([name, request]) =>
      name === 'startActivityExecution' ? [[request.activityType.name, valuesOf(request.input)[0]]] : [],
    );
  const end = handOver(client, 'gangway', rows, { name: 'rows.csv', actor: 'olga', ...more });
  const starts = () =>
    sent.flatMap(([name, request]) => (name === 'startWorkflowExecution' ? [request] : []));
  return { end, activities, starts, started: () => starts().length > 0 };
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
  const [[, stored], forgotten] = activities() as [[string, { batch: string }], unknown];
  expect(forgotten).toEqual(['forgetRows', { batch: stored.batch, parts: 1 }]);
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

it('rows are cut into parts of at most a mebibyte, below what Temporal takes', async () => {
  const rows = [1, 2, 3].map((line) => ({ ...row(line), input: { text: 'x'.repeat(400 * 1024) } }));
  const { end, activities } = handingOver(rows, { result: {} });
  await end;
  const parts = activities() as [string, { part: number; rows: unknown[] }][];
  const entries = parts.map(([name, { part, rows: inside }]) => `${name} ${part}: ${inside.length}`);
  expect(entries).toEqual(['keepRows 0: 2', 'keepRows 1: 1']);
});

it('what was found in the file is kept once, and not in the state that each part writes again', async () => {
  const warnings = [{ line: 1, field: 'merchant.email', message: 'is not an e-mail address' }];
  const result = { warnings, count: 1, isComplete: true, attached: 0 };
  const { end, starts } = handingOver([row(1)], { result: {} }, { warnings: result });
  await end;
  const [{ memo, input }] = starts();
  const fields = Object.entries<Payload>(memo.fields);
  const entries = fields.map(([field, value]) => [field, ...valuesOf({ payloads: [value] })]);
  const state = {
    name: 'rows.csv',
    actor: 'olga',
    stage: 'checked',
    rows: 1,
    kinds: { merchantBoarding: 1 },
    accounts: [''],
    parts: 0,
    counts: { started: 0, attached: 0, failed: 0 },
    failures: [],
  };
  expect(Object.fromEntries(entries)).toEqual({ batch: state, found: result });
  expect(valuesOf(input)).toEqual([{ parts: 1, state }]);
});
