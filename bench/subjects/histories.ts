import { business, customer, merchant } from '../../test/rigs/inputs.js';
import { Onboarding } from '../../test/rigs/onboarding.js';
import type { Rig } from '../../test/rigs/rig.js';
import type { Bench } from '../bench.js';
import { rigOn } from '../gangway.js';
import { billedOf, sizeOf } from '../histories.js';
import { type Line, line } from '../line.js';

/** As in production: agent profile and boarding settings by name, fees to change, and an application. */
const PRODUCTION = {
  agentProfileId: undefined,
  agent: 'Harbor Agents',
  boardingSettingsId: undefined,
  boardingSettings: 'Standard',
  fees: { minimumDiscountAmount: 20 },
  application: { merchantProfile: { legalName: 'Corner Bakery LLC' } },
};

const PARTS = ['merchant-boarding', 'business-onboarding'] as const;

/** The history, the billed actions and the partner calls of each kind of onboarding when nothing goes wrong. */
export async function* histories(bench: Bench): AsyncGenerator<Line> {
  const rig = await rigOn(bench);
  yield* measured(rig, 'straight boarding', () => rig.board(merchant()), 26);
  const {
    agentProfileId: _,
    boardingSettingsId: __,
    ...production
  } = merchant(undefined, PRODUCTION as object);
  yield* measured(rig, 'straight boarding, production shape', () => rig.board(production), 32);
  yield* measured(rig, 'straight business', () => rig.onboardBusiness(business()));

  const whole = customer();
  yield* measured(rig, 'straight customer', () => rig.onboard(whole), 38);
  let all = (await new Onboarding(rig.client, `customer-onboarding-${whole.externalId}`).handle.describe())
    .historyLength;
  for (const part of PARTS) {
    const child = new Onboarding(rig.client, `${part}-${whole.externalId}`);
    all += (await child.handle.describe()).historyLength;
    yield* sizeOf(`its ${part}`, child);
    yield await billedOf(`its ${part}`, child);
  }
  const what = 'straight customer, with its children';
  yield line({ what, figure: all, unit: 'events', goal: { atMost: 95 } });
}

/** Runs an onboarding to its end, and measures what it cost. */
async function* measured(
  { sandbox }: Rig,
  what: string,
  start: () => Promise<Onboarding>,
  mostEvents?: number,
): AsyncGenerator<Line> {
  const before = await sandbox.calls();
  const onboarding = await start();
  await onboarding.outcome();
  const calls = (await sandbox.calls()) - before;
  yield* sizeOf(what, onboarding, mostEvents === undefined ? undefined : { atMost: mostEvents });
  yield await billedOf(what, onboarding);
  yield line({ what, figure: calls, unit: 'partner calls' });
}
