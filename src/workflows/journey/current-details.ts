import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { Requirement } from '../../messages/requirements.js';

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
    ...partsOf(state),
    ...(first ? ['### Waiting for a person', requirements.map(describe).join('\n')] : []),
    `**Next** ${next}`,
  ].join('\n\n');
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
  const due = `${Date.parse(dueAt) <= Date.now() ? '**overdue** since' : 'due'} ${dueAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `- **${plain(title)}** ${plain(detail)} (\`${id}\`, ${due}; takes ${answers.join(', ')})`;
}

/**
 * Text of others as mere text, on one line. Unescaped, a note could put a link, or a picture that the operator's
 * browser fetches, into the Web UI.
 */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#!|~&:]/g, '\\$&');
}
