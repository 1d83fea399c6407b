import type { SeenDifference, SeenStatus } from '../../messages/partner-record.js';
import { IN_WORDS, placeOf } from '../../operators/differences.js';
import { SYSTEM_NAMES, type SystemName } from '../../partners/systems.js';
import type { AccountAt } from '../../temporal/partner-accounts.js';
import { idOf, recordOf } from '../../temporal/partner-records.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { TableColumns } from '../cli/output.js';
import { type PartnerAccountOptions, partnerAccountOf } from '../cli/partner-account.js';

interface DriftOptions extends PartnerAccountOptions {
  readonly json?: true;
}

type Difference = AccountAt & SeenDifference;

type Status = AccountAt & SeenStatus;

/** Lists what the records of the accounts have: what a workflow needs first. */
export async function drift(
  cli: CommandLine,
  only: SystemName | undefined,
  options: DriftOptions,
): Promise<void> {
  const account = partnerAccountOf(cli.config(), options, 'drift', 'nothing was read');
  await withTemporal(cli, async ({ client, config }) => {
    const accounts = account === undefined ? [undefined, ...Object.keys(config.accounts)] : [account];
    const places = SYSTEM_NAMES.filter((system) => only === undefined || system === only).flatMap((system) =>
      accounts.map((name): AccountAt => ({ system, account: name, taskQueue: config.taskQueue })),
    );
    const records = await Promise.all(
      places.map(async (place) => ({ place, record: await recordOf(client, place) })),
    );
    const differences = records.flatMap(({ place, record }) =>
      (record?.differences ?? []).map((each): Difference => ({ ...place, ...each })),
    );
    const statuses = records.flatMap(({ place, record }) =>
      (record?.statuses ?? []).map((each): Status => ({ ...place, ...each })),
    );
    print(cli, differences, statuses, options.json);
  });
}

function print(
  cli: CommandLine,
  differences: readonly Difference[],
  statuses: readonly Status[],
  json: true | undefined,
): void {
  if (json) {
    for (const { taskQueue: _, ...difference } of differences)
      cli.json({ type: 'difference', ...difference });
    for (const { taskQueue: _, ...status } of statuses) cli.json({ type: 'status', ...status });
    return;
  }
  const absent = differences.filter(({ kind, isNeeded }) => kind === 'missing-field' && !isNeeded);
  const shown = differences
    .filter((difference) => !absent.includes(difference))
    .sort(
      (one, other) => Number(other.isNeeded) - Number(one.isNeeded) || other.lastAt.localeCompare(one.lastAt),
    );
  if (shown.length > 0 || absent.length === 0)
    cli.records(shown, { columns: DIFFERENCES, none: 'no response differs from the catalogue' });
  if (absent.length > 0) cli.line(`optional fields that responses omit: ${absent.length}; --json lists them`);
  if (statuses.length === 0) return;
  cli.line('');
  cli.records(statuses, { columns: STATUSES });
  for (const { decision, requirementId, ...place } of statuses)
    if (!decision && requirementId !== undefined)
      cli.note(`decide with: gangway resolve ${idOf(place)} ${requirementId} --choice MEANING --reason WHY`);
}

const DIFFERENCES: TableColumns<Difference> = {
  partner: ({ system }) => system,
  account: ({ account }) => account,
  operation: { value: ({ operation }) => operation, keep: true },
  field: { value: (difference) => placeOf(difference), keep: true },
  difference: ({ kind }) => IN_WORDS[kind],
  expected: { value: ({ expected }) => expected, priority: 3 },
  got: { value: ({ got }) => got, priority: 2 },
  needed: { value: ({ isNeeded }) => isNeeded, priority: 4 },
  first: { value: ({ firstAt }) => new Date(firstAt), priority: 5 },
  last: { value: ({ lastAt }) => new Date(lastAt), priority: 3 },
};

const STATUSES: TableColumns<Status> = {
  partner: ({ system }) => system,
  account: ({ account }) => account,
  status: { value: ({ status }) => status, keep: true },
  means: ({ decision }) => decision?.meaning ?? 'not decided',
  by: { value: ({ decision }) => decision?.actor, priority: 2 },
  at: { value: ({ decision }) => decision && new Date(decision.at), priority: 3 },
  reason: { value: ({ decision }) => decision?.reason, priority: 4 },
};
