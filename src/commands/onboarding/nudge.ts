import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { type Command, Option } from 'commander';
import {
  AWAIT_STATUS_ACTIVITY_ID,
  partnerTaskQueue,
  partsOfId,
  type WorkflowType,
} from '../../messages/ids.js';
import { SYSTEM_NAMES, type SystemName } from '../../partners/systems.js';
import { isStepAt, nudge, retryNow } from '../../temporal/nudge.js';
import { partIds } from '../../temporal/onboardings.js';
import { wakeWaiting } from '../../temporal/partner-accounts.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed, InvalidInput } from '../cli/errors.js';
import {
  findById,
  type IdOptions,
  partnerAccountOf,
  withId,
  withPartnerAccount,
} from '../cli/partner-account.js';

interface NudgeOptions extends IdOptions {
  readonly system?: SystemName;
}

export function nudgeCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('nudge')
    .summary('try now what waits for a partner')
    .description(
      'Make an onboarding read its status at the partner now, instead of at its next poll, and try now what it would try ' +
        'again later; of a customer, in all parts. With --system, everything that waits for that partner, as after an outage. ' +
        'What is being tried already is left alone.',
    )
    .argument('[id]', 'workflow id, externalId or externalId@account; none with --system')
    .addOption(new Option('--system <name>', 'all that waits for this partner').choices(SYSTEM_NAMES));
  withPartnerAccount(command)
    .option('--json', 'print JSON')
    .action((id: string | undefined, { system, ...options }: NudgeOptions) => {
      if ((id === undefined) === (system === undefined)) throw new InvalidInput('give an id, or --system');
      return id === undefined ? nudgeSystem(cli, system as SystemName, options) : nudgeOne(cli, id, options);
    });
}

async function nudgeSystem(cli: CommandLine, system: SystemName, options: IdOptions): Promise<void> {
  const account = partnerAccountOf(cli.config(), options, 'nudge', 'nothing was done');
  await withTemporal(cli, async ({ client, config }) => {
    const woken = await wakeWaiting(client, { system, account, taskQueue: config.taskQueue });
    if (options.json) return cli.json({ system, ...(account && { account }), ...woken });
    cli.line(
      `${system}: tries now ${woken.steps} that waited, of ${woken.workflows} onboardings and operations`,
    );
  });
}

async function nudgeOne(cli: CommandLine, id: string, { json, ...options }: IdOptions): Promise<void> {
  await withTemporal(cli, async (context) => {
    const found = await findById(context, id, options);
    const { nudged, retried } = await nudgeAll(context.client, found);
    if (json) cli.json({ workflowId: found.workflowId, nudged, retried });
    if (!nudged && retried.length === 0)
      throw new CommandFailed(`${found.workflowId} does not wait for a partner now`);
    if (json) return;
    if (nudged) cli.line(`${found.workflowId} reads its status now`);
    if (retried.length > 0) cli.line(`${found.workflowId} tries again now: ${retried.join(', ')}`);
  });
}

interface Nudged {
  /** Whether a status poll reads now. */
  readonly nudged: boolean;
  /** Types of the other activities that are tried now. */
  readonly retried: readonly string[];
}

/** It is the children of a customer that wait for partners. */
async function nudgeAll(
  client: Client,
  { workflowId, type, taskQueue }: WorkflowExecutionDescription,
): Promise<Nudged> {
  const isCustomer = type === ('customerOnboarding' satisfies WorkflowType);
  const ids = isCustomer ? Object.values(partIds(workflowId)) : [workflowId];
  const account = partsOfId(workflowId)?.account;
  const lanes = SYSTEM_NAMES.map((system) => isStepAt(partnerTaskQueue(taskQueue, system, account)));
  const all = await Promise.all(
    ids.map(async (id) => ({
      nudged: await nudgeIfThere(client, id),
      retried: await retryNow(
        client,
        id,
        (pending) => pending.activityId !== AWAIT_STATUS_ACTIVITY_ID && lanes.some((isAt) => isAt(pending)),
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
    return await nudge(client, workflowId);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

export function cancelCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('cancel')
    .summary('stop an onboarding or operation')
    .description(
      'Stop an onboarding or operation; of a customer, all parts. A write that has begun is seen ' +
        'through. What exists at the partner stays there; the timeline says what that is.',
    );
  withId(command)
    .option('--json', 'print JSON')
    .action(async (id: string, { json, ...options }: IdOptions) => {
      await withTemporal(cli, async (context) => {
        const { client } = context;
        const { workflowId, status } = await findById(context, id, options);
        const ended = () => new CommandFailed(`${workflowId} has ended already`);
        if (status.name !== 'RUNNING') throw ended();
        await client.workflow
          .getHandle(workflowId)
          .cancel()
          .catch((error: unknown) => {
            throw error instanceof WorkflowNotFoundError ? ended() : error;
          });
        if (json) return cli.json({ workflowId, cancelRequested: true });
        cli.line(`${workflowId} is asked to stop`);
      });
    });
}
