import { currentClaim } from '../../messages/claims.js';
import { type AnswerKind, detailBeside, type Requirement } from '../../messages/requirements.js';
import type { Times } from '../../texts/time.js';

/** The options of `gangway resolve` for each kind of answer. */
const OPTIONS: Readonly<Record<AnswerKind, string>> = {
  text: '--text TEXT',
  documents: '--document FILE',
  correction: '--set FIELD=VALUE',
  adopt: '--adopt ID --reason WHY',
  retry: '--retry --reason WHY',
  code: '--code CODE',
  choice: '--choice MEANING --reason WHY',
  'take-back': '--take-back --reason WHY',
  abandon: '--abandon --reason WHY',
};

/** A requirement with the commands that answer it. @param name what a person types for its workflow */
export function describeRequirement(
  { times }: { readonly times: Times },
  name: string,
  requirement: Requirement,
): string {
  const { id, kind, raisedAt, dueAt } = requirement;
  const time = `waiting ${times.since(raisedAt)}, ${times.dueAt(dueAt)}`;
  const shown = [questionOf(requirement), ...claimsOf(times, requirement)].join('\n').replace(/^/gm, '    ');
  const { proposal } = requirement;
  const confirming = proposal ? [`    gangway confirm ${name} ${id}`] : [];
  return [`  ${id} (${kind}, ${time})`, shown, ...confirming, resolveCommands(name, requirement)].join('\n');
}

export function questionOf(requirement: Requirement): string {
  return [requirement.title, detailBeside(requirement)].filter(Boolean).join('\n');
}

/** The claim, and the answer that waits for a second person. */
function claimsOf(times: Times, requirement: Requirement): string[] {
  const claim = currentClaim(requirement);
  const { proposal } = requirement;
  return [
    ...(claim ? [`claimed by ${claim.actor} until ${times.at(claim.until)}`] : []),
    ...(proposal
      ? [
          `proposed by ${proposal.actor}, ${times.at(proposal.at)}: ${proposal.answer} (${proposal.reason})`,
          'waits for confirmation by a second person',
        ]
      : []),
  ];
}

/** `--set or --patch, --retry, --abandon` */
export function optionsOf(answers: readonly AnswerKind[]): string {
  const names = answers.map((kind) => OPTIONS[kind].split(' ')[0]);
  return names.map((name) => (name === '--set' ? '--set or --patch' : name)).join(', ');
}

/** The commands that answer a requirement, a line each. */
export function resolveCommands(name: string, { id, answers }: Pick<Requirement, 'id' | 'answers'>): string {
  return answers.map((kind) => `    gangway resolve ${name} ${id} ${OPTIONS[kind]}`).join('\n');
}

export function takeBackCommand(name: string, id: string): string {
  return resolveCommands(name, { id, answers: ['take-back'] }).trim();
}
