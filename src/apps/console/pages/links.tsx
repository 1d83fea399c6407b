import { LINK_LANGUAGES, LONGEST_LINK_DAYS } from '../../../messages/codes.js';
import { isMerchant } from '../../../messages/links.js';
import type { Requirement } from '../../../messages/requirements.js';
import { BadSetting } from '../../../platform/settings/settings.js';
import {
  askThroughLink,
  merchantQuestion,
  type NewLink,
  readTemplates,
  sendReturn,
  sendRevocation,
  type Template,
  templatesFor,
} from '../../../services/links/asking.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import { openOnboarding } from '../onboarding-view.js';
import { type Fields, pathOf } from '../query.js';
import {
  hasRole,
  PageError,
  Redirect,
  type RequestContext,
  type RouteResponse,
  useRequest,
} from '../route.js';
import { refresh } from './handling.js';
import { Field, Form, fieldLabel, Id, Person, Trail, When } from './parts.js';

/** The merchant is asked through a link. What the merchant sends is a proposal, which somebody here confirms or sends back. */

interface PanelProps {
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly templates: readonly Template[];
  /** Names of fields that a correction can change. */
  readonly fields: readonly string[];
}

const STATES = {
  open: 'has not answered yet',
  received: 'has answered',
  'sent-back': 'was asked to answer again',
  closed: 'can no longer answer',
  locked: 'entered a wrong code too often',
} as const;

/** The question to the merchant: whether one is open, and the form that asks. */
export function MerchantPanel(props: PanelProps) {
  const { workflowId, requirement } = props;
  const { settings, user } = useRequest();
  const { link, id } = requirement;
  const asksFor = (['text', 'documents', 'correction'] as const).filter((kind) =>
    requirement.answers.includes(kind),
  );
  if (settings.linkUrl === undefined || asksFor.length === 0 || !hasRole(user, 'operator')) return null;
  const path = pathOf(workflowId, 'requirements', id, 'link');
  return (
    <details class="answer" open={link !== undefined}>
      <summary>Ask the merchant</summary>
      {link && (
        <Form action={path} class="actions">
          <p>
            The merchant {STATES[link.state]}. <Person actor={link.actor} /> asked through {link.link}, until{' '}
            <When time={link.until} isExact />.
          </p>
          <button type="submit" name="do" value="revoke" class="secondary">
            End the link
          </button>
        </Form>
      )}
      {requirement.proposal ? <SendBack {...props} /> : <AskForm {...props} path={path} asksFor={asksFor} />}
    </details>
  );
}

const WANTS = { text: 'A text', documents: 'Documents', correction: 'Fields of the input' } as const;

function AskForm({
  requirement,
  templates,
  fields,
  path,
  asksFor,
}: PanelProps & { readonly path: string; readonly asksFor: readonly (keyof typeof WANTS)[] }) {
  const { id } = requirement;
  const { fields: query } = useRequest();
  const chosen = templates.find(({ name }) => name === query.text('template')) ?? templates[0];
  const wants = chosen?.wants;
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
      <Form action={path} id={`ask-${id}`} data-keep="">
        <Field
          {...{ id: `${id}-ask`, name: 'text', label: 'What the merchant reads' }}
          {...{ required: true, rows: 4, maxLength: 2_000 }}
          value={chosen?.text ?? requirement.detail}
          advice="Nothing else of this page is shown to the merchant."
        />
        <Field
          {...{ id: `${id}-wants`, name: 'wants', label: 'What you need' }}
          choices={asksFor.map((kind) => [kind, WANTS[kind]])}
          value={wants && (wants.kind === 'fields' ? 'correction' : wants.kind)}
        />
        <Field
          {...{ id: `${id}-names`, name: 'names', label: 'Names, with commas' }}
          value={
            wants?.kind === 'documents'
              ? wants.names.join(', ')
              : (wants?.kind === 'fields'
                  ? wants.fields.map(({ name }) => name)
                  : (requirement.fields ?? [])
                ).join(', ')
          }
          advice={`Documents: voided check, bank letter. Fields: ${fields.slice(0, 3).join(', ') || 'as the input has them'}. A text needs none.`}
        />
        <Field
          {...{ id: `${id}-language`, name: 'language', label: 'Language' }}
          choices={LINK_LANGUAGES.map((each) => [
            each,
            new Intl.DisplayNames('en', { type: 'language' }).of(each) ?? each,
          ])}
          value={chosen?.language ?? 'en'}
        />
        <Field
          {...{ id: `${id}-days`, name: 'days', label: 'Valid for days', inputMode: 'numeric', value: '7' }}
        />
        <Field
          {...{ id: `${id}-code`, name: 'code', type: 'checkbox' }}
          label="Needs a code, which you tell the merchant by phone"
        />
        <button type="submit" name="do" value="ask">
          Make a link
        </button>
      </Form>
    </>
  );
}

/** The templates for a requirement; none while their file cannot be used, because a person can ask without one. */
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

function SendBack({
  workflowId,
  requirement: { id, proposal },
}: Pick<PanelProps, 'workflowId' | 'requirement'>) {
  if (!proposal || !isMerchant(proposal.actor)) return null;
  return (
    <details>
      <summary>Send it back to the merchant</summary>
      <Form action={pathOf(workflowId, 'requirements', id, 'link')} hidden={{ proposedAt: proposal.at }}>
        <Field
          {...{ id: `${id}-missing`, name: 'text', label: 'What is missing' }}
          {...{ required: true, rows: 2, maxLength: 2_000 }}
          advice="The merchant reads this sentence."
        />
        <button type="submit" name="do" value="send-back" class="secondary">
          Send it back
        </button>
      </Form>
    </details>
  );
}

const ACTIONS = ['ask', 'revoke', 'send-back'] as const;

/** The forms of {@link MerchantPanel} and {@link SendBack}. */
export async function actOnMerchantLink(context: RequestContext): Promise<RouteResponse> {
  const { client, user, params, fields, audit, settings } = context;
  const { requirementId = '' } = params;
  const { workflowId } = await openOnboarding(context);
  const what = fields.oneOf('do', ACTIONS);
  const about = { requirementId, actor: user.actor };
  const back = pathOf(workflowId, 'requirements', requirementId);
  const done = (message: string): RouteResponse => {
    audit(user, { what: `${what} a merchant's link`, workflowId, requirementId });
    refresh(client, workflowId);
    return { to: back, message };
  };
  try {
    switch (what) {
      case 'ask': {
        const link = await askThroughLink(client, workflowId, about, questionIn(fields), settings);
        done('');
        return renderLink(workflowId, requirementId, link);
      }
      case 'revoke':
        await sendRevocation(client, workflowId, about);
        return done('The link has ended.');
      case 'send-back':
        await sendReturn(client, workflowId, {
          ...about,
          proposedAt: fields.text('proposedAt'),
          text: fields.text('text'),
        });
        return done('The merchant reads your sentence, and can answer again.');
      default:
        throw new PageError(400, 'This form is not from this console.');
    }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new Redirect({ to: back, message: error.report });
  }
}

/** @throws {InvalidInput} */
function questionIn(fields: Fields) {
  const names = fields
    .text('names')
    .split(',')
    .flatMap((name) => name.trim() || []);
  const kind = fields.text('wants');
  const wants =
    kind === 'correction'
      ? { kind: 'fields', fields: names.map((name) => ({ name, label: fieldLabel(name) })) }
      : { kind, ...(kind === 'documents' && { names }) };
  const input = {
    ...{
      text: fields.text('text'),
      wants,
      language: fields.text('language'),
      code: fields.text('code') === 'true',
    },
    days: Number(fields.text('days') || Number.NaN),
  };
  return check(merchantQuestion, input, 'The question', 'nobody was asked');
}

/** The only page that shows the address of a link. */
function renderLink(
  workflowId: string,
  requirementId: string,
  { link, url, code, until }: NewLink,
): RouteResponse {
  const page = (
    <>
      <Trail to={pathOf(workflowId)} name={workflowId} />
      <h1>Send this link to the merchant</h1>
      <p>
        <Id id={url} canCopy />
      </p>
      {code && (
        <p>
          Code: <Id id={code} canCopy />. Tell it to the merchant by phone, never with the link.
        </p>
      )}
      <p class="advice">
        Nobody can show {link} again. It ends <When time={until} isExact />, at most {LONGEST_LINK_DAYS} days
        from now. You can make another one, which replaces it.
      </p>
      <p>
        <a href={pathOf(workflowId, 'requirements', requirementId)}>Back to the question</a>
      </p>
    </>
  );
  return { title: 'Link for the merchant', page };
}
