import { describe, expect, it } from 'vitest';
import { formWithFile } from '../../../rigs/console/pages.js';
import { type Reply, runConsole } from '../../../rigs/console/running-console.js';
import { business, customer, holder, merchant } from '../../../rigs/inputs.js';
import { shared } from '../../../rigs/shared.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig({ fourEyes: ['ticket'] });
const console = shared((until) => runConsole(rig, {}, until));

/** Ends an attribute, an element and a text, and then begins elements and an attribute with scripts. */
const script = (where: string) =>
  `${where}"'></title></textarea><img src=x onerror=x()><script>x()</script>{{x}}`;

/** Somebody whose own name is a script. */
const ada = shared(() => console().signedIn({ name: script('actor'), role: 'admin' }));

/** No element, attribute or script of a marker is one of the page, and the marker is there as a text. */
function expectText(reply: Reply, ...places: readonly string[]): void {
  const { text, url, status } = reply;
  expect([url, status]).toEqual([url, expect.toSatisfy((code: number) => code < 500)]);
  // Of the marker, raw: the end of an attribute, of an element, and what would run.
  for (const raw of [`"'></title>`, `"'>&lt;/title>`, '<img', '<script>'])
    expect([url, raw, text.includes(raw)]).toEqual([url, raw, false]);
  for (const place of places)
    expect([url, place, text.includes(`${place}&quot;'>&lt;/title>`)]).toEqual([url, place, true]);
}

const pageOf = ({ workflowId }: { readonly workflowId: string }) =>
  `/onboardings/${encodeURIComponent(workflowId)}`;

describe('a script is shown as text', () => {
  it('in the dba, a note, a comment, an answer, a reason, a proposal and a name of a person', async () => {
    const basics = merchant('waiting');
    const of = { ...basics.merchant, dba: `${script('dba')} [waiting]` };
    const boarding = await rig.board({ ...basics, merchant: of });
    const { merchantProfileId = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
    await rig.sandbox.transition(merchantProfileId, {
      status: 'Pending Review',
      comment: script('comment'),
      notes: [script('note'), script('other')],
    });
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [first, second] = requirements;
    const path = (id = '') => `${pageOf(boarding)}/requirements/${id}`;
    expectText(await ada().open(path(first?.id)), 'dba', 'note', 'actor');
    const answered = async (text: string) =>
      ada().open(path(first?.id), { form: { kind: 'text', text, reason: script('reason') } });
    const missing = await answered(' ');
    expectText(missing, 'reason');
    const input = await answered(script('answer'));
    // Answered before: what was typed comes back.
    const late = await answered(script('late'));
    expect([missing.status, input.status, late.status]).toEqual([422, 303, 409]);
    expectText(late, 'late', 'answer');
    await ada().open(`${path(second?.id)}/claim`, { form: { do: 'claim' } });
    expectText(await ada().open(pageOf(boarding)), 'dba', 'other', 'answer', 'reason', 'actor');
    expectText(await ada().open(`${pageOf(boarding)}/part`), 'other', 'answer', 'reason');
    const bo = await console().signedIn();
    expectText(await bo.open(`${path(second?.id)}/part`), 'actor');
    await boarding.listed(' AND ActionRequired = true');
    for (const list of ['/', '/inbox/part', '/onboardings'])
      expectText(
        await ada().open(`${list}?find=${encodeURIComponent(script('search'))}`),
        ...(list === '/' ? ['search'] : []),
      );
    for (const list of ['/', '/onboardings']) expectText(await ada().open(list));
  });

  it('in a ticket, a proposed answer and a rejected field', async () => {
    const named = holder('waiting', { legalBusinessName: 'Baker <script>x()</script>' });
    const onboarding = await rig.onboardBusiness(business(undefined, { holder: named }));
    const { profileId = 0 } = await onboarding.until((state) => state.profileId !== undefined, 'the profile');
    const tickets = [{ text: script('ticket') }];
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'PendingUW', tickets });
    const { id } = await onboarding.requirement('ticket');
    const path = `${pageOf(onboarding)}/requirements/${id}`;
    expectText(await ada().open(path), 'ticket');
    const form = { kind: 'correction', 'set.holder.website': script('value') };
    expectText(await ada().open(path, { form: { ...form, [`set.${script('field')}`]: 'x' } }), 'value');
    const other = { 'other.0.name': script('name'), 'other.0.value': script('json') };
    expectText(await ada().open(path, { form: { kind: 'correction', ...other } }), 'name');
    const proposed = await ada().open(path, {
      form: { kind: 'text', text: script('proposal'), reason: script('why') },
    });
    expect(proposed.status).toBe(303);
    expectText(await ada().open(path), 'proposal', 'why', 'actor');
    expectText(await ada().open(pageOf(onboarding)), 'ticket', 'why');
  });

  it('in a field of the form of a start, and in a file of many', async () => {
    for (const kind of ['merchant', 'business', 'customer']) {
      const form = { externalId: script('id'), 'merchant.dba': script('dba'), application: script('json') };
      const reply = await ada().open(`/start/${kind}`, { form: { ...form, 'holder.email': script('mail') } });
      expect(reply.status).toBe(422);
      expectText(reply, 'id');
    }
    const { boarding: _, business: __, ...input } = customer();
    const rows = [{ ...merchant(), externalId: script('row'), [script('unknown')]: script('cell') }, input];
    const file = rows.map((row) => JSON.stringify(row)).join('\n');
    const body = formWithFile(
      await ada().csrf(),
      { file: [`${'name'}<img src=x onerror=x()>.ndjson`, file] },
      { kind: 'merchant' },
    );
    const reply = await ada().open('/batches', { body });
    expectText(reply);
  });
});
