import { LONGEST_LINK_DAYS } from '../../../messages/codes.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { truncate } from '../../../partners/text-limits.js';
import {
  askThroughLink,
  merchantQuestion,
  type NewLink,
  sendReturn,
  sendRevocation,
} from '../../../services/links/create-link.js';
import { displayName } from '../../../services/texts/display-names.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import { openOnboarding } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import { PageError, Redirect, type RequestContext, type RouteResponse } from '../route.js';
import { formProblems } from './answering.js';
import { ASKED_FIELD } from './ask-merchant.js';
import { refresh } from './handling.js';
import { pathLabel } from './input-fields.js';
import { Id, Trail, When } from './parts.js';
import { findRequirement, type RequirementContext, renderGone, renderRequirement } from './requirement.js';

/** Handles the forms about a merchant's link. */

const ACTIONS = ['ask', 'revoke', 'send-back'] as const;

export async function actOnMerchantLink(context: RequestContext): Promise<RouteResponse> {
  const { client, user, params, fields, audit } = context;
  const { requirementId = '' } = params;
  const { workflowId } = await openOnboarding(context);
  const what = fields.oneOf('do', ACTIONS);
  if (!what) throw new PageError(400, 'This form is not from this console.');
  if (what === 'ask') return ask(await findRequirement(context, true));
  const about = { requirementId, actor: user.actor };
  const to = pathOf(workflowId, 'requirements', requirementId);
  const text = fields.text('text');
  try {
    if (what === 'revoke') await sendRevocation(client, workflowId, about);
    else await sendReturn(client, workflowId, { ...about, proposedAt: fields.text('proposedAt'), text });
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const wrote = text && `\nYou wrote: ${truncate(text, 500)}`;
    throw new Redirect({ to, message: error.report + wrote });
  }
  audit(user, { what: `${what} a merchant's link`, workflowId, requirementId });
  refresh(client, workflowId);
  const done =
    what === 'revoke' ? 'The link has ended.' : 'Sent back. Tell the merchant to open the same link again.';
  return { to, message: done };
}

/** Asks the merchant. If the question is refused, shows it again as it was typed. */
async function ask(context: RequirementContext): Promise<RouteResponse> {
  const { client, user, fields, audit, settings, workflowId, requirementId, state, requirement } = context;
  if (state && !requirement) return renderGone(context, state, fields);
  try {
    const question = questionIn(context);
    // Reloading the page with the link repeats this request. The key prevents a second link, which would end the first.
    const once = { key: `console ${fields.text('once')} ${JSON.stringify(question)}`, body: question };
    const about = { requirementId, actor: user.actor };
    const link = await askThroughLink(client, workflowId, about, question, settings, once);
    if (link.url) audit(user, { what: "ask a merchant's link", workflowId, requirementId });
    refresh(client, workflowId);
    return renderLink(context, link);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return renderRequirement(context, { status: 422, asked: { fields, problems: formProblems(error) } });
  }
}

/** Reads the question in a form. @throws {InvalidInput} that names the form's fields */
function questionIn({ fields, times }: RequestContext) {
  const names = fields
    .text('names')
    .split(',')
    .flatMap((name) => name.trim() || []);
  const chosen = fields.names.flatMap((name) =>
    name.startsWith(ASKED_FIELD) ? name.slice(ASKED_FIELD.length) : [],
  );
  const kind = fields.text('wants');
  const days = Number(fields.text('days') || Number.NaN);
  const rules: readonly (readonly [isMet: boolean, field: string, message: string])[] = [
    [fields.text('text').trim() !== '', 'text', 'must not be empty'],
    [kind !== 'documents' || names.length > 0, 'names', 'name at least one document, such as voided check'],
    [kind !== 'correction' || chosen.length > 0, 'wants', 'choose at least one field below'],
    [days > 0 && days <= LONGEST_LINK_DAYS, 'days', `must be a number of days, at most ${LONGEST_LINK_DAYS}`],
  ];
  const problems = rules.flatMap(([isMet, field, message]): FieldProblem[] =>
    isMet ? [] : [{ field, message }],
  );
  if (problems.length > 0) throw new InvalidInput('The question is not complete.', problems);
  const wants =
    kind === 'correction'
      ? { kind: 'fields', fields: chosen.map((name) => ({ name, label: pathLabel(name) })) }
      : { kind, ...(kind === 'documents' && { names }) };
  const input = {
    text: fields.text('text'),
    wants,
    days,
    language: fields.text('language'),
    zone: times.zone,
    code: fields.text('code') === 'true',
  };
  try {
    return check(merchantQuestion, input, 'The question', 'nobody was asked');
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const inForm = (field: string) =>
      field.replace(/^wants\.names\b.*$/, 'names').replace(/^wants\b.*$/, 'wants');
    throw new InvalidInput(
      error.message,
      error.problems.map(({ field, message }) => ({ field: inForm(field), message })),
    );
  }
}

/** Renders the only page that shows a link's address. */
function renderLink(
  { workflowId, listed, path, requirement }: RequirementContext,
  { url, code, until }: NewLink,
): RouteResponse {
  const page = (
    <>
      <Trail to={pathOf(workflowId)} name={displayName(listed)} />
      <h1>{url ? 'Send this link to the merchant' : 'You have made this link already'}</h1>
      <section class="card" aria-label="The link">
        {url ? (
          <>
            <p>
              <strong>Copy it now: it is shown only once.</strong>
            </p>
            <p class="actions">
              <Id id={url} />
              <button type="button" data-copy={url}>
                Copy the link
              </button>
            </p>
          </>
        ) : (
          <p>Its address was shown once. If you have not copied it, ask again: a new link ends this one.</p>
        )}
        {code && (
          <p>
            Code: <Id id={code} canCopy />. Tell it to the merchant by phone, never with the link.
          </p>
        )}
        <p class="advice">
          The link ends <When time={until} isExact />, and the merchant reads that as the deadline.
        </p>
        {requirement && Date.parse(until) > Date.parse(requirement.dueAt) && (
          <p class="notes">
            That is later than <When time={requirement.dueAt} isExact />, when the answer is due.
          </p>
        )}
        <a href={path}>Back to the question</a>
      </section>
    </>
  );
  return { title: 'Link for the merchant', page };
}
