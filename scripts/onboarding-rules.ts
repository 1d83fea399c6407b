import type { Note, StatusSnapshot } from '../src/messages/boarding-activities.js';
import type { Requirement, RequirementKind } from '../src/messages/requirements.js';
import { statusesOf } from '../src/partners/banking/responses.js';
import { afterCreate } from '../src/partners/boarding/phases.js';
import {
  APPROVED,
  NOT_SUBMITTED,
  PENDING,
  PENDING_REVIEW,
  phaseOf,
  REQUEST_CHANGES,
  UW_LEVEL_1,
  UW_LEVEL_1_PENDING,
} from '../src/partners/boarding/schemas.js';
import { markdownTable } from '../src/services/texts/docs.js';
import { due, NOTHING, onRead, type Situation } from '../src/workflows/boarding/decisions.js';
import type { Answered } from '../src/workflows/journey/state.js';
import { oneOf } from './partner-apis.js';

/** What the partner shows, by a status that stands for all that mean the same. */
const ROWS: readonly (readonly [shown: string, status: string])[] = [
  [`\`${NOT_SUBMITTED}\``, NOT_SUBMITTED],
  [`\`${PENDING}\``, PENDING],
  [`\`…: ${PENDING}\``, UW_LEVEL_1_PENDING],
  [`\`…${PENDING_REVIEW}\``, PENDING_REVIEW],
  [`\`${REQUEST_CHANGES}\``, REQUEST_CHANGES],
  ['any other', UW_LEVEL_1],
  [`\`${APPROVED}\` without a \`mid\``, APPROVED],
];

const COMMENT = 'Lower the volume.';

const note = (id: string): Note => ({ id, text: 'Why?', author: null, date: null });

function answered(id: string, kind: RequirementKind, detail: string): Answered {
  const requirement: Requirement = {
    ...{ id, about: id, kind, title: detail, detail, answers: ['text'], raisedAt: '', dueAt: '' },
  };
  const answer = { kind: 'text', text: 'So.' } as const;
  return { requirement, resolution: { requirementId: id, answer, actor: '', reason: '' } };
}

/** Every name of a merchant's status in docs/partner-apis.md#merchant-boarding-rules and #merchant-boarding-assumptions. */
const STATUSES = [
  ...[NOT_SUBMITTED, PENDING, REQUEST_CHANGES, APPROVED, 'Declined', 'Withdrawn', 'Closed', PENDING_REVIEW],
  ...[UW_LEVEL_1, UW_LEVEL_1_PENDING, 'UW Level 1: Pending Review'],
  ...['UW Level 2', 'UW Level 2: Pending', 'UW Level 2: Pending Review'],
  ...['Conditionally Approved', 'CR:POS Equipment'],
];

const AFTER_CREATE = {
  submit: 'Gangway submits it',
  'ask-whose': '`rejected-input`: it may be another merchant. Nothing is written to it',
  'ask-changes': '`request-changes`. The answer is submitted',
  'ask-submitted': '`not-submitted`: a person says whether it was submitted',
} as const;

/** What follows a create, by the status that the merchant has right after it. */
export function afterCreateTable(): string {
  const rows = Map.groupBy(STATUSES, (status) => afterCreate(phaseOf(status)));
  const named = [...rows].map(([next, names]) => [
    names.map((name) => `\`${name}\``).join(', '),
    AFTER_CREATE[next],
  ]);
  const other = ['any other', AFTER_CREATE[afterCreate(phaseOf('Escalated'))]];
  return markdownTable(['status', 'what follows'], [...named, other]);
}

/** What a status leads to: what the rules decide about a question and three answers. */
export function underwritingRules(): string {
  const head = [
    'status',
    'new note',
    'answer to a listed note',
    'answer to a removed note',
    'answer to requested changes',
  ];
  return markdownTable(head, ROWS.map(row));
}

function row([shown, status]: (typeof ROWS)[number]): string[] {
  const answers = [
    answered('listed', 'underwriting-note', 'Why?'),
    answered('gone', 'underwriting-note', 'Why?'),
    answered('changes', 'request-changes', COMMENT),
  ];
  const situation: Situation = {
    ...{ merchantProfileId: 1, dba: '', isFollowed: false, isWriting: false, inARow: 1, open: [] },
    answered: answers,
    now: 0,
  };
  const now: StatusSnapshot = {
    ...{ status, phase: phaseOf(status), statusDate: null, comment: COMMENT, mid: null, unclearMid: null },
    notes: [note('new'), note('listed')],
  };
  const { decisions, remember } = onRead({ ...NOTHING, submitted: true }, now, situation);
  const isAsked = decisions.some((decision) => 'ask' in decision && decision.ask.about === 'new');
  const becomes = (id: string) => {
    if (decisions.some((decision) => 'close' in decision && decision.close === id)) return 'dropped';
    const kept = answers.filter(({ requirement }) => requirement.id === id);
    return due(remember, { ...situation, answered: kept }) ? 'sent' : 'waits';
  };
  return [shown, isAsked ? 'asked' : 'not asked', ...['listed', 'gone', 'changes'].map(becomes)];
}

/** docs/onboardings.md with the names in `bankingStatus` that end a business. */
export function withBankStatuses(page: string): string {
  const groups = [statusesOf('approved'), statusesOf('declined', 'closed', 'withdrawn')];
  return page.replace(/(?<=outcome: the bank's status is ).+(?= \|)/g, (old) => {
    const statuses = groups.shift();
    return statuses ? oneOf(statuses.map((status) => `\`${status}\``)) : old;
  });
}
