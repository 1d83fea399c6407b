import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { customer, merchant } from '../../test/rigs/inputs.js';
import { Onboarding } from '../../test/rigs/onboarding.js';
import type { Rig } from '../../test/rigs/rig.js';
import { eventually } from '../../test/rigs/waiting.js';
import type { Bench } from '../bench.js';
import { rigOn } from '../gangway.js';
import { eventsOf, moreEvents } from '../histories.js';
import { type Line, line } from '../line.js';

/** What underwriting notes add to the history of a boarding, and to that of the customer around it. */
export async function* notes(bench: Bench): AsyncGenerator<Line> {
  const rig = await rigOn(bench);
  // The first read after the submission shows no notes yet.
  await rig.sandbox.pace('2reads');
  const noted = await twoNotes(rig);
  const straight = await ended(await rig.board(merchant()));
  const two = 'more for two notes, seen by the second read, answered one by one';
  yield moreEvents(two, noted, straight, { atMost: 30 });
  await rig.sandbox.pace('1reads');
  const most = bench.size(20, 4);
  const sizes = await Promise.all([0, most / 2, most].map((count) => notedCustomer(rig, count)));
  for (const [unit, atMost] of [
    ['events', 6],
    ['bytes', undefined],
  ] as const) {
    const [none = 0, half = 0, all = 0] = sizes.map((size) => size[unit]);
    const what = `customer whose merchant has ${most} notes, answered one by one`;
    yield line({
      what: `${what}, for each note`,
      figure: (all - none) / most,
      unit,
      ...(atMost !== undefined && { goal: { atMost } }),
      parts: { 'without notes': none, [`with ${most / 2}`]: half, [`with ${most}`]: all },
    });
    yield line({
      what: `${what}, second half`,
      figure: all - half,
      unit,
      goal: { atMost: 1.1 },
      baseline: { what: 'first half', figure: half - none },
    });
  }
}

async function ended(boarding: Onboarding): ReturnType<typeof eventsOf> {
  await boarding.outcome();
  return eventsOf(boarding);
}

async function twoNotes({ board }: Rig): ReturnType<typeof eventsOf> {
  const boarding = await board(merchant('notes'));
  // A search attribute costs the worker nothing.
  const waits = async () => (await boarding.handle.describe()).typedSearchAttributes;
  await eventually(waits, (seen) => seen.get(SEARCH_ATTRIBUTES.actionRequired) === true, 'the notes');
  const { requirements } = await boarding.state();
  for (const { id } of requirements) await answer(boarding, id);
  return ended(boarding);
}

function answer(boarding: Onboarding, requirementId: string): Promise<unknown> {
  return boarding.resolve(requirementId, { kind: 'text', text: 'Answered.' });
}

/** Onboards a customer whose underwriters write so many notes at once. Each report has time to arrive before the next answer. */
async function notedCustomer(
  { client, sandbox, onboard }: Rig,
  count: number,
): Promise<{ readonly events: number; readonly bytes: number }> {
  const input = customer({ boarding: 'waiting' });
  const whole = await onboard(input);
  const boarding = new Onboarding(client, `merchant-boarding-${input.externalId}`);
  const started = () => boarding.handle.describe().catch(() => undefined);
  await eventually(started, (execution) => execution !== undefined, 'the boarding');
  const { merchantProfileId = 0 } = await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  if (count > 0) {
    await sandbox.transition(merchantProfileId, { notes: Array.from({ length: count }, question) });
    const { requirements } = await whole.until((state) => state.requirements.length === count, 'all notes');
    for (const { id } of requirements) {
      await quiet([whole, boarding]);
      await answer(boarding, id);
    }
    await boarding.until((state) => state.requirements.length === 0, 'the delivery of the answers');
  }
  await quiet([whole, boarding]);
  // A mid of another merchant would not be believed.
  await sandbox.transition(merchantProfileId, { status: 'Approved', mid: `4711${merchantProfileId}` });
  await whole.outcome();
  const { historyLength: events, historySize: bytes = 0 } = await whole.handle.describe();
  return { events, bytes };
}

function question(_: unknown, index: number): string {
  return `Please explain the deposit of week ${index + 1} in a sentence or two.`;
}

/** Nothing has been written for this many looks in a row. */
const LOOKS = 3;

/** Waits until no history grows. */
async function quiet(onboardings: readonly Onboarding[]): Promise<void> {
  let seen = '';
  let same = 0;
  const lengths = async () => {
    const described = await Promise.all(onboardings.map(({ handle }) => handle.describe()));
    const now = described.map(({ historyLength }) => historyLength).join();
    same = now === seen ? same + 1 : 0;
    seen = now;
    return same;
  };
  await eventually(lengths, (looks) => looks >= LOOKS, 'quiet histories');
}
