import {
  allHandlersFinished,
  CancelledFailure,
  condition,
  makeContinueAsNewFunc,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { isSame } from '../messages/objects.js';
import {
  type PartnerAccountInput,
  type PartnerRecord,
  RECORD_MEMO,
  type SeenStatus,
  statusSeen,
} from '../messages/partner-account.js';
import { STATUS_MEANINGS, type StatusMeaning } from '../partners/phases.js';
import { LONGEST, truncate } from '../partners/text-limits.js';
import { redact } from '../platform/privacy/masked.js';
import { newStatusQuestion } from './account-questions.js';
import { currentAccount, partnerActivities, REPEATABLE } from './runtime/activity-proxies.js';
import { OnboardingRuntime } from './runtime/onboarding-runtime.js';
import { answeredOfKind } from './runtime/reducer.js';
import { removeAnswered } from './runtime/requirements.js';
import type { PendingAnswer } from './runtime/state.js';
import type { CarriedState } from './runtime/stateful.js';

/** A limit, because the memo lists all names, and a partner could return a new name each time. */
const MAX_STATUSES = 100;

const MEANINGS = Object.keys(STATUS_MEANINGS) as StatusMeaning[];

/**
 * Stores what a partner's undocumented status names mean in one account. Asks a person about each name once, for all onboardings of
 * the account. The first unknown status starts it. It never ends, because nothing else stores the decisions.
 */
export async function partnerRecord(
  input: PartnerAccountInput,
  carriedState?: CarriedState<PartnerRecord>,
): Promise<{ readonly outcome: 'done' }> {
  const { system } = input;
  const runtime = new OnboardingRuntime<PartnerRecord, PartnerAccountInput>({
    input,
    partnerState: { statuses: [] },
    carriedState,
    nextSteps: {
      working: 'keep the meanings of unknown status names',
      done: 'The record has ended.',
    },
    leftBehind: () => 'the decisions about status names are forgotten, and a person is asked again',
  });
  const { published } = runtime;
  const isAsked = ({ requirementId }: SeenStatus) => requirementId !== undefined;
  const isShown = () =>
    runtime.partnerState.statuses.length === 0 ||
    isSame(workflowInfo().memo?.[RECORD_MEMO], runtime.partnerState);
  /** A known status keeps its place. */
  const keep = (seen: SeenStatus) => {
    const { statuses } = runtime.partnerState;
    const isKnown = statuses.some(({ status }) => status === seen.status);
    const all = isKnown
      ? statuses.map((each) => (each.status === seen.status ? seen : each))
      : [...statuses, seen];
    runtime.patchState({ statuses: all });
  };

  function decide({ requirement, resolution }: PendingAnswer): void {
    const { answer, actor } = resolution;
    runtime.update(removeAnswered(requirement.id));
    const meaning = answer.kind === 'choice' ? MEANINGS.find((each) => each === answer.choice) : undefined;
    const seen = runtime.partnerState.statuses.find(({ requirementId }) => requirementId === requirement.id);
    if (meaning === undefined || seen === undefined) return;
    const reason = redact(resolution.reason);
    keep({ ...seen, decision: { meaning, actor, reason, at: new Date().toISOString() } });
    runtime.record('status-explained', { detail: `${redact(seen.status)}: ${meaning}`, actor, reason });
  }

  setHandler(statusSeen, (request) => {
    const status = truncate(request.status, LONGEST.line);
    const { statuses } = runtime.partnerState;
    if (!statuses.some((seen) => seen.status === status) && statuses.length < MAX_STATUSES)
      keep({ status, firstAt: new Date().toISOString() });
  });
  const { wakePolls } = partnerActivities(system)({
    wakePolls: { ...REPEATABLE, startToCloseTimeout: '10m', summary: 'Make all status polls read' },
  });
  return runtime.run(async () => {
    for (;;) {
      await condition(() => !isShown() || answeredOfKind(runtime, 'new-status').length > 0);
      for (const seen of runtime.partnerState.statuses)
        if (!isAsked(seen))
          keep({
            ...seen,
            requirementId: runtime.raise(
              newStatusQuestion({ system, account: currentAccount() }, seen.status),
            ),
          });
      const answered = answeredOfKind(runtime, 'new-status');
      answered.forEach(decide);
      if (!isShown()) upsertMemo({ [RECORD_MEMO]: runtime.partnerState });
      published.report();
      if (answered.length > 0) await wakePolls();
      if (workflowInfo().continueAsNewSuggested && isShown()) {
        await condition(allHandlersFinished);
        if (runtime.isCancelled) throw new CancelledFailure('canceled before the next run');
        const next = runtime.carriedState;
        // By default, the next run starts with the memo that this run started with.
        const memo = { ...workflowInfo().memo, [RECORD_MEMO]: runtime.partnerState };
        await makeContinueAsNewFunc<typeof partnerRecord>({ memo })(input, next);
      }
    }
  });
}
