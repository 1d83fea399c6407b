import { afterAll, describe, expect, it } from 'vitest';
import type { Patch } from '../../../src/messages/activities.js';
import type { Resolution } from '../../../src/messages/requirements.js';
import { resolveRequirement } from '../../../src/messages/requirements.js';
import { gangway } from '../../rigs/command.js';
import { business, customer, merchant, terminal } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { createRig } from '../../rigs/rig.js';
import { hostilePartner } from '../../rigs/workflows/hostile-partner.js';

const rig = await createRig({ worker: false });
const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
await rig.startWorker({ boardingUrl: hostile.url });
afterAll(() => rig.close());

const refusal = (field: string) => ({
  status: 400,
  body: JSON.stringify({
    data: null,
    status: 'Bad Request',
    error: 'validation failed',
    validationResults: [{ memberNames: [field], errorMessage: 'is wrong' }],
  }),
});

/** Refuses the first request of a line, and names this field of it. */
function refuseOnce(line: string, field: string): void {
  hostile.misbehave(line, (number) => (number === 1 ? refusal(field) : undefined));
}

/** The correction that the Web UI shows, to fill in. */
async function blankOf({ handle }: Onboarding<unknown>): Promise<Resolution> {
  const { currentDetails = '' } = await handle.query<{ currentDetails?: string }>(
    '__temporal_workflow_metadata',
  );
  const [, json = ''] = /```\n([\s\S]*?)\n```/.exec(currentDetails) ?? [];
  return JSON.parse(json);
}

/** The JSON with each empty name, and each empty value, filled in. */
function filled(blank: Resolution, name: string, value: unknown): Resolution {
  const fill = (inside: unknown): unknown => {
    if (inside === '') return value;
    if (typeof inside !== 'object' || inside === null) return inside;
    return Object.fromEntries(Object.entries(inside).map(([each, more]) => [each || name, fill(more)]));
  };
  const { answer } = blank;
  if (answer.kind !== 'correction') throw new TypeError(`the blank is for ${answer.kind}`);
  const patch = fill(answer.patch) as typeof answer.patch;
  return { ...blank, answer: { ...answer, patch }, actor: 'olga', reason: 'asked the merchant' };
}

const answer = ({ handle }: Onboarding<unknown>, resolution: Resolution) =>
  handle.executeUpdate(resolveRequirement, { args: [resolution] });

/** An onboarding that takes a correction, what the Web UI shows for it, and a name and a value to fill in. */
type Case = [
  what: string,
  begin: () => Promise<Onboarding<unknown>>,
  kind: 'rejected-input' | 'request-changes' | 'ticket',
  patch: Patch,
  name: string,
  value: unknown,
];

describe('the JSON that the Web UI shows is accepted once its quotes are filled in, and not before:', () => {
  it.each<Case>([
    [
      'a refused create',
      async () => {
        refuseOnce('POST /api/v2/merchant/create', 'email');
        return rig.board(merchant());
      },
      'rejected-input',
      { merchant: { email: '' } },
      '',
      'ada@example.com',
    ],
    [
      'a refused holder',
      () => rig.onboardBusiness(business('correction')),
      'rejected-input',
      { holder: { website: '' } },
      '',
      'https://www.example.com',
    ],
    [
      'a refused account of a part',
      () =>
        rig.onboard(
          customer(
            {},
            { provisionTerminal: terminal({ account: { ...terminal().account, parent_id: 'account-9' } }) },
          ),
        ),
      'rejected-input',
      { provisionTerminal: { account: { parent_id: '' } } },
      '',
      null,
    ],
  ])('%s', async (_, begin, kind, patch, name, value) => {
    const onboarding = await begin();
    const { id } = await onboarding.requirement(kind);
    const shown = await blankOf(onboarding);
    const blank = { ...shown, answer: { kind: 'correction' as const, patch } };
    expect(shown).toEqual(blank);
    expect((await onboarding.state()).requirements).toMatchObject([{ id, blank: patch }]);
    const signed = { ...blank, actor: 'olga', reason: 'asked the merchant' };
    const unfilled = await answer(onboarding, signed).catch(({ cause }) => cause.message);
    expect(unfilled).toMatch(/^answer\.patch.*: fill in the (empty quotes|name of each field), or remove/);
    expect(await answer(onboarding, filled(blank, name, value))).toMatchObject({ requirementId: id });
    expect(await onboarding.outcome()).toMatchObject({ outcome: expect.stringMatching(/boarded$/) });
  });
});

describe('a create that the partner refuses for a field that no schema has', () => {
  async function refused() {
    refuseOnce('POST /api/v2/merchant/create', 'taxClassification');
    const input = merchant();
    const boarding = await rig.board(input);
    const requirement = await boarding.requirement('rejected-input');
    return { input, boarding, requirement };
  }

  it('is sent with that field as a person writes it, who sees before that it is new', async () => {
    const { input, boarding, requirement } = await refused();
    expect(requirement).toMatchObject({
      detail: 'merchant.taxClassification: is wrong',
      fields: ['merchant.taxClassification'],
      blank: { merchant: { taxClassification: '' } },
      answers: ['correction', 'adopt', 'retry', 'abandon'],
    });
    const set = ['resolve', input.externalId, requirement.id, '--set', 'merchant.taxClassification=LLC'];
    const { stdout } = await gangway(rig.env, [...set, '--dry-run']);
    expect(stdout).toContain(
      'merchant.taxClassification: none -> "LLC"  (new field that the partner asked for; sent as is)',
    );
    expect(await gangway(rig.env, set)).toMatchObject({ code: 0 });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const { merchantProfileId = 0 } = await boarding.state();
    expect((await rig.sandbox.merchant(merchantProfileId)).basics).toMatchObject({
      taxClassification: 'LLC',
    });
  });
});
