import { type Batch, listBatches, readBatch } from '../../batches/batches.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import type { TableColumns } from '../cli/output.js';
import { type FollowOptions, followBatch } from './run.js';

interface BatchesOptions extends FollowOptions {
  readonly stop?: true;
  readonly limit: number;
}

/** Lists batches, or follows or stops one. */
export async function batches(
  cli: CommandLine,
  id: string | undefined,
  options: BatchesOptions,
): Promise<void> {
  const { stop, limit, json, csv, wait } = options;
  if (id === undefined && (stop || wait)) throw new InvalidInput('name the batch: gangway batches lists all');
  await withTemporal(
    cli,
    async (context) => {
      const { client, config } = context;
      if (id === undefined) {
        const found = await listBatches(client, config.taskQueue, limit);
        cli.records(found.map(recordOf), { columns: COLUMNS, json, csv, fields: FIELDS });
        return;
      }
      if (!stop) return followBatch(context, id, options);
      const batch = await readBatch(client, id);
      if (!batch) throw new CommandFailed(`there is no batch ${JSON.stringify(id)}`);
      if (batch.hasEnded) throw new CommandFailed(`${id} has ended: ${batch.state.stage}`);
      await client.workflow.getHandle(id).cancel();
      cli.line(`${id} stops after the starts in progress; what was started continues`);
    },
    { finishes: true },
  );
}

/** A batch as it is printed. */
type Printed = ReturnType<typeof recordOf>;

function recordOf({ id, state, startedAt }: Batch) {
  const { name, stage, rows, counts, actor } = state;
  return { id, file: name, stage, rows, ...counts, by: actor, at: startedAt };
}

const FIELDS = ['file', 'stage', 'rows', 'started', 'attached', 'failed', 'by', 'at', 'id'] as const;

const COLUMNS: TableColumns<Printed> = Object.fromEntries(
  FIELDS.map((name) => [name, { value: (batch) => batch[name], ...(name === 'id' && { keep: true }) }]),
);
