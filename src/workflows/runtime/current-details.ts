import { currentClaim } from '../../messages/claims.js';
import type { OnboardingState, PartnerIds, Stage } from '../../messages/onboarding-state.js';
import { partnerIdsIn } from '../../messages/outcomes.js';
import {
  type Answer,
  type AnswerKind,
  detailBeside,
  type Requirement,
  type Resolution,
} from '../../messages/requirements.js';
import { capitalize, LONGEST, truncate } from '../../partners/text-limits.js';

/** For people: the next step in each stage, and the meaning of each outcome that is not in {@link ENDS}. */
export type NextSteps = Readonly<Partial<Record<Stage, string>>>;

const ENDS: NextSteps = {
  declined: 'The partner declined the application.',
  withdrawn: 'The application was withdrawn.',
  closed: 'The partner closed it.',
  abandoned: 'A person abandoned it.',
  rejected: 'The partner rejected it.',
  cancelled: 'Somebody canceled it.',
};

/** The maximum length of the URL-encoded text: the Web UI puts it into a URL to render it, and proxies usually accept 8 kB. */
const LONGEST_IN_URL = 7_000;

/** The share of {@link LONGEST_IN_URL} for one text from outside. */
const LONGEST_TEXT_IN_URL = 2_000;

/** Returns Markdown for the Web UI. It adds nothing to the history, because the server queries a worker for it each time. */
export function currentDetails(
  workflowId: string,
  state: OnboardingState,
  nextSteps: NextSteps,
  said: readonly string[],
): string {
  const { stage, outcome, requirements } = state;
  const text = nextSteps[stage] ?? ENDS[stage] ?? '';
  const hasEnded = outcome !== undefined || stage === 'cancelled';
  const top = [
    ...(hasEnded
      ? [`**${capitalize(stage)}:** ${text} ${escapeLine(capitalize(said.join('; ')))}`.trim()]
      : []),
    factsOf(state),
    ...waitOf(state),
    ...partsOf(state),
    ...unsentOf(state),
  ];
  if (hasEnded) return top.join('\n\n');
  if (requirements.length === 0) return [...top, `**Next** ${text}`].join('\n\n');
  const [first] = requirements;
  const how = [
    `### Waiting for a person: ${requirements.length}`,
    `${HOW_TO_ANSWER}\nIn a terminal: \`gangway resolve ${workflowId} ${first?.id} ...\``,
  ];
  const answers = answersOf(requirements);
  const room = LONGEST_IN_URL - inUrl([...top, ...how, answers].join('\n\n'));
  return [...top, ...how, ...listOf(requirements, room), answers].join('\n\n');
}

function factsOf(state: OnboardingState): string {
  const { stage, partnerStatus, dba } = state;
  const facts = [
    dba !== undefined && `**${escapeLine(dba)}**`,
    `**Stage** ${stage}`,
    partnerStatus !== null && `**Partner status** ${escapeLine(partnerStatus)}`,
    ...Object.entries(partnerIdsIn(state)).map(
      ([name, id]) => `**${ID_NAMES[name as keyof PartnerIds]}** ${escapeLine(String(id))}`,
    ),
  ];
  return facts.filter(Boolean).join(' · ');
}

const ID_NAMES: Readonly<Record<keyof PartnerIds, string>> = {
  merchantProfileId: 'Merchant',
  mid: 'mid',
  profileId: 'Banking profile',
  financialAccountId: 'Financial account',
};

/** Returns the step that waits for the partner. A customer shows none, because its parts do. */
function waitOf({ waiting }: OnboardingState): string[] {
  if (!waiting) return [];
  const { step, since, until, reason } = waiting;
  const pause = until === undefined ? '' : `, which asked for a pause until ${minuteOf(until)}`;
  return [
    `**Waiting** for the partner since ${minuteOf(since)}${pause}: ${escapeLine(`${step} (${reason})`)}`,
  ];
}

function partsOf({ boarding, business }: OnboardingState): string[] {
  const line = (what: string, part: OnboardingState | undefined) => {
    const status = part?.partnerStatus ? `, ${escapeLine(part.partnerStatus)}` : '';
    return part && `- **${what}** ${part.stage}${status}`;
  };
  const lines = [line('Merchant', boarding), line('Business', business)].filter(Boolean);
  return lines.length > 0 ? [lines.join('\n')] : [];
}

const HOW_TO_ANSWER =
  'Copy the JSON of a requirement and fill in its empty quotes: the answer, your name as `actor`, and the `reason`. Keep each ' +
  'text on one line, write `\\"` for a quote, and numbers without quotes. Open **More Actions**, **Send an Update**, select `resolveRequirement`, and ' +
  'paste it into **Data**. Then press R on this page.';

/** Lists as many requirements as fit into the URL, but at least the first. */
function listOf(requirements: readonly Requirement[], room: number): string[] {
  const items: string[] = [];
  let left = room;
  for (const requirement of requirements) {
    const block = blockOf(requirement, items.length + 1);
    left -= inUrl(block);
    if (left < 0 && items.length > 0) break;
    items.push(block);
  }
  const more = requirements.length - items.length;
  return [
    ...items,
    ...(more > 0 ? [`**${more} more** show up here when these are answered. Query \`state\` has all.`] : []),
  ];
}

function blockOf(requirement: Requirement, number: number): string {
  const { id, title, raisedAt, dueAt, answers, fourEyes, blank: patch = {} } = requirement;
  const due = Date.parse(dueAt) <= Date.now() ? '**overdue** since' : 'due';
  const kind = answers.find((each) => each !== 'documents') ?? 'documents';
  const answer = kind === 'correction' ? { kind, patch } : ANSWERS[kind][0];
  const resolution: Resolution = { requirementId: id, answer, actor: '', reason: '' };
  return [
    `**${number}. ${escapeLine(title)}**`,
    ...[detailBeside(requirement)].filter(Boolean).map(escapeLine),
    `Asked ${minuteOf(raisedAt)}, ${due} ${minuteOf(dueAt)}. Answers: ${answers.join(', ')}.\n`,
    ...claimOf(requirement),
    ...(fourEyes
      ? [`A second person must confirm ${fourEyes.join(', ')}: send such an answer to \`proposeAnswer\`.\n`]
      : []),
    // The Web UI would reformat any other layout, which moves its button away from the mouse.
    `\`\`\`\n${JSON.stringify(resolution, null, 2)}\n\`\`\``,
  ].join('\n');
}

function claimOf(requirement: Requirement): string[] {
  const { id, proposal } = requirement;
  const claim = currentClaim(requirement);
  const lines = [];
  if (claim) {
    const by = claim.by === undefined ? '' : `, assigned by ${escapeLine(truncate(claim.by, 60))}`;
    lines.push(
      `**Claimed** by ${escapeLine(truncate(claim.actor, 60))} until ${minuteOf(claim.until)}${by}.\n`,
    );
  }
  if (proposal) {
    const { actor, at, answer, reason } = proposal;
    const confirmation = { requirementId: id, proposedAt: at, actor: '' };
    lines.push(
      `**Proposed** by ${escapeLine(truncate(actor, 60))}, ${minuteOf(at)}: ${escapeLine(truncate(`${answer} (${reason})`, 120))}. A second person reads it with query ` +
        `\`proposedAnswer\`, and confirms it with update \`confirmAnswer\`: \`${JSON.stringify(confirmation)}\`\n`,
    );
  }
  return lines;
}

/** A blank answer of each kind, and its meaning. The validator rejects a blank that is not filled in. */
const ANSWERS: Readonly<Record<AnswerKind, readonly [blank: Answer, meaning: string]>> = {
  text: [{ kind: 'text', text: '' }, 'your reply'],
  documents: [
    { kind: 'documents', documents: [] },
    'files, which cannot be sent from this page: `gangway resolve --document FILE` in a terminal',
  ],
  correction: [
    { kind: 'correction', patch: {} },
    'the fields to change, in the form of the input; null removes one',
  ],
  confirm: [{ kind: 'confirm', id: '' }, 'it took effect, and this is its ID at the partner'],
  code: [{ kind: 'code', code: '' }, 'the one-time code'],
  choice: [{ kind: 'choice', choice: '' }, 'one of the choices that the question names'],
  retry: [{ kind: 'retry' }, 'it did not take effect, or the obstacle is gone: do it again'],
  'take-back': [{ kind: 'take-back' }, 'take the answer back'],
  abandon: [{ kind: 'abandon' }, 'give up the whole onboarding, for good'],
};

/** Lists the answers that open requirements allow, instead of the list in their JSON. */
function answersOf(requirements: readonly Requirement[]): string {
  const lines = Object.values(ANSWERS)
    .filter(([{ kind }]) => requirements.some(({ answers }) => answers.includes(kind)))
    .map(([blank, meaning]) => `- \`${JSON.stringify(blank)}\` ${meaning}`);
  return [
    '### Answers\n\nAny of these that the requirement allows, in place of `answer` in its JSON:\n',
    ...lines,
  ].join('\n');
}

function unsentOf({ unsent = [] }: OnboardingState): string[] {
  const [first] = unsent;
  if (first === undefined) return [];
  const resolution = { requirementId: first, answer: { kind: 'take-back' }, actor: '', reason: '' };
  const how = `To take one back: \`${JSON.stringify(resolution)}\``;
  return [`**Answered, not sent yet** ${truncate(unsent.join(', '), LONGEST.line)}. ${how}`];
}

/** `2026-01-31 10:00 UTC` */
export function minuteOf(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** `2026-01-31 10:00:05.138 UTC`, for a search in a partner's logs. */
export function momentOf(iso: string): string {
  return `${iso.replace('T', ' ').replace('Z', '')} UTC`;
}

/**
 * Puts a text from outside on one line, escapes its Markdown, and shortens it. Unescaped, a note could put a link into the Web UI,
 * or a picture that the browser fetches. With half of a surrogate pair, the Web UI could not build its URL.
 */
function escapeLine(text: string): string {
  const line = text.replace(/\p{Surrogate}/gu, '\uFFFD').replace(/\s+/g, ' ');
  const tooLong = inUrl(escapeMarkdown(line)) / LONGEST_TEXT_IN_URL;
  return escapeMarkdown(tooLong > 1 ? truncate(line, Math.floor(line.length / tooLong)) : line);
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#!|~&:]/g, '\\$&');
}

function inUrl(markdown: string): number {
  return encodeURIComponent(markdown).length;
}
