import { isCorrectable } from '../../forms/corrections.js';
import type { Asked } from '../../inbox/waits.js';
import { partsOfId } from '../../messages/ids.js';
import { inputOf } from '../../temporal/onboardings.js';
import { listedOf } from '../../temporal/search.js';
import { nameOf } from '../../texts/names.js';
import type { Times } from '../../texts/time.js';
import {
  maskedInput,
  mayOpen,
  type OnboardingView,
  onboardingView,
  openOnboarding,
} from '../onboarding-view.js';
import { pathOf } from '../query.js';
import { NotShown, type Route, type Shown, type Visit } from '../route.js';
import { hasRole } from '../visitor.js';
import { AnswerForms } from './answer-forms.js';
import { Facts, Input, type OnboardingProps } from './facts.js';
import { Handling } from './handling.js';
import { capitalized, Trail, When } from './parts.js';
import { Asked as AskedText, isFourEyes, ObstacleNote } from './requirement.js';
import { Stages } from './stages.js';
import { Answered, Timeline } from './timeline.js';

const REFRESH_SECONDS = 5;

async function showOnboarding(visit: Visit): Promise<Shown> {
  const description = await openOnboarding(visit);
  const listed = await listedOf(visit.client, description);
  const view = await onboardingView(visit.client, listed.workflowId);
  return onboardingShown({ visit, listed, view }, await maskedInput(visit.client, description));
}

async function showPart(visit: Visit): Promise<Shown> {
  const listed = await listedOf(visit.client, await openOnboarding(visit));
  const view = await onboardingView(visit.client, listed.workflowId);
  return { part: <Live visit={visit} listed={listed} view={view} /> };
}

/** The private values of the input, in this response only. */
async function showPrivate(visit: Visit): Promise<Shown> {
  const { client, visitor, audit } = visit;
  const listed = await listedOf(client, await openOnboarding(visit));
  const { workflowId } = listed;
  if (!isCorrectable(workflowId))
    throw new NotShown(404, 'This onboarding has no private values of its own.');
  const { input } = await inputOf(client, workflowId);
  audit(visitor, { what: 'show private values', workflowId });
  const view = await onboardingView(client, workflowId);
  return onboardingShown({ visit, listed, view }, input, true);
}

function onboardingShown(props: OnboardingProps, input: unknown, isPrivate = false): Shown {
  const { visit, listed, view } = props;
  const { workflowId } = listed;
  const page = (
    <>
      <Trail to="/onboardings" name="Onboardings" />
      <h1>{nameOf({ workflowId, dba: view.state?.dba ?? listed.dba })}</h1>
      <Live {...props} />
      {input !== undefined && (
        <Input visit={visit} workflowId={workflowId} input={input} isPrivate={isPrivate} />
      )}
    </>
  );
  // A name of a business may be that of a person.
  return { title: workflowId, page };
}

function Live({ visit, listed, view }: OnboardingProps) {
  const { workflowId, state, obstacle } = view;
  return (
    <div id="live" data-live={pathOf(workflowId, 'part')} data-seconds={REFRESH_SECONDS}>
      {obstacle && <ObstacleNote obstacle={obstacle} />}
      <Stages listed={listed} view={view} />
      <HeldUp view={view} times={visit.times} />
      <div class="columns">
        <div id="main-column">
          <Requirements visit={visit} listed={listed} view={view} />
          {state && <Answered visit={visit} view={view} state={state} />}
          {state && <Timeline timeline={state.timeline} times={visit.times} />}
        </div>
        <aside id="side-column">
          <Facts visit={visit} listed={listed} view={view} />
        </aside>
      </div>
    </div>
  );
}

/** The causes other than a person for which the onboarding waits. */
function HeldUp({ view, times }: { readonly view: OnboardingView; readonly times: Times }) {
  const { failures, state } = view;
  const { waiting } = state ?? {};
  const accounts = view.asked.filter(({ workflowId }) => partsOfId(workflowId)?.type === 'partnerAccount');
  const isAccount = partsOfId(view.workflowId)?.type === 'partnerAccount';
  if (failures.length === 0 && !waiting) return null;
  return (
    <section class="notes" id="held-up" aria-label="What holds it up">
      <h2>Waits for the partner</h2>
      {waiting && (
        <p>
          {capitalized(waiting.step)}, since <When time={waiting.since} times={times} isExact />:{' '}
          {waiting.reason}
        </p>
      )}
      {failures.map((failure) => (
        <p key={failure}>{failure}</p>
      ))}
      {!isAccount &&
        [...new Set(accounts.map(({ workflowId }) => workflowId))].map((id) => (
          <p key={id}>
            The partner account holds it up: <a href={pathOf(id)}>{id}</a>
          </p>
        ))}
    </section>
  );
}

function Requirements({ visit, listed, view }: OnboardingProps) {
  const mine = view.asked.filter(({ workflowId }) => mayOpen(visit, workflowId));
  return (
    <section aria-labelledby="open-title" id="open">
      <h2 id="open-title">
        {mine.length === 0 ? 'Open requirements' : `Open requirements (${mine.length})`}
      </h2>
      {mine.length === 0 && (
        <p class="advice" id="nothing-open">
          {listed.state !== 'running'
            ? 'It has ended, and has nothing more to ask.'
            : 'Nothing waits for a person. Questions from a partner appear here automatically.'}
        </p>
      )}
      <div id="requirements">
        {mine.map((each) => (
          <RequirementCard
            key={`${each.workflowId} ${each.requirement.id}`}
            asked={each}
            {...{ visit, view }}
          />
        ))}
      </div>
    </section>
  );
}

interface CardProps extends Pick<OnboardingProps, 'visit' | 'view'> {
  readonly asked: Asked;
}

function RequirementCard({ asked, visit, view }: CardProps) {
  const { workflowId, requirement } = asked;
  const { id, title } = requirement;
  const page = view.workflowId;
  const isElsewhere = workflowId !== page;
  return (
    <article class="card requirement" id={`r-${id}`} aria-labelledby={`title-${id}`} data-requirement={id}>
      <h3 id={`title-${id}`}>
        <a href={pathOf(workflowId, 'requirements', id)}>{title}</a>
      </h3>
      {isElsewhere && (
        <p class="advice">
          Asked by <a href={pathOf(workflowId)}>{asked.name}</a>
        </p>
      )}
      <div data-notice="" role="status" />
      <AskedText requirement={requirement} times={visit.times} />
      <Handling {...{ visit, workflowId, requirement, page }} />
      {hasRole(visit.visitor, 'operator') ? (
        <AnswerForms
          {...{ workflowId, requirement, page, visitor: visit.visitor, csrf: visit.csrf }}
          isOpen={view.asked.length === 1}
          isProposed={isFourEyes(visit, requirement)}
        />
      ) : (
        <p class="advice">An operator answers this. Your role is {visit.visitor.role}.</p>
      )}
    </article>
  );
}

export const ONBOARDING_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/onboardings/:id', role: 'viewer', show: showOnboarding },
  { method: 'GET', path: '/onboardings/:id/part', role: 'viewer', part: true, show: showPart },
  { method: 'POST', path: '/onboardings/:id/private', role: 'operator', show: showPrivate },
];
