import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { isCustomer } from '../../../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../../../messages/search-attributes.js';
import type { SystemName } from '../../../partners/descriptors.js';
import { Deadline } from '../../../platform/http/deadline.js';
import { nameWithId } from '../../../services/texts/display-names.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { span } from '../../../services/texts/time.js';
import { requestCancellation } from '../../../temporal/find-onboarding.js';
import { nudgeAll } from '../../../temporal/nudge.js';
import { wakeWaiting } from '../../../temporal/partner-accounts.js';
import { findById, type IdOptions, partnerAccountOf } from '../cli/arguments.js';
import { atTemporal, type CommandLine, withTemporal } from '../cli/command-line.js';
import { describeEnd, describeRemains } from '../cli/descriptions.js';
import { CommandFailed } from '../cli/errors.js';
import type { Texts } from '../cli/options.js';
import { withProgress } from '../cli/progress.js';
import { type Confirming, confirm } from '../cli/prompts.js';

export async function nudgeCommand(
  cli: CommandLine,
  id: string | undefined,
  { system, ...options }: IdOptions & { readonly system?: SystemName },
): Promise<void> {
  if ((id === undefined) === (system === undefined)) throw new InvalidInput('give an id or --system');
  return id === undefined ? nudgeSystem(cli, system as SystemName, options) : nudgeOne(cli, id, options);
}

/** The time limit of the search for pending calls, in milliseconds. By then the server has retried most of them. */
const SEARCH_MS = 5 * 60_000;

async function nudgeSystem(cli: CommandLine, system: SystemName, options: IdOptions): Promise<void> {
  const account = partnerAccountOf(cli.config(), options, 'nudge', 'nothing was done');
  await withTemporal(cli, async ({ client, config }) => {
    const place = { system, account, taskQueue: config.taskQueue };
    const deadline = new Deadline({ ms: SEARCH_MS, until: cli.signal });
    let examined = 'some';
    const onExamined = (done: number, running: number) => {
      examined = `${done} of ${running}`;
    };
    const watched = { signal: deadline.signal, onExamined };
    const step = () => `nudging everything that waits for ${system}: ${examined} running workflows examined`;
    const woken = await nudging(cli, step, () => wakeWaiting(client, place, watched)).finally(() =>
      deadline.release(),
    );
    cli.signal.throwIfAborted();
    const { steps, workflows } = woken;
    if (options.json) cli.json({ system, ...(account && { account }), ...woken });
    else cli.line(`${system}: retried pending calls: ${steps}, of onboardings and operations: ${workflows}`);
    if (!deadline.signal.aborted) return;
    throw new CommandFailed(
      `stopped after ${span(SEARCH_MS)}: ${examined} running workflows examined; the others read and retry by themselves`,
    );
  });
}

async function nudgeOne(cli: CommandLine, id: string, { json, ...options }: IdOptions): Promise<void> {
  await withTemporal(cli, async (context) => {
    const execution = await findById(context, id, options);
    // A customer's parts may continue after it.
    if (execution.status.name !== 'RUNNING' && !isCustomer(execution.workflowId))
      throw new CommandFailed(describeEnd(execution));
    const step = `nudging ${execution.workflowId}`;
    const { nudged, retried } = await nudging(cli, step, () => nudgeAll(context.client, execution));
    if (json) cli.json({ workflowId: execution.workflowId, nudged, retried });
    if (!nudged && retried.length === 0) throw new CommandFailed(await whyNothing(context.client, execution));
    if (json) return;
    if (nudged) cli.line(`${execution.workflowId} reads its status now`);
    if (retried.length > 0) cli.line(`${execution.workflowId} retries now: ${retried.join(', ')}`);
  });
}

/** Explains why nothing was nudged. The workflow may have ended since the lookup. */
async function whyNothing(client: Client, { workflowId }: WorkflowExecutionDescription): Promise<string> {
  const now = await client.workflow.getHandle(workflowId).describe();
  return now.status.name === 'RUNNING' ? `${workflowId} does not wait for a partner` : describeEnd(now);
}

/** A nudge waits for running attempts to end, and with --system for the workflows of a whole account. */
function nudging<Result>(cli: CommandLine, step: string | (() => string), run: () => Promise<Result>) {
  return withProgress(cli, step, run).finally(() => {
    if (cli.signal.aborted) cli.note('what was retried continues; run the same command again for the rest');
  });
}

export const cancel = atTemporal(
  async (
    context,
    id: string,
    { json, yes, reason, ...options }: IdOptions & Confirming & Texts<'reason'>,
  ) => {
    const { cli, client } = context;
    const execution = await findById(context, id, options);
    const { workflowId, status } = execution;
    if (status.name !== 'RUNNING') throw new CommandFailed(describeEnd(execution));
    await confirm(cli, consequenceOf(execution), { yes });
    if (!(await requestCancellation(client, workflowId, reason)))
      throw new CommandFailed(`${workflowId} has ended in the meantime`);
    if (json) return cli.json({ workflowId, cancelRequested: true });
    cli.line(`${workflowId}: cancellation requested`);
  },
);

/** Returns the consequence: `This cancels Acme Bikes (merchant-boarding-m-1) in stage underwriting; merchant 1009 stays at the partner.` */
function consequenceOf({ workflowId, typedSearchAttributes }: WorkflowExecutionDescription): string {
  const [dba, stage] = [SEARCH_ATTRIBUTES.dba, SEARCH_ATTRIBUTES.stage].map((key) =>
    typedSearchAttributes.get(key),
  );
  const whole = isCustomer(workflowId) ? ' with all its parts' : '';
  const stays = describeRemains(typedSearchAttributes);
  return `This cancels ${nameWithId({ workflowId, dba })}${whole} in stage ${stage}; ${stays}.`;
}
