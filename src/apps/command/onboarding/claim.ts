import { LONGEST_ACTOR, looksLikeProgram } from '../../../messages/actors.js';
import { currentClaim } from '../../../messages/claims.js';
import { DEFAULT_ASSIGNED_HOURS, DEFAULT_CLAIM_HOURS } from '../../../messages/codes.js';
import { actorNamed, assignmentTo, type Colleague, followPeople } from '../../../services/inbox/people.js';
import { sendAssignment, sendConfirmation } from '../../../services/inbox/send-answer.js';
import { askingWorkflow } from '../../../services/inbox/waiting-state.js';
import { userName } from '../../../services/texts/display-names.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { queryState } from '../../../temporal/find-onboarding.js';
import { findById, type IdOptions } from '../cli/arguments.js';
import { atTemporal, type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { explainError } from '../cli/failures.js';
import type { Flags, Texts } from '../cli/options.js';
import { type Confirming, confirm } from '../cli/prompts.js';
import { openRequirement, readFor, reportAccepted } from './answering.js';

type ActorOptions = IdOptions & Texts<'actor'>;

interface ClaimOptions extends ActorOptions, Flags<'override'>, Texts<'to' | 'remark'> {
  /** In milliseconds. */
  readonly for?: number;
}

/** The commands `claim` and `assign`. */

export async function claim(
  cli: CommandLine,
  id: string,
  value: string,
  more: readonly string[],
  { for: ms, to, remark, override, ...options }: ClaimOptions,
): Promise<void> {
  const words = [id, value, ...more];
  const done = to === undefined ? 'claimed' : 'assigned';
  if (words.length % 2 === 1)
    throw new InvalidInput(`${words.at(-1)}: add its requirement; nothing was ${done}`);
  const ids = words.filter((_, place) => place % 2 === 0);
  await withTemporal(cli, async (context) => {
    const hours = to === undefined ? DEFAULT_CLAIM_HOURS : DEFAULT_ASSIGNED_HOURS;
    const until = new Date(Date.now() + (ms ?? hours * 3_600_000)).toISOString();
    const people = to === undefined ? [] : peopleOf(cli);
    const claimed = await Promise.allSettled(
      ids.map(async (each, place) => {
        const value = words[2 * place + 1] ?? '';
        const { workflowId, requirementId } = await findAsking(context, each, value, options);
        const colleague =
          to === undefined ? {} : assignmentTo(people, workflowId, { assignee: to, text: remark });
        const about = { requirementId, actor: actorFrom(cli, options), until };
        const request = { ...about, ...colleague, ...(override && { override }) };
        return { workflowId, ...(await sendAssignment(context.client, workflowId, request)) };
      }),
    );
    const refusals = claimed.flatMap((row, place) => {
      if (row.status === 'rejected')
        return [{ id: ids[place], error: row.reason as unknown, why: explainError(row.reason) }];
      const { requirementId, claim } = row.value;
      if (options.json) cli.json(row.value);
      else {
        const who = `${claim?.by === undefined ? 'claimed by' : 'assigned to'} ${claim?.actor}`;
        cli.line(`${requirementId} ${who} until ${cli.times.at(claim?.until)}`);
      }
      return [];
    });
    if (refusals.length === 0) return;
    // An unexpected reason fails the whole command.
    const unexpected = refusals.find(({ why }) => ids.length === 1 || why === undefined);
    if (unexpected) throw unexpected.error;
    const lines = refusals.map(({ id, why }) => `${id}: ${why}`);
    const some = `${done} ${ids.length - refusals.length} of ${ids.length}`;
    throw new CommandFailed([...lines, some].join('\n'));
  });
}

export const release = atTemporal(async (context, id: string, value: string, options: ActorOptions) => {
  const { workflowId, requirementId, claim } = await findAsking(context, id, value, options);
  const receipt = await sendAssignment(context.client, workflowId, {
    requirementId,
    actor: actorFrom(context.cli, options),
  });
  if (options.json) return context.cli.json({ workflowId, ...receipt });
  context.cli.line(claim ? `${requirementId} released` : `${requirementId}: was not claimed`);
});

/** Confirms only the proposal that the person has seen, not a later one. */
export const confirmProposal = atTemporal(
  async (
    context,
    id: string,
    value: string,
    { reason, yes, ...options }: ActorOptions & Confirming & Texts<'reason'>,
  ) => {
    const { cli } = context;
    const { workflowId, requirementId, typed } = await findAsking(context, id, value, options);
    const state = await queryState(context.client, workflowId);
    const requirement = state.requirements.find((each) => each.id === requirementId);
    const proposal = requirement?.proposal;
    if (!proposal) throw new InvalidInput(`${JSON.stringify(requirementId)} has no proposed answer`);
    const { actor: proposer, at: proposedAt } = proposal;
    await confirm(
      cli,
      `This answers ${requirementId} as ${proposer} proposed at ${cli.times.at(proposedAt)}: ${proposal.answer} (${proposal.reason}).`,
      { yes },
    );
    const { resolution, ...receipt } = await sendConfirmation(context.client, workflowId, {
      requirementId,
      proposedAt,
      actor: actorFrom(cli, options),
      ...(reason !== undefined && { reason }),
    });
    const { answer } = resolution;
    const accepted = { workflowId, asking: workflowId, typed, answer, requirement, state, receipt };
    await reportAccepted(context, accepted, options.json);
  },
);

/** Finds a requirement by its ID, and the workflow that raised it. */
export async function findAsking(context: CommandContext, id: string, value: string, options: IdOptions) {
  const read = await readFor(context, await findById(context, id, options), value);
  const requirement = openRequirement(context, read, value);
  const { id: requirementId } = requirement;
  const { workflowId, typed } = read.execution;
  const asking = askingWorkflow(workflowId, read.state, requirementId);
  return {
    workflowId: asking,
    requirementId,
    typed,
    claim: currentClaim(requirement),
    proposal: requirement.proposal,
    linkBefore: requirement.link,
    dueAt: requirement.dueAt,
  };
}

export function peopleOf(cli: Pick<CommandLine, 'config'>): readonly Colleague[] {
  const { peopleFile, accounts } = cli.config();
  return followPeople(peopleFile, Object.keys(accounts))();
}

/** Returns the actor, named as in the console. @throws {InvalidInput} if it is a program's name, which only the HTTP API may use */
export function actorFrom(cli: Pick<CommandLine, 'config'>, { actor = userName() }: Texts<'actor'>): string {
  if (actor.length > LONGEST_ACTOR)
    throw new InvalidInput(`--actor must have at most ${LONGEST_ACTOR} characters; it has ${actor.length}`);
  if (!looksLikeProgram(actor)) return actorNamed(peopleOf(cli), actor, '--actor');
  throw new InvalidInput('--actor must not look like a client of the API; name the person');
}
