import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { PartnerAccountInput } from '../messages/partner-account.js';
import { type PartnerRecord, RECORD_MEMO, type SeenStatus, statusSeen } from '../messages/partner-record.js';
import { DEFAULT_DUE_IN_HOURS } from '../messages/requirements.js';
import { LONGEST, shortened } from '../partners/bounds.js';
import { STATUS_MEANINGS, type StatusMeaning } from '../partners/phases.js';
import { masked } from '../privacy/masked.js';
import { accountName, partnerActivities, REPEATABLE } from './journey/activity-proxies.js';
import { createJourney, type Journey, type JourneyRecords } from './journey/journey.js';
import type { Answered, Question } from './journey/requirement-queue.js';

/** The records that a run passes to the next one when its history has grown long. */
export interface CarriedRecord {
  readonly journey: JourneyRecords;
  readonly record: PartnerRecord;
}

/** The memo has all names, so a partner that responds with another one each time must not fill it. */
const MOST_STATUSES = 100;

const MEANINGS = Object.keys(STATUS_MEANINGS) as StatusMeaning[];

type System = PartnerAccountInput['system'];

/**
 * Keeps the meanings of the undocumented status names of one partner in one account. It asks a person about each name once, and
 * the answer applies to all onboardings of the account. The first unknown status starts it, and it runs from then on, because only
 * it has the decisions.
 */
export async function partnerRecord(
  { system }: PartnerAccountInput,
  carried?: CarriedRecord,
): Promise<{ readonly outcome: 'done' }> {
  const journey = createJourney({
    dueInHours: DEFAULT_DUE_IN_HOURS,
    nextSteps: {
      working: 'keep the meanings of unknown status names',
      done: 'The record has ended.',
    },
    leftBehind: () => 'the decisions about status names are forgotten, and a person is asked again',
    records: carried?.journey,
  });
  const record = new Kept(carried?.record);
  setHandler(statusSeen, ({ status }) => record.addStatus(shortened(status, LONGEST.line)));
  const { wakePolls } = partnerActivities(system)({
    wakePolls: { ...REPEATABLE, startToCloseTimeout: '10m', summary: 'Make all status polls read' },
  });
  return journey.run(async () => {
    for (;;) {
      await condition(() => record.hasChanged || journey.requirements.hasAnswered('new-status'));
      for (const status of record.unasked)
        record.asked(status, journey.requirements.raise(questionAbout(system, status)));
      const answered = journey.requirements.answeredOf('new-status');
      for (const answer of answered) decide(journey, record, answer);
      record.publish();
      journey.state.report();
      if (answered.length > 0) await wakePolls();
      if (workflowInfo().continueAsNewSuggested && !record.hasChanged) {
        await condition(allHandlersFinished);
        await continueAsNew<typeof partnerRecord>(
          { system },
          { journey: journey.records, record: record.current },
        );
      }
    }
  });
}

/** The decision of a person about a status. */
function decide(journey: Journey, record: Kept, { requirement, resolution }: Answered): void {
  const { answer, actor, reason } = resolution;
  journey.requirements.removeAnswered(requirement.id);
  const meaning = answer.kind === 'choice' ? MEANINGS.find((each) => each === answer.choice) : undefined;
  const status = record.askedBy(requirement.id);
  if (meaning === undefined || status === undefined) return;
  record.decided(status, { meaning, actor, reason: masked(reason), at: new Date().toISOString() });
  journey.timeline.add('status-explained', {
    detail: `${masked(status)}: ${meaning}`,
    actor,
    reason: masked(reason),
  });
}

/** The kept records, oldest first. */
class Kept {
  readonly #statuses = new Map<string, SeenStatus>();
  #hasChanged: boolean;

  constructor({ statuses }: PartnerRecord = { statuses: [] }) {
    for (const status of statuses) this.#statuses.set(status.status, status);
    this.#hasChanged = statuses.length > 0;
  }

  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  get current(): PartnerRecord {
    return { statuses: [...this.#statuses.values()] };
  }

  addStatus(status: string): void {
    if (this.#statuses.has(status) || this.#statuses.size >= MOST_STATUSES) return;
    this.#statuses.set(status, { status, firstAt: new Date().toISOString() });
    this.#hasChanged = true;
  }

  /** Status names that no requirement asks about yet. */
  get unasked(): readonly string[] {
    return this.current.statuses
      .filter(({ requirementId }) => requirementId === undefined)
      .map(({ status }) => status);
  }

  asked(status: string, requirementId: string): void {
    this.#change(status, { requirementId });
  }

  askedBy(requirementId: string): string | undefined {
    return this.current.statuses.find((each) => each.requirementId === requirementId)?.status;
  }

  decided(status: string, decision: NonNullable<SeenStatus['decision']>): void {
    this.#change(status, { decision });
  }

  #change(status: string, change: Partial<SeenStatus>): void {
    const seen = this.#statuses.get(status);
    if (seen) this.#statuses.set(status, { ...seen, ...change });
    this.#hasChanged = true;
  }

  /** Puts all of it into the memo. */
  publish(): void {
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    upsertMemo({ [RECORD_MEMO]: this.current });
  }
}

function questionAbout(system: System, status: string): Question {
  const account = accountName();
  const partner = `the ${system} partner${account === undefined ? '' : ` (account ${account})`}`;
  const shown = masked(status);
  const choices = Object.entries(STATUS_MEANINGS)
    .map(([meaning, effect]) => `${meaning} (${effect})`)
    .join(', ');
  return {
    about: aboutStatus(status),
    kind: 'new-status',
    title: `New status of ${partner}: “${shown}”`,
    detail:
      `The status “${shown}” is undocumented. Ask the partner what it means, and choose: ${choices}. The answer applies to all ` +
      'onboardings of the account, now and later, and cannot be changed. Until then, Gangway waits for the next status.',
    answers: ['choice'],
    choices: MEANINGS,
  };
}

/** `status-on-hold`. Two names that look alike get two ids, because the queue numbers what is asked again. */
function aboutStatus(status: string): string {
  const plain = status
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '');
  return `status-${plain.slice(0, 40) || 'name'}`;
}
