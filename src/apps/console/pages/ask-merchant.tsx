import { randomUUID } from 'node:crypto';
import { isSamePerson } from '../../../messages/actors.js';
import { DEFAULT_LINK_DAYS, LINK_LANGUAGES } from '../../../messages/codes.js';
import { isMerchant } from '../../../messages/links.js';
import type { OnboardingState } from '../../../messages/onboarding-state.js';
import { needsConfirmation, type Requirement } from '../../../messages/requirements.js';
import { BadSetting } from '../../../platform/settings/settings.js';
import {
  needsNoApprover,
  readTemplates,
  type Template,
  templatesFor,
  whatMerchantDid,
} from '../../../services/links/create-link.js';
import { saidOf } from '../../../services/texts/timeline-entries.js';
import { type Filled, wrongIn } from '../answer.js';
import type { CorrectionField } from '../correction-fields.js';
import { pathOf } from '../query.js';
import { hasRole, type RequestContext, useRequest } from '../route.js';
import { Mistakes } from './answer-forms.js';
import { listIn, ProposedContent, type ProposedShown } from './handling.js';
import { pathLabel, withLabels } from './input-fields.js';
import { Field, Form, Person, summarize, When } from './parts.js';

/** Asking the merchant about a requirement: the form that makes a link, the link's state, and the merchant's answer to confirm. */

interface MerchantProps {
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly state: OnboardingState | undefined;
  readonly proposed: ProposedShown | undefined;
}

/** Shows the link and the merchant's answer, from one read of the state. */
export function MerchantStatus(props: MerchantProps) {
  const { workflowId, requirement } = props;
  const { settings, user } = useRequest();
  const { link, id, proposal } = requirement;
  return (
    <>
      {proposal && isMerchant(proposal.actor) && <MerchantAnswer {...props} />}
      {link && (
        <Form action={pathOf(workflowId, 'requirements', id, 'link')} class="actions" id={`form-${id}-link`}>
          <p>
            The merchant {whatMerchantDid(link)}. <Person actor={link.actor} /> asked through a link, until{' '}
            <When time={link.until} isExact />.
          </p>
          {settings.linkUrl !== undefined && hasRole(user, 'operator') && (
            <button type="submit" name="do" value="revoke" class="secondary">
              End the link
            </button>
          )}
        </Form>
      )}
    </>
  );
}

/** Returns the text of a requirement's last timeline entry with this event. */
function lastSaid(
  state: OnboardingState | undefined,
  event: 'merchant-asked' | 'answer-sent-back',
  id: string,
) {
  const entry = state?.timeline.findLast(
    (each) => each.event === event && each.detail?.startsWith(`${id}: `),
  );
  return entry && saidOf(entry).replace(/^L-\w+ until [\d-]+ [\d:]+ UTC: /, '');
}

/** The reason that the workflow records for an answer without a remark. */
const NO_REMARK = 'answered through the link';

function MerchantAnswer({ workflowId, requirement, state, proposed }: MerchantProps) {
  const context = useRequest();
  const { user } = context;
  const { id, proposal, link } = requirement;
  if (!proposal) return null;
  const question = lastSaid(state, 'merchant-asked', id);
  const wrote = lastSaid(state, 'answer-sent-back', id);
  // The person who asked has the link, and so could have answered in place of the merchant.
  const isAsker =
    link !== undefined &&
    isSamePerson(link.actor, user.actor) &&
    needsConfirmation(requirement, proposed?.answer.kind);
  const mayConfirm =
    !isAsker &&
    (hasRole(user, 'approver') ||
      needsNoApprover(requirement, proposed && { ...proposed, actor: proposal.actor }));
  const path = pathOf(workflowId, 'requirements', id, 'proposal');
  const hidden = { proposedAt: proposal.at, ...listIn(context) };
  return (
    <section class="proposal" aria-label="The merchant’s answer">
      <h2>The merchant’s answer</h2>
      {question && <p>You asked: {question}</p>}
      {wrote && <p>You sent an answer back: {wrote}</p>}
      {proposed ? <ProposedContent {...{ workflowId, proposed }} /> : <p>{summarize(proposal.answer)}</p>}
      {proposal.reason !== NO_REMARK && (
        <p class="notes calm">
          The merchant writes to you, and the partner does not get it: {proposal.reason}
        </p>
      )}
      <p class="advice">
        Received <When time={proposal.at} isExact />.
        {!mayConfirm &&
          (isAsker
            ? ' You asked the merchant, so another approver confirms it.'
            : ' An approver confirms it.')}
      </p>
      {mayConfirm && (
        <Form action={path} class="actions" id={`form-${id}-confirm`} hidden={hidden}>
          <button type="submit" name="do" value="confirm">
            Confirm and send
          </button>
        </Form>
      )}
      {hasRole(user, 'operator') && (
        <>
          <SendBack {...{ workflowId, requirement }} />
          <details>
            <summary>Discard the merchant’s answer</summary>
            <Form action={path} id={`form-${id}-discard`} hidden={hidden}>
              <p class="advice">
                The partner never gets this answer. While the link is open, its page asks the merchant to
                answer again.
              </p>
              <button type="submit" name="do" value="withdraw" class="danger">
                Discard the answer
              </button>
            </Form>
          </details>
        </>
      )}
    </section>
  );
}

function SendBack({
  workflowId,
  requirement: { id, proposal, link },
}: Pick<MerchantProps, 'workflowId' | 'requirement'>) {
  if (!proposal) return null;
  if (link?.state !== 'received' || Date.parse(link.until) <= Date.now())
    return <p class="advice">The link has ended, so you cannot send it back. Discard it, then ask again.</p>;
  return (
    <Form
      action={pathOf(workflowId, 'requirements', id, 'link')}
      id={`form-${id}-back`}
      hidden={{ proposedAt: proposal.at }}
    >
      <Field
        {...{ id: `${id}-missing`, name: 'text', label: 'Or say what is missing' }}
        {...{ required: true, rows: 2, maxLength: 2_000 }}
        advice="The merchant reads this sentence, and can answer again."
      />
      <button type="submit" name="do" value="send-back" class="secondary">
        Send it back
      </button>
    </Form>
  );
}

export interface AskProps {
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly templates: readonly Template[];
  /** The fields that a correction can change. */
  readonly fields: readonly CorrectionField[];
  /** A question that was refused. */
  readonly asked?: Pick<Filled, 'fields' | 'problems'> | undefined;
}

const WANTS = { text: 'A text', documents: 'Documents', correction: 'Fields of the input' } as const;

/** The prefix of a checkbox's name: `field.holder.website`. */
export const ASKED_FIELD = 'field.';

/** The form that asks the merchant. Opening it closes the answer forms, which are in the same group. */
export function AskMerchant(props: AskProps & { readonly isOpen: boolean }) {
  const { requirement, isOpen } = props;
  const { settings, user } = useRequest();
  const { link, id, proposal } = requirement;
  const kinds = (['text', 'documents', 'correction'] as const).filter((kind) =>
    requirement.answers.includes(kind),
  );
  if (settings.linkUrl === undefined || kinds.length === 0 || proposal || !hasRole(user, 'operator'))
    return null;
  return (
    <details class="answer" name={`answers-${id}`} open={isOpen}>
      <summary>{link ? 'Ask the merchant through another link' : 'Ask the merchant'}</summary>
      <AskForm {...props} kinds={kinds} />
    </details>
  );
}

function AskForm({
  workflowId,
  requirement,
  templates,
  fields,
  asked: refusal,
  kinds,
}: AskProps & { readonly kinds: readonly (keyof typeof WANTS)[] }) {
  const { fields: query, times } = useRequest();
  const { id, link, dueAt } = requirement;
  const chosen = templates.find(({ name }) => name === query.text('template')) ?? templates[0];
  const wants = chosen?.wants;
  const field = (name: string, value: string) => ({
    id: `${id}-ask-${name}`,
    name,
    value: refusal ? refusal.fields.text(name) : value,
    problems: wrongIn(refusal, name),
  });
  const isNamed = (name: string) =>
    refusal
      ? refusal.fields.names.includes(`${ASKED_FIELD}${name}`)
      : wants?.kind === 'fields'
        ? wants.fields.some((each) => each.name === name)
        : (requirement.fields ?? []).includes(name);
  // The merchant enters text, so lists and JSON fields cannot be asked for.
  const askable = fields.filter(({ name, kind }) => kind !== 'json' && !/\.\d/.test(name));
  const boxes = (named: boolean) =>
    askable
      .filter(({ name }) => isNamed(name) === named)
      .map(({ name }) => (
        <Field
          {...{ id: `${id}-ask-${name}`, name: `${ASKED_FIELD}${name}`, type: 'checkbox' }}
          {...{ label: pathLabel(name), value: String(named) }}
        />
      ));
  return (
    <>
      {templates.length > 1 && (
        <p class="advice">
          Templates:{' '}
          {templates.map(({ name }) => (
            <a href={`?template=${encodeURIComponent(name)}#ask-${id}`}>{name} </a>
          ))}
        </p>
      )}
      <Form
        action={pathOf(workflowId, 'requirements', id, 'link')}
        id={`ask-${id}`}
        isTyped={refusal !== undefined}
        hidden={{ once: randomUUID() }}
      >
        {refusal && <Mistakes problems={refusal.problems} />}
        {link && (
          <p class="advice">
            There is a link until <When time={link.until} isExact />. A new link ends it.
          </p>
        )}
        <Field
          {...field('text', chosen?.text ?? withLabels(requirement, requirement.detail))}
          {...{ label: 'What the merchant reads', required: true, rows: 4, maxLength: 2_000 }}
          advice="Nothing else of this page is shown to the merchant."
        />
        <Field
          {...field(
            'wants',
            wants ? (wants.kind === 'fields' ? 'correction' : wants.kind) : kindFor(requirement),
          )}
          label="What you need"
          choices={kinds.map((kind) => [kind, WANTS[kind]])}
        />
        {kinds.includes('documents') && (
          <div class="for-documents">
            <Field
              {...field('names', wants?.kind === 'documents' ? wants.names.join(', ') : namesIn(requirement))}
              label="Names of the documents"
              {...{ isRequired: true, advice: 'Required. With commas: voided check, bank letter.' }}
            />
          </div>
        )}
        {kinds.includes('correction') && (
          <fieldset class="for-correction">
            <legend>Fields that the merchant fills in</legend>
            {boxes(true)}
            <details open={wrongIn(refusal, 'wants').length > 0}>
              <summary>{askable.some(({ name }) => isNamed(name)) ? 'Other fields' : 'All fields'}</summary>
              {boxes(false)}
            </details>
          </fieldset>
        )}
        <Field
          {...field('language', chosen?.language ?? 'en')}
          label="Language"
          choices={LINK_LANGUAGES.map((each) => [
            each,
            new Intl.DisplayNames('en', { type: 'language' }).of(each) ?? each,
          ])}
        />
        <Field
          {...field('days', daysUntil(dueAt))}
          {...{ label: 'Valid for days', inputMode: 'decimal' }}
          advice={`The merchant reads the end of the link as the deadline. The answer is due ${times.at(dueAt)}.`}
        />
        <Field
          {...{ ...field('code', ''), type: 'checkbox' }}
          label="Needs a code, which you tell the merchant by phone"
        />
        <button type="submit" name="do" value="ask">
          {link ? 'Make another link' : 'Make a link'}
        </button>
      </Form>
    </>
  );
}

/** Returns the days until a requirement is due, so that a link ends before. At most the default for links; 1 if it is overdue. */
function daysUntil(dueAt: string): string {
  const days = (Date.parse(dueAt) - Date.now()) / (24 * 3_600_000);
  const earlier = days < 1 ? Math.floor(days * 10) / 10 : Math.floor(days);
  return String(earlier > 0 ? Math.min(earlier, DEFAULT_LINK_DAYS) : 1);
}

/** Returns the document that a note asks for: `voided check` from `Please send a voided check.` */
function namesIn({ title, detail }: Requirement): string {
  const [, name = ''] = REQUESTED.exec(`${title} ${detail}`) ?? [];
  return name;
}

const REQUESTED =
  /\b(?:send|upload|attach|provide) (?:us )?(?:an? |the |your )?([^.,;:!?()\n]{3,60})(?=[.,;!?]|$)/im;

/** Guesses the kind of answer to ask the merchant for. */
function kindFor({ answers, fields = [], title, detail }: Requirement): string {
  if (fields.length > 0 && answers.includes('correction')) return 'correction';
  return /\b(?:send|upload|attach|documents?|checks?|statements?|letters?|cop(?:y|ies))\b/i.test(
    `${title} ${detail}`,
  )
    ? 'documents'
    : 'text';
}

/** Returns the templates for a requirement. Returns none if their file is invalid, because a person can ask without one. */
export function templatesOf(
  { settings, logger }: Pick<RequestContext, 'settings' | 'logger'>,
  requirement: Requirement,
) {
  try {
    return templatesFor(readTemplates(settings.linkTemplates), requirement);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    logger.error({ reason: error.message }, 'the templates cannot be used');
    return [];
  }
}
