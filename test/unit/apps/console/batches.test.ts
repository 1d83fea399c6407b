import { describe, expect, it } from 'vitest';
import { readCheckedFile } from '../../../../src/apps/console/pages/batch-file.js';
import { isVisible, startBatch } from '../../../../src/apps/console/pages/batches.js';
import { Fields } from '../../../../src/apps/console/query.js';
import type { User } from '../../../../src/apps/console/route.js';
import { loadConsoleSettings } from '../../../../src/apps/console/settings.js';
import { BATCH_MEMO, type BatchState, NO_RESULTS, WARNINGS_MEMO } from '../../../../src/messages/batches.js';
import { type Batch, listBatches } from '../../../../src/services/batches/batches.js';
import { merchant } from '../../../rigs/inputs.js';
import { answering, execution, grpcError, payloads } from '../../../rigs/temporal/answering-service.js';

const person = (actor: string, accounts?: readonly string[]) => ({ actor, accounts }) as User;

describe('a batch', () => {
  const PEOPLE = [
    person('olga'),
    person('pete'),
    person('n', ['north', '']),
    person('s', ['north']),
    person('o', ['']),
    person('Olga Moss (olga)'),
    person('Olga Park (eve-3)'),
  ];
  const seers = (stage: BatchState['stage'], actor = 'olga') => {
    const batch = { state: { stage, actor, accounts: ['north', ''] } } as unknown as Batch;
    return PEOPLE.filter((each) => isVisible(batch, each)).map((each) => each.actor);
  };

  it('that nobody confirmed is its owner’s alone, also under another name', () => {
    for (const stage of ['checked', 'discarded'] as const) {
      expect(seers(stage, 'Olga Park (olga)')).toEqual(['olga', 'Olga Moss (olga)']);
    }
  });

  it('that was confirmed is shown to everybody who sees all of its accounts', () => {
    for (const stage of ['running', 'done', 'stopped'] as const)
      expect(seers(stage)).toEqual(['olga', 'pete', 'n', 'Olga Moss (olga)', 'Olga Park (eve-3)']);
  });
});

const FILE: BatchState = {
  stage: 'checked',
  name: 'rows.csv',
  actor: 'olga',
  rows: 1,
  kinds: {},
  accounts: [''],
  parts: 0,
  counts: NO_RESULTS,
  failures: [],
};

/** A batch as Temporal lists it. */
const listedAs = (workflowId: string, state: BatchState) => {
  const [memo] = payloads(state);
  return execution({ workflowId, memo: { [BATCH_MEMO]: memo as never } });
};

it('a person sees the newest batches of their own, however many others are newer', async () => {
  const theirs = Array.from({ length: 60 }, (_, count) => listedAs(`onboarding-batch-${count}`, FILE));
  const own = [60, 61, 62].map((count) => listedAs(`onboarding-batch-${count}`, { ...FILE, actor: 'pete' }));
  const { client } = answering({ listWorkflowExecutions: () => ({ executions: [...theirs, ...own] }) });
  const isListed = (batch: Batch) => isVisible(batch, person('pete'));
  const matches = await listBatches(client, 'gangway', 2, isListed);
  expect(matches.map(({ id }) => id)).toEqual(['onboarding-batch-60', 'onboarding-batch-61']);
});

it('rows of an account that a person may not use are not valid, and neither are those without an account', async () => {
  const env = { GANGWAY_ACCOUNTS: 'north,south', DOCUMENT_DIR: '/dev/null/documents' };
  const settings = loadConsoleSettings(env);
  const rows = [{ account: 'north' }, { account: 'south' }, {}].map((more) => merchant(undefined, more));
  const bytes = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  const checkedFor = async (accounts: string[]) => {
    const user = person('olga', accounts);
    const checked = await readCheckedFile({ settings, user }, { name: 'rows.jsonl', bytes }, {});
    return checked.validation.problems.map(({ line, field }) => `${line} ${field}`);
  };
  expect(await checkedFor(['north'])).toEqual(['2 account', '3 account']);
  expect(await checkedFor(['south', ''])).toEqual(['1 account']);
});

// Alone catches a batch that asks for a number of rows which would not start.
it('a confirmation names the rows that start, without those that only attach', async () => {
  const [state] = payloads({ ...FILE, rows: 50 });
  const [attached] = payloads({ warnings: [], count: 0, isComplete: true, attached: 20 });
  const memo = { [BATCH_MEMO]: state as never, [WARNINGS_MEMO]: attached as never };
  const { client } = answering({
    describeWorkflowExecution: () => ({
      workflowExecutionInfo: execution({ workflowId: 'onboarding-batch-7', memo }),
    }),
    updateWorkflowExecution: () => {
      throw grpcError('NOT_FOUND', 'NOT_FOUND');
    },
  });
  const reply = async (rows: string) => {
    const form = { params: { id: '7' }, fields: new Fields({ rate: '20', rows }) };
    return startBatch({ client, ...form, user: person('olga'), audit: () => {} } as never);
  };
  expect(await reply('50')).toMatchObject({ status: 422 });
  expect(await reply('30')).toMatchObject({ to: '/batches/7' });
});

it.each([
  ['NOT_FOUND', { to: '/batches/7', message: 'The confirmation came too late. Nothing was started.' }],
  ['INVALID_ARGUMENT', 'INVALID_ARGUMENT'],
] as const)('a confirmation that Temporal refuses with %s starts nothing', async (code, output) => {
  const { client } = answering({
    describeWorkflowExecution: () => ({ workflowExecutionInfo: listedAs('onboarding-batch-7', FILE) }),
    updateWorkflowExecution: () => {
      throw grpcError(code, code);
    },
  });
  const audited: unknown[] = [];
  const form = { params: { id: '7' }, fields: new Fields({ rate: '20' }) };
  const audit = (...entry: unknown[]) => audited.push(entry);
  const context = { client, ...form, user: person('olga'), audit };
  const reply = await startBatch(context as never).catch(
    (error: { cause?: { details?: string } }) => error.cause?.details,
  );
  expect([reply, audited]).toEqual([output, []]);
});
