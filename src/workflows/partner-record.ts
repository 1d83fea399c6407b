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
import { LONGEST, shortened } from '../partners/bounds.js';
import { STATUS_MEANINGS, type StatusMeaning } from '../partners/phases.js';
import { masked } from '../platform/privacy/masked.js';
import { partnerActivities, REPEATABLE } from './journey/activity-proxies.js';
import { Journey } from './journey/journey.js';
import { removed } from './journey/requirements.js';
import { answeredOf } from './journey/rules.js';
import type { Answered, Question } from './journey/state.js';
import type { Carried } from './journey/stateful.js';
import { partnerInWords, type System } from './partner-account/questions.js';

/** The memo has all names, so a partner that responds with another one each time must not fill it. */
const MOST_STATUSES = 100;

const MEANINGS = Object.keys(STATUS_MEANINGS) as StatusMeaning[];

/**
 * Keeps the meanings of undocumented status names of a partner in an account. It asks a person about each name once, for all
 * onboardings of the account. The first unknown status starts it, and it runs from then on, because only it has the decisions.
 */
export async function partnerRecord(
  input: PartnerAccountInput,
  carried?: Carried<PartnerRecord>,
): Promise<{ readonly outcome: 'done' }> {
  const { system } = input;
  const journey = new Journey<PartnerRecord, PartnerAccountInput>({
    ...{ input, memory: { statuses: [] }, carried },
    nextSteps: {
      working: 'keep the meanings of unknown status names',
      done: 'The record has ended.',
    },
    leftBehind: () => 'the decisions about status names are forgotten, and a person is asked again',
  });
  const { state, timeline } = journey;
  const isAsked = ({ requirementId }: SeenStatus) => requirementId !== undefined;
  const isShown = () =>
    journey.memory.statuses.length === 0 || isSame(workflowInfo().memo?.[RECORD_MEMO], journey.memory);
  /** Those whose status is known keep their place. */
  const keep = (seen: SeenStatus) => {
    const { statuses } = journey.memory;
    const isKnown = statuses.some(({ status }) => status === seen.status);
    const all = isKnown
      ? statuses.map((each) => (each.status === seen.status ? seen : each))
      : [...statuses, seen];
    journey.remember({ statuses: all });
  };

  function decide({ requirement, resolution }: Answered): void {
    const { answer, actor } = resolution;
    journey.update(removed(requirement.id));
    const meaning = answer.kind === 'choice' ? MEANINGS.find((each) => each === answer.choice) : undefined;
    const seen = journey.memory.statuses.find(({ requirementId }) => requirementId === requirement.id);
    if (meaning === undefined || seen === undefined) return;
    const reason = masked(resolution.reason);
    keep({ ...seen, decision: { meaning, actor, reason, at: new Date().toISOString() } });
    timeline.add('status-explained', { detail: `${masked(seen.status)}: ${meaning}`, actor, reason });
  }

  setHandler(statusSeen, (given) => {
    const status = shortened(given.status, LONGEST.line);
    const { statuses } = journey.memory;
    if (!statuses.some((seen) => seen.status === status) && statuses.length < MOST_STATUSES)
      keep({ status, firstAt: new Date().toISOString() });
  });
  const { wakePolls } = partnerActivities(system)({
    wakePolls: { ...REPEATABLE, startToCloseTimeout: '10m', summary: 'Make all status polls read' },
  });
  return journey.run(async () => {
    for (;;) {
      await condition(() => !isShown() || answeredOf(journey, 'new-status').length > 0);
      for (const seen of journey.memory.statuses)
        if (!isAsked(seen))
          keep({ ...seen, requirementId: journey.raise(questionAbout(system, seen.status)) });
      const answered = answeredOf(journey, 'new-status');
      answered.forEach(decide);
      if (!isShown()) upsertMemo({ [RECORD_MEMO]: journey.memory });
      state.report();
      if (answered.length > 0) await wakePolls();
      if (workflowInfo().continueAsNewSuggested && isShown()) {
        await condition(allHandlersFinished);
        const next = journey.carried;
        // By default, the next run has the memo with which this one began.
        const memo = { ...workflowInfo().memo, [RECORD_MEMO]: journey.memory };
        await makeContinueAsNewFunc<typeof partnerRecord>({ memo })(input, next);
      }
    }
  });
}

function questionAbout(system: System, status: string): Question {
  const shown = masked(status);
  const choices = Object.entries(STATUS_MEANINGS)
    .map(([meaning, effect]) => `${meaning} (${effect})`)
    .join(', ');
  return {
    about: aboutStatus(status),
    kind: 'new-status',
    title: `New status of ${partnerInWords(system)}: “${shown}”`,
    detail:
      `The status “${shown}” is undocumented. Ask the partner what it means, and choose: ${choices}. The answer applies to all ` +
      'onboardings of the account, now and later, and cannot be changed. Until then, Gangway waits for the next status.',
    answers: ['choice'],
    choices: MEANINGS,
  };
}

/** `status-on-hold`. Two names that look alike get two IDs, because the queue numbers what is asked again. */
function aboutStatus(status: string): string {
  const plain = status
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '');
  return `status-${plain.slice(0, 40) || 'name'}`;
}
