import { Readable } from 'node:stream';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  BATCH_MEMO,
  type BatchRow,
  type BatchState,
  confirmBatch,
  NO_RESULTS,
} from '../src/messages/batches.js';
import { DEFAULT_TASK_QUEUE as taskQueue, workflowId } from '../src/messages/ids.js';
import {
  type OperationName,
  type OperationRequest,
  operationKey,
} from '../src/messages/partner-operations.js';
import type { WorkflowType } from '../src/messages/workflow-types.js';
import { readBatch } from '../src/services/batches/batches.js';
import { sealValue } from '../src/temporal/payload-codec.js';
import type { OperationStart } from '../src/temporal/start.js';
import { ACCOUNT as ACCOUNT_NAME, bankByHand } from './existing.js';
import { MARKERS } from './markers.js';
import { type Errand, MINUTE_MS } from './plan.js';
import type { Writes } from './roles.js';
import type { Scene } from './scene.js';
import type { Seeded } from './seeded.js';

/** What Gangway does besides: single operations at the bank, and batches. */

type Operation = Exclude<Errand, 'batch' | 'invalid'> & OperationName;

/** What each operation writes when it is done. No onboarding does. */
export const EFFECTS: Readonly<Record<Operation, Writes>> = {
  'close-card': { 'close-card': 1 },
  'card-nickname': { 'set-card-nickname': 'some' },
  'change-address': { 'change-address': 'some' },
  'restore-sub-user': { 'restore-sub-user': 1 },
  'ensure-webhooks': { 'create-webhook': 2 },
  statement: {},
};

const OPERATIONS = ['create-card', ...Object.values(EFFECTS).flatMap((writes) => Object.keys(writes))];

export const isErrand = ({ operation }: { readonly operation: string }) => OPERATIONS.includes(operation);

/** Of the sandbox. */
const ACCOUNT = 'fa-501-1';
const DELETED_USER = 71;

/** The request of an operation. Its card is there before. */
export async function operationOf(name: Operation, chance: Seeded): Promise<OperationStart> {
  const { paymentCardId, last4 } = await bankByHand().createCard({ financialAccountId: ACCOUNT, type: 2 });
  const webhook = { name: 'simulation', url: 'https://hooks.example/bank' };
  const address = { streetAddress: MARKERS.street, postalCode: '12207', city: 'Albany', state: 33 };
  const wrong = chance.happens(0.3) && { oneTimeCode: MARKERS.code };
  const requests: { readonly [Name in Operation]: OperationRequest<Name> } = {
    'close-card': { paymentCardId, last4: last4 ?? '', ...(chance.happens(0.5) && { notes: 'Lost' }) },
    'card-nickname': { paymentCardId, nickName: chance.pick(['Fuel', null]) },
    'change-address': {
      ...address,
      ...(chance.happens(0.7) && { secureOperationType: 'ShortMessageCode' as const, ...wrong }),
    },
    'restore-sub-user': { subUserId: DELETED_USER },
    // Nothing of these types happens.
    'ensure-webhooks': {
      webhooks: (['Ach', 'Fee'] as const).map((notificationType) => ({ ...webhook, notificationType })),
    },
    statement: {
      period: chance.pick(['2025-11', '2025-12']),
      financialAccountIds: [ACCOUNT],
      fileFormat: 'CSV',
      ...(chance.happens(0.5) && { email: MARKERS.email }),
    },
  };
  return { operation: name, request: requests[name], key: paymentCardId };
}

/** The id of its workflow. */
export function operationId({ operation, key }: Pick<OperationStart, 'operation' | 'key'>): string {
  return workflowId('partnerOperation', operationKey(operation, key));
}

/** Starts that no command makes: what is wrong is in the failure of the workflow. */
const INVALID: readonly (readonly [id: string, type: WorkflowType, input: unknown, problem: RegExp])[] = [
  ['business-onboarding-invalid', 'businessOnboarding', null, /externalId: must be a string/],
  [
    'customer-onboarding-invalid',
    'customerOnboarding',
    { externalId: 1, boarding: [], business: null },
    /externalId: must be a string; boarding: must be an object; business: must be an object/,
  ],
  ['operation-invalid', 'partnerOperation', { operation: 'none', request: {} }, /there is no none/],
  ['merchant-boarding-invalid', 'merchantBoarding', { account: ACCOUNT_NAME }, /must end in @west/],
  ['merchant-boarding-invalid-2', 'merchantBoarding', { account: 7 }, /^account: /],
  ['business-onboarding-invalid@No name', 'businessOnboarding', {}, /^account: /],
];

/** Starts them all. @returns a line for each that did not fail as it should */
export async function invalidStarts(client: Client): Promise<string[]> {
  const problems = INVALID.map(async ([id, type, input, problem]) => {
    const handle = await client.workflow.start(type, { workflowId: id, taskQueue, args: [input] });
    const failure: unknown = await handle.result().catch(({ cause }: Error) => cause);
    const isRight =
      failure instanceof ApplicationFailure &&
      failure.type === 'InvalidInput' &&
      problem.test(failure.message);
    return isRight ? [] : [`${id} ends with ${failure instanceof Error ? failure.message : 'a result'}`];
  });
  return (await Promise.all(problems)).flat();
}

/** How a batch goes on, and the stages in which it may end. */
const ENDS: Readonly<Record<'given' | 'confirmed' | 'unconfirmed' | 'stopped', readonly string[]>> = {
  given: ['done'],
  confirmed: ['done'],
  unconfirmed: ['discarded'],
  stopped: ['stopped', 'done'],
};

export type Batch = Awaited<ReturnType<typeof batchOf>>;

/** Enough to make it continue as new. */
const PARTS = 12;

/** Starts everybody as rows of one file, which has each once in every part. @returns once it has ended */
export async function batchOf({ cast, client, files, world }: Scene) {
  const { chance } = world;
  const id = workflowId('onboardingBatch', world.id());
  const rows = cast.map(({ externalId, type, workflowId, input }, index): BatchRow => {
    return { line: index + 1, externalId, type, workflowId, input };
  });
  for (let part = 0; part < PARTS; part += 1) {
    const content = await sealValue(client, rows, id);
    await files.save(`${id}.${part}.rows`, Readable.from([content]), 'application/octet-stream');
  }
  const course = chance.pick(['given', 'confirmed', 'unconfirmed', 'stopped'] as const);
  const limits = { concurrency: chance.between(1, 2), ...(chance.happens(0.5) && { rate: 1 }) };
  const isGiven = course === 'given' || course === 'stopped';
  const state: BatchState = {
    stage: isGiven ? 'running' : 'checked',
    name: 'cast.csv',
    actor: MARKERS.actor,
    rows: PARTS * rows.length,
    kinds: {},
    accounts: [],
    parts: 0,
    counts: NO_RESULTS,
    failures: [],
  };
  const handle = await client.workflow.start('onboardingBatch', {
    workflowId: id,
    taskQueue,
    memo: { [BATCH_MEMO]: state },
    args: [{ ...(isGiven && limits), parts: PARTS, state }],
  });
  if (course === 'confirmed') {
    await world.sleep(chance.between(0, 10 * MINUTE_MS));
    await handle.executeUpdate(confirmBatch, { args: [limits] });
  }
  if (course === 'stopped') {
    await world.sleep(chance.between(0, MINUTE_MS));
    await handle.cancel().catch(() => undefined);
  }
  await handle.result().catch(() => undefined);
  return { id, course, rows: state.rows };
}

/** A line for each way in which a batch has not done, or does not say, what it should. */
export async function wrongIn(
  { id, course, rows }: Batch,
  client: Client,
  files: Scene['files'],
  mayAttach: boolean,
): Promise<string[]> {
  const { stage = '', counts } = (await readBatch(client, id))?.state ?? {};
  const { started = 0, attached = 0, failed = 0 } = counts ?? {};
  const start = started + attached;
  const least = stage === 'done' ? rows : 0;
  const most = stage === 'discarded' ? 0 : rows;
  const kept = await files.open(`${id}.0.rows`).catch(() => undefined);
  const wrong: Readonly<Record<string, boolean>> = {
    [`${id} is ${stage}, and was ${course}`]: !ENDS[course].includes(stage),
    [`${id} counts ${start} of ${rows} rows`]: start < least || start > most,
    [`${failed} rows of ${id} failed`]: failed > 0,
    [`${id} counts ${attached} rows as started by others`]: attached > 0 && !mayAttach,
    [`${id} keeps its rows`]: kept !== undefined,
  };
  return Object.keys(wrong).filter((what) => wrong[what]);
}
