import { leavesOf } from '../../messages/objects.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { Requirement } from '../../messages/requirements.js';
import { REDACTED } from '../../privacy/masked.js';
import { Facts, Name } from '../../reports/page.js';
import type { Listed } from '../../temporal/search.js';
import { runbookOf } from '../../texts/codes.js';
import { pathOf } from '../query.js';
import { labelOf } from './answer-forms.js';
import { fieldLabel } from './field.js';
import { Id, Prose } from './parts.js';

/** The number of fields of the input that a summary shows: a start names the business first. */
const SUMMARY_FIELDS = 12;

interface BusinessProps {
  readonly listed: Listed;
  readonly state: OnboardingState | undefined;
  readonly input: unknown;
}

export function Business({ listed, state, input }: BusinessProps) {
  const { workflowId } = listed;
  const dba = state?.dba ?? listed.dba;
  const mid = state?.mid ?? listed.mid;
  const shown = leavesOf(input).filter(
    ({ field, value }) => field !== '' && value !== REDACTED && value !== dba,
  );
  const facts = {
    Business: dba && <Name name={dba} />,
    'Partner status': state?.partnerStatus ?? listed.partnerStatus,
    mid: mid && <Id id={mid} canCopy />,
    ...Object.fromEntries(
      shown.slice(0, SUMMARY_FIELDS).map(({ field, value }) => [labelIn(shown, field), String(value)]),
    ),
  };
  return (
    <section class="card" aria-label="The business" id="business">
      <h2>The business</h2>
      <Id id={workflowId} canCopy />
      <Facts facts={facts} />
      <a href={`${pathOf(workflowId)}#input`}>All of the input</a>
    </section>
  );
}

/** The last name of a field, with its path where others end alike. */
function labelIn(shown: readonly { readonly field: string }[], field: string): string {
  const label = fieldLabel(field);
  const isUnique = shown.filter((other) => fieldLabel(other.field) === label).length === 1;
  return isUnique ? label : `${label} (${field})`;
}

/** The names of the answers in the texts of the command. */
const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bThe detail\b/g, 'The text above'],
  [/\bthe detail\b/g, 'the text above'],
  [/`--text "\.\.\."`|`--text`/g, 'text'],
  [/`--document( FILE)?`/g, 'documents'],
  [/`--set [^`]*`|`--set`/g, 'a correction'],
  [/`--patch`/g, 'correct'],
  [/`--code CODE`|`--code`/g, 'the code'],
];

/** The answers whose buttons the texts name. */
const BUTTONS: readonly (readonly [RegExp, 'retry' | 'adopt' | 'abandon'])[] = [
  [/`--retry`/g, 'retry'],
  [/`--adopt [^`]*`|`--adopt`/g, 'adopt'],
  [/`--abandon`/g, 'abandon'],
];

/** The runbook of the command line, in the words of this page. */
function inWordsOfPages(text: string, requirement: Requirement): string {
  const buttons = BUTTONS.map(([option, answer]) => [option, `“${labelOf(requirement, answer)}”`] as const);
  return [...OPTIONS, ...buttons].reduce((changed, [option, words]) => changed.replace(option, words), text);
}

export function Help({ requirement }: { readonly requirement: Requirement }) {
  const { 'what happened': meaning = '', ...runbook } = runbookOf(requirement.kind);
  const { 'see it': see = '', then: next = '', 'do not': never = '' } = runbook;
  return (
    <section class="card" aria-label="Help">
      <h2>What this means</h2>
      <p>
        <Prose text={meaning} />
      </p>
      <p>
        <Prose text={inWordsOfPages(see, requirement)} />
      </p>
      <h3>What happens then</h3>
      <p>
        <Prose text={inWordsOfPages(next, requirement)} />
      </p>
      <p class="notes">
        Do not <Prose text={inWordsOfPages(never, requirement)} />
      </p>
    </section>
  );
}
