import { partsOfId, systemOf } from '../../messages/ids.js';
import { leavesOf } from '../../messages/objects.js';
import { portalLink } from '../../partners/account-settings.js';
import { REDACTED } from '../../privacy/masked.js';
import { Facts as Known } from '../../reports/page.js';
import { PART_NAMES } from '../../reports/record-page.js';
import type { Listed } from '../../temporal/search.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { workflowPage } from '../../temporal/web-ui.js';
import { mayOpen, type OnboardingView } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import type { Visit } from '../route.js';
import { hasRole } from '../visitor.js';
import { fieldLabel } from './field.js';
import { Form, Id, Problem, When } from './parts.js';

export interface OnboardingProps {
  readonly visit: Visit;
  /** From the list of workflows, which needs no worker. */
  readonly listed: Listed;
  readonly view: OnboardingView;
}

export function Facts({ visit, listed, view }: OnboardingProps) {
  const { settings, client, times } = visit;
  const { workflowId } = view;
  const state = view.state;
  const account = partsOfId(workflowId)?.account;
  const portals = account === undefined ? settings : settings.accounts[account];
  const withPortal = (system: 'boarding' | 'banking', id: number | string | undefined) => {
    const link = portals && id !== undefined && portalLink(portals, system, Number(id));
    if (!link) return copied(id);
    return [
      copied(id),
      ' ',
      <a href={link} rel="noreferrer">
        portal
      </a>,
    ];
  };
  const copied = (id: number | string | null | undefined) =>
    id === undefined || id === null ? undefined : <Id id={id} canCopy />;
  const facts = {
    Stage: state?.stage ?? listed.stage,
    'Partner status': state?.partnerStatus ?? listed.partnerStatus,
    Merchant: withPortal('boarding', state?.merchantProfileId ?? listed.merchantProfileId),
    mid: copied(state?.mid ?? listed.mid),
    'Banking profile': withPortal('banking', state?.profileId ?? listed.bankingProfileId),
    'Financial account': copied(state?.financialAccountId),
    'Payments account': copied(state?.paymentsAccountId),
    Terminal: copied(state?.terminalId),
    'Agent profile': listed.agentProfileId,
    Partner: systemOf(workflowId) || undefined,
    'Partner account': account,
    'Status reads': state?.polls || undefined,
    Started: <When time={listed.startedAt} times={times} />,
    Ended: listed.endedAt && <When time={listed.endedAt} times={times} />,
  };
  const ui = workflowPage(settings.uiUrl, client.options.namespace, listed);
  return (
    <section class="card" aria-labelledby="facts-title" id="facts">
      <h2 id="facts-title">Facts</h2>
      <Id id={workflowId} canCopy />
      <Known facts={facts} />
      {ui && (
        <p>
          <a href={ui} rel="noreferrer">
            Open in the Temporal Web UI
          </a>
        </p>
      )}
      {view.parts
        .filter(({ workflowId: id }) => mayOpen(visit, id))
        .map(({ part, workflowId: id, state: of, wasThereBefore }) => (
          <p key={part}>
            <a href={pathOf(id)}>{PART_NAMES[part]}</a>:{' '}
            {of instanceof UnreadableOnboarding
              ? of.detail
              : [of.stage, of.partnerStatus].filter(Boolean).join(', ')}
            {wasThereBefore && ' (was there before)'}
          </p>
        ))}
    </section>
  );
}

interface InputProps {
  readonly visit: Visit;
  readonly workflowId: string;
  readonly input: unknown;
  readonly isPrivate: boolean;
}

export function Input({ visit, workflowId, input, isPrivate }: InputProps) {
  const leaves = leavesOf(input);
  const hasHidden = leaves.some(({ value }) => value === REDACTED);
  const facts = leaves.map(({ field, value }) => [
    `${fieldLabel(field)} (${field})`,
    value === REDACTED ? <em>hidden</em> : String(value),
  ]);
  return (
    <details class="card" open={isPrivate} id="input">
      <summary>Input with its corrections</summary>
      {isPrivate ? (
        <Problem>
          Private values are shown only on this page. Viewing them is recorded in the audit log.
        </Problem>
      ) : (
        hasHidden &&
        hasRole(visit.visitor, 'operator') && (
          <Form action={pathOf(workflowId, 'private')} class="actions" csrf={visit.csrf}>
            <button type="submit" class="secondary">
              Show private values
            </button>
            <span class="advice">The audit log keeps who saw them.</span>
          </Form>
        )
      )}
      <Known facts={Object.fromEntries(facts)} />
    </details>
  );
}
