import type { AnswerKind, Requirement } from '../../messages/requirements.js';
import { NEED_REASON } from '../../operators/answering.js';
import { MAX_ATTACHMENT_BYTES } from '../../partners/boarding/schemas.js';
import { problemText } from '../../partners/bounds.js';
import { STATUS_MEANINGS, type StatusMeaning } from '../../partners/phases.js';
import { type Filled, isPreviewed, MOST_REASON, MOST_TEXT, roleFor, wrongIn } from '../answer.js';
import type { FormField } from '../correction-fields.js';
import { ACCEPTED_NAMES, MOST_BYTES, MOST_FILES } from '../document-types.js';
import { type Fields, pathOf } from '../query.js';
import { hasRole, type Visitor } from '../visitor.js';
import { Correction } from './correction-form.js';
import { Field } from './field.js';
import { Csrf } from './parts.js';

/** The forms that answer a requirement, one for each kind of answer that it allows. */

export interface Answering {
  /** The workflow that takes the answer. */
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly visitor: Visitor;
  readonly csrf: string;
  /** The page to return to: of this workflow, or of the customer that it is a part of. */
  readonly page: string;
  readonly filled?: Filled | undefined;
  /** The fields of a correction. Without them, a link leads to the page that has them. */
  readonly correctable?: readonly FormField[] | undefined;
  /** True if the first form is open. Default: true. */
  readonly isOpen?: boolean;
  /** An answer waits for a second person before it is sent. */
  readonly isProposed: boolean;
}

/** Returns the effect of an answer, as the label of its button. */
export function labelOf({ kind }: Pick<Requirement, 'kind'>, answer: AnswerKind): string {
  switch (answer) {
    case 'text':
      return 'Answer with text';
    case 'documents':
      return 'Upload documents';
    case 'correction':
      return 'Correct the input';
    case 'adopt':
      return kind === 'uncertain-write' ? 'It took effect: adopt it' : 'Enter the right ID';
    case 'code':
      return 'Enter the code';
    case 'choice':
      return 'Choose what it means';
    case 'take-back':
      return 'Take the answer back';
    case 'abandon':
      return 'Give up';
    case 'retry':
      return RETRIES[kind] ?? 'Try again';
  }
}

const RETRIES: Readonly<Partial<Record<Requirement['kind'], string>>> = {
  'uncertain-write': 'It did not take effect: send it again',
  'request-changes': 'Submit it unchanged',
  'not-submitted': 'Submit it as it is',
  'rejected-input': 'Send it again unchanged',
  ticket: 'It was dealt with elsewhere',
  waiting: 'I know: keep waiting',
};

/** The first allowed answer is open, the others are one click away. After a mistake, the one with the mistake is open. */
export function AnswerForms(props: Answering) {
  const { requirement, filled, isOpen = true } = props;
  const kinds = requirement.answers;
  const first = filled && kinds.includes(filled.kind) ? filled.kind : kinds[0];
  return (
    <div>
      {kinds.map((kind) => (
        <details key={kind} class="answer" name={`answers-${requirement.id}`} open={isOpen && kind === first}>
          <summary>{labelOf(requirement, kind)}</summary>
          <OneForm {...props} kind={kind} />
        </details>
      ))}
    </div>
  );
}

function OneForm(props: Answering & { readonly kind: AnswerKind }) {
  const { workflowId, requirement, visitor, kind, filled, correctable } = props;
  const role = roleFor(requirement, kind);
  if (!hasRole(visitor, role)) {
    const who = role === 'approver' ? 'An approver decides this.' : 'An operator answers this.';
    return (
      <p class="advice">
        {who} Your role is {visitor.role}.
      </p>
    );
  }
  const path = pathOf(workflowId, 'requirements', requirement.id);
  if (kind === 'correction' && !correctable) {
    return (
      <p>
        <a class="button" href={path}>
          Open the form with all fields
        </a>
      </p>
    );
  }
  const isDocuments = kind === 'documents';
  const own = filled?.kind === kind ? filled : undefined;
  return (
    <form
      method="post"
      action={isDocuments ? `${path}/documents` : path}
      {...(isDocuments && {
        enctype: 'multipart/form-data',
        'data-upload': '',
        'data-file-bytes': MAX_ATTACHMENT_BYTES,
        'data-total-bytes': MOST_BYTES,
        'data-files': MOST_FILES,
      })}
      data-keep=""
      id={`form-${requirement.id}-${kind}`}
    >
      <Csrf csrf={props.csrf} />
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="page" value={props.page} />
      <Summary own={own} />
      <Content {...props} own={own} />
      <Reason {...props} own={own} />
      <p class="actions">
        <button type="submit" class={kind === 'abandon' ? 'danger' : 'primary'}>
          {buttonOf(props, kind)}
        </button>
      </p>
    </form>
  );
}

function buttonOf({ isProposed, requirement }: Answering, kind: AnswerKind): string {
  if (isPreviewed(requirement, kind)) return 'Check, then confirm';
  return isProposed ? 'Propose this answer' : (BUTTONS[kind] ?? 'Send the answer');
}

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

function Content(props: ContentProps) {
  const { kind, requirement, own } = props;
  const { id } = requirement;
  switch (kind) {
    case 'text':
      return (
        <Field
          id={`${id}-text`}
          name="text"
          label="Answer"
          problems={wrongIn(own, 'text')}
          advice={`At most ${MOST_TEXT} characters. The partner reads it.`}
        >
          {(attributes) => (
            <textarea {...attributes} rows={5} maxLength={MOST_TEXT} required data-count="">
              {own?.fields.text('text')}
            </textarea>
          )}
        </Field>
      );
    case 'code':
      return (
        <Field
          id={`${id}-code`}
          name="code"
          label="One-time code"
          problems={wrongIn(own, 'code')}
          advice="6 digits"
        >
          {(attributes) => (
            <input
              {...attributes}
              type="text"
              inputMode="numeric"
              autoComplete="one-time-code"
              class="short"
              maxLength={12}
              required
              value={own?.fields.text('code')}
            />
          )}
        </Field>
      );
    case 'adopt':
      return (
        <Field
          id={`${id}-id`}
          name="id"
          label="ID at the partner"
          problems={wrongIn(own, 'id')}
          advice={
            requirement.idFormat === 'text'
              ? 'As the partner’s portal shows it'
              : 'Digits, as the partner’s portal shows it'
          }
        >
          {(attributes) => (
            <input
              {...attributes}
              type="text"
              {...(requirement.idFormat !== 'text' && { inputMode: 'numeric' as const })}
              autoComplete="off"
              class="short"
              maxLength={64}
              required
              value={own?.fields.text('id')}
            />
          )}
        </Field>
      );
    case 'choice':
      return (
        <Field
          id={`${id}-choice`}
          name="choice"
          label="Meaning"
          problems={wrongIn(own, 'choice')}
          advice="It applies to all onboardings of the account, now and later."
        >
          {(attributes) => (
            <select {...attributes} required>
              <option value="">choose one</option>
              {requirement.choices?.map((choice) => (
                <option key={choice} value={choice} selected={own?.fields.text('choice') === choice}>
                  {choice in STATUS_MEANINGS
                    ? `${choice}: ${STATUS_MEANINGS[choice as StatusMeaning]}`
                    : choice}
                </option>
              ))}
            </select>
          )}
        </Field>
      );
    case 'documents':
      return <Documents id={id} own={own} />;
    case 'correction':
      return <Correction id={id} correctable={props.correctable ?? []} own={own} />;
    case 'abandon':
      return (
        <p class="advice">
          The onboarding ends. What exists at the partner stays there. This cannot be undone.
        </p>
      );
    case 'retry':
    case 'take-back':
      return null;
  }
}

function Documents({ id, own }: { readonly id: string; readonly own: Filled | undefined }) {
  const mebibytes = MAX_ATTACHMENT_BYTES / 1024 / 1024;
  const advice = `PDF, PNG, JPEG, TIFF, text or CSV. At most ${MOST_FILES} files of ${mebibytes} MiB each.`;
  return (
    <div class="drop" data-drop="">
      <Field
        id={`${id}-documents`}
        name="documents"
        label="Documents"
        problems={wrongIn(own, 'documents')}
        advice={advice}
      >
        {(attributes) => (
          <input {...attributes} type="file" multiple required accept={ACCEPTED_NAMES.join(',')} />
        )}
      </Field>
      <ul class="files" data-files-chosen="" aria-live="polite" />
      <progress data-progress="" max={100} value={0} hidden aria-label="Upload" />
    </div>
  );
}

function Reason({ requirement, kind, own }: ContentProps) {
  const isNeeded = NEED_REASON.includes(kind);
  const label = kind === 'abandon' ? 'Comment' : isNeeded ? 'Reason' : 'Reason (optional)';
  return (
    <Field
      id={`${requirement.id}-${kind}-reason`}
      name="reason"
      label={label}
      problems={wrongIn(own, 'reason')}
      advice="The timeline keeps it with your name."
    >
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          maxLength={MOST_REASON}
          autoComplete="off"
          required={isNeeded}
          value={own?.fields.text('reason')}
        />
      )}
    </Field>
  );
}

/** All problems, at the top of the form, because a long form shows only a part of itself. */
function Summary({ own }: { readonly own: Filled | undefined }) {
  if (!own || own.problems.length === 0) return null;
  const lines = [...new Set(own.problems.map(problemText))];
  return (
    <div class="problem" role="alert" tabIndex={-1} data-focus="">
      <p>
        <strong>Nothing was sent.</strong> What you typed is still here.
      </p>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

/** The values of a form as hidden fields: nothing is stored between its pages. */
export function Carried({ fields }: { readonly fields: Fields }) {
  const names = fields.names.filter((name) => name !== 'csrf' && name !== 'step' && fields.text(name) !== '');
  return (
    <>
      {names.map((name) => (
        <input key={name} type="hidden" name={name} value={fields.text(name)} />
      ))}
    </>
  );
}
