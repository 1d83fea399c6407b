import { partsOfId, systemOf } from '../../messages/ids.js';
import { portalLink } from '../../partners/account-settings.js';
import { REDACTED } from '../../privacy/masked.js';
import type { Listed } from '../../temporal/search.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { workflowPage } from '../../temporal/web-ui.js';
import { mayOpen } from '../onboarding-access.js';
import type { OnboardingView } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import type { Visit } from '../route.js';
import { hasRole } from '../visitor.js';
import { fieldLabel } from './field.js';
import { Csrf, Problem, When } from './parts.js';
import { PART_NAMES } from './stages.js';

/** The facts of an onboarding: ids, links, and its input. */

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
  const merchant = state?.merchantProfileId ?? listed.merchantProfileId;
  const profile = state?.profileId ?? listed.bankingProfileId;
  const facts: readonly (readonly [
    name: string,
    value: string | number | undefined | null,
    link?: string | undefined,
  ])[] = [
    ['Stage', state?.stage ?? listed.stage],
    ['Partner status', state?.partnerStatus ?? listed.partnerStatus],
    ['Merchant', merchant, portals && portalLink(portals, 'boarding', numberOf(merchant))],
    ['mid', state?.mid ?? listed.mid],
    ['Banking profile', profile, portals && portalLink(portals, 'banking', numberOf(profile))],
    ['Financial account', state?.financialAccountId],
    ['Payments account', state?.paymentsAccountId],
    ['Terminal', state?.terminalId],
    ['Agent profile', listed.agentProfileId],
    ['Partner', systemOf(workflowId) || undefined],
    ['Partner account', account],
    ['Status reads', state?.polls || undefined],
  ];
  const ui = workflowPage(settings.uiUrl, client.options.namespace, listed);
  return (
    <section aria-labelledby="facts-title" id="facts">
      <h2 id="facts-title">Facts</h2>
      <dl class="facts">
        {facts.map(([name, value, link]) =>
          value === undefined || value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {value}
                {link && (
                  <>
                    {' '}
                    <a href={link} rel="noreferrer">
                      portal
                    </a>
                  </>
                )}
              </dd>
            </div>
          ),
        )}
        <div>
          <dt>Started</dt>
          <dd>
            <When time={listed.startedAt} times={times} />
          </dd>
        </div>
        {listed.endedAt && (
          <div>
            <dt>Ended</dt>
            <dd>
              <When time={listed.endedAt} times={times} />
            </dd>
          </div>
        )}
        <div>
          <dt>ID</dt>
          <dd>{workflowId}</dd>
        </div>
      </dl>
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

function numberOf(id: number | string | undefined): number | undefined {
  return id === undefined ? undefined : Number(id);
}

/** The input of the onboarding, with its corrections. */
export function Input({
  visit,
  workflowId,
  input,
  isPrivate,
}: {
  readonly visit: Visit;
  readonly workflowId: string;
  readonly input: unknown;
  readonly isPrivate: boolean;
}) {
  const leaves = leavesOf(input);
  const hasHidden = leaves.some(({ value }) => value === REDACTED);
  return (
    <details class="input" open={isPrivate} id="input">
      <summary>Input with its corrections</summary>
      {isPrivate ? (
        <Problem>
          <p>Private values are shown only on this page. Viewing them is recorded in the audit log.</p>
        </Problem>
      ) : (
        hasHidden &&
        hasRole(visit.visitor, 'operator') && (
          <form method="post" action={pathOf(workflowId, 'private')} class="inline">
            <Csrf csrf={visit.csrf} />
            <button type="submit">Show private values</button>
            <span class="advice">The audit log keeps who saw them.</span>
          </form>
        )
      )}
      <dl class="facts wide">
        {leaves.map(({ name, value }) => (
          <div key={name}>
            <dt>
              {fieldLabel(name)} <small>{name}</small>
            </dt>
            <dd>{value === REDACTED ? <span class="masked">hidden</span> : String(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface Leaf {
  readonly name: string;
  readonly value: unknown;
}

function leavesOf(value: unknown, name = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ name, value }];
  return Object.entries(value).flatMap(([key, inside]) =>
    leavesOf(inside, name === '' ? key : `${name}.${key}`),
  );
}
