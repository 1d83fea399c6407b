import { getClient, log } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { PartnerRecordActivities } from '../messages/partner-account.js';
import type { MeaningOf, StatusMeaning } from '../partners/phases.js';
import {
  queryPartnerRecord,
  type ReportingAccount,
  reportStatus,
  wakePollsOf,
} from '../temporal/partner-accounts.js';
import { callWithDeadline, withHeartbeat } from './failures.js';

/** The time for which a decision is cached, in milliseconds. A decision does not change while the record exists. */
const CACHE_MS = 60_000;

/** The interval between reports of an undecided name, in milliseconds. Somebody may have ended the workflow that asks. */
const REPORT_EVERY_MS = 3_600_000;

const MAX_REMEMBERED = 1_000;

/** People's decisions about undocumented status names, for the activities of an account. */
export class StatusMeanings {
  readonly #decided = new Map<string, { readonly meaning: StatusMeaning; readonly until: number }>();
  readonly #reportedAt = new Map<string, number>();

  constructor(private readonly account: ReportingAccount) {}

  /** Returns the meaning that a person chose for a status; undefined if none. Reports a status that nobody was asked about. */
  readonly meaningOf: MeaningOf = async (status) => {
    const meaning = this.#decided.get(status);
    if (meaning && performance.now() < meaning.until) return meaning.meaning;
    const lookUp = async (client: Client) => {
      const record = await queryPartnerRecord(client, this.account);
      const seen = record?.statuses.find((each) => each.status === status);
      if (!seen) await this.#report(status);
      return seen?.decision?.meaning;
    };
    try {
      const meaning = await callWithDeadline(lookUp);
      if (meaning !== undefined && this.#decided.size < MAX_REMEMBERED)
        this.#decided.set(status, { meaning, until: performance.now() + CACHE_MS });
      return meaning;
    } catch (error) {
      log.warn('could not look up what a status means', { error });
      return meaning?.meaning;
    }
  };

  async #report(status: string): Promise<void> {
    const reportedAt = this.#reportedAt.get(status) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    await reportStatus(getClient(), this.account, status);
    if (this.#reportedAt.size < MAX_REMEMBERED) this.#reportedAt.set(status, performance.now());
  }

  readonly activities: PartnerRecordActivities = {
    wakePolls: () => withHeartbeat(async () => (await wakePollsOf(getClient(), this.account)).steps),
  };
}
