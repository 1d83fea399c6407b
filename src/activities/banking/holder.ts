import { activityInfo } from '@temporalio/activity';
import type { BankingActivities, HolderRequest, HolderVerdict } from '../../messages/banking-activities.js';
import { businessOnboardingInput } from '../../messages/business-onboarding-input.js';
import type { BoardingResponse } from '../../partners/banking/answers.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { type HolderSubmission, submissionOf } from '../../partners/banking/holder.js';
import type { BankingOperations } from '../../partners/banking/operations.js';
import { operationName } from '../../partners/catalogue.js';
import { fieldProblems } from '../../partners/client.js';
import { type FieldProblem, PartnerError } from '../../partners/partner-error.js';
import { repeatable, untilCancelled } from '../failures.js';
import { nudgeOwnPoll } from '../poll.js';
import { write } from '../write.js';
import type { Candidates } from './candidates.js';
import { inputPath } from './input-path.js';
import { notTold, problemsIn } from './refusal.js';

type HolderOperation = keyof BankingOperations &
  ('submitBusinessAccountHolder' | 'updateBusinessAccountHolder');

type HolderCalls = Pick<
  BankingActivities,
  'submitHolder' | 'findCandidates' | 'examineProfile' | 'correctHolder'
>;

/** Submits a business, finds it again and corrects it. Problems are reported by their place in the input. */
export function holderActivities(client: BankingClient, candidates: Candidates): HolderCalls {
  const ownId = () => activityInfo().workflowExecution?.workflowId;

  return {
    submitHolder: ({ declined = [], ...business }) =>
      write(async (options) => {
        const read = { signal: options.signal };
        const existing = await candidates.ofMerchant(business.merchantProfileId, read);
        if (existing !== null && !declined.includes(existing)) {
          const found = await candidates.examine(existing, business, ownId(), read);
          if (found) return { existing: found };
        }
        return judged(business, 'submitBusinessAccountHolder', async (submission) => {
          const named = await candidates.named(submission.doingBusinessAsName.trim(), read);
          options.startFrom(existing === null ? named : [...named, existing]);
          const answer = await client.submitBusinessAccountHolder(submission, options);
          if (answer.success && !answer.profileId) throw notTold('submitBusinessAccountHolder', 'a profile');
          return answer;
        });
      }),

    findCandidates: ({ baseline, ...business }) =>
      repeatable(async () => {
        const { holder, merchantProfileId } = business;
        const options = untilCancelled();
        const ofMerchant = await candidates.ofMerchant(merchantProfileId, options);
        const named = await candidates.named(holder.doingBusinessAsName.trim(), options);
        const ids = [...new Set([...(ofMerchant === null ? [] : [ofMerchant]), ...named])];
        const found = await Promise.all(
          ids
            .filter((id) => !baseline.includes(id))
            .map((id) => candidates.examine(id, business, ownId(), options)),
        );
        return found.filter((candidate) => candidate !== null);
      }),

    examineProfile: ({ profileId, ...business }) =>
      repeatable(() => candidates.examine(profileId, business, ownId(), untilCancelled())),

    correctHolder: ({ profileId, ...request }) =>
      write(
        async (options) => {
          const verdict = await judged(request, 'updateBusinessAccountHolder', (submission) =>
            client.updateBusinessAccountHolder({ profileId, ...submission }, options),
          );
          nudgeOwnPoll();
          return verdict;
        },
        { mayRepeat: true },
      ),
  };
}

/** @throws {PartnerError} whose fields are those of the input */
async function judged(
  request: HolderRequest,
  operation: HolderOperation,
  submit: (submission: HolderSubmission) => Promise<BoardingResponse>,
): Promise<HolderVerdict> {
  try {
    return verdictOf(await submit(checked(request, operation)));
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    const fields = error.fields.map(({ field, message }) => ({ field: inputPath(field) ?? field, message }));
    throw new PartnerError({ ...error.details, fields }, { cause: error });
  }
}

const holderRequest = businessOnboardingInput().pick({ holder: true, beneficialOwners: true });

/** A correction by a person may have made anything of the input, such as five owners, which E7 has no members for. */
function checked({ holder, beneficialOwners }: HolderRequest, operation: HolderOperation): HolderSubmission {
  const input = holderRequest.safeParse({ holder, beneficialOwners });
  if (input.success) return submissionOf(input.data.holder, input.data.beneficialOwners);
  throw new PartnerError({
    system: 'banking',
    operation: operationName(operation),
    kind: 'Rejected',
    fields: fieldProblems(input.error),
    reason: 'not sent: invalid request',
  });
}

/** Assumed: what is wrong is told as `member: message`, several of them apart by semicolons or lines; or in any words. */
function verdictOf(answer: BoardingResponse): HolderVerdict {
  const { profileId, financialAccountId } = answer;
  const said = problemsIn(answer).flatMap(({ message }) => message.split(/[;\n]\s*(?=[\w.]+:\s)/));
  return { profileId: profileId || null, financialAccountId, problems: said.map(problemTold) };
}

function problemTold(said: string): FieldProblem {
  const [, name = '', message = ''] = /^([\w.]+):\s+(.+)$/s.exec(said.trim()) ?? [];
  const field = inputPath(name);
  return field === undefined ? { field: '', message: said.trim() } : { field, message };
}
