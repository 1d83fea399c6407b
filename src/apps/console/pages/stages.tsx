import { stagesOf } from '../../../messages/codes.js';
import { isCustomer, partsOfId } from '../../../messages/ids.js';
import type { StageSeconds } from '../../../messages/list-fields.js';
import type { OnboardingState, Stage } from '../../../messages/onboarding-state.js';
import { PARTS, type Part } from '../../../messages/onboardings.js';
import type { WorkflowType } from '../../../messages/workflow-types.js';
import { capitalize } from '../../../partners/text-limits.js';
import { PART_NAMES } from '../../../services/reports/record-page.js';
import { toneOf } from '../../../services/reports/report-page.js';
import { SUCCESSES } from '../../../services/reports/statistics.js';
import { whatHappened } from '../../../services/texts/codes.js';
import { span } from '../../../services/texts/time.js';
import type { Listed } from '../../../temporal/search.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import type { OnboardingView } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import { firstSentence, Prose, partnerStatusLabel } from './parts.js';
import { Icon } from './pieces.js';

const GOOD: readonly string[] = [...SUCCESSES, 'done'];

export function Stages({ listed, view }: { readonly listed: Listed; readonly view: OnboardingView }) {
  const { workflowId, state, parts } = view;
  const type = partsOfId(workflowId)?.type;
  const stage = state?.stage ?? listed.stage;
  if (!type || !stage) return null;
  return (
    <section id="stages" aria-label="Where it stands">
      {isCustomer(workflowId) ? (
        (Object.keys(PARTS) as Part[]).map((part) => <PartStages key={part} {...{ part, state, parts }} />)
      ) : (
        <StageList type={type} stage={stage} state={state} seconds={listed.stageSeconds} />
      )}
    </section>
  );
}

function PartStages({
  part,
  state,
  parts,
}: Pick<OnboardingView, 'state' | 'parts'> & { readonly part: Part }) {
  const partState = parts.find((each) => each.part === part);
  const of =
    partState && !(partState.state instanceof UnreadableOnboarding) ? partState.state : state?.[part];
  const name = PART_NAMES[part];
  return (
    <div class="part" id={`part-${part}`}>
      <h2>{partState ? <a href={pathOf(partState.workflowId)}>{name}</a> : name}</h2>
      {of ? (
        <StageList type={PARTS[part]} stage={of.stage} state={of} seconds={{}} />
      ) : (
        <p class="advice">Not started yet</p>
      )}
    </div>
  );
}

interface StageListProps {
  readonly type: WorkflowType;
  readonly stage: Stage;
  readonly state: OnboardingState | undefined;
  readonly seconds: StageSeconds;
}

function StageList(props: StageListProps) {
  return (
    <ol class="stages">
      {shownStages(props).map(({ name, tone, note, isNow }) => (
        <li key={name} class={tone && `chart-${tone}`} aria-current={isNow ? 'step' : undefined}>
          {tone === 'good' && <Icon name="check" />}{' '}
          {tone ? <strong>{capitalize(name)}</strong> : capitalize(name)}
          <small>{note}</small>
        </li>
      ))}
    </ol>
  );
}

function shownStages({ type, stage, state, seconds }: StageListProps) {
  const stages = stagesOf(type);
  const isOver = !stages.includes(stage);
  const isGood = GOOD.includes(stage);
  const current = stages.indexOf(stage);
  const asks = (state?.requirements.length ?? 0) > 0;
  // The list of workflows has the times of the stages before the last stage.
  const endedIn = isOver && !isGood ? stages.findLastIndex((name) => seconds[name] !== undefined) + 1 : -1;
  const before = stages.map((name, index) => {
    if (index === current) {
      const note = asks ? 'waits for a person' : (partnerStatusLabel(state?.partnerStatus) ?? 'under way');
      return { name, tone: asks ? 'asks' : toneOf(name), note, isNow: true };
    }
    const isDone = isOver ? isGood || index < endedIn : index < current;
    const took = seconds[name];
    const otherwise = isDone ? 'done' : !isOver ? 'to come' : index === endedIn ? 'ended here' : '–';
    // Leave out times below a second.
    const note = took === undefined || took < 1 ? otherwise : span(took * 1_000);
    return { name, tone: isDone ? 'good' : undefined, note, isNow: false };
  });
  const said = whatHappened('outcome', stage) ?? whatHappened('stage', stage) ?? '';
  const note = <Prose text={firstSentence(said)} />;
  const end = isOver
    ? { name: stage.replaceAll('-', ' '), tone: toneOf(stage), note }
    : { name: 'end', tone: undefined, note: 'to come' };
  return [...before, { ...end, isNow: isOver }];
}
