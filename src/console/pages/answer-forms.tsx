import type { ComponentChildren } from 'preact';
import type { AnswerKind, Requirement } from '../../messages/requirements.js';
import { NEED_REASON } from '../../operators/answers.js';
import type { Change } from '../../operators/corrections.js';
import { MAX_ATTACHMENT_BYTES } from '../../partners/boarding/schemas.js';
import { REDACTED } from '../../privacy/masked.js';
import { MOST_REASON, MOST_TEXT, type Problems, roleFor } from '../answer.js';
import { type FormField, nameOfRemoval, nameOfValue, OTHER_FIELDS } from '../correction-fields.js';
import { ACCEPTED_NAMES, MOST_BYTES, MOST_FILES } from '../document-types.js';
import { type Fields, pathOf } from '../query.js';
import { hasRole, type Visitor } from '../visitor.js';
import { fieldLabel } from './input-fields.js';
import { Csrf } from './parts.js';

/** The forms that answer a requirement, one for each kind of answer that it allows. */

/** A form after a mistake: what was typed, and what is wrong with it. */
export interface Filled {
  readonly kind: AnswerKind;
  readonly fields: Fields;
  readonly problems: Problems;
}

export interface Answering {
  /** The workflow that takes the answer. */
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly visitor: Visitor;
  readonly csrf: string;
  /** The page to return to: of this workflow, or of the customer that it is a part of. */
  readonly page: string;
  readonly filled?: Filled | undefined;
  /** Of a correction. Without them, a link leads to the page that has them. */
  readonly correctable?: readonly FormField[] | undefined;
  /** Whether the first form is open. Default: true. */
  readonly isOpen?: boolean;
  /** An answer waits for a second person before it is sent. */
  readonly isProposed: boolean;
}

/** What an answer does, in the words of its button. */
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
  waiting: 'I know: go on waiting',
};

/** The first allowed answer is open, the others are one click away. After a mistake, the one with the mistake is open. */
export function AnswerForms(props: Answering) {
  const { requirement, filled, isOpen = true } = props;
  const kinds = requirement.answers;
  const first = filled && kinds.includes(filled.kind) ? filled.kind : kinds[0];
  return (
    <div class="answers">
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
        {who} You are {visitor.role}.
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
      class="answer-form"
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
  if (kind === 'correction' || kind === 'adopt' || kind === 'choice' || kind === 'abandon')
    return 'Check, then confirm';
  if (kind === 'retry' && requirement.kind === 'uncertain-write') return 'Check, then confirm';
  if (isProposed) return 'Propose this answer';
  return {
    text: 'Send the answer',
    documents: 'Upload and send',
    code: 'Send the code',
    retry: 'Do it',
    'take-back': 'Take it back',
  }[kind];
}

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
          own={own}
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
        <Field id={`${id}-code`} name="code" label="One-time code" own={own} advice="6 digits">
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
          own={own}
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
          own={own}
          advice="It applies to all onboardings."
        >
          {(attributes) => (
            <select {...attributes} required>
              {requirement.choices?.map((choice) => (
                <option key={choice} value={choice} selected={own?.fields.text('choice') === choice}>
                  {choice}
                </option>
              ))}
            </select>
          )}
        </Field>
      );
    case 'documents':
      return <Documents id={id} own={own} />;
    case 'correction':
      return <Correction {...props} />;
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
      <Field id={`${id}-documents`} name="documents" label="Documents" own={own} advice={advice}>
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
      own={own}
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

interface FieldAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid'?: 'true';
}

interface FieldProps {
  readonly id: string;
  readonly name: string;
  /** The name in the problems, if it is another one. */
  readonly about?: string;
  readonly label: ComponentChildren;
  readonly advice: ComponentChildren;
  readonly own: Filled | undefined;
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}

/** A field with its label, its rule, and what is wrong with it. */
function Field({ id, name, about = name, label, advice, own, children }: FieldProps) {
  const wrong = own?.problems.filter(({ field }) => field === about) ?? [];
  const attributes: FieldAttributes = {
    ...{ id, name, 'aria-describedby': wrong.length > 0 ? `${id}-wrong ${id}-advice` : `${id}-advice` },
    ...(wrong.length > 0 && { 'aria-invalid': 'true' as const }),
  };
  return (
    <div class={wrong.length > 0 ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {children(attributes)}
      {wrong.length > 0 && (
        <p class="wrong-text" id={`${id}-wrong`}>
          {[...new Set(wrong.map(({ message }) => message))].join('; ')}
        </p>
      )}
      <p class="advice" id={`${id}-advice`}>
        {advice}
      </p>
    </div>
  );
}

/** What is wrong, at the top of the form: all of it, because a long form shows only a part of itself. */
function Summary({ own }: { readonly own: Filled | undefined }) {
  if (!own || own.problems.length === 0) return null;
  const lines = [
    ...new Set(own.problems.map(({ field, message }) => (field ? `${field}: ${message}` : message))),
  ];
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

function Correction({ requirement, correctable = [], own }: ContentProps) {
  const named = correctable.filter(({ isNamed }) => isNamed);
  const others = correctable.filter(({ isNamed }) => !isNamed);
  const isWrong = (field: FormField) => own?.problems.some((problem) => problem.field === field.name);
  const isFilled = ({ name }: FormField) =>
    own !== undefined &&
    (own.fields.text(nameOfValue(name)) !== '' || own.fields.text(nameOfRemoval(name)) !== '');
  const show = (field: FormField) => (
    <CorrectionField key={field.name} id={requirement.id} field={field} own={own} />
  );
  const groups = [...new Set(others.map(groupOf))];
  return (
    <>
      {named.length > 0 ? (
        <fieldset>
          <legend>What the partner named</legend>
          {named.map(show)}
        </fieldset>
      ) : (
        <p class="advice">
          The partner named no field. Read its text above, and correct the fields that it is about.
        </p>
      )}
      {groups.map((group) => {
        const fields = others.filter((field) => groupOf(field) === group);
        return (
          <details key={group} class="group" open={fields.some((field) => isWrong(field) || isFilled(field))}>
            <summary>
              {titleOf(group)} <small>{fields.length === 1 ? '1 field' : `${fields.length} fields`}</small>
            </summary>
            <div class="grid">{fields.map(show)}</div>
          </details>
        );
      })}
      <OtherFields id={requirement.id} own={own} />
      <p class="advice">An empty field stays as it is.</p>
    </>
  );
}

/** `beneficialOwners.1.city` belongs to the second owner, `holder.city` to the holder. */
function groupOf({ name }: Pick<FormField, 'name'>): string {
  return /^(.*?\.\d+)\./.exec(name)?.[1] ?? name.split('.').slice(0, -1).slice(0, 2).join('.');
}

function titleOf(group: string): string {
  if (group === '') return 'Others';
  const [, list, index] = /^(.*)\.(\d+)$/.exec(group) ?? [];
  return list === undefined ? fieldLabel(group) : `${fieldLabel(list)}: number ${Number(index) + 1}`;
}

function CorrectionField({
  id,
  field,
  own,
}: {
  readonly id: string;
  readonly field: FormField;
  readonly own: Filled | undefined;
}) {
  const { name, entry, now, rule, values, isRequired } = field;
  const typed = own?.fields.text(nameOfValue(name)) ?? '';
  const label = (
    <>
      {fieldLabel(name)} <code>{name}</code>
    </>
  );
  const advice = (
    <>
      <span class="now">
        {now === undefined ? 'Now empty' : now === 'hidden' ? 'Now hidden' : `Now ${now}`}
      </span>
      {rule !== '' && !(values && rule.startsWith('one of')) && <>. {sentence(rule)}</>}
      {entry === 'json' && '. As JSON'}
    </>
  );
  const key = `${id}-${name}`;
  return (
    <div class="correction">
      <Field id={key} name={nameOfValue(name)} about={name} label={label} advice={advice} own={own}>
        {(attributes) =>
          entry === 'choice' ? (
            <select {...attributes}>
              <option value="">as it is</option>
              {values?.map((value) => (
                <option key={value} value={value} selected={value === typed}>
                  {value}
                </option>
              ))}
            </select>
          ) : entry === 'json' ? (
            <textarea {...attributes} rows={2} spellcheck={false}>
              {typed}
            </textarea>
          ) : (
            <input
              {...attributes}
              type="text"
              autoComplete="off"
              {...(entry === 'digits' && { inputMode: 'numeric' as const })}
              value={typed}
            />
          )
        }
      </Field>
      {now !== undefined && !isRequired && (
        <label class="remove">
          <input
            type="checkbox"
            name={nameOfRemoval(name)}
            value="yes"
            checked={own?.fields.text(nameOfRemoval(name)) === 'yes'}
          />{' '}
          Remove {fieldLabel(name).toLowerCase()}
        </label>
      )}
    </div>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Applications take fields that no schema names. */
function OtherFields({ id, own }: { readonly id: string; readonly own: Filled | undefined }) {
  const rows = Array.from({ length: OTHER_FIELDS }, (_, index) => `other.${index}`);
  const isOpen = rows.some((row) => own?.fields.text(`${row}.name`) || own?.fields.text(`${row}.value`));
  return (
    <details class="group" open={isOpen}>
      <summary>A field that is not listed</summary>
      <p class="advice">
        An application takes any field, such as <code>application.volume</code>.
      </p>
      {rows.map((row, index) => {
        const wrong = own?.problems.find(({ field }) => field === row);
        return (
          <div class="pair" key={row}>
            <label>
              <span>Name of field {index + 1}</span>
              <input
                type="text"
                name={`${row}.name`}
                autoComplete="off"
                value={own?.fields.text(`${row}.name`)}
              />
            </label>
            <label>
              <span>Value of field {index + 1}</span>
              <input
                type="text"
                name={`${row}.value`}
                autoComplete="off"
                value={own?.fields.text(`${row}.value`)}
              />
            </label>
            {wrong && (
              <p class="wrong-text" id={`${id}-${row}`}>
                {wrong.message}
              </p>
            )}
          </div>
        );
      })}
    </details>
  );
}

/** What a correction changes, before it is sent. Private values stay hidden. */
export function Changes({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <table class="rows changes">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Now</th>
          <th scope="col">Then</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after, remark }) => (
          <tr key={field}>
            <td data-label="Field">
              {fieldLabel(field)} <small>{field}</small>
            </td>
            <td data-label="Now">{valueText(before, 'empty')}</td>
            <td data-label="Then">
              <strong>{valueText(after, 'removed')}</strong>
              {remark !== '' && <small>{remark}</small>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function valueText(value: unknown, none: string): string {
  if (value === undefined) return none;
  if (value === REDACTED) return 'hidden';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a form carried, as hidden fields: in between, nothing is stored. */
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
