import { CancellationScope, condition } from '@temporalio/workflow';
import type {
  PartnerAccountActivities,
  PartnerAccountInput,
  ProbeRequest,
  ProbeResult,
  Refusal,
} from '../../messages/partner-account.js';
import type { Answer } from '../../messages/requirements.js';
import type { Journey } from '../journey/journey.js';
import { masked } from '../journey/masked.js';
import { partnerAccount } from '../journey/partner-account.js';
import type { Question } from '../journey/requirement-desk.js';

/**
 * Tries the credentials of a process until the partner lets it in. While it does not, a person is asked, and the credentials
 * are tried by themselves as well.
 *
 * @returns the process that was let in: another one when that of `first` is gone
 */
export async function untilLetIn(
  journey: Journey,
  system: PartnerAccountInput['system'],
  { probeAccount }: PartnerAccountActivities,
  first: ProbeRequest,
): Promise<string> {
  const { desk } = journey;
  let open: { readonly id: string; readonly question: Question } | undefined;
  const close = (why: string) => {
    if (open) desk.withdraw(open.id, why);
    open = undefined;
    journey.publish();
  };

  let { process, refusal } = await probeAccount(first);
  while (refusal) {
    const question = questionOf(system, refusal);
    if (open && !isSame(open.question, question)) close('the partner refuses for another reason now');
    open ??= { id: desk.raise(question), question };
    journey.publish();
    const { id } = open;
    const found = await earlier(
      () => probeAccount({ process, ...(refusal && { seen: refusal }) }),
      () => desk.isAnswered(id),
    );
    const answer = desk.take(id)?.resolution.answer;
    if (answer) open = undefined;
    ({ process, refusal } = answer ? await probeAccount(tryAfter(answer, process)) : (found as ProbeResult));
  }
  close('the credentials work again');
  return process;
}

/** The outcome of a wait; undefined when it was ended by something that came first. */
export async function earlier<T>(wait: () => Promise<T>, ended: () => boolean): Promise<T | undefined> {
  const scope = new CancellationScope();
  try {
    return await scope.run(() => Promise.race([wait(), condition(ended).then(() => undefined)]));
  } finally {
    scope.cancel();
  }
}

function tryAfter(answer: Answer, process: string): ProbeRequest {
  return answer.kind === 'code' ? { process, code: answer.code } : { process, afresh: true };
}

function questionOf(
  system: PartnerAccountInput['system'],
  { kind, reason, needs, words }: Refusal,
): Question {
  const account = partnerAccount();
  const partner = `the ${system} partner${account === undefined ? '' : ` (account ${account})`}`;
  const said = words === '' ? '' : ` The partner says: ${masked(words)}`;
  const alone =
    'Everything that waits goes on by itself when the credentials work; they are tried once a minute.';
  if (needs === 'one-time-code')
    return {
      kind: 'one-time-code',
      title: `One-time code needed: sign in to ${partner}`,
      detail:
        `A worker process cannot sign in without a code (${reason}). Answer with a code: it is good for one sign-in, and ` +
        `each worker process signs in by itself. With BANKING_TOTP_SECRET set, nobody is asked. ${alone}${said}`,
      answers: ['code', 'retry'],
    };
  const [what, remedy] =
    kind === 'Forbidden'
      ? ['does not let us sign in (403): the account is locked or suspended', 'Have it unlocked.']
      : ['refuses our credentials (401)', 'Correct them in the settings of the workers, and restart these.'];
  return {
    kind: 'credentials',
    title: `No access: ${partner}`,
    detail: `The partner ${what}; ${reason}. ${remedy} ${alone} Retry to try them now.${said}`,
    answers: ['retry'],
  };
}

function isSame(one: Question, other: Question): boolean {
  return one.kind === other.kind && one.title === other.title;
}
