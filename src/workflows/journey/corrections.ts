import { ApplicationFailure, proxyLocalActivities } from '@temporalio/workflow';
import type { CorrectableType, CorrectionActivities } from '../../messages/activities.js';
import type { Resolution } from '../../messages/requirements.js';
import { partnerAccount } from './partner-account.js';
import type { Facts } from './public-face.js';

const { checkCorrection } = proxyLocalActivities<CorrectionActivities>({
  startToCloseTimeout: '10s',
  summary: 'Check the correction',
});

/** The input that corrections change. */
export interface CorrectableInput {
  readonly type: CorrectableType;
  /** As it stands, with its corrections so far. */
  readonly current: () => object;
}

/**
 * Checks the input as a whole with a correction in it, and that the correction still reaches the partner, before it is
 * accepted. Other answers pass.
 *
 * @throws {ApplicationFailure} `InvalidResolution`, naming each field and rule
 */
export async function refuseBadCorrection(
  { answer }: Resolution,
  { type, current }: CorrectableInput,
  { merchantProfileId, paymentsAccountId }: Facts,
): Promise<void> {
  if (answer.kind !== 'correction') return;
  const problems = await checkCorrection({
    type,
    input: current(),
    patch: answer.patch,
    merchantExists: merchantProfileId !== undefined,
    paymentsAccountExists: paymentsAccountId !== undefined,
    account: partnerAccount(),
  });
  if (problems.length === 0) return;
  const lines = problems.map(({ field, message }) => `answer.patch${field && `.${field}`}: ${message}`);
  throw ApplicationFailure.nonRetryable(lines.join('\n'), 'InvalidResolution');
}
