import { ApplicationFailure } from '@temporalio/common';
import { AT_MOST_ONCE } from '../at-most-once/workflow.js';
import type { EnsuredWebhook } from '../messages/banking-activities.js';
import { omitUndefined } from '../messages/objects.js';
import {
  type OperationName,
  type OperationOutcome,
  type OperationRequest,
  type OperationResult,
  type PartnerOperationInput,
  purposeOf,
} from '../messages/partner-operations.js';
import type { PartnerErrorKind } from '../partners/partner-error.js';
import { operationCodeQuestion } from './account-questions.js';
import { partnerActivities, REPEATABLE } from './runtime/activity-proxies.js';
import { type FieldTypes, requireFields } from './runtime/input.js';
import { OnboardingRuntime } from './runtime/onboarding-runtime.js';
import { runIdempotent, runOnce, runRead } from './runtime/run-step.js';
import { partnerFailureOf, Rejected } from './runtime/step.js';

/** Runs one of the {@link OPERATIONS} at the bank. A rejection ends the workflow, because the caller can start it again. */
export async function partnerOperation<Name extends OperationName>(
  input: PartnerOperationInput<Name>,
): Promise<OperationOutcome> {
  requireFields(input, { operation: 'string', request: 'object' });
  const { operation, request } = input;
  if (!Object.hasOwn(OPERATIONS, operation))
    throw ApplicationFailure.nonRetryable(`operation: there is no ${operation}`, 'InvalidInput');
  const [fields, steps] = OPERATIONS[operation];
  requireFields(request, fields);
  const runtime: OnboardingRuntime = new OnboardingRuntime<unknown, object>({
    input,
    partnerState: undefined,
    nextSteps: { working: purposeOf(input), done: 'It is done.' },
    leftBehind: () => 'what was done by then stays done',
  });
  return runtime.run<OperationOutcome>(
    async () => {
      try {
        const result: object = await steps(request, runtime);
        return { outcome: 'done', ...result };
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
        return { outcome: 'rejected', problems: error.problems };
      }
    },
    (comment) => ({ outcome: 'abandoned', comment }),
  );
}

/** The required fields and the steps of each operation. */
const OPERATIONS: {
  readonly [Name in OperationName]: readonly [
    fields: FieldTypes,
    steps: (request: OperationRequest<Name>, runtime: OnboardingRuntime) => Promise<OperationResult<Name>>,
  ];
} = {
  'close-card': [{ paymentCardId: 'string', last4: 'string' }, closeCard],
  'card-nickname': [{ paymentCardId: 'string' }, setNickname],
  'change-address': [
    { streetAddress: 'string', postalCode: 'string', city: 'string', state: 'number' },
    changeAddress,
  ],
  'restore-sub-user': [{ subUserId: 'number' }, restoreSubUser],
  'ensure-webhooks': [{ webhooks: 'array' }, ensureWebhooks],
  statement: [{ period: 'string', financialAccountIds: 'array', fileFormat: 'string' }, saveStatement],
};

/** A statement may cover many accounts and have many pages. */
const LONG = '10m';

const bank = partnerActivities('banking')({
  closeCard: { ...AT_MOST_ONCE, summary: 'Close the card' },
  isCardClosed: { ...REPEATABLE, summary: 'Check whether the card is closed' },
  setCardNickname: { ...REPEATABLE, summary: 'Set the nickname' },
  changeAddress: { ...AT_MOST_ONCE, summary: 'Change the address' },
  restoreSubUser: { ...AT_MOST_ONCE, summary: 'Restore the sub-user' },
  ensureWebhook: { ...REPEATABLE, summary: 'Create the webhook, if it is missing' },
  saveStatement: {
    ...REPEATABLE,
    startToCloseTimeout: LONG,
    heartbeatTimeout: '30s',
    summary: 'Save the statement',
  },
  sendStatement: { ...AT_MOST_ONCE, startToCloseTimeout: LONG, summary: 'Send the statement by e-mail' },
});

async function closeCard(request: OperationRequest<'close-card'>, runtime: OnboardingRuntime) {
  const { paymentCardId } = request;
  const isClosed = () => bank.isCardClosed({ paymentCardId });
  await runOnce<void>(runtime, {
    title: 'close the card',
    run: async (send) => {
      const { problems } = await send(bank.closeCard, request);
      if (problems.length > 0) throw new Rejected(problems);
    },
    endsWhenRejected: true,
    readEvidence: async () =>
      (await runRead(runtime, 'check whether the card is closed', isClosed))
        ? { result: undefined }
        : undefined,
    polledEvidence: 'none',
    confirm: () => undefined,
    idFormat: 'text',
    whereToLook: `Check in the partner’s portal whether card ${paymentCardId} is closed. If it is, confirm ${paymentCardId}.`,
  });
  runtime.record('card-closed', { detail: paymentCardId });
  return { paymentCardId };
}

function repeatable<Result>(
  runtime: OnboardingRuntime,
  title: string,
  run: () => Promise<Result>,
): Promise<Result> {
  return runIdempotent(runtime, { title, run, endsWhenRejected: true });
}

async function setNickname(request: OperationRequest<'card-nickname'>, runtime: OnboardingRuntime) {
  const { paymentCardId, nickName } = request;
  const run = () => bank.setCardNickname({ paymentCardId, nickName });
  const { last4 } = await repeatable(runtime, 'set the nickname', run);
  runtime.record(nickName === null ? 'nickname-cleared' : 'nickname-set', { detail: paymentCardId });
  return { paymentCardId, last4 };
}

/** If the partner requires a one-time code, asks a person for it. A code works for one call, even if the response is lost. */
async function changeAddress(
  { oneTimeCode, ...address }: OperationRequest<'change-address'>,
  runtime: OnboardingRuntime,
): Promise<object> {
  const needsCode = address.secureOperationType !== undefined;
  let code = oneTimeCode;
  const askForCode = async (why: string) => {
    const answer = await runtime.ask(operationCodeQuestion(why));
    return answer?.kind === 'code' ? answer.code : '';
  };
  await runIdempotent(runtime, {
    title: 'change the address',
    prepare: async () => {
      const why = `The partner confirms the change by a ${address.secureOperationType}.`;
      if (needsCode) code ??= await askForCode(why);
    },
    run: async () => {
      for (;;) {
        const change = { ...address, ...omitUndefined({ oneTimeCode: code }) };
        code = undefined;
        try {
          return await bank.changeAddress({ change });
        } catch (error) {
          const why = WHY_ANOTHER_CODE[partnerFailureOf(error).kind];
          if (!needsCode || why === undefined) throw error;
          code = await askForCode(why);
        }
      }
    },
    endsWhenRejected: true,
  });
  runtime.record('address-changed');
  return {};
}

const WHY_ANOTHER_CODE: Readonly<Partial<Record<PartnerErrorKind, string>>> = {
  Forbidden: 'The partner rejected the change (403): the code was wrong, or the change is not permitted.',
  Uncertain: 'The call with the last code got no response, and a code is valid for one call.',
};

/** The partner responds with 404 if the sub-user is already restored, as it probably is after a lost response. */
async function restoreSubUser(
  { subUserId }: OperationRequest<'restore-sub-user'>,
  runtime: OnboardingRuntime,
) {
  const run = () => bank.restoreSubUser({ subUserId });
  const { afterLostCall } = await repeatable(runtime, 'restore the sub-user', run);
  const by = 'by a call whose response was lost';
  runtime.record('sub-user-restored', {
    detail: afterLostCall ? `${subUserId}, ${by}` : `${subUserId}`,
  });
  return { subUserId, ...(afterLostCall && { note: `probably restored ${by}` }) };
}

async function ensureWebhooks(request: OperationRequest<'ensure-webhooks'>, runtime: OnboardingRuntime) {
  const webhooks: EnsuredWebhook[] = [];
  for (const webhook of request.webhooks) {
    const run = () => bank.ensureWebhook(webhook);
    const ensured = await repeatable(runtime, `create webhook ${webhook.name}`, run);
    webhooks.push({ ...webhook, ...ensured });
    runtime.record(ensured.existed ? 'webhook-existed' : 'webhook-created', { detail: webhook.name });
    runtime.published.report();
  }
  return { webhooks };
}

async function saveStatement(
  { email, ...request }: OperationRequest<'statement'>,
  runtime: OnboardingRuntime,
) {
  const { period } = request;
  const save = () => bank.saveStatement(request);
  const saved = await runRead(runtime, 'save the statement', save, { endsWhenRejected: true });
  const detail = [saved.fileName, saved.warning].filter(Boolean).join('; ');
  runtime.record('statement-saved', { detail });
  if (email === undefined) return { ...saved, emailed: false };
  runtime.published.report();
  await runOnce<void>(runtime, {
    title: 'send the statement by e-mail',
    run: (send) => send(bank.sendStatement, { ...request, email }),
    endsWhenRejected: true,
    readEvidence: 'none',
    polledEvidence: 'none',
    confirm: () => undefined,
    idFormat: 'text',
    whereToLook: `Ask whether the statement of ${period} has arrived by email. If it has, confirm ${period}.`,
  });
  runtime.record('statement-sent');
  return { ...saved, emailed: true };
}
