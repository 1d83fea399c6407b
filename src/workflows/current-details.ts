import type { OnboardingState } from '../messages/onboarding-state.js';
import type { Requirement } from '../messages/requirements.js';

const NEXT_STEPS: Readonly<Record<OnboardingState['stage'], string>> = {
  preparing: 'create the merchant at the partner',
  applying: 'set its fees and submit it to underwriting',
  underwriting: 'wait for the underwriters; their notes show up here',
  boarding: 'approved; wait for the processor to give the `mid`',
  boarded: 'nothing, the merchant can take payments',
  declined: 'nothing, the partner declined',
  withdrawn: 'nothing, the application was withdrawn',
  closed: 'nothing, the partner closed the merchant',
  abandoned: 'nothing, an operator gave it up',
  cancelled: 'nothing, it was cancelled; what exists at the partner stays there',
};

/** The Markdown that the Web UI shows on top of a running workflow. */
export function currentDetails(
  workflowId: string,
  state: OnboardingState,
  isOverdue: (requirementId: string) => boolean,
): string {
  const { stage, partnerStatus, merchantProfileId, mid, requirements } = state;
  const facts = [
    `**Stage** ${stage}`,
    partnerStatus !== null && `**Partner status** ${plain(partnerStatus)}`,
    merchantProfileId !== undefined && `**Merchant** ${merchantProfileId}`,
    mid !== undefined && `**mid** ${plain(mid)}`,
  ];
  const [first] = requirements;
  const next = first
    ? `answer what is asked: \`gangway resolve ${workflowId} ${first.id} ...\``
    : NEXT_STEPS[stage];
  const waiting = requirements.map((requirement) => describe(requirement, isOverdue(requirement.id)));
  return [
    facts.filter(Boolean).join(' · '),
    ...(first ? ['### Waiting for a person', waiting.join('\n')] : []),
    `**Next** ${next}`,
  ].join('\n\n');
}

/** One line of a list: the Web UI spreads anything longer. */
function describe({ id, title, detail, dueAt, answers }: Requirement, overdue: boolean): string {
  const due = `${overdue ? '**overdue** since' : 'due'} ${dueAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `- **${plain(title)}** ${plain(detail)} (\`${id}\`, ${due}; takes ${answers.join(', ')})`;
}

/**
 * Text of others as mere text, on one line. Unescaped, a note could put a link, or a picture that the operator's
 * browser fetches, into the Web UI.
 */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#!|~&:]/g, '\\$&');
}
