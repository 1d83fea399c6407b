import { leavesOf } from '../../../messages/objects.js';
import type { OnboardingState } from '../../../messages/onboarding-state.js';
import type { AnswerKind, Requirement } from '../../../messages/requirements.js';
import { REDACTED } from '../../../platform/privacy/masked.js';
import { Facts, Name } from '../../../services/reports/page.js';
import { runbookOf } from '../../../services/texts/codes.js';
import type { Listed } from '../../../temporal/search.js';
import { pathOf } from '../query.js';
import { answerLabel } from './answer-forms.js';
import { pathLabel, valueText } from './input-fields.js';
import { fieldLabel, Id, lineLabel, Prose, partnerStatusLabel } from './parts.js';

/** Renders the column next to a requirement: the business, and an explanation of the question. */

/** The number of input fields in a summary. The fields about the business come first. */
const SUMMARY_FIELDS = 12;

interface BusinessProps {
  readonly listed: Listed;
  readonly state: OnboardingState | undefined;
  readonly input: unknown;
}

export function AboutBusiness({ listed, state, input }: BusinessProps) {
  const { workflowId } = listed;
  const dba = state?.dba ?? listed.dba;
  const mid = state?.mid ?? listed.mid;
  const leaves = leavesOf(input).filter(
    ({ field, value }) => !/^(?:$|fourEyes\b)/.test(field) && value !== REDACTED && value !== dba,
  );
  const labelOfField = shortestLabels(leaves);
  const facts = {
    Business: dba && <Name name={dba} />,
    'Partner status': partnerStatusLabel(state?.partnerStatus ?? listed.partnerStatus),
    mid: mid && <Id id={mid} canCopy />,
    ...Object.fromEntries(
      leaves
        .slice(0, SUMMARY_FIELDS)
        .map(({ field, value }) => [labelOfField(field), valueText(field, value)]),
    ),
  };
  return (
    <section class="card" aria-label="The business" id="business">
      <h2>The business</h2>
      <Id id={workflowId} canCopy />
      <Facts facts={facts} />
      <a href={`${pathOf(workflowId)}?show=input#input`}>All of the input</a>
    </section>
  );
}

/** Returns a function that returns a field's shortest unique label. */
export function shortestLabels(leaves: readonly { readonly field: string }[]): (field: string) => string {
  const last = (field: string) => (/\d$/.test(field) ? pathLabel(field) : fieldLabel(field));
  const counts = [last, pathLabel, lineLabel].map((label) => ({
    label,
    uses: Map.groupBy(leaves, ({ field }) => label(field)),
  }));
  return (field) =>
    counts.find(({ label, uses }) => uses.get(label(field))?.length === 1)?.label(field) ?? field;
}

/** Replaces the command line's words for answers with this page's words, or with the label of an answer's button. */
const WORDS: readonly (readonly [RegExp, string | { readonly button: AnswerKind }])[] = [
  [/\bThe detail\b/g, 'The text above'],
  [/\bthe detail\b/g, 'the text above'],
  [/`--text "\.\.\."`|`--text`/g, 'text'],
  [/`--document( FILE)?`/g, 'documents'],
  [/`--set [^`]*`|`--set`/g, 'a correction'],
  [/`--patch`/g, 'correct'],
  [/`--code CODE`|`--code`/g, 'the code'],
  [/`--retry`/g, { button: 'retry' }],
  [/`--confirm [^`]*`|`--confirm`/g, { button: 'confirm' }],
  [/`--abandon`/g, { button: 'abandon' }],
  [/`dueInHours` after the answer/g, 'after another due time'],
];

function pageWording(text: string, requirement: Requirement): string {
  return WORDS.reduce(
    (changed, [option, words]) =>
      changed.replace(
        option,
        typeof words === 'string' ? words : `“${answerLabel(requirement, words.button)}”`,
      ),
    text,
  );
}

export function Help({ requirement }: { readonly requirement: Requirement }) {
  const runbook = runbookOf(requirement.kind);
  const said = (part: string) => <Prose text={pageWording(runbook[part] ?? '', requirement)} />;
  return (
    <section class="card" aria-label="Help">
      <h2>What this means</h2>
      <p>{said('what happened')}</p>
      <p>{said('see it')}</p>
      <h3>What happens then</h3>
      <p>{said('then')}</p>
      <p class="notes">Do not {said('do not')}</p>
    </section>
  );
}
