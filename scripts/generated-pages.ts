/** Writes what is made from the code: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { keptResults, resultsMarkdown } from '../bench/results.js';
import { sandboxAccount } from '../src/apps/sandbox/systems.js';
import { partnerTaskQueue } from '../src/messages/ids.js';
import { ALLOWED_ANSWERS, REQUIREMENT_KINDS, TASKS } from '../src/messages/requirements.js';
import { EACH_ONBOARDING, TYPES_WITH_PARTS } from '../src/messages/workflow-types.js';
import { statusesOf } from '../src/partners/banking/responses.js';
import { MERCHANT_PHASES } from '../src/partners/boarding/phases.js';
import {
  MERCHANT_APPROVED,
  merchantPhase,
  NOT_SUBMITTED,
  PENDING,
  PENDING_REVIEW,
  REQUEST_CHANGES,
  UW_LEVEL_1,
  UW_LEVEL_1_PENDING,
} from '../src/partners/boarding/schemas.js';
import { SYSTEM_NAMES } from '../src/partners/system-names.js';
import { recordSchema } from '../src/services/reports/exported-record.js';
import { markdownTable } from '../src/services/texts/docs.js';
import { answerBody } from '../src/temporal/program-requests.js';
import { configurationTables, envExample } from './configuration.js';
import { faultsTable, habitsTable, oneOf, systemTables } from './partner-apis.js';
import { scaleTables } from './scale.js';

const page = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const ROLL_OUT = 'deploy/roll-out.sh';
const AUTOSCALING = 'deploy/kubernetes/worker/autoscaling/worker.yaml';

/** What is written, by path, and what the unit tests compare with the files. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'docs/api.md': () =>
    withParts('docs/api.md', { 'kinds of requirements': requirementKinds(), answers: answerExamples() }),
  'docs/partner-apis.md': () =>
    withParts('docs/partner-apis.md', { ...systemTables(), habits: habitsTable() }),
  'docs/simulation.md': () => withParts('docs/simulation.md', { faults: faultsTable() }),
  'docs/configuration.md': () => withParts('docs/configuration.md', { settings: configurationTables() }),
  '.env.example': envExample,
  'docs/export.schema.json': () => `${JSON.stringify(recordSchema(), null, 2)}\n`,
  'docs/scale.md': () => withParts('docs/scale.md', scaleTables(keptResults())),
  'docs/onboardings.md': () =>
    withBankStatuses(
      withParts('docs/onboardings.md', {
        'underwriting rules': underwritingRules(),
        'after a create': afterCreateTable(),
      }),
    ),
  'deploy/sandbox.env': sandboxEnv,
  [AUTOSCALING]: withQueues,
  [ROLL_OUT]: withKinds,
  'bench/results.md': () => resultsMarkdown(keptResults()),
};

/** A page with its parts made again. Each stands between `<!-- "npm run docs" writes: NAME -->` and `<!-- end -->`. */
function withParts(path: string, parts: Readonly<Record<string, string>>): string {
  const left = new Set(Object.keys(parts));
  const value = page(path).replace(
    /(<!-- "npm run docs" writes: (.+?) -->\n).*?(<!-- end -->)/gs,
    (_, begin: string, name: string, end: string) => {
      if (!left.delete(name)) throw new Error(`${path} asks for ${name}, which there is not`);
      return `${begin}\n${parts[name]}\n\n${end}`;
    },
  );
  if (left.size > 0) throw new Error(`${path} has no place for: ${[...left].join(', ')}`);
  return value;
}

function sandboxEnv(): string {
  const set = { ...sandboxAccount('http://127.0.0.1:4010'), GANGWAY_POLL_MIN: '1s', GANGWAY_POLL_MAX: '10s' };
  const lines = Object.entries(set).map(([name, value]) => `${name}=${value}`);
  return ['# The sandbox in place of all partners. It accepts no other password.', ...lines, ''].join('\n');
}

function requirementKinds(): string {
  const rows = REQUIREMENT_KINDS.map((kind) => {
    const answers = ALLOWED_ANSWERS[kind].map((answer) => `\`${answer}\``);
    return [`[\`${kind}\`](operations.md#requirement-${kind})`, TASKS[kind], answers.join(', ')];
  });
  return markdownTable(['kind', 'task', 'answers'], rows);
}

const ANSWERS: readonly z.output<typeof answerBody>[] = [
  { kind: 'text', text: 'One sale in ten.' },
  {
    kind: 'documents',
    documents: [{ key: 'KEY.pdf', fileName: 'check.pdf', contentType: 'application/pdf' }],
  },
  { kind: 'correction', patch: { holder: { phone: '5185550199' } } },
  { kind: 'confirm', id: '1012' },
  { kind: 'retry' },
  { kind: 'code', code: '123456' },
  { kind: 'choice', choice: 'approved' },
  { kind: 'abandon' },
];

function answerExamples(): string {
  const lines = ANSWERS.map((answer) => JSON.stringify(answerBody.parse(answer)));
  return `\`\`\`json\n[\n  ${lines.join(',\n  ')}\n]\n\`\`\``;
}

/** The autoscaling of the worker, with a trigger for the task queue of each partner. */
function withQueues(): string {
  const triggers = SYSTEM_NAMES.map((system) =>
    [
      '    - type: temporal',
      `      metadata: { <<: *queue, taskQueue: ${partnerTaskQueue('gangway', system)}, queueTypes: activity }`,
      '      authenticationRef: *access',
    ].join('\n'),
  );
  return page(AUTOSCALING).replace(
    /(?<=# "npm run docs" writes these\.\n).*?(?=\n +# End\.)/s,
    triggers.join('\n'),
  );
}

/** The workflow types that a roll-out replays, and those whose requirements it counts. */
function withKinds(): string {
  const kinds = EACH_ONBOARDING.map(([type]) => type).join(' ');
  const parts = TYPES_WITH_PARTS.map((type) => `WorkflowType != '${type}'`).join(' AND ');
  return page(ROLL_OUT)
    .replace(/^KINDS=.*$/m, `KINDS='${kinds}'`)
    .replace(/^PARTS=.*$/m, `PARTS="${parts}"`);
}

/** What the partner shows, by a status that stands for all that mean the same. */
const ROWS: readonly (readonly [shown: string, status: string])[] = [
  [`\`${NOT_SUBMITTED}\``, NOT_SUBMITTED],
  [`\`${PENDING}\``, PENDING],
  [`\`…: ${PENDING}\``, UW_LEVEL_1_PENDING],
  [`\`…${PENDING_REVIEW}\``, PENDING_REVIEW],
  [`\`${REQUEST_CHANGES}\``, REQUEST_CHANGES],
  ['any other', UW_LEVEL_1],
  [`\`${MERCHANT_APPROVED}\` without a \`mid\``, MERCHANT_APPROVED],
];

/** Every name of a merchant's status in docs/partner-apis.md#merchant-boarding-rules and #merchant-boarding-assumptions. */
const STATUSES = [
  NOT_SUBMITTED,
  PENDING,
  REQUEST_CHANGES,
  MERCHANT_APPROVED,
  'Declined',
  'Withdrawn',
  'Closed',
  PENDING_REVIEW,
  UW_LEVEL_1,
  UW_LEVEL_1_PENDING,
  'UW Level 1: Pending Review',
  'UW Level 2',
  'UW Level 2: Pending',
  'UW Level 2: Pending Review',
  'Conditionally Approved',
  'CR:POS Equipment',
];

const AFTER_CREATE = {
  submit: 'Gangway submits it',
  'ask-whose': '`rejected-input`: it may be another merchant. Nothing is written to it',
  'ask-changes': '`changes-requested`. The answer is submitted',
  'ask-submitted': '`not-submitted`: a person says whether it was submitted',
} as const;

/** What follows a create, by the status that the merchant has right after it. */
function afterCreateTable(): string {
  const rows = Map.groupBy(STATUSES, (status) => MERCHANT_PHASES[merchantPhase(status)].afterCreate);
  const named = [...rows].map(([next, names]) => [
    names.map((name) => `\`${name}\``).join(', '),
    AFTER_CREATE[next],
  ]);
  const other = ['any other', AFTER_CREATE[MERCHANT_PHASES.other.afterCreate]];
  return markdownTable(['status', 'what follows'], [...named, other]);
}

/** What the phase of a status means for what is asked, and for answers. */
function underwritingRules(): string {
  const head = [
    'status',
    'new note',
    'answer to a listed note',
    'answer to a removed note',
    'answer to requested changes',
  ];
  const rows = ROWS.map(([text, status]) => {
    const { notes, answer, answerToGoneNote, changes } = MERCHANT_PHASES[merchantPhase(status)];
    return [
      text,
      notes === 'asked' ? 'asked' : 'not asked',
      answer === 'waits' ? 'waits' : 'sent',
      answerToGoneNote,
      changes === 'submitted' ? 'sent' : changes,
    ];
  });
  return markdownTable(head, rows);
}

/** docs/onboardings.md with the names in `bankingStatus` that end a business. */
function withBankStatuses(page: string): string {
  const groups = [statusesOf('approved'), statusesOf('declined', 'closed', 'withdrawn')];
  return page.replace(/(?<=outcome: the bank's status is ).+(?= \|)/g, (old) => {
    const statuses = groups.shift();
    return statuses ? oneOf(statuses.map((status) => `\`${status}\``)) : old;
  });
}

export function writeGeneratedPages(): void {
  for (const [path, content] of Object.entries(GENERATED_PAGES))
    writeFileSync(new URL(`../${path}`, import.meta.url), content());
}

if (process.argv[1] === import.meta.filename) writeGeneratedPages();
