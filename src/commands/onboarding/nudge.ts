import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import {
  AWAIT_STATUS_ACTIVITY_ID,
  partnerTaskQueue,
  partsOfId,
  type WorkflowType,
} from '../../messages/ids.js';
import { SYSTEM_NAMES, type SystemName } from '../../partners/systems.js';
import { isStepAt, nudge as readNow, retryNow } from '../../temporal/nudge.js';
import { partIds } from '../../temporal/onboardings.js';
import { wakeWaiting } from '../../temporal/partner-accounts.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed, InvalidInput } from '../cli/errors.js';
import { findById, type IdOptions, partnerAccountOf } from '../cli/partner-account.js';

interface NudgeOptions extends IdOptions {
  readonly system?: SystemName;
}

/** Nudges one onboarding, or everything that waits for a partner. */
export async function nudge(
  cli: CommandLine,
  id: string | undefined,
  { system, ...options }: NudgeOptions,
): Promise<void> {
  if ((id === undefined) === (system === undefined)) throw new InvalidInput('give an id or --system');
  return id === undefined ? nudgeSystem(cli, system as SystemName, options) : nudgeOne(cli, id, options);
}

async function nudgeSystem(cli: CommandLine, system: SystemName, options: IdOptions): Promise<void> {
  const account = partnerAccountOf(cli.config(), options, 'nudge', 'nothing was done');
  await withTemporal(cli, async ({ client, config }) => {
    const woken = await wakeWaiting(client, { system, account, taskQueue: config.taskQueue });
    if (options.json) return cli.json({ system, ...(account && { account }), ...woken });
    const { steps, workflows } = woken;
    cli.line(`${system}: retried pending calls: ${steps}, of onboardings and operations: ${workflows}`);
  });
}

async function nudgeOne(cli: CommandLine, id: string, { json, ...options }: IdOptions): Promise<void> {
  await withTemporal(cli, async (context) => {
    const found = await findById(context, id, options);
    const { nudged, retried } = await nudgeAll(context.client, found);
    if (json) cli.json({ workflowId: found.workflowId, nudged, retried });
    if (!nudged && retried.length === 0)
      throw new CommandFailed(`${found.workflowId} does not wait for a partner`);
    if (json) return;
    if (nudged) cli.line(`${found.workflowId} reads its status now`);
    if (retried.length > 0) cli.line(`${found.workflowId} retries now: ${retried.join(', ')}`);
  });
}

interface Nudged {
  /** Whether a status poll reads the status now. */
  readonly nudged: boolean;
  /** Types of the other activities that are retried now. */
  readonly retried: readonly string[];
}

/** For a customer, this covers its children, because only they wait for partners. */
async function nudgeAll(
  client: Client,
  { workflowId, type, taskQueue }: WorkflowExecutionDescription,
): Promise<Nudged> {
  const isCustomer = type === ('customerOnboarding' satisfies WorkflowType);
  const ids = isCustomer ? Object.values(partIds(workflowId)) : [workflowId];
  const account = partsOfId(workflowId)?.account;
  const areSteps = SYSTEM_NAMES.map((system) => isStepAt(partnerTaskQueue(taskQueue, system, account)));
  const all = await Promise.all(
    ids.map(async (id) => ({
      nudged: await nudgeIfThere(client, id),
      retried: await retryNow(
        client,
        id,
        (pending) =>
          pending.activityId !== AWAIT_STATUS_ACTIVITY_ID && areSteps.some((isStep) => isStep(pending)),
      ),
    })),
  );
  return {
    nudged: all.some(({ nudged }) => nudged),
    retried: all.flatMap(({ retried }) => retried),
  };
}

async function nudgeIfThere(client: Client, workflowId: string): Promise<boolean> {
  try {
    return await readNow(client, workflowId);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

export async function cancel(cli: CommandLine, id: string, { json, ...options }: IdOptions): Promise<void> {
  await withTemporal(cli, async (context) => {
    const { client } = context;
    const { workflowId, status } = await findById(context, id, options);
    const ended = () => new CommandFailed(`${workflowId} has already ended`);
    if (status.name !== 'RUNNING') throw ended();
    await client.workflow
      .getHandle(workflowId)
      .cancel()
      .catch((error: unknown) => {
        throw error instanceof WorkflowNotFoundError ? ended() : error;
      });
    if (json) return cli.json({ workflowId, cancelRequested: true });
    cli.line(`${workflowId}: cancellation requested`);
  });
}
