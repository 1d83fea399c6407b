import {
  allHandlersFinished,
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
import { LONGEST, truncate } from '../partners/bounds.js';
import { STATUS_MEANINGS, type StatusMeaning } from '../partners/phases.js';
import { redact } from '../platform/privacy/masked.js';
import { describePartner, type System } from './partner-account.js';
import { partnerActivities, REPEATABLE } from './runtime/activity-proxies.js';
import { OnboardingRuntime } from './runtime/onboarding-runtime.js';
import { removeAnswered } from './runtime/requirements.js';
import { answeredOfKind } from './runtime/rules.js';
import type { PendingAnswer, Question } from './runtime/state.js';
import type { CarriedState } from './runtime/stateful.js';

/** The memo has all names, so a partner that responds with another one each time must not fill it. */
const MOST_STATUSES = 100;

const MEANINGS = Object.keys(STATUS_MEANINGS) as StatusMeaning[];

/**
 * Keeps the meanings of undocumented status names of a partner in an account. It asks a person about each name once, for all
 * onboardings of the account. The first unknown status starts it, and it runs from then on, because only it has the decisions.
 */
export async function partnerRecord(
  input: PartnerAccountInput,
  carriedState?: CarriedState<PartnerRecord>,
): Promise<{ readonly outcome: 'done' }> {
  const { system } = input;
  const runtime = new OnboardingRuntime<PartnerRecord, PartnerAccountInput>({
    ...{ input, partnerState: { statuses: [] }, carriedState },
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
  /** Those whose status is known keep their place. */
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
    if (!statuses.some((seen) => seen.status === status) && statuses.length < MOST_STATUSES)
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
          keep({ ...seen, requirementId: runtime.raise(questionAbout(system, seen.status)) });
      const answered = answeredOfKind(runtime, 'new-status');
      answered.forEach(decide);
      if (!isShown()) upsertMemo({ [RECORD_MEMO]: runtime.partnerState });
      published.report();
      if (answered.length > 0) await wakePolls();
      if (workflowInfo().continueAsNewSuggested && isShown()) {
        await condition(allHandlersFinished);
        const next = runtime.carriedState;
        // By default, the next run has the memo with which this one began.
        const memo = { ...workflowInfo().memo, [RECORD_MEMO]: runtime.partnerState };
        await makeContinueAsNewFunc<typeof partnerRecord>({ memo })(input, next);
      }
    }
  });
}

function questionAbout(system: System, status: string): Question {
  const text = redact(status);
  const choices = Object.entries(STATUS_MEANINGS)
    .map(([meaning, effect]) => `${meaning} (${effect})`)
    .join(', ');
  return {
    about: aboutStatus(status),
    kind: 'new-status',
    title: `New status of ${describePartner(system)}: “${text}”`,
    detail:
      `The status “${text}” is undocumented. Ask the partner what it means, and choose: ${choices}. The answer applies to all ` +
      'onboardings of the account, now and later, and cannot be changed. Until then, Gangway waits for the next status.',
    answers: ['choice'],
    choices: MEANINGS,
  };
}

/** `status-on-hold`. Two names that look alike get two IDs, because a requirement that is raised again gets a number. */
function aboutStatus(status: string): string {
  const plain = status
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '');
  return `status-${plain.slice(0, 40) || 'name'}`;
}
