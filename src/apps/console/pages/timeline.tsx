import { partsOfActor } from '../../../messages/actors.js';
import type { TimelineEvent } from '../../../messages/codes.js';
import { systemOf } from '../../../messages/ids.js';
import { isMerchant } from '../../../messages/links.js';
import { fieldOf } from '../../../messages/objects.js';
import type { OnboardingState, TimelineEntry } from '../../../messages/onboarding-state.js';
import { capitalize } from '../../../partners/text-limits.js';
import { readableParts } from '../../../services/inbox/waiting-state.js';
import { whatHappened } from '../../../services/texts/codes.js';
import { confirmationOf, inZone, saidOf } from '../../../services/texts/timeline-entries.js';
import { givenReason } from '../answer.js';
import type { OnboardingView } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import { hasRole, useRequest } from '../route.js';
import { OneForm, takenBack } from './answer-forms.js';
import { pathLabel } from './input-fields.js';
import { firstSentence, Person, Prose, partnerStatusLabel, summarize, When } from './parts.js';
import { Avatar, Icon } from './pieces.js';

export function Answered({
  view,
  state,
}: {
  readonly view: OnboardingView;
  readonly state: OnboardingState;
}) {
  const { user } = useRequest();
  const all = [{ workflowId: view.workflowId, state }, ...readableParts(view.parts)].flatMap(
    ({ workflowId, state: of }) =>
      endedOf(of).map((each) => ({ ...each, workflowId, unsent: of.unsent ?? [] })),
  );
  if (all.length === 0) return null;
  return (
    <section class="card" aria-labelledby="answered-title" id="answered">
      <h2 id="answered-title">Answered</h2>
      <ul class="answered">
        {all
          .sort((one, other) => other.entry.at.localeCompare(one.entry.at))
          .map(({ id, title, entry, workflowId, unsent }) => (
            <li key={`${workflowId} ${id}`} id={`answered-${id}`} data-answered={id}>
              <strong>{title}</strong>
              <span data-sentence="">
                <AnsweredSentence entry={entry} />
              </span>
              {unsent.includes(id) && hasRole(user, 'operator') && (
                <details>
                  <summary>Take the answer back</summary>
                  <OneForm
                    {...{ workflowId, kind: 'take-back', requirement: takenBack(id) }}
                    page={view.workflowId}
                  />
                </details>
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

function AnsweredSentence({ entry }: { readonly entry: LastEntry }) {
  const said = saidOf(entry);
  return entry.event === 'requirement-resolved' ? (
    <>
      <Person actor={entry.actor ?? 'Someone'} /> answered{' '}
      {entry.confirmer && (
        <>
          and <Person actor={entry.confirmer} /> confirmed it{' '}
        </>
      )}
      <When time={entry.at} />: {answerText(said)}
      {givenReason(entry.reason) && ` (${entry.reason})`}
    </>
  ) : (
    <>
      Closed <When time={entry.at} />: {said}
    </>
  );
}

/** Returns a short form of an answer. A correction names its fields by their labels. */
function answerText(answer: string): string {
  const [, fields] = /^correction: (.*)$/s.exec(answer) ?? [];
  if (fields === undefined) return summarize(answer);
  const labels = fields.split(', ').map((each) => (/^\w+(?:\.\w+)*$/.test(each) ? pathLabel(each) : each));
  return summarize(`correction: ${labels.join('; ')}`);
}

type LastEntry = TimelineEntry & { readonly confirmer?: string | undefined };

/** Returns the closed requirements, by the last entry about each. */
function endedOf({ timeline, requirements }: OnboardingState) {
  const titles = titlesIn(timeline);
  const ended = new Map<string, LastEntry>();
  for (const entry of timeline) {
    const id = (entry.detail ?? '').split(': ')[0] ?? '';
    if (entry.event === 'requirement-resolved' || entry.event === 'requirement-closed')
      ended.set(id, { ...entry, confirmer: confirmationOf(timeline, entry)?.actor });
  }
  for (const { id } of requirements) ended.delete(id);
  return [...ended].map(([id, entry]) => ({ id, title: titles.get(id) ?? id, entry }));
}

interface EntryProps {
  readonly entry: TimelineEntry;
  readonly workflowId: string;
  /** The question of the entry, if the timeline has several questions. */
  readonly about?: string | undefined;
}

export function EntryText({ entry, workflowId, about }: EntryProps) {
  const { times } = useRequest();
  const { event, actor } = entry;
  const [said, rest] = sentenceOf(entry);
  const detail = WITH_ANSWER.test(event)
    ? answerText(rest)
    : inZone(rest, entry, times).replace(OWN_LINK, '');
  const reason = givenReason(entry.reason);
  return (
    <>
      {actor !== undefined && (
        <>
          <strong>{isMerchant(actor) ? 'The merchant' : <Person actor={actor} />}</strong>{' '}
        </>
      )}
      {event === 'status-changed' && (
        <strong>{fieldOf(PARTNERS, systemOf(workflowId)) ?? 'The partner'}: </strong>
      )}
      <Prose text={said} />
      {about && <small>{about}</small>}
      {detail && <small>{detail}</small>}
      {reason && <small>Reason: {reason}</small>}
    </>
  );
}

/** Matches a link's ID, which only programs need. */
const OWN_LINK = /^L-\w+:? ?/;

/** Matches events whose detail is the short form of an answer. */
const WITH_ANSWER = /^(?:requirement-resolved|answer-proposed|answer-confirmed)$/;

const PARTNERS: Readonly<Record<string, string>> = { boarding: 'Underwriting', banking: 'The bank' };

/** Renders timeline entries, newest first, grouped by day in the person's time zone. */
export function Timeline({
  timeline,
  workflowId,
}: Pick<OnboardingState, 'timeline'> & Pick<OnboardingView, 'workflowId'>) {
  const { times } = useRequest();
  const titles = titlesIn(timeline);
  const aboutOf = ({ event, detail = '' }: TimelineEntry) =>
    titles.size > 1 && ON_QUESTION.test(event) ? titles.get(detail.split(': ')[0] ?? '') : undefined;
  const entries = timeline.map((entry, index) => ({ entry, number: index + 1 })).reverse();
  return (
    <section class="card" aria-labelledby="timeline-title" id="timeline">
      <h2 id="timeline-title">What happened</h2>
      {[...Map.groupBy(entries, ({ entry }) => times.day(entry.at))].map(([day, own]) => (
        <div key={day}>
          <h3>
            <small>{day}</small>
          </h3>
          <ol class="timeline" reversed start={own[0]?.number}>
            {own.map(({ entry, number }) => (
              <li key={number} id={`entry-${number}`}>
                <Author entry={entry} />
                <div>
                  <EntryText entry={entry} workflowId={workflowId} about={aboutOf(entry)} />
                </div>
                <When time={entry.at} />
              </li>
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
}

/** Matches events whose entries name a question only by its ID. */
const ON_QUESTION = /^requirement-(?!raised)/;

/** Returns the titles of questions, by ID. */
function titlesIn(timeline: OnboardingState['timeline']): Map<string, string> {
  const raised = timeline.filter(({ event }) => event === 'requirement-raised');
  return new Map(raised.map((entry) => [(entry.detail ?? '').split(': ')[0] ?? '', saidOf(entry)]));
}

/** Shows a person's initials, or an icon for a partner, a merchant, Gangway or another program. */
export function Author({ entry: { event, actor } }: Pick<EntryProps, 'entry'>) {
  const isPerson = actor !== undefined && !isMerchant(actor) && partsOfActor(actor).person !== undefined;
  if (isPerson) return <Avatar actor={actor} />;
  const isPartner = actor === undefined && OF_PARTNERS.includes(event);
  const name = actor && isMerchant(actor) ? 'person' : isPartner ? 'organization' : 'gear';
  return (
    <span class={`avatar chart-${isPartner ? 'main' : 'calm'}`}>
      <Icon name={name} />
    </span>
  );
}

/** The events that a partner causes. */
const OF_PARTNERS: readonly TimelineEvent[] = [
  'status-changed',
  'requirement-raised',
  'answer-rejected',
  'partner-warned',
  'temporary-mid',
  'profile-locked',
  'profile-unlocked',
  'financial-account-opened',
];

/** Sentences for people that replace the catalogue's. `DETAIL` is replaced with the entry's detail. */
const SENTENCES: Readonly<Partial<Record<TimelineEvent, string>>> = {
  started: 'The onboarding started',
  ended: 'The onboarding ended: DETAIL',
  'status-changed': 'DETAIL',
  'requirement-raised': 'DETAIL',
  'requirement-claimed': 'claimed a requirement',
  'merchant-began': 'began to answer',
  'requirement-unclaimed': 'Nobody has claimed a requirement',
  'merchant-created': 'The partner created DETAIL',
  submitted: 'The application is at underwriting',
};

/** Returns the sentence, and the part of the detail that it leaves out. */
function sentenceOf(entry: TimelineEntry): [sentence: string, rest: string] {
  const { event, actor, detail = '' } = entry;
  const isAbout = /^(?:requirement|answer|proposal|remark|link)-|^merchant-(?:asked|began)$/.test(event);
  const said = isAbout ? saidOf(entry) : detail;
  const description = firstSentence(whatHappened('timeline entry', event) ?? event).replace(/\.$/, '');
  const sentence = SENTENCES[event] ?? description;
  if (sentence.includes('DETAIL')) {
    // The detail has the partner's status, then its comment.
    const [first = '', ...more] = event === 'status-changed' ? said.split(': ') : [said];
    const words = event === 'ended' ? first.replaceAll('-', ' ') : partnerStatusLabel(first);
    return [sentence.replace('DETAIL', () => words ?? ''), more.join(': ')];
  }
  const named = sentence.replace(/\ba requirement\b/i, nounOf(detail));
  if (event === 'started' && actor !== undefined) return ['started the onboarding', said];
  return [actor === undefined ? capitalize(named) : named.replace(/^(?:A person|Someone) /, ''), said];
}

/** Returns the noun for an entry's question, from the beginning of its ID. */
function nounOf(detail: string): string {
  if (detail.startsWith('note-')) return 'the note';
  return /^(?:business-)?ticket-/.test(detail) ? 'the ticket' : 'the question';
}
