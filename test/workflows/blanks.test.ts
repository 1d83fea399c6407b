import { afterAll, expect, it } from 'vitest';
import { UNVERIFIED_SSN } from '../../src/apps/sandbox/banking/scenarios.js';
import { type Resolution, resolveRequirement } from '../../src/messages/requirements.js';
import { gangway } from '../rigs/command.js';
import { business, merchant } from '../rigs/inputs.js';
import { createRig } from '../rigs/rig.js';
import { hostilePartner } from '../rigs/workflows/hostile-partner.js';

const rig = await createRig({ worker: false });
const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
await rig.startWorker({ boardingUrl: hostile.url });
afterAll(() => rig.close());

it('the JSON that the Web UI shows for a rejected part is accepted once its quotes are filled in, and not before', async () => {
  const { holder } = business();
  const onboarding = await rig.onboardBusiness(
    business(undefined, { holder: { ...holder, ssn: UNVERIFIED_SSN } }),
  );
  const { handle } = onboarding;
  const { id, blank } = await onboarding.requirement('rejected-input');
  expect(blank).toEqual({ holder: { ssn: '' } });
  const { currentDetails = '' } = await handle.query<{ currentDetails?: string }>(
    '__temporal_workflow_metadata',
  );
  const [, json = ''] = /```\n([\s\S]*?)\n```/.exec(currentDetails) ?? [];
  const output: Resolution = JSON.parse(json);
  expect(output.answer).toEqual({ kind: 'correction', patch: blank });
  const answer = (text: string) => {
    const resolution = { ...JSON.parse(text), actor: 'olga', reason: 'asked the merchant' };
    return handle.executeUpdate(resolveRequirement, { args: [resolution] });
  };
  const unfilled = await answer(json).catch(({ cause }) => cause.message);
  expect(unfilled).toMatch(/^answer\.patch.*: fill in the empty quotes, or remove/);
  const filled = json.replace('"ssn": ""', '"ssn": "123456789"');
  expect(await answer(filled)).toMatchObject({ requirementId: id });
  expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
});

it('a field that no schema has and that the partner asks for is sent as a person writes it, who sees before that it is new', async () => {
  const validationResults = [{ memberNames: ['taxClassification'], errorMessage: 'is wrong' }];
  const body = JSON.stringify({ data: null, error: 'validation failed', validationResults });
  hostile.misbehave('POST /api/v2/merchant/create', (number) =>
    number === 1 ? { status: 400, body } : undefined,
  );
  const input = merchant();
  const boarding = await rig.board(input);
  const requirement = await boarding.requirement('rejected-input');
  expect(requirement).toMatchObject({
    detail: expect.stringMatching(/^merchant\.taxClassification: is wrong\nvalidation failed\n/),
    fields: ['merchant.taxClassification'],
    blank: { merchant: { taxClassification: '' } },
    answers: ['correction', 'confirm', 'retry', 'abandon'],
  });
  const set = ['resolve', input.externalId, requirement.id, '--set', 'merchant.taxClassification=LLC'];
  const { stdout } = await gangway(rig.env, [...set, '--dry-run']);
  expect(stdout).toContain(
    'merchant.taxClassification: none -> "LLC"  (new field that the partner asked for; sent as is)',
  );
  expect(await gangway(rig.env, set)).toMatchObject({ code: 0 });
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  const { merchantProfileId = 0 } = await boarding.state();
  expect((await rig.sandbox.merchant(merchantProfileId)).basics).toMatchObject({ taxClassification: 'LLC' });
});
