import { describe, expect, it, onTestFinished } from 'vitest';
import { partsOfId } from '../../../src/messages/ids.js';
import { runConsole } from '../../rigs/console/running-console.js';
import { business, merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { createRig } from '../../rigs/rig.js';
import { shared } from '../../rigs/shared.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { eventually } from '../../rigs/waiting.js';

const rig = await sharedRig();
const console = shared((until) => runConsole(rig, {}, until));

const pageOf = ({ workflowId }: Onboarding<unknown>) => `/onboardings/${encodeURIComponent(workflowId)}`;

describe('an answer that the partner does not have yet', () => {
  it('is taken back with a reason by an operator, once, and the requirement is open again', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [{ id } = { id: '' }] = requirements;
    const path = `${pageOf(boarding)}/requirements/${id}`;
    const [ada, viewer] = [await console().signedIn(), await console().signedIn({ role: 'viewer' })];
    const takeBack = (reason: string) => ada.open(path, { form: { kind: 'take-back', reason } });
    expect((await ada.open(path, { form: { kind: 'text', text: 'One in ten.' } })).status).toBe(303);
    expect((await ada.open(pageOf(boarding))).text).toContain('Take it back');
    expect((await viewer.open(pageOf(boarding))).text).not.toContain('Take it back');
    expect((await boarding.state()).unsent).toEqual([id]);
    const reply = await takeBack('it was one in five');
    expect([reply.status, reply.headers.get('location')]).toEqual([303, pageOf(boarding)]);
    const { requirements: open, timeline } = await boarding.state();
    expect(open.map((each) => each.id)).toContain(id);
    expect(timeline.at(-1)).toMatchObject({ actor: ada.actor, reason: 'it was one in five' });
    expect((await takeBack('again')).status).toBe(409);
    expect(console().audited().at(-1)).toMatchObject({
      what: 'answer',
      detail: 'take-back',
      result: 'accepted',
    });
  });
});

describe('the inbox', () => {
  it('has what a requirement asks, once its workflow was asked in the background, and asks for it once', async () => {
    const own = await createRig({ worker: false });
    onTestFinished(() => own.close());
    const worker = await own.startWorker();
    const boarding = await own.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const ada = await (await runConsole(own)).signedIn({ role: 'viewer' });
    const path = `/inbox/part?find=${partsOfId(boarding.workflowId)?.key}`;
    const questions = async () =>
      [...(await ada.open(path)).text.matchAll(/<small class="question"[^>]*>([^<]*)</g)].map(
        ([, text]) => text,
      );
    const titles = requirements.map(({ title }) => title);
    // It keeps their places until then.
    const shown = await eventually(questions, ([first]) => first !== '\u00a0', 'the questions');
    expect(shown.sort()).toEqual(titles.toSorted());
    await worker.stop();
    expect((await questions()).sort()).toEqual(titles.toSorted());
  });
});

describe('private values of an input', () => {
  it('are shown to an operator who asks for them, in that response only, and the audit log keeps who', async () => {
    const { holder, ...input } = business('waiting');
    const values = { ssn: '123450987', phone: '5185559876', email: 'mail-4711@example.com' };
    const onboarding = await rig.onboardBusiness({ ...input, holder: { ...holder, ...values } });
    await onboarding.until(({ stage }) => stage === 'underwriting', 'underwriting');
    const [ada, viewer] = [await console().signedIn(), await console().signedIn({ role: 'viewer' })];
    const shownIn = (text: string) => Object.values(values).filter((value) => text.includes(value));
    const before = await ada.open(pageOf(onboarding));
    expect([shownIn(before.text), before.text.includes('Show private values')]).toEqual([[], true]);
    expect((await viewer.open(pageOf(onboarding))).text).not.toContain('Show private values');
    const path = `${pageOf(onboarding)}/private`;
    const refused = await viewer.open(path, { form: {} });
    expect([refused.status, shownIn(refused.text)]).toEqual([403, []]);
    const audited = console().audited().length;
    const { status, text, headers } = await ada.open(path, { form: {} });
    expect([status, shownIn(text), headers.get('cache-control')]).toEqual([
      200,
      Object.values(values),
      'no-store',
    ]);
    expect(/<title>(.*?)<\/title>/.exec(text)?.[1]).not.toContain(holder.doingBusinessAsName);
    expect(console().audited().slice(audited)).toEqual([
      {
        ...{ actor: ada.actor, workflowId: onboarding.workflowId },
        ...{ what: 'show private values', msg: 'show private values' },
      },
    ]);
    expect(shownIn((await ada.open(pageOf(onboarding))).text)).toEqual([]);
    expect(shownIn(console().log())).toEqual([]);
  });
});
