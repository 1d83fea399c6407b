import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { business, customer, merchant, terminal } from '../../test/rigs/inputs.js';
import { Onboarding } from '../../test/rigs/onboarding.js';
import type { Rig } from '../../test/rigs/rig.js';
import { eventually } from '../../test/rigs/waiting.js';
import type { Bench } from '../bench.js';
import { rigOn } from '../gangway.js';
import { eventsOf, sizeOf } from '../histories.js';
import { type Line, line } from '../line.js';

/** The history of each kind of onboarding when nothing goes wrong, and the events that notes add. */
export async function* histories(bench: Bench): AsyncGenerator<Line> {
  const rig = await rigOn(bench);
  yield* sizeOf('straight boarding', await ended(rig), { atMost: 50 });
  for (const [what, { pace, answering }] of Object.entries(NOTED)) {
    await rig.sandbox.pace(pace);
    const more = difference(await eventsOf(await noted(rig, answering)), await eventsOf(await ended(rig)));
    const figure = Object.values(more).reduce((sum, count) => sum + count, 0);
    yield line({
      what: `more for two notes, ${what}`,
      figure,
      unit: 'events',
      goal: { atMost: 25 },
      parts: more,
    });
  }
  await rig.sandbox.pace('1reads');
  const onboarded = await rig.onboardBusiness(business());
  await onboarded.outcome();
  yield* sizeOf('straight business', onboarded);

  const input = customer({}, { provisionTerminal: terminal() });
  const whole = await rig.onboard(input);
  await whole.outcome();
  yield* sizeOf('straight customer with a terminal', whole);
  for (const part of ['merchant-boarding', 'business-onboarding', 'terminal-provisioning']) {
    yield* sizeOf(`its ${part}`, new Onboarding(rig.client, `${part}-${input.externalId}`));
  }
}

type Answering = (answers: readonly (() => Promise<unknown>)[]) => Promise<unknown>;

const together: Answering = (answers) => Promise.all(answers.map((answer) => answer()));

const oneByOne: Answering = async (answers) => {
  for (const answer of answers) await answer();
};

/** When two notes are seen, and how they are answered. */
const NOTED: Readonly<Record<string, { readonly pace: string; readonly answering: Answering }>> = {
  'seen by the first read, answered at once': { pace: '1reads', answering: together },
  'seen by the first read, answered one by one': { pace: '1reads', answering: oneByOne },
  'seen by the second read, answered one by one': { pace: '2reads', answering: oneByOne },
};

async function ended({ board }: Rig): Promise<Onboarding> {
  const boarding = await board(merchant());
  await boarding.outcome();
  return boarding;
}

async function noted({ board }: Rig, answering: Answering): Promise<Onboarding> {
  const boarding = await board(merchant('notes'));
  // Reads a search attribute, because a query that meets a local activity would add a workflow task.
  const waits = async () => (await boarding.handle.describe()).typedSearchAttributes;
  await eventually(waits, (seen) => seen.get(SEARCH_ATTRIBUTES.actionRequired) === true, 'the notes');
  const { requirements } = await boarding.state();
  await answering(
    requirements.map(
      ({ id }) =>
        () =>
          boarding.resolve(id, { kind: 'text', text: 'Answered.' }),
    ),
  );
  await boarding.outcome();
  return boarding;
}

function difference(
  all: Readonly<Record<string, number>>,
  without: Readonly<Record<string, number>>,
): Record<string, number> {
  const more = Object.entries(all).map(([kind, count]) => [kind, count - (without[kind] ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count !== 0));
}
