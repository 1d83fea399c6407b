import type { ActivityKind } from '../../../messages/codes.js';
import { formatValue } from '../../../services/forms/corrections.js';
import {
  ACTIVITY_COLUMNS,
  type ActivityRecord,
  activityOf,
  activityRecords,
} from '../../../services/reports/activity.js';
import { lackSince } from '../../../services/reports/report.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { inZone } from '../../../services/texts/timeline-entries.js';
import { queryState } from '../../../temporal/find-onboarding.js';
import { undefinedIfMissing } from '../../../temporal/unavailable.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { partnerAccountOf } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { Texts } from '../cli/options.js';
import type { RecordFormat } from '../cli/output.js';
import { withProgress } from '../cli/progress.js';

interface ActivityOptions extends RecordFormat, Texts<'person' | 'partnerAccount'> {
  readonly kind?: ActivityKind;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
}

/** The maximum number of records. A script can read more by periods, or by words in names. */
const MAX_READ = 1_000;
const READING_MS = 60_000;

const WEEK_MS = 7 * 24 * 3_600_000;

export async function activity(
  cli: CommandLine,
  words: readonly string[],
  options: ActivityOptions,
): Promise<void> {
  const { limit, partnerAccount, until, json, csv, ...filter } = options;
  const { since = new Date((until?.getTime() ?? Date.now()) - WEEK_MS) } = options;
  if (until && until <= since) throw new InvalidInput('--until must be after --since; nothing was read');
  partnerAccountOf(cli.config(), options, 'activity', 'nothing was read');
  const wanted = {
    ...filter,
    since,
    until,
    find: words.join(' '),
    partnerAccounts: partnerAccount === undefined ? undefined : [partnerAccount],
  };
  await withTemporal(cli, async ({ client }) => {
    const readOne = (workflowId: string) =>
      undefinedIfMissing(queryState(client, workflowId)).catch((error: unknown) => {
        if (error instanceof UnreadableOnboarding) return undefined;
        throw error;
      });
    const { rows, unread, next, read } = await withProgress(cli, 'reading the onboardings', () =>
      activityOf(client, wanted, readOne, { most: MAX_READ, ms: READING_MS }),
    );
    const newest = rows.slice(0, limit);
    const records = await activityRecords(client, newest, json || csv ? unread : []);
    const detailOf = ({ event = 'started', detail = '' }: ActivityRecord) =>
      inZone(detail, { event }, cli.times);
    const changed = records.some(({ field }) => field !== undefined);
    cli.records(records, {
      json,
      csv,
      fields: ACTIVITY_COLUMNS,
      none: 'nothing happened',
      total: records.length + rows.length - newest.length,
      columns: {
        at: ({ at }) => at && new Date(at),
        dba: ({ dba }) => dba,
        event: ({ event }) => event,
        by: ({ actor }) => actor,
        detail: { value: detailOf, priority: 3 },
        ...(changed && { field: ({ field }) => field, old: textOf('old'), new: textOf('new') }),
        id: { value: ({ workflowId }) => workflowId, priority: 6 },
      },
    });
    const lack = await lackSince(client, since);
    if (lack) cli.note(lack);
    if (unread.length > 0) cli.note(`${unread.length} onboardings cannot be read now`);
    if (next !== undefined) cli.note(`only the ${read} onboardings that started last were read`);
  });
}

const textOf =
  (name: 'old' | 'new') =>
  ({ [name]: value }: ActivityRecord) =>
    value === undefined ? undefined : formatValue(value);
