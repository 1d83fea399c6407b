import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import { currentClaim } from '../../../messages/claims.js';
import { leavesOf } from '../../../messages/objects.js';
import { OUTCOMES } from '../../../messages/onboarding-state.js';
import type { CustomerOnboardingOutcome, UnstartedPart } from '../../../messages/onboardings.js';
import type { OperationOutcome } from '../../../messages/partner-operations.js';
import {
  type AnswerKind,
  detailBeside,
  needsConfirmation,
  type Requirement,
} from '../../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../../messages/search-attributes.js';
import type { Outcome } from '../../../services/client/watching.js';
import { whatMerchantDid } from '../../../services/links/create-link.js';
import { problemLines } from '../../../services/texts/invalid-input.js';
import type { Times } from '../../../services/texts/time.js';
import type { Printer } from './output.js';

const OPTIONS: Readonly<Record<AnswerKind, string>> = {
  text: '--text TEXT',
  documents: '--document FILE',
  correction: '--set FIELD=VALUE',
  confirm: '--confirm ID --reason WHY',
  retry: '--retry --reason WHY',
  code: '--code CODE',
  choice: '--choice MEANING --reason WHY',
  'take-back': '--take-back --reason WHY',
  abandon: '--abandon --reason WHY',
};

/** Describes a requirement with the commands that answer it. @param name the name to type for its workflow */
export function describeRequirement(
  { times }: { readonly times: Times },
  name: string,
  requirement: Requirement,
): string {
  const { id, kind, raisedAt, dueAt, proposal } = requirement;
  const time = `waiting ${times.since(raisedAt)}, ${times.dueAt(dueAt)}`;
  const title = [describeQuestion(requirement), ...claimsOf(times, requirement)]
    .join('\n')
    .replace(/^/gm, '    ');
  const confirming = proposal ? [`    gangway confirm ${name} ${id}`] : [];
  return [`  ${id} (${kind}, ${time})`, title, ...confirming, resolveCommands(name, requirement)].join('\n');
}

export function describeQuestion(requirement: Requirement): string {
  return [requirement.title, detailBeside(requirement)].filter(Boolean).join('\n');
}

function claimsOf(times: Times, requirement: Requirement): string[] {
  const claim = currentClaim(requirement);
  const claimed = claim
    ? [
        `claimed by ${claim.actor} until ${times.at(claim.until)}${claim.by === undefined ? '' : `, assigned by ${claim.by}`}`,
      ]
    : [];
  const { proposal, link } = requirement;
  if (link)
    claimed.push(
      `the merchant ${whatMerchantDid(link)}; ${link.actor} asked through ${link.link}, until ${times.at(link.until)}`,
    );
  if (!proposal) return claimed;
  const { actor, at, answer, reason } = proposal;
  const proposed = `proposed by ${actor}, ${times.at(at)}: ${answer} (${reason})`;
  return [...claimed, proposed, 'waits for confirmation by a second person'];
}

/** Returns the options for these answers: `--set or --patch, --retry, --abandon`. */
export function optionsOf(answers: readonly AnswerKind[]): string {
  const options = answers.map((kind) => OPTIONS[kind].split(' ')[0]);
  return options.join(', ').replace('--set', '--set or --patch');
}

export function resolveCommands(
  name: string,
  requirement: Pick<Requirement, 'id' | 'answers' | 'blank' | 'fourEyes'>,
): string {
  const { id, answers, blank = {} } = requirement;
  // In an object that accepts any field, the name is blank too.
  const fields = leavesOf(blank).map(({ field }) => `--set ${field.replace(/(^|\.)$/, '$1FIELD')}=VALUE`);
  const optionOf = (kind: AnswerKind) =>
    kind === 'correction' && fields.length > 0 ? fields.join(' ') : OPTIONS[kind];
  const proposing = (kind: AnswerKind) => (needsConfirmation(requirement, kind) ? ' --propose' : '');
  return answers
    .map((kind) => `    gangway resolve ${name} ${id} ${optionOf(kind)}${proposing(kind)}`)
    .join('\n');
}

export function takeBackCommand(name: string, id: string): string {
  return resolveCommands(name, { id, answers: ['take-back'] }).trim();
}

type OneOutcome = Exclude<Outcome, CustomerOnboardingOutcome> | UnstartedPart | OperationOutcome<object>;

/** Returns the outcome on one line, and a line for each part of a customer. */
export function outcomeLines(outcome: Outcome | OperationOutcome<object>): string[] {
  if (!('boarding' in outcome)) return [lineOf(outcome)];
  const { boarding, business } = outcome;
  return [outcome.outcome, `  merchant ${lineOf(boarding)}`, `  business ${lineOf(business)}`];
}

export function printOutcome(
  printer: Printer,
  workflowId: string,
  outcome: Outcome | OperationOutcome<object>,
): void {
  const [first, ...parts] = outcomeLines(outcome);
  for (const line of [`${workflowId} ${first}`, ...parts]) printer.line(line);
}

function lineOf(outcome: OneOutcome): string {
  const detail = detailOf(outcome);
  return detail ? `${outcome.outcome}: ${detail}` : outcome.outcome;
}

function detailOf(outcome: OneOutcome): string {
  if ('problems' in outcome) return problemLines(outcome.problems).join(';').trim();
  if ('mid' in outcome) return `mid ${outcome.mid}`;
  if ('bankingStatus' in outcome) {
    const { profileId, financialAccountId, bankingStatus } = outcome;
    const account = financialAccountId === null ? 'no financial account' : `account ${financialAccountId}`;
    return `profile ${profileId}, ${account}, ${bankingStatus}`;
  }
  return 'comment' in outcome ? (outcome.comment ?? '') : '';
}

/** Returns how a workflow ended, and the stage if it was stopped: `merchant-boarding-m-1 has ended: boarded, mid 518000001009`. */
export function describeEnd(description: WorkflowExecutionDescription): string {
  const { workflowId, status, typedSearchAttributes: attributes } = description;
  const stage = attributes.get(SEARCH_ATTRIBUTES.stage);
  const mid = attributes.get(SEARCH_ATTRIBUTES.mid);
  const how = status.name.toLowerCase().replaceAll('_', ' ');
  const stopped = `${how}${stage === undefined ? '' : ` in stage ${stage}`}`;
  const ended = [...OUTCOMES, how].find((outcome) => outcome === stage) ?? stopped;
  return `${workflowId} has ended: ${ended}${mid === undefined ? '' : `, mid ${mid}`}`;
}

/** Returns what remains after a person ends an onboarding: `merchant 1009 stays at the partner`. */
export function describeRemains(attributes: TypedSearchAttributes): string {
  const merchant = attributes.get(SEARCH_ATTRIBUTES.merchantProfileId);
  const profile = attributes.get(SEARCH_ATTRIBUTES.bankingProfileId);
  const left = [merchant && `merchant ${merchant}`, profile && `banking profile ${profile}`].filter(Boolean);
  return left.length === 0
    ? 'what exists at the partner stays there'
    : `${left.join(' and ')} stays at the partner`;
}
