import type { ComponentChildren, RenderableProps } from 'preact';
import { isSamePerson } from '../../../messages/actors.js';
import { currentClaim } from '../../../messages/claims.js';
import { type AnswerKind, needsConfirmation, type Requirement } from '../../../messages/requirements.js';
import { MAX_ATTACHMENT_BYTES } from '../../../partners/boarding/schemas.js';
import { ACCEPTED_NAMES, MOST_BYTES, MOST_FILES } from '../../../partners/documents/document-types.js';
import { STATUS_MEANINGS, type StatusMeaning } from '../../../partners/phases.js';
import { capitalize, problemText } from '../../../partners/text-limits.js';
import { REASON_REQUIRED } from '../../../services/inbox/send-answer.js';
import { type Filled, isPreviewed, MOST_REASON, MOST_TEXT, roleFor, wrongIn } from '../answer.js';
import { type CorrectionField, enteredIn, nameOfValue } from '../correction-fields.js';
import { type Fields, inboxOf, LIST, pathOf, withList } from '../query.js';
import { hasRole, useRequest } from '../route.js';
import { Correction, choiceLabel, pathLabel } from './input-fields.js';
import { Field, type FieldProps, Form, Person, Problem } from './parts.js';

export interface Answering {
  readonly workflowId: string;
  readonly requirement: Requirement;
  /** The page to return to: the workflow's own, or its customer's. */
  readonly page: string;
  readonly filled?: Filled | undefined;
  /** The fields of a correction. If absent, a link leads to the page with the fields. */
  readonly correctable?: readonly CorrectionField[] | undefined;
  /** The inbox filter from which the person came. */
  readonly list?: string | undefined;
  /** Whether the first form is open. Default: true. */
  readonly isOpen?: boolean;
  readonly autoFocus?: boolean;
}

/** Returns a stand-in for the requirement of an answer to take back, because that requirement is no longer open. */
export function takenBack(id: string): Requirement {
  const at = new Date().toISOString();
  const nothing = { title: '', detail: '', raisedAt: at, dueAt: at };
  return { id, kind: 'waiting', ...nothing, answers: ['take-back'] };
}

/** Returns the effect of an answer, as the label of its button. */
export function answerLabel({ kind }: Pick<Requirement, 'kind'>, answer: AnswerKind): string {
  if (answer === 'retry') return RETRIES[kind] ?? 'Try again';
  if (answer === 'confirm' && kind === 'uncertain-write') return 'It took effect: confirm it';
  return LABELS[answer];
}

const LABELS: Readonly<Record<Exclude<AnswerKind, 'retry'>, string>> = {
  text: 'Answer with text',
  documents: 'Upload documents',
  correction: 'Correct the input',
  confirm: 'Enter the right ID',
  code: 'Enter the code',
  choice: 'Choose what it means',
  'take-back': 'Take the answer back',
  abandon: 'Give up',
};

const RETRIES: Readonly<Partial<Record<Requirement['kind'], string>>> = {
  'uncertain-write': 'It did not take effect: send it again',
  'changes-requested': 'Submit it unchanged',
  'not-submitted': 'Submit it as it is',
  'rejected-input': 'Send it again unchanged',
  ticket: 'It was dealt with elsewhere',
  waiting: 'I know: keep waiting',
};

/**
 * Shows one form open and the others one click away. Opens the form with a mistake, or a correction of a field that the partner named,
 * or the first allowed answer. Answers that end the onboarding, or ignore the partner's request, come last.
 */
export function AnswerForms({ children, ...props }: RenderableProps<Answering>) {
  const { requirement, filled, isOpen = true, correctable = [] } = props;
  const kinds = requirement.answers;
  const isNamed = correctable.some((field) => field.isNamed);
  const isApart = (kind: AnswerKind) =>
    kind === 'abandon' || (kind === 'retry' && requirement.kind === 'changes-requested');
  const first = filled && kinds.includes(filled.kind) ? filled.kind : isNamed ? 'correction' : kinds[0];
  const path = pathOf(props.workflowId, 'requirements', requirement.id);
  const elsewhere = (
    <p class="answer">
      <a href={withList(path, props.list)}>{answerLabel(requirement, 'correction')}</a>
    </p>
  );
  const one = (kind: AnswerKind) =>
    kind === 'correction' && !props.correctable ? (
      elsewhere
    ) : (
      <details
        class={`answer ${kind}${isApart(kind) ? ' apart' : ''}`}
        {...{ key: kind, name: `answers-${requirement.id}` }}
        open={isOpen && kind === first}
      >
        <summary>{answerLabel(requirement, kind)}</summary>
        <OneForm {...props} kind={kind} />
      </details>
    );
  return (
    <div>
      {/* A script brings it back. */}
      <noscript>
        <p class="advice">Send one form at a time: what you type in the others is lost then.</p>
      </noscript>
      {kinds.filter((kind) => !isApart(kind)).map(one)}
      {children}
      {kinds.filter(isApart).map(one)}
    </div>
  );
}

export function OneForm(props: Answering & { readonly kind: AnswerKind }) {
  const { workflowId, requirement, kind, filled } = props;
  const context = useRequest();
  const { user } = context;
  const role = roleFor(requirement, kind);
  if (!hasRole(user, role)) {
    const who = role === 'approver' ? 'An approver decides this.' : 'An operator answers this.';
    return (
      <p class="advice">
        {who} Your role is {user.role}.
      </p>
    );
  }
  const path = pathOf(workflowId, 'requirements', requirement.id);
  const own = filled?.kind === kind ? filled : undefined;
  const claim = currentClaim(requirement);
  const upload = kind === 'documents' && {
    enctype: 'multipart/form-data',
    'data-upload': '',
    'data-file-bytes': MAX_ATTACHMENT_BYTES,
    'data-total-bytes': MOST_BYTES,
    'data-files': MOST_FILES,
  };
  return (
    <Form
      action={upload ? `${path}/documents` : path}
      {...upload}
      id={`form-${requirement.id}-${kind}`}
      isTyped={own !== undefined}
      hidden={{ kind, page: props.page, ...(props.list !== undefined && { [LIST]: props.list }) }}
    >
      {own && (
        <Mistakes
          {...{ problems: own.problems, id: kind === 'correction' ? requirement.id : undefined }}
          label={FIELDS[kind]?.(requirement).label}
        />
      )}
      <Content {...props} own={own} />
      <Reason {...props} own={own} />
      <div class="actions">
        <button type="submit" class={CLASSES[kind]}>
          {buttonOf(requirement, kind)}
        </button>
        {props.list !== undefined && <a href={inboxOf(props.list)}>Cancel</a>}
        {claim && !isSamePerson(claim.actor, user.actor) && (
          <span class="advice">
            <Person actor={claim.actor} /> has claimed it
          </span>
        )}
      </div>
    </Form>
  );
}

function buttonOf(requirement: Requirement, kind: AnswerKind): string {
  if (isPreviewed(requirement, kind)) return 'Check, then confirm';
  return needsConfirmation(requirement, kind) ? 'Propose this answer' : (BUTTONS[kind] ?? 'Send the answer');
}

const CLASSES: Readonly<Partial<Record<AnswerKind, string>>> = {
  abandon: 'danger',
  'take-back': 'secondary',
};

const BUTTONS: Readonly<Partial<Record<AnswerKind, string>>> = {
  documents: 'Upload and send',
  code: 'Send the code',
  retry: 'Do it',
  'take-back': 'Take it back',
};

interface ContentProps extends Answering {
  readonly kind: AnswerKind;
  readonly own: Filled | undefined;
}

type OneField = FieldProps & { readonly label: string };

/** The fields of answers with a single field. */
const FIELDS: Readonly<Partial<Record<AnswerKind, (requirement: Requirement) => OneField>>> = {
  text: () => ({
    name: 'text',
    label: 'Answer',
    rows: 5,
    maxLength: MOST_TEXT,
    advice: 'The partner reads it.',
  }),
  code: () => ({
    name: 'code',
    label: 'One-time code',
    advice: '6 digits',
    maxLength: 12,
    class: 'short',
    inputMode: 'numeric',
    autoComplete: 'one-time-code',
    isPrivate: true,
  }),
  confirm: ({ idFormat }) => ({
    name: 'id',
    label: 'ID at the partner',
    maxLength: 64,
    class: 'short',
    inputMode: idFormat === 'text' ? undefined : 'numeric',
    advice: `${idFormat === 'text' ? 'As' : 'Digits, as'} the partner’s portal shows it`,
  }),
  choice: ({ choices = [] }) => ({
    name: 'choice',
    label: 'Meaning',
    advice: 'It applies to all onboardings of the account, now and later.',
    choices: [['', 'choose one'], ...choices.map((choice) => [choice, meaningOf(choice)] as const)],
  }),
  documents: () => ({
    name: 'documents',
    label: 'Documents',
    type: 'file',
    multiple: true,
    accept: ACCEPTED_NAMES.join(','),
    advice: DOCUMENTS_RULE,
  }),
};

const NOTES: Readonly<Partial<Record<AnswerKind, string>>> = {
  abandon: 'The onboarding ends. What exists at the partner stays there. This cannot be undone.',
  'take-back': 'The partner does not have it yet.',
};

function Content({ kind, requirement, own, correctable = [], autoFocus = false }: ContentProps) {
  const { id } = requirement;
  if (kind === 'correction') return <Correction id={id} correctable={correctable} own={own} />;
  const props = FIELDS[kind]?.(requirement);
  if (!props) return NOTES[kind] ? <p class="advice">{NOTES[kind]}</p> : null;
  const { name } = props;
  const typed = { value: own?.fields.text(name), problems: wrongIn(own, name) };
  const field = (
    <Field
      {...{ ...props, ...typed, id: `${id}-${name}`, required: true }}
      autoFocus={autoFocus && kind === 'text'}
    />
  );
  return kind === 'documents' ? <Drop>{field}</Drop> : field;
}

const DOCUMENTS_RULE = `PDF, PNG, JPEG, TIFF, text or CSV. At most ${MOST_FILES} files of ${MAX_ATTACHMENT_BYTES / 1024 / 1024} MiB each.`;

/** A drop zone for files. Without scripts, people choose files instead. */
export function Drop({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="drop" data-drop="">
      {children}
      <ul data-files-chosen="" aria-live="polite" />
      <progress data-progress="" max={100} value={0} hidden aria-label="Upload" />
    </div>
  );
}

function meaningOf(choice: string): string {
  const label = capitalize(choiceLabel(choice));
  return choice in STATUS_MEANINGS ? `${label}: ${STATUS_MEANINGS[choice as StatusMeaning]}` : label;
}

function Reason({ requirement, kind, own }: ContentProps) {
  const isNeeded = REASON_REQUIRED.includes(kind);
  return (
    <Field
      {...{ id: `${requirement.id}-${kind}-reason`, name: 'reason', required: isNeeded }}
      label={isNeeded ? 'Reason' : 'Reason (optional)'}
      {...{ value: own?.fields.text('reason'), problems: wrongIn(own, 'reason'), maxLength: MOST_REASON }}
      advice="The timeline keeps it with your name."
    />
  );
}

interface MistakesProps extends Pick<Filled, 'problems'> {
  readonly id?: string | undefined;
  /** The label of an answer's single field. Default: the words of its path. */
  readonly label?: string | undefined;
}

/** Lists all problems at the top of the form, because a long form does not fit the screen. */
export function Mistakes({ problems, id, label }: MistakesProps) {
  if (problems.length === 0) return null;
  const problemLine = (problem: Filled['problems'][number]) => lineOf(problem, label);
  return (
    <Problem isFocused>
      <p>
        <strong>Nothing was sent.</strong> What you typed is still here.
      </p>
      <ul>
        {[...new Map(problems.map((each) => [problemLine(each), each.field]))].map(([line, field]) => (
          <li key={line}>
            {id === undefined || field === '' || field === 'reason' ? (
              line
            ) : (
              <a href={`#${id}-${field}${OTHER_ROW.test(field) ? '-name' : ''}`}>{line}</a>
            )}
          </li>
        ))}
      </ul>
    </Problem>
  );
}

const lineOf = ({ field, message }: Filled['problems'][number], own: string | undefined) => {
  const [, index] = OTHER_ROW.exec(field) ?? [];
  const isOwn = field !== '' && field !== 'reason' && index === undefined && own !== undefined;
  const label = index === undefined ? field && pathLabel(field) : `Name of field ${Number(index) + 1}`;
  return problemText({ field: isOwn ? own : label, message });
};

/** Matches a correction's row for an unlisted field. */
const OTHER_ROW = /^other\.(\d+)$/;

/** Returns a form's values for hidden fields, because nothing is stored between its pages. Leaves out unchanged values. */
export function hiddenFields(fields: Fields): Record<string, string> {
  const entered = enteredIn(fields);
  const isCarried = (name: string) =>
    name === LIST ||
    (name.startsWith(nameOfValue('')) ? entered(name.slice(4)) !== undefined : fields.text(name) !== '');
  const names = fields.names.filter((name) => name !== 'csrf' && name !== 'step' && isCarried(name));
  return Object.fromEntries(names.map((name) => [name, fields.text(name)]));
}
