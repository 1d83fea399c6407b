import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stagesOf } from '../../../src/messages/codes.js';
import { EACH_ONBOARDING, ONBOARDINGS } from '../../../src/messages/workflow-types.js';

const HISTORIES = new URL('../../histories/', import.meta.url);

interface Indexed {
  readonly workflowType?: { readonly name: string };
  readonly searchAttributes?: {
    readonly indexedFields: Readonly<Record<string, { readonly data?: string }>>;
  };
}

interface RecordedEvent {
  readonly workflowExecutionStartedEventAttributes?: Indexed;
  readonly upsertWorkflowSearchAttributesEventAttributes?: Indexed;
}

/** The stages of each workflow type in the recorded histories, in the order in which they were first entered. */
function recordedStages(): ReadonlyMap<string, ReadonlySet<unknown>> {
  const stages = new Map<string, Set<unknown>>();
  const files = readdirSync(HISTORIES, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.json'))) {
    const { events } = JSON.parse(readFileSync(new URL(file, HISTORIES), 'utf8')) as {
      events: RecordedEvent[];
    };
    const type = events[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
    const seen = stages.get(type) ?? new Set();
    stages.set(type, seen);
    for (const event of events) {
      const { searchAttributes } =
        event.workflowExecutionStartedEventAttributes ??
        event.upsertWorkflowSearchAttributesEventAttributes ??
        {};
      const data = searchAttributes?.indexedFields['OnboardingStage']?.data;
      if (data)
        for (const stage of [JSON.parse(Buffer.from(data, 'base64').toString())].flat()) seen.add(stage);
    }
  }
  return stages;
}

const recorded = recordedStages();

// A stage of another kind compiles, and the console would show an onboarding in it as ended.
it.each(EACH_ONBOARDING)('%s enters no other stage or outcome than its entry names', (type, facts) => {
  const named = [...facts.stages, facts.success, ...facts.otherwise, 'cancelled'];
  expect([...(recorded.get(type) ?? [])].filter((stage) => !named.includes(String(stage)))).toEqual([]);
});

it('the recorded histories have stages of every kind, so the test above compares some', () => {
  expect([...(recorded.get('merchantBoarding') ?? [])]).toEqual(
    expect.arrayContaining([...ONBOARDINGS.merchantBoarding.stages]),
  );
  expect(recorded.get('businessOnboarding')).toContain('opening');
  expect(recorded.get('customerOnboarding')).toContain('onboarding');
});

it('two kinds have no ID prefix, command, event or noun in common', () => {
  const names = EACH_ONBOARDING.map(([, { idPrefix, command, event, nouns }]) => [
    idPrefix,
    command,
    event,
    nouns[0],
  ]);
  for (const place of [0, 1, 2, 3]) {
    const all = names.map((each) => each[place]);
    expect(new Set(all).size).toBe(all.length);
  }
});

it('an unknown workflow has one stage', () => {
  expect(stagesOf('partnerAccount')).toEqual(['working']);
});
