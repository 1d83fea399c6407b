import { status } from '@grpc/grpc-js';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, TerminatedFailure } from '@temporalio/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { GangwayClient } from '../../../../src/services/client/client.js';
import {
  sendAssignment,
  sendConfirmation,
  sendProposal,
  sendRemark,
  sendResolution,
  sendWithdrawal,
} from '../../../../src/services/inbox/send-answer.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { clientOfCalls } from '../../../rigs/console/console-of-calls.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

const ID = 'merchant-boarding-m-1';
const BY_OLGA = { requirementId: 'note-1', actor: 'olga' };
const RESOLUTION = { ...BY_OLGA, answer: { kind: 'retry' }, reason: 'because' } as const;

/** A client whose updates end with an error, of an onboarding whose state can be read. */
const failing = (error: Error) =>
  clientOfCalls({
    workflows: { [ID]: {} },
    onUpdate: () => {
      throw error;
    },
  });

const timedOut = () => new WorkflowUpdateRPCTimeoutOrCancelledError('Update timed out or was cancelled');

describe('an update about a requirement', () => {
  it('waits ten seconds for a worker', async () => {
    const { client, asked: questions } = clientOfCalls({ workflows: { [ID]: {} } });
    await sendAssignment(client, ID, BY_OLGA);
    const deadline = ['deadline', Date.parse('2026-01-31T12:00:10.000Z')];
    expect(questions).toEqual([deadline, ['assignRequirement', ID, BY_OLGA]]);
  });

  const ended = new WorkflowNotFoundError('workflow execution already completed', ID, undefined);
  const refused = new WorkflowUpdateFailedError(
    'Update failed',
    ApplicationFailure.nonRetryable('actor: missing'),
  );
  const failed = new WorkflowUpdateFailedError('Update failed', new TerminatedFailure('terminated'));
  const denied = Object.assign(new Error('denied'), { code: status.PERMISSION_DENIED });
  const NOT_YET =
    'note-1: no worker has responded in time, so it is not known whether it took effect, and one may still apply it ' +
    `(its worker is busy). Check with "gangway status ${ID}", and repeat it if it had no effect.`;

  it.each<[string, Error, name: string, message: string]>([
    ['the workflow has ended', ended, 'EndedOnboarding', `${ID} has ended`],
    ['the validator rejects it', refused, 'InvalidInput', 'actor: missing'],
    ['it failed for another reason', failed, 'WorkflowUpdateFailedError', 'Update failed'],
    ['Temporal refuses it', denied, 'Error', 'denied'],
    ['no worker applies it in time', timedOut(), 'UpdateTimedOut', NOT_YET],
  ])('reports that %s', async (_, error, name, message) => {
    const sent = sendAssignment(failing(error).client, ID, BY_OLGA);
    await expect(sent).rejects.toMatchObject({ name, message: expect.stringContaining(message) });
  });

  const OF_NOON = { ...BY_OLGA, proposedAt: NOON };
  it.each([
    ['claim', sendAssignment, BY_OLGA, 'repeat it if it had no effect.'],
    ['answer', sendResolution, RESOLUTION, 'answer again if the requirement is still open then.'],
    ['proposal', sendProposal, RESOLUTION, 'propose it again if it is not shown then.'],
    ['confirmation', sendConfirmation, OF_NOON, 'confirm again if the requirement is still open then.'],
    ['withdrawal', sendWithdrawal, BY_OLGA, 'repeat it if the answer is still proposed.'],
    ['remark', sendRemark, { ...BY_OLGA, text: 'x' }, 'write it again if it is not shown then.'],
  ] as const)('says what to do about a %s that was not applied in time', async (_, send, request, next) => {
    const sent = (send as typeof sendAssignment)(failing(timedOut()).client, ID, request as never);
    await expect(sent).rejects.toThrow(`"gangway status ${ID}", and ${next}`);
  });
});

// Alone catches a proposal that is sent as an answer, and a confirmation that does not name its proposal.
it('a program proposes, confirms and withdraws by the updates of the other doors', async () => {
  const { client, asked: calls } = clientOfCalls({ workflows: { [ID]: {} } });
  const gangway = new GangwayClient({ temporal: client, settings: {} as never, env: {} });
  const confirmation = { ...BY_OLGA, actor: 'bo', proposedAt: NOON };
  await gangway.propose(ID, RESOLUTION);
  await gangway.confirm(ID, confirmation);
  await gangway.withdraw(ID, BY_OLGA);
  expect(calls.filter(([name]) => name !== 'deadline')).toEqual([
    ['proposeAnswer', ID, RESOLUTION],
    ['confirmAnswer', ID, confirmation],
    ['withdrawProposal', ID, BY_OLGA],
  ]);
});
