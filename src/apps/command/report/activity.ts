import type { ActivityKind } from '../../../messages/codes.js';
import {
  ACTIVITY_COLUMNS,
  type ActivityRow,
  activityOf,
  activityRecords,
} from '../../../services/reports/activity.js';
import { timeBefore } from '../../../services/texts/time.js';
import { inZone } from '../../../services/texts/timeline-entries.js';
import { stateOf } from '../../../temporal/onboardings.js';
import type { Listed } from '../../../temporal/search.js';
import { ifFound } from '../../../temporal/unavailable.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { partnerAccountOf } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { Texts } from '../cli/options.js';
import type { RecordFormat } from '../cli/output.js';
import { showProgress } from '../cli/progress.js';

interface ActivityOptions extends RecordFormat, Texts<'person' | 'partnerAccount'> {
  readonly kind?: ActivityKind;
  readonly since?: Date;
  readonly limit: number;
}

/** Pages of a hundred onboardings. */
const MOST_PAGES = 20;

export async function activity(
  cli: CommandLine,
  words: readonly string[],
  options: ActivityOptions,
): Promise<void> {
  const { limit, partnerAccount, since = timeBefore('7d') as Date, json, csv, ...filter } = options;
  partnerAccountOf(cli.config(), options, 'activity', 'nothing was read');
  const wanted = {
    ...{ ...filter, since, find: words.join(' ') },
    partnerAccounts: partnerAccount === undefined ? undefined : [partnerAccount],
  };
  await withTemporal(cli, async ({ client }) => {
    const read = (workflowId: string) =>
      ifFound(stateOf(client, workflowId)).catch((error: unknown) => {
        if (error instanceof UnreadableOnboarding) return undefined;
        throw error;
      });
    const all: ActivityRow[] = [];
    const unread: Listed[] = [];
    let [next, onboardings]: [string | undefined, number] = ['', 0];
    for (let page = 0; page < MOST_PAGES && next !== undefined; page += 1) {
      cli.signal.throwIfAborted();
      const token: string = next;
      const part = await showProgress(cli, `reading after ${onboardings} onboardings`, () =>
        activityOf(client, wanted, read, token),
      );
      all.push(...part.rows);
      unread.push(...part.unread);
      onboardings += part.read;
      next = part.next;
      // Without a worker, no other page can be read either.
      if (part.read > 0 && part.unread.length === part.read) break;
    }
    const newest = all.sort((one, other) => other.entry.at.localeCompare(one.entry.at)).slice(0, limit);
    const isFile = json === true || csv === true;
    const records: readonly Partial<Record<string, unknown>>[] = await activityRecords(
      client,
      newest,
      isFile ? unread : [],
    );
    const text = (name: string) => (record: (typeof records)[number]) =>
      record[name] === undefined || record[name] === null ? undefined : String(record[name]);
    const event = text('event');
    cli.records(records, {
      ...{ json, csv, fields: ACTIVITY_COLUMNS, none: 'nothing happened' },
      total: newest.length < all.length ? records.length + all.length - newest.length : undefined,
      columns: {
        at: ({ at }) => new Date(String(at)),
        dba: text('dba'),
        event,
        by: { value: text('actor'), keep: true },
        detail: {
          value: (record) =>
            inZone(text('detail')(record) ?? '', { event: event(record) as never }, cli.times),
          priority: 3,
        },
        ...(records.some((record) => 'field' in record) && {
          field: text('field'),
          old: text('old'),
          new: text('new'),
        }),
        id: { value: text('workflowId'), priority: 6 },
      },
    });
    if (unread.length > 0) cli.note(`${unread.length} onboardings cannot be read now`);
    if (next !== undefined) cli.note(`only the ${onboardings} onboardings that started last were read`);
  });
}
