import { afterAll, expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { batchFile } from '../../../rigs/commands/files.js';
import { countingProxy } from '../../../rigs/counting-proxy.js';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { createRig } from '../../../rigs/rig.js';

const rig = await createRig({ worker: false });
const wire = await countingProxy(rig.sandbox.url, rig.atClose);
await rig.startWorker({ boardingUrl: wire.url });
afterAll(() => rig.close());

const FEES = '/api/v2/merchant/fees';

const PLAN = {
  name: 'retail-2026',
  fees: {
    cashDiscountRate: 3.5,
    visaMasterCardDiscover: { interchangePlus: { qualified: { perItem: 0.1, percent: 0.25 } } },
  },
  mayChange: ['visaMasterCardDiscover'],
};

const plans = await batchFile(rig, 'plans.json', JSON.stringify([PLAN]));
const env = { ...rig.env, GANGWAY_FEE_PLANS: plans };

async function board(input: object) {
  return runGangway(env, ['board', await batchFile(rig, 'input.json', JSON.stringify(input)), '--wait']);
}

const sent = () => wire.seen(`POST ${FEES}`).map(({ request }) => request.body().toString());

// Alone catches an input whose plan is lost, or sent otherwise, between the file of the operator and the partner.
it('a plan is sent to the partner with exactly its fees, or the changed number', async () => {
  const { agentProfileId, merchant: basics, externalId } = merchant();
  const input = { externalId, agentProfileId, merchant: basics, boardingSettings: false, feePlan: PLAN.name };
  expect(await board(input)).toMatchObject({ code: 0 });
  expect(sent()).toEqual([
    '{"cashDiscountRate":3.5,"visaMasterCardDiscover":{"interchangePlus":{"qualified":{"perItem":0.1,"percent":0.25}}}}',
  ]);
  const { timeline } = await new Onboarding(rig.client, `merchant-boarding-${externalId}`).state();
  expect(timeline).toContainEqual(
    expect.objectContaining({ event: 'fees-changed', detail: 'fee plan retail-2026' }),
  );
  const fees = { visaMasterCardDiscover: { interchangePlus: { qualified: { perItem: 0.1, percent: 0.3 } } } };
  await board({ ...input, externalId: `${externalId}-b`, fees });
  expect(sent()[1]).toBe(
    '{"cashDiscountRate":3.5,"visaMasterCardDiscover":{"interchangePlus":{"qualified":{"perItem":0.1,"percent":0.3}}}}',
  );
});

it('an unknown plan costs no call of the partner, and neither does a number that may not change', async () => {
  const before = wire.seen().length;
  const unknown = await board(merchant(undefined, { feePlan: 'retail-2025' }));
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean retail-2026?')]);
  const fixed = await board(merchant(undefined, { feePlan: PLAN.name, fees: { cashDiscountRate: 1 } }));
  expect([fixed.code, fixed.stderr]).toEqual([
    2,
    expect.stringContaining('fees.cashDiscountRate: is 3.5 in'),
  ]);
  expect(wire.seen().length).toBe(before);
});

it('an input whose plan nobody resolved ends before anything is sent', async () => {
  const input = merchant(undefined, { feePlan: PLAN.name });
  const boarding = await rig.board(input);
  await expect(boarding.outcome()).rejects.toThrow();
  expect(await rig.sandbox.writes(input.externalId)).toEqual([]);
});

it('the fees of a merchant become a plan, which is checked, and compared with a merchant', async () => {
  const { merchantProfileId: id = 0 } = await (async () => {
    const boarding = await rig.board(merchant());
    await boarding.outcome();
    return boarding.state();
  })();
  const printed = await runGangway(env, ['fees', 'show', `${id}`, '--name', 'standard']);
  expect([printed.code, JSON.parse(printed.stdout)]).toMatchObject([
    0,
    [{ name: 'standard', mayChange: [] }],
  ]);
  const wrong = printed.stdout.replace('"chargeback"', '"chargebak"');
  const check = async (text: string) =>
    runGangway(env, ['fees', 'check', await batchFile(rig, 'own.json', text), '--merchant', `${id}`]);
  expect(await check(printed.stdout)).toMatchObject({
    code: 0,
    stdout: 'standard: 14 values, none may change\n',
  });
  const { code, stderr } = await check(wrong);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`in no fee of merchant ${id}; did you mean`)]);
  // The same warning before a start, because this merchant has the same boarding settings.
  const fees = { authorizationMonthlyAndSpecialProgram: { chargebak: { perItem: 1, percent: 0 } } };
  const input = await batchFile(rig, 'strict.json', JSON.stringify(merchant(undefined, { fees })));
  const strict = await runGangway(env, ['board', input, '--strict']);
  expect([strict.code, strict.stderr]).toEqual([
    2,
    expect.stringMatching(
      /chargebak: is in no fee of merchant \d+, which has the same boarding settings; did you/,
    ),
  ]);
});
