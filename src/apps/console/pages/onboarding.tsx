import { partsOfId, systemOf } from '../../../messages/ids.js';
import { leavesOf } from '../../../messages/objects.js';
import { portalLink } from '../../../partners/account-settings.js';
import { capitalize } from '../../../partners/text-limits.js';
import { REDACTED } from '../../../platform/privacy/masked.js';
import { isCorrectable } from '../../../services/forms/corrections.js';
import type { OpenRequirement } from '../../../services/inbox/waiting-state.js';
import { correctionsFor } from '../../../services/reports/activity.js';
import type { ExportedCorrection } from '../../../services/reports/exported-record.js';
import { Facts } from '../../../services/reports/page.js';
import { PART_NAMES } from '../../../services/reports/record-page.js';
import { MASKED, type Mask, SHOWN } from '../../../services/reports/record-parts.js';
import { CODES } from '../../../services/texts/codes.js';
import { displayName } from '../../../services/texts/display-names.js';
import { inputOf } from '../../../temporal/find-onboarding.js';
import { type Listed, toListed } from '../../../temporal/search.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { workflowPage } from '../../../temporal/web-ui.js';
import {
  mayOpen,
  type OnboardingView,
  onboardingView,
  openOnboarding,
  readMaskedInput,
  tabTitle,
} from '../onboarding-view.js';
import { pathOf } from '../query.js';
import { hasRole, PageError, type RequestContext, type RouteResponse, useRequest } from '../route.js';
import { shortestLabels } from './about-requirement.js';
import { Corrected } from './activity.js';
import { AnswerForms } from './answer-forms.js';
import { Fees, type FeesProps, feesIn } from './fees.js';
import { colleaguesOf, Handling } from './handling.js';
import { valueText } from './input-fields.js';
import { Form, firstSentence, Id, Person, Problem, Prose, partnerStatusLabel, Trail, When } from './parts.js';
import { StageChip } from './pieces.js';
import { Asked as AskedText, ObstacleNote } from './requirement.js';
import { Stages } from './stages.js';
import { Answered, Timeline } from './timeline.js';

interface OnboardingProps {
  /** The entry in the list of workflows, which needs no worker. */
  readonly listed: Listed;
  readonly view: OnboardingView;
}

async function opened(context: RequestContext) {
  const description = await openOnboarding(context);
  const listed = await toListed(context.client, description);
  const view = await onboardingView(context.client, listed.workflowId);
  return { description, props: { listed, view } };
}

export async function showOnboarding(context: RequestContext): Promise<RouteResponse> {
  const { description, props } = await opened(context);
  const input = await readMaskedInput(context.client, description);
  return onboardingShown(context, props, {
    input,
    isPrivate: false,
    changes: await changesIn(context, props, MASKED),
    fees: await feesIn(context, props.view, input),
  });
}

export async function showLive(context: RequestContext): Promise<RouteResponse> {
  return { part: <Live {...(await opened(context)).props} /> };
}

/** Shows the input's private values, only in this response. */
export async function showPrivate(context: RequestContext): Promise<RouteResponse> {
  const { client, user, audit } = context;
  const { props } = await opened(context);
  const { workflowId } = props.listed;
  if (!isCorrectable(workflowId))
    throw new PageError(404, 'This onboarding has no private values of its own.');
  const { input } = await inputOf(client, workflowId);
  audit(user, { what: 'show private values', workflowId });
  return onboardingShown(context, props, {
    input,
    isPrivate: true,
    changes: await changesIn(context, props, SHOWN),
    fees: undefined,
  });
}

function changesIn({ client }: RequestContext, { listed, view }: OnboardingProps, mask: Mask) {
  return correctionsFor(client, listed, view.state?.timeline ?? [], mask);
}

interface PageContent extends Omit<InputProps, 'workflowId'> {
  readonly fees: FeesProps | undefined;
}

function onboardingShown(
  context: RequestContext,
  props: OnboardingProps,
  content: PageContent,
): RouteResponse {
  const { listed, view } = props;
  const { workflowId } = listed;
  const dba = view.state?.dba ?? listed.dba;
  const page = (
    <>
      <Trail to="/onboardings" name="Onboardings" />
      <h1>{displayName({ workflowId, dba })}</h1>
      <Live {...props} />
      {content.input !== undefined && <Input {...{ workflowId, ...content }} />}
      {content.fees && <Fees {...content.fees} />}
    </>
  );
  return { title: tabTitle(context, { workflowId, dba }), page };
}

function Live({ listed, view }: OnboardingProps) {
  const { workflowId, state, obstacle } = view;
  return (
    <div id="live" data-live={pathOf(workflowId, 'part')} data-seconds={5}>
      {obstacle && <ObstacleNote obstacle={obstacle} />}
      <Stages listed={listed} view={view} />
      <HeldUp view={view} />
      <div class="columns">
        <div id="main-column">
          <Requirements listed={listed} view={view} />
          {state && <Answered view={view} state={state} />}
          {state && <Timeline timeline={state.timeline} workflowId={workflowId} />}
        </div>
        <aside id="side-column">
          <OnboardingFacts listed={listed} view={view} />
        </aside>
      </div>
    </div>
  );
}

function HeldUp({ view }: Pick<OnboardingProps, 'view'>) {
  const { failures, state } = view;
  const { waiting } = state ?? {};
  const accounts = view.requirements.filter(
    ({ workflowId }) => partsOfId(workflowId)?.type === 'partnerAccount',
  );
  const isAccount = partsOfId(view.workflowId)?.type === 'partnerAccount';
  if (failures.length === 0 && !waiting) return null;
  return (
    <section class="notes" id="held-up" aria-label="What holds it up">
      <h2>Waits for the partner</h2>
      {waiting && (
        <p>
          {capitalize(waiting.step)}, since <When time={waiting.since} isExact />.{' '}
          <Reason text={waiting.reason} />
        </p>
      )}
      {failures.map((failure) => (
        <p key={failure}>
          <Reason text={failure} />
        </p>
      ))}
      {!isAccount &&
        [...new Set(accounts.map(({ workflowId }) => workflowId))].map((id) => (
          <p key={id}>
            The partner account blocks it: <a href={pathOf(id)}>{id}</a>
          </p>
        ))}
    </section>
  );
}

/** Shows a failed call in words if the catalogue has its code: `boarding submit-merchant: RateLimited, HTTP 429`. */
function Reason({ text }: { readonly text: string }) {
  const words = text.split(/[\s:,]/);
  const code = CODES.find(({ kind, code }) => kind === 'partner error' && words.includes(code));
  if (!code) return text;
  return (
    <>
      <Prose text={firstSentence(code.facts['what happened'] ?? '')} /> <small>{text}</small>
    </>
  );
}

function Requirements({ listed, view }: OnboardingProps) {
  const context = useRequest();
  const mine = view.requirements.filter(({ workflowId }) => mayOpen(context, workflowId));
  if (mine.length === 0 && listed.state !== 'running')
    return (
      <p class="advice" id="nothing-open">
        It has ended, and asks nothing more.
      </p>
    );
  return (
    <section aria-labelledby="open-title" id="open">
      <h2 id="open-title">
        {mine.length === 0 ? 'Open requirements' : `Open requirements (${mine.length})`}
      </h2>
      {mine.length === 0 && (
        <p class="advice" id="nothing-open">
          Nothing waits for a person. Questions from a partner appear here automatically.
        </p>
      )}
      <div id="requirements">
        {mine.map((each) => (
          <RequirementCard key={`${each.workflowId} ${each.requirement.id}`} item={each} view={view} />
        ))}
      </div>
    </section>
  );
}

function RequirementCard({ item, view }: Pick<OnboardingProps, 'view'> & { readonly item: OpenRequirement }) {
  const context = useRequest();
  const { user } = context;
  const { workflowId, requirement } = item;
  const { id, title } = requirement;
  const page = view.workflowId;
  const isElsewhere = workflowId !== page;
  const more = [
    'Remark on it',
    ...(colleaguesOf(context, workflowId).length > 0 ? ['assign it'] : []),
    ...(context.settings.linkUrl === undefined ? [] : ['ask the merchant']),
  ];
  return (
    <article class="card requirement" id={`r-${id}`} aria-labelledby={`title-${id}`}>
      <h3 id={`title-${id}`}>
        <a href={pathOf(workflowId, 'requirements', id)}>{title}</a>
      </h3>
      {isElsewhere && (
        <p class="advice">
          Asked by <a href={pathOf(workflowId)}>{item.name}</a>
        </p>
      )}
      <div data-notice={id} role="status" />
      <AskedText requirement={requirement} />
      <Handling {...{ workflowId, requirement, page }} />
      {hasRole(user, 'operator') ? (
        <>
          <AnswerForms {...{ workflowId, requirement, page }} isOpen={view.requirements.length === 1} />
          <p>
            <a href={pathOf(workflowId, 'requirements', id)}>
              {new Intl.ListFormat('en-US', { type: 'disjunction' }).format(more)}
            </a>
          </p>
        </>
      ) : (
        <p class="advice">An operator answers this. Your role is {user.role}.</p>
      )}
    </article>
  );
}

function OnboardingFacts({ listed, view }: OnboardingProps) {
  const context = useRequest();
  const { settings, client } = context;
  const { workflowId } = view;
  const state = view.state;
  const stage = state?.stage ?? listed.stage;
  const account = partsOfId(workflowId)?.account;
  const portals = account === undefined ? settings : settings.accounts[account];
  const withPortal = (system: 'boarding' | 'banking', id: number | string | undefined) => {
    const link = portals && id !== undefined && portalLink(portals, system, Number(id));
    if (!link) return copied(id);
    return (
      <>
        {copied(id)}{' '}
        <a href={link} rel="noreferrer">
          portal
        </a>
      </>
    );
  };
  const copied = (id: number | string | null | undefined) => (id ?? undefined) && <Id id={id} canCopy />;
  const starter = state?.timeline.find(({ event }) => event === 'started')?.actor;
  const facts = {
    Stage: stage && <StageChip stage={stage} />,
    'Partner status': partnerStatusLabel(state?.partnerStatus ?? listed.partnerStatus),
    Merchant: withPortal('boarding', state?.merchantProfileId ?? listed.merchantProfileId),
    mid: copied(state?.mid ?? listed.mid),
    'Banking profile': withPortal('banking', state?.profileId ?? listed.bankingProfileId),
    'Financial account': copied(state?.financialAccountId),
    'Agent profile': listed.agentProfileId,
    Partner: capitalize(systemOf(workflowId)),
    'Partner account': account,
    Started: <When time={listed.startedAt} />,
    'Started by': starter && <Person actor={starter} />,
    Ended: listed.endedAt && <When time={listed.endedAt} />,
  };
  const ui = workflowPage(settings.uiUrl, client.options.namespace, listed);
  return (
    <section class="card" aria-labelledby="facts-title" id="facts">
      <h2 id="facts-title">Facts</h2>
      <Id id={workflowId} canCopy />
      <Facts facts={facts} />
      {ui && (
        <p>
          <a href={ui} rel="noreferrer">
            Open in the Temporal Web UI
          </a>
        </p>
      )}
      {view.parts
        .filter(({ workflowId: id }) => mayOpen(context, id))
        .map(({ part, workflowId: id, state: of, isAttached }) => (
          <p key={part}>
            <a href={pathOf(id)}>{PART_NAMES[part]}</a>:{' '}
            {of instanceof UnreadableOnboarding
              ? of.detail
              : [of.stage, partnerStatusLabel(of.partnerStatus)].filter(Boolean).join(', ')}
            {isAttached && ' (was there before)'}
          </p>
        ))}
    </section>
  );
}

interface InputProps extends Pick<Listed, 'workflowId'> {
  readonly input: unknown;
  readonly isPrivate: boolean;
  readonly changes: readonly ExportedCorrection[];
}

function Input({ workflowId, input, isPrivate, changes }: InputProps) {
  const { user, fields } = useRequest();
  const leaves = leavesOf(input);
  const labelOfField = shortestLabels(leaves);
  const hasHidden = leaves.some(({ value }) => value === REDACTED);
  const facts = leaves.map(({ field, value }) => [
    labelOfField(field),
    value === REDACTED ? <em>hidden</em> : valueText(field, value),
  ]);
  return (
    <details class="card" open={isPrivate || fields.text('show') === 'input'} id="input">
      <summary>Input with its corrections</summary>
      {isPrivate ? (
        <Problem>
          Private values are shown only on this page. Viewing them is recorded in the audit log.
        </Problem>
      ) : (
        hasHidden &&
        hasRole(user, 'operator') && (
          <Form action={pathOf(workflowId, 'private')} class="actions">
            <button type="submit" class="secondary">
              Show private values
            </button>
            <span class="advice">The audit log records who saw them.</span>
          </Form>
        )
      )}
      <Facts facts={Object.fromEntries(facts)} />
      {[...Map.groupBy(changes, ({ actor, at }) => `${at} ${actor}`).values()].map((own) => (
        <div>
          <p>
            {own[0]?.actor} corrected <When time={own[0]?.at ?? ''} isExact />
            {own[0]?.reason && `: ${own[0].reason}`}
          </p>
          <Corrected changes={own} />
        </div>
      ))}
    </details>
  );
}
