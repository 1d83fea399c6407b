import type { AnswerKind, Requirement } from '../messages/requirements.js';
import { shortDate } from './output.js';

/** How `gangway resolve` takes each kind of answer. */
const OPTIONS: Readonly<Record<AnswerKind, string>> = {
  text: '--text TEXT',
  documents: '--document FILE',
  correction: '--patch JSON',
  adopt: '--adopt ID --reason WHY',
  retry: '--retry --reason WHY',
  code: '--code CODE',
  'take-back': '--take-back --reason WHY',
  abandon: '--abandon --reason WHY',
};

export function describeRequirement({ id, kind, title, detail, dueAt, answers }: Requirement): string {
  const due = `${isOverdue(dueAt) ? 'OVERDUE since' : 'due'} ${shortDate(dueAt)}`;
  const indented = detail.replace(/^/gm, '    ');
  return `  ${id} (${kind}, ${due})\n    ${title}\n${indented}\n    takes: ${answers.join(', ')}`;
}

/** The commands that answer a requirement, a line each. */
export function waysToAnswer(workflowId: string, { id, answers }: Requirement): string {
  return answers.map((kind) => `    gangway resolve ${workflowId} ${id} ${OPTIONS[kind]}`).join('\n');
}

export function isOverdue(dueAt: string): boolean {
  return Date.parse(dueAt) < Date.now();
}
