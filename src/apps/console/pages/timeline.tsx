import type { OnboardingState, TimelineEntry } from '../../../messages/onboarding-state.js';
import { readableParts } from '../../../services/inbox/waits.js';
import { whatHappened } from '../../../services/texts/codes.js';
import type { Times } from '../../../services/texts/time.js';
import { inZone, saidOf } from '../../../services/texts/timeline-entries.js';
import type { OnboardingView } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import { hasRole, useRequest } from '../route.js';
import { OneForm, takenBack } from './answer-forms.js';
import { firstSentence, Prose, summarize, When } from './parts.js';

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
                <OneForm
                  {...{ workflowId, kind: 'take-back', requirement: takenBack(id) }}
                  page={view.workflowId}
                />
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

function AnsweredSentence({ entry }: { readonly entry: TimelineEntry }) {
  const said = saidOf(entry);
  return entry.event === 'requirement-resolved' ? (
    <>
      {entry.actor ?? 'Someone'} answered <When time={entry.at} />: {summarize(said)}
      {entry.reason ? ` (${entry.reason})` : ''}
    </>
  ) : (
    <>
      Closed <When time={entry.at} />: {said}
    </>
  );
}

/** The requirements that are no longer open, by the last entry about each. */
function endedOf({ timeline, requirements }: OnboardingState) {
  const titles = new Map<string, string>();
  const ended = new Map<string, TimelineEntry>();
  for (const entry of timeline) {
    const id = (entry.detail ?? '').split(': ')[0] ?? '';
    if (entry.event === 'requirement-raised') titles.set(id, saidOf(entry));
    if (entry.event === 'requirement-resolved' || entry.event === 'requirement-closed') ended.set(id, entry);
  }
  for (const { id } of requirements) ended.delete(id);
  return [...ended].map(([id, entry]) => ({ id, title: titles.get(id) ?? id, entry }));
}

export function EntryText({ entry }: { readonly entry: TimelineEntry }) {
  const { times } = useRequest();
  return (
    <>
      <Prose text={sentenceOf(entry)} />
      {entry.detail && <small>{detailOf(entry, times)}</small>}
      {entry.reason && <small>Reason: {entry.reason}</small>}
    </>
  );
}

export function Timeline({ timeline }: Pick<OnboardingState, 'timeline'>) {
  return (
    <section class="card" aria-labelledby="timeline-title" id="timeline">
      <h2 id="timeline-title">What happened</h2>
      <ol class="timeline" reversed>
        {timeline
          .map((entry, index) => ({ entry, number: index + 1 }))
          .reverse()
          .map(({ entry, number }) => (
            <li key={number} id={`entry-${number}`}>
              <When time={entry.at} isExact />
              <div>
                <EntryText entry={entry} />
              </div>
            </li>
          ))}
      </ol>
    </section>
  );
}

/** Returns the detail without the ID of a requirement, which means nothing to people. */
function detailOf(entry: TimelineEntry, times: Times): string {
  if (!/^(requirement|answer|proposal|remark)-/.test(entry.event)) return entry.detail ?? '';
  const said = saidOf(entry);
  return entry.event === 'requirement-resolved' ? summarize(said) : inZone(said, entry, times);
}

/** The first sentence of the explanation, with the name of the person. */
function sentenceOf({ event, actor }: TimelineEntry): string {
  const sentence = firstSentence(whatHappened('timeline entry', event) ?? event);
  if (actor === undefined) return sentence;
  const named = sentence.replace(/^(A person|Someone) /, `${actor} `);
  return named === sentence ? `${actor}: ${sentence}` : named;
}
