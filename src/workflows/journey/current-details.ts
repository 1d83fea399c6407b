import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { Requirement } from '../../messages/requirements.js';
import { LONGEST, shortened } from '../../partners/bounds.js';

/** What comes next, for people. Ends that a workflow does not know are left out. */
export type NextSteps = Readonly<Partial<Record<OnboardingState['stage'], string>>>;

const AT_THE_END: NextSteps = {
  declined: 'nothing, the partner declined',
  withdrawn: 'nothing, the application was withdrawn',
  abandoned: 'nothing, an operator gave it up',
  cancelled: 'nothing, it was cancelled; what exists at the partner stays there',
};

/** The Markdown that the Web UI shows on top of a running workflow. */
export function currentDetails(workflowId: string, state: OnboardingState, nextSteps: NextSteps): string {
  const { stage, partnerStatus, merchantProfileId, mid, profileId, financialAccountId } = state;
  const { paymentsAccountId, terminalId, requirements } = state;
  const facts = [
    `**Stage** ${stage}`,
    partnerStatus !== null && `**Partner status** ${plain(partnerStatus)}`,
    merchantProfileId !== undefined && `**Merchant** ${merchantProfileId}`,
    mid !== undefined && `**mid** ${plain(mid)}`,
    profileId !== undefined && `**Banking profile** ${profileId}`,
    financialAccountId !== undefined && `**Financial account** ${plain(financialAccountId)}`,
    paymentsAccountId !== undefined && `**Payments account** ${plain(paymentsAccountId)}`,
    terminalId !== undefined && `**Terminal** ${plain(terminalId)}`,
  ];
  const [first] = requirements;
  const next = first
    ? `answer what is asked: \`gangway resolve ${workflowId} ${first.id} ...\``
    : (nextSteps[stage] ?? AT_THE_END[stage] ?? 'nothing');
  return [
    facts.filter(Boolean).join(' · '),
    ...waitOf(state),
    ...partsOf(state),
    ...(first ? ['### Waiting for a person', listOf(workflowId, requirements)] : []),
    `**Next** ${next}`,
  ].join('\n\n');
}

/** A step that waits for its partner. Of a part of a customer, the part shows it. */
function waitOf({ waiting }: OnboardingState): string[] {
  if (!waiting) return [];
  const { step, since, until, reason } = waiting;
  const end = until === undefined ? '' : ` until ${moment(until)}`;
  return [`**Waiting** for the partner since ${moment(since)}${end}: ${plain(`${step} (${reason})`)}`];
}

/** `2026-01-31 10:00 UTC` */
function moment(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** More than this many would hide what is below them. */
const SHOWN_REQUIREMENTS = 20;

function listOf(workflowId: string, requirements: readonly Requirement[]): string {
  const more = requirements.length - SHOWN_REQUIREMENTS;
  const lines = requirements.slice(0, SHOWN_REQUIREMENTS).map(describe);
  if (more > 0) lines.push(`- and ${more} more: \`gangway status ${workflowId}\``);
  return lines.join('\n');
}

/** How the parts of a customer get on, a line each. */
function partsOf({ boarding, business, terminal }: OnboardingState): string[] {
  const line = (what: string, part: OnboardingState | undefined) => {
    const status = part?.partnerStatus ? `, ${plain(part.partnerStatus)}` : '';
    return part && `- **${what}** ${part.stage}${status}`;
  };
  const lines = [line('Merchant', boarding), line('Business', business), line('Terminal', terminal)].filter(
    Boolean,
  );
  return lines.length > 0 ? [lines.join('\n')] : [];
}

/** One line of a list: the Web UI spreads anything longer. */
function describe({ id, title, detail, dueAt, answers }: Requirement): string {
  const due = `${Date.parse(dueAt) <= Date.now() ? '**overdue** since' : 'due'} ${moment(dueAt)}`;
  return `- **${plain(title)}** ${plain(detail)} (\`${id}\`, ${due}; takes ${answers.join(', ')})`;
}

/**
 * Text of others as mere text, on one line. Unescaped, a note could put a link, or a picture that the operator's
 * browser fetches, into the Web UI.
 */
function plain(text: string): string {
  return shortened(text, LONGEST.text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>#!|~&:]/g, '\\$&');
}
