import { userInfo } from 'node:os';
import { DEFAULT_CLAIM_HOURS } from '../../messages/requirement-kinds.js';
import { sendClaim, sendConfirmation } from '../../operators/answering.js';
import { InvalidInput } from '../../operators/invalid-input.js';
import { askingWorkflow } from '../../operators/parts.js';
import { stateOf } from '../../temporal/onboardings.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { type Confirming, confirm } from '../cli/confirm.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { reportAccepted } from './effect.js';

/** The commands by which people handle requirements together: who works on one, and who confirms an answer. */

interface ActorOptions extends IdOptions {
  readonly actor?: string;
}

interface ClaimOptions extends ActorOptions {
  /** Milliseconds. */
  readonly for?: number;
  readonly override?: true;
}

export async function claim(
  cli: CommandLine,
  id: string,
  requirementId: string,
  { for: ms = DEFAULT_CLAIM_HOURS * 3_600_000, override, ...options }: ClaimOptions,
): Promise<void> {
  await withTemporal(cli, async (context) => {
    const { workflowId } = await findAsking(context, id, requirementId, options);
    const until = new Date(Date.now() + ms).toISOString();
    const request = { requirementId, actor: actorFrom(options), until, ...(override && { override }) };
    const receipt = await sendClaim(context.client, workflowId, request);
    if (options.json) return cli.json({ workflowId, ...receipt });
    cli.line(
      `${requirementId} claimed by ${receipt.claim?.actor} until ${cli.times.at(receipt.claim?.until)}`,
    );
  });
}

export async function release(
  cli: CommandLine,
  id: string,
  requirementId: string,
  options: ActorOptions,
): Promise<void> {
  await withTemporal(cli, async (context) => {
    const { workflowId } = await findAsking(context, id, requirementId, options);
    const receipt = await sendClaim(context.client, workflowId, { requirementId, actor: actorFrom(options) });
    if (options.json) return cli.json({ workflowId, ...receipt });
    cli.line(`${requirementId} released`);
  });
}

interface ConfirmOptions extends ActorOptions, Confirming {
  readonly reason?: string;
}

/** Confirms the proposal that is shown to the person, and no later one. */
export async function confirmProposal(
  cli: CommandLine,
  id: string,
  requirementId: string,
  { reason, yes, ...options }: ConfirmOptions,
): Promise<void> {
  await withTemporal(cli, async (context) => {
    const { workflowId, typed } = await findAsking(context, id, requirementId, options);
    const state = await stateOf(context.client, workflowId);
    const requirement = state.requirements.find((each) => each.id === requirementId);
    const proposal = requirement?.proposal;
    if (!proposal) throw new InvalidInput(`${JSON.stringify(requirementId)} has no proposed answer`);
    const { actor: proposer, at: proposedAt, answer } = proposal;
    await confirm(
      cli,
      `This answers ${requirementId} as ${proposer} proposed at ${cli.times.at(proposedAt)}: ${answer} (${proposal.reason}).`,
      { yes },
    );
    const { resolution, ...receipt } = await sendConfirmation(context.client, workflowId, {
      ...{ requirementId, proposedAt, actor: actorFrom(options) },
      ...(reason !== undefined && { reason }),
    });
    const { answer: given } = resolution;
    const accepted = { workflowId, asking: workflowId, typed, answer: given, requirement, state, receipt };
    await reportAccepted(context, accepted, options.json);
  });
}

/** The workflow that has the requirement: that of the id, or a part of that customer. */
async function findAsking(context: CommandContext, id: string, requirementId: string, options: IdOptions) {
  const { workflowId, typed } = await findById(context, id, options);
  return { workflowId: await askingWorkflow(context.client, workflowId, requirementId), typed };
}

function actorFrom({ actor }: ActorOptions): string {
  return actor ?? userInfo().username;
}
