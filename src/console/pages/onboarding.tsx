import type { WorkflowExecutionDescription } from '@temporalio/client';
import { partsOfId, systemOf, type WorkflowType } from '../../messages/ids.js';
import { stagesIn } from '../../messages/listed.js';
import type { OnboardingState, Stage, TimelineEntry } from '../../messages/onboarding-state.js';
import { OUTCOMES } from '../../messages/onboarding-state.js';
import { PARTS, type Part } from '../../messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { saidOf } from '../../operators/answers.js';
import { isCorrectable } from '../../operators/corrections.js';
import { workflowPage } from '../../operators/links.js';
import type { PartState } from '../../operators/parts.js';
import { OUTCOME_TEXTS, STAGE_TEXTS } from '../../operators/texts/stage-texts.js';
import { TIMELINE_TEXTS } from '../../operators/texts/timeline-texts.js';
import { span, type Times } from '../../operators/time.js';
import type { Asked } from '../../operators/waits.js';
import { portalLink } from '../../partners/account-settings.js';
import { REDACTED } from '../../privacy/masked.js';
import { inputOf } from '../../temporal/onboardings.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { mayOpen, openOnboarding } from '../onboarding-access.js';
import { listedFacts, maskedInput, type OnboardingView, onboardingView } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import { NotShown, type Route, type Shown, type Visit } from '../route.js';
import { hasRole } from '../visitor.js';
import { AnswerForms } from './answer-forms.js';
import { Handling } from './handling.js';
import { fieldLabel } from './input-fields.js';
import { Csrf, capitalized, inShort, Problem, Prose, Trail, When } from './parts.js';
import { Asked as AskedText, ObstacleNote } from './requirement.js';

/** How often the page reads the onboarding again, in seconds. */
const REFRESH_SECONDS = 5;

/** The stages of each kind of onboarding, in order. */
const STAGES: Readonly<Partial<Record<WorkflowType, readonly Stage[]>>> = {
  merchantBoarding: ['preparing', 'applying', 'underwriting', 'boarding'],
  businessOnboarding: ['applying', 'underwriting', 'opening'],
  terminalProvisioning: ['provisioning'],
};

const PART_NAMES: Readonly<Record<Part, string>> = {
  boarding: 'Merchant',
  business: 'Business',
  terminal: 'Terminal',
};

/** The ends that everybody hoped for. */
const GOOD: readonly string[] = ['boarded', 'onboarded', 'provisioned', 'done'];

async function showOnboarding(visit: Visit): Promise<Shown> {
  const description = await openOnboarding(visit);
  const view = await onboardingView(visit.client, description.workflowId);
  return onboardingShown(visit, description, view, await maskedInput(visit.client, description));
}

/** The part that the browser reads again and again. */
async function showPart(visit: Visit): Promise<Shown> {
  const description = await openOnboarding(visit);
  const view = await onboardingView(visit.client, description.workflowId);
  return { part: <Live visit={visit} description={description} view={view} /> };
}

/** The private values of the input, in this response only. */
async function showPrivate(visit: Visit): Promise<Shown> {
  const { client, visitor, audit } = visit;
  const description = await openOnboarding(visit);
  const { workflowId } = description;
  if (!isCorrectable(workflowId))
    throw new NotShown(404, 'This onboarding has no private values of its own.');
  const { input } = await inputOf(client, workflowId);
  audit(visitor, { what: 'show private values', workflowId });
  const view = await onboardingView(client, workflowId);
  return onboardingShown(visit, description, view, input, true);
}

function onboardingShown(
  visit: Visit,
  description: WorkflowExecutionDescription,
  view: OnboardingView,
  input: unknown,
  isPrivate = false,
): Shown {
  const { workflowId } = description;
  const dba = view.state?.dba ?? listedFacts(description).dba;
  const page = (
    <>
      <Trail to="/onboardings" name="Onboardings" />
      <h1>{dba ?? workflowId}</h1>
      <Live visit={visit} description={description} view={view} />
      {input !== undefined && (
        <Input visit={visit} workflowId={workflowId} input={input} isPrivate={isPrivate} />
      )}
    </>
  );
  // A name of a business may be that of a person.
  return { title: workflowId, page };
}

interface LiveProps {
  readonly visit: Visit;
  readonly description: WorkflowExecutionDescription;
  readonly view: OnboardingView;
}

function Live({ visit, description, view }: LiveProps) {
  const { workflowId, state, obstacle, failures } = view;
  return (
    <div id="live" data-live={pathOf(workflowId, 'part')} data-seconds={REFRESH_SECONDS}>
      {obstacle && <ObstacleNote obstacle={obstacle} />}
      <Stages description={description} view={view} />
      <HeldUp failures={failures} view={view} times={visit.times} />
      <div class="columns">
        <div class="main-column" id="main-column">
          <Requirements visit={visit} view={view} />
          {state && <Answered visit={visit} view={view} state={state} />}
          {state && <Timeline timeline={state.timeline} times={visit.times} />}
        </div>
        <aside class="side-column" id="side-column">
          <Facts visit={visit} description={description} view={view} />
        </aside>
      </div>
    </div>
  );
}

/** Where it stands, as a picture: what is done, what runs, what is to come. */
function Stages({ description, view }: Pick<LiveProps, 'description' | 'view'>) {
  const { workflowId, state, parts } = view;
  const type = partsOfId(workflowId)?.type;
  const stage = state?.stage ?? (listedFacts(description).stage as Stage | undefined);
  if (!type || !stage) return null;
  if (type === 'customerOnboarding') {
    return (
      <section id="stages" aria-label="Where it stands">
        {(Object.keys(PARTS) as Part[]).map((part) => (
          <PartStages key={part} part={part} state={state} known={parts.find((each) => each.part === part)} />
        ))}
      </section>
    );
  }
  const times = stagesIn(attributeOf(description));
  return (
    <section id="stages" aria-label="Where it stands">
      <StageList type={type} stage={stage} state={state} times={times} />
    </section>
  );
}

function attributeOf({ typedSearchAttributes }: WorkflowExecutionDescription): readonly string[] {
  return typedSearchAttributes.get(SEARCH_ATTRIBUTES.stageTimes) ?? [];
}

function PartStages({
  part,
  state,
  known,
}: {
  readonly part: Part;
  readonly state: OnboardingState | undefined;
  readonly known: PartState | undefined;
}) {
  const of = known && !(known.state instanceof UnreadableOnboarding) ? known.state : state?.[part];
  if (!of && part === 'terminal') return null;
  const name = PART_NAMES[part];
  return (
    <div class="part" id={`part-${part}`}>
      <h2>{known ? <a href={pathOf(known.workflowId)}>{name}</a> : name}</h2>
      {of ? (
        <StageList type={PARTS[part]} stage={of.stage} state={of} times={{}} />
      ) : (
        <p class="advice">Not started yet</p>
      )}
    </div>
  );
}

function StageList({
  type,
  stage,
  state,
  times,
}: {
  readonly type: WorkflowType;
  readonly stage: Stage;
  readonly state: OnboardingState | undefined;
  readonly times: Readonly<Partial<Record<Stage, number>>>;
}) {
  const stages = STAGES[type] ?? ['working'];
  const isOver = !stages.includes(stage);
  const isGood = GOOD.includes(stage);
  const current = stages.indexOf(stage);
  const asks = (state?.requirements.length ?? 0) > 0;
  // The list of workflows has the times of the stages before the one in which it ended.
  const endedIn = isOver && !isGood ? stages.findLastIndex((name) => times[name] !== undefined) + 1 : -1;
  return (
    <ol class="stages">
      {stages.map((name, index) => {
        const isDone = isOver ? isGood || index < endedIn : index < current;
        const isCurrent = index === current;
        const seconds = times[name];
        const how = isDone ? 'done' : isCurrent ? 'current' : isOver ? 'skipped' : 'to-come';
        const note = {
          done: 'done',
          skipped: index === endedIn ? 'ended here' : '–',
          'to-come': 'to come',
          current: '',
        };
        return (
          <li
            key={name}
            class={`${how}${isCurrent && asks ? ' asks' : ''}`}
            aria-current={isCurrent ? 'step' : undefined}
          >
            <span class="stage-name">{capitalized(name)}</span>
            <span class="stage-note">
              {isCurrent
                ? asks
                  ? 'waits for a person'
                  : (state?.partnerStatus ?? 'under way')
                : seconds !== undefined
                  ? span(seconds * 1_000)
                  : note[how]}
            </span>
          </li>
        );
      })}
      <li
        key="end"
        class={isOver ? (isGood ? 'done end' : 'ended end') : 'to-come end'}
        aria-current={isOver ? 'step' : undefined}
      >
        <span class="stage-name">{isOver ? capitalized(stage.replaceAll('-', ' ')) : 'End'}</span>
        <span class="stage-note">{isOver ? <Prose text={endOf(stage)} /> : 'to come'}</span>
      </li>
    </ol>
  );
}

function endOf(stage: Stage): string {
  return firstSentence({ ...STAGE_TEXTS, ...OUTCOME_TEXTS }[stage].meaning);
}

/** What it waits for besides a person. */
function HeldUp({
  failures,
  view,
  times,
}: {
  readonly failures: readonly string[];
  readonly view: OnboardingView;
  readonly times: Times;
}) {
  const { waiting } = view.state ?? {};
  const accounts = view.asked.filter(({ workflowId }) => partsOfId(workflowId)?.type === 'partnerAccount');
  const isAccount = partsOfId(view.workflowId)?.type === 'partnerAccount';
  if (failures.length === 0 && !waiting) return null;
  return (
    <section class="held" id="held-up" aria-label="What holds it up">
      <h2>Waits for the partner</h2>
      {waiting && (
        <p>
          {capitalized(waiting.step)}, since <When time={waiting.since} times={times} />: {waiting.reason}
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

function Requirements({ visit, view }: { readonly visit: Visit; readonly view: OnboardingView }) {
  const { asked, state } = view;
  const mine = asked.filter(({ workflowId }) => mayOpen(visit, workflowId));
  return (
    <section aria-labelledby="open-title" id="open">
      <h2 id="open-title">
        {mine.length === 0 ? 'Open requirements' : `Open requirements (${mine.length})`}
      </h2>
      {mine.length === 0 && (
        <p class="advice" id="nothing-open">
          {state?.outcome || (state && !isRunning(state))
            ? 'It has ended, and asks nothing more.'
            : 'Nothing waits for a person. What a partner asks shows up here by itself.'}
        </p>
      )}
      <div id="requirements">
        {mine.map((each) => (
          <RequirementCard
            key={`${each.workflowId} ${each.requirement.id}`}
            asked={each}
            visit={visit}
            view={view}
          />
        ))}
      </div>
    </section>
  );
}

function isRunning({ stage }: OnboardingState): boolean {
  return !(OUTCOMES as readonly string[]).includes(stage) && stage !== 'cancelled';
}

function RequirementCard({
  asked,
  visit,
  view,
}: {
  readonly asked: Asked;
  readonly visit: Visit;
  readonly view: OnboardingView;
}) {
  const { workflowId, requirement } = asked;
  const { id, title, kind } = requirement;
  const page = view.workflowId;
  const isElsewhere = workflowId !== page;
  return (
    <article class="requirement" id={`r-${id}`} aria-labelledby={`title-${id}`} data-requirement={id}>
      <h3 id={`title-${id}`}>
        <a href={pathOf(workflowId, 'requirements', id)}>{title}</a>
      </h3>
      {isElsewhere && (
        <p class="advice">
          Asked by <a href={pathOf(workflowId)}>{asked.name}</a>
        </p>
      )}
      <div class="notice" data-notice="" role="status" />
      <AskedText requirement={requirement} times={visit.times} />
      <Handling visit={visit} workflowId={workflowId} requirement={requirement} page={page} />
      {hasRole(visit.visitor, 'operator') ? (
        <AnswerForms
          workflowId={workflowId}
          requirement={requirement}
          visitor={visit.visitor}
          csrf={visit.csrf}
          page={page}
          isOpen={view.asked.length === 1}
          isProposed={visit.settings.fourEyes.includes(kind)}
        />
      ) : (
        <p class="advice">An operator answers this. You are {visit.visitor.role}.</p>
      )}
    </article>
  );
}

/** What people answered, and what closed by itself. */
function Answered({
  visit,
  view,
  state,
}: {
  readonly visit: Visit;
  readonly view: OnboardingView;
  readonly state: OnboardingState;
}) {
  const parts = view.parts.flatMap((part) =>
    part.state instanceof UnreadableOnboarding ? [] : [{ ...part, state: part.state }],
  );
  const all = [{ workflowId: view.workflowId, state }, ...parts].flatMap(({ workflowId, state: of }) =>
    endedOf(of).map((each) => ({ ...each, workflowId, unsent: of.unsent ?? [] })),
  );
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="answered-title" id="answered">
      <h2 id="answered-title">Answered</h2>
      <ul class="answered">
        {all
          .sort((one, other) => other.entry.at.localeCompare(one.entry.at))
          .map(({ id, title, entry, workflowId, unsent }) => (
            <li key={`${workflowId} ${id}`} id={`answered-${id}`} data-answered={id}>
              <strong>{title}</strong>
              <span data-sentence="">
                <AnsweredSentence entry={entry} times={visit.times} />
              </span>
              {unsent.includes(id) && hasRole(visit.visitor, 'operator') && (
                <TakeBack visit={visit} workflowId={workflowId} id={id} page={view.workflowId} />
              )}
            </li>
          ))}
      </ul>
      <p>
        <a href={pathOf(view.workflowId, 'documents')}>Documents</a>
      </p>
    </section>
  );
}

function AnsweredSentence({ entry, times }: { readonly entry: TimelineEntry; readonly times: Times }) {
  const said = saidOf(entry);
  return entry.event === 'requirement-resolved' ? (
    <>
      {entry.actor ?? 'Somebody'} answered <When time={entry.at} times={times} />: {inShort(said)}
      {entry.reason ? ` (${entry.reason})` : ''}
    </>
  ) : (
    <>
      Closed <When time={entry.at} times={times} />: {said}
    </>
  );
}

function TakeBack({
  visit,
  workflowId,
  id,
  page,
}: {
  readonly visit: Visit;
  readonly workflowId: string;
  readonly id: string;
  readonly page: string;
}) {
  return (
    <form
      method="post"
      action={pathOf(workflowId, 'requirements', id)}
      class="inline take-back"
      data-keep=""
      id={`form-${id}-take-back`}
    >
      <Csrf csrf={visit.csrf} />
      <input type="hidden" name="kind" value="take-back" />
      <input type="hidden" name="page" value={page} />
      <label>
        <span>Reason</span>
        <input type="text" name="reason" required maxLength={500} autoComplete="off" />
      </label>
      <button type="submit">Take it back</button>
      <span class="advice">The partner does not have it yet.</span>
    </form>
  );
}

interface EndedRequirement {
  readonly id: string;
  readonly title: string;
  readonly entry: TimelineEntry;
}

/** The requirements that are no longer open, by the last entry about each. */
function endedOf({ timeline, requirements }: OnboardingState): EndedRequirement[] {
  const titles = new Map<string, string>();
  const ended = new Map<string, EndedRequirement>();
  for (const entry of timeline) {
    const id = (entry.detail ?? '').split(': ')[0] ?? '';
    if (entry.event === 'requirement-raised') titles.set(id, saidOf(entry));
    if (entry.event === 'requirement-resolved' || entry.event === 'requirement-closed')
      ended.set(id, { id, title: titles.get(id) ?? id, entry });
  }
  for (const { id } of requirements) ended.delete(id);
  return [...ended.values()];
}

/** What happened, in sentences. The newest is first. */
function Timeline({
  timeline,
  times,
}: {
  readonly timeline: readonly TimelineEntry[];
  readonly times: Times;
}) {
  return (
    <section aria-labelledby="timeline-title" id="timeline">
      <h2 id="timeline-title">What happened</h2>
      <ol class="timeline" reversed>
        {timeline
          .map((entry, index) => ({ entry, number: index + 1 }))
          .reverse()
          .map(({ entry, number }) => (
            <li key={number} id={`entry-${number}`}>
              <When time={entry.at} times={times} />
              <div>
                <Prose text={sentenceOf(entry)} />
                {entry.detail && <span class="entry-detail">{detailOf(entry)}</span>}
                {entry.reason && <span class="entry-detail">Reason: {entry.reason}</span>}
              </div>
            </li>
          ))}
      </ol>
    </section>
  );
}

/** Without the ID of a requirement, which means nothing to people. */
function detailOf(entry: TimelineEntry): string {
  if (!/^(requirement|answer|proposal)-/.test(entry.event)) return entry.detail ?? '';
  const said = saidOf(entry);
  return entry.event === 'requirement-resolved' ? inShort(said) : said;
}

/** The first sentence of the explanation, with the name of the person. */
function sentenceOf({ event, actor }: TimelineEntry): string {
  const sentence = firstSentence(TIMELINE_TEXTS[event]?.meaning ?? event);
  if (actor === undefined) return sentence;
  const named = sentence.replace(
    /^(A person|Somebody|The person who had claimed a requirement) /,
    `${actor} `,
  );
  return named === sentence ? `${actor}: ${sentence}` : named;
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function Facts({ visit, description, view }: LiveProps) {
  const { settings, client, times } = visit;
  const { workflowId } = view;
  const listed = listedFacts(description);
  const state = view.state;
  const account = partsOfId(workflowId)?.account;
  const portals = account === undefined ? settings : settings.accounts[account];
  const merchant = state?.merchantProfileId ?? listed.merchantProfileId;
  const profile = state?.profileId ?? listed.bankingProfileId;
  const agent = description.typedSearchAttributes.get(SEARCH_ATTRIBUTES.agentProfileId);
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
    ['Agent profile', agent],
    ['Partner', systemOf(workflowId) || undefined],
    ['Partner account', account],
    ['Status reads', state?.polls],
  ];
  const ui = workflowPage(settings.uiUrl, client.options.namespace, description);
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
            <When time={description.startTime} times={times} />
          </dd>
        </div>
        {description.closeTime && (
          <div>
            <dt>Ended</dt>
            <dd>
              <When time={description.closeTime} times={times} />
            </dd>
          </div>
        )}
        <div>
          <dt>ID</dt>
          <dd class="id">{workflowId}</dd>
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

/** What the onboarding was started with, with its corrections. */
function Input({
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
          <p>Private values are shown on this page only. That you saw them is in the audit log.</p>
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

export const ONBOARDING_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/onboardings/:id', role: 'viewer', show: showOnboarding },
  { method: 'GET', path: '/onboardings/:id/part', role: 'viewer', part: true, show: showPart },
  { method: 'POST', path: '/onboardings/:id/private', role: 'operator', show: showPrivate },
];
