import { describe, expect, it, onTestFinished } from 'vitest';
import { partsOfId } from '../../../src/messages/ids.js';
import { runConsole, type SignedIn } from '../../rigs/console/running-console.js';
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

describe('in a row of the inbox', () => {
  const SOLD = 'Note from Underwriting: Please describe the goods sold.';

  /** A boarding with one note, and the path of the inbox that finds it alone. */
  async function noted() {
    const { merchant: of } = merchant('more-notes');
    const boarding = await rig.board(
      merchant('more-notes', { merchant: { ...of, dba: 'Row Café [more-notes]' } }),
    );
    const { id } = await boarding.requirement('underwriting-note');
    const key = partsOfId(boarding.workflowId)?.key ?? '';
    const inbox = `/?kind=underwriting-note&find=${key}`;
    return { boarding, id, inbox, path: `${pageOf(boarding)}/requirements/${id}` };
  }

  /** The inbox once it offers to answer, and the address to which that leads. */
  async function offered(person: SignedIn, inbox: string) {
    const { text } = await eventually(
      () => person.open(inbox),
      (page) => page.text.includes('>Answer here<'),
      'the way to answer',
    );
    return (/<a href="([^"]*)">Answer here</.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
  }

  /** What the form in the row sends besides what a person types. */
  const hiddenIn = (text: string) => {
    const form = /<form [^>]*id="form-note-[^>]*>.*?<\/form>/s.exec(text)?.[0] ?? '';
    return Object.fromEntries(
      [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name ?? '',
        (value ?? '').replaceAll('&amp;', '&'),
      ]),
    );
  };

  it('a short text is answered, by the form of its page, and the inbox stays with its filter', async () => {
    const { boarding, id, inbox, path } = await noted();
    const [ada, viewer] = [await console().signedIn(), await console().signedIn({ role: 'viewer' })];
    const open = await offered(ada, inbox);
    const { text } = await ada.open(open);
    expect(text).toContain(`action="${path}" data-keep`);
    expect(text).toMatch(/<textarea [^>]*required autofocus maxlength="4000"/);
    expect(text).toContain(SOLD);
    expect(text).not.toContain('type="file"');
    const hidden = hiddenIn(text);
    const { key } = partsOfId(boarding.workflowId) ?? {};
    expect(hidden).toEqual({
      ...{ csrf: await ada.csrf(), kind: 'text', page: 'inbox' },
      list: `kind=underwriting-note&find=${key}`,
    });
    expect((await viewer.open(open)).text).not.toMatch(/Answer here|<textarea/);
    expect(
      (await viewer.open(path, { form: { ...hidden, csrf: await viewer.csrf(), text: 'No.' } })).status,
    ).toBe(403);
    const reply = await ada.open(path, { form: { ...hidden, text: 'Bread <b>&</b> rolls.' } });
    expect([reply.status, reply.headers.get('location')]).toEqual([303, inbox]);
    const after = (await ada.open(inbox)).text;
    expect(after).toContain(
      'autofocus>Your answer is accepted. Row Café [more-notes]: Nothing else is open.</p>',
    );
    // Not even where the server still lists it.
    expect(after).not.toContain(`row-${boarding.workflowId}-${id}`);
    const { timeline } = await boarding.state();
    expect(timeline.find(({ event }) => event === 'requirement-resolved')).toMatchObject({
      ...{ actor: ada.actor, detail: `${id}: text: Bread <b>&</b> rolls.` },
    });
    expect((await ada.open(pageOf(boarding))).text).toContain('Bread &lt;b>&amp;&lt;/b> rolls.');
  });

  it('what is wrong shows on the page of the requirement, and the way back stays that to the inbox', async () => {
    const { boarding, inbox, path } = await noted();
    const ada = await console().signedIn();
    const hidden = hiddenIn((await ada.open(await offered(ada, inbox))).text);
    for (const [text, problem] of [
      [' ', 'must not be empty'],
      ['x'.repeat(10_001), 'must be at most 4000 characters'],
    ] as const) {
      const wrong = await ada.open(path, { form: { ...hidden, text } });
      expect([wrong.status, hiddenIn(wrong.text)]).toEqual([422, hidden]);
      expect(wrong.text).toContain(problem);
    }
    const stranger = await console().signedIn();
    const expired = await stranger.open(path, { form: { ...hidden, text: 'Bread.' } });
    expect([expired.status, expired.text]).toEqual([403, expect.stringContaining('This form has expired')]);
    const nobody = await console()
      .visitor()
      .open(path, { form: { ...hidden, text: 'Bread.' } });
    expect([nobody.status, nobody.text]).toEqual([401, expect.stringContaining('Your session has ended.')]);
    expect((await boarding.state()).requirements).toHaveLength(1);
  });

  it('what somebody else has claimed is answered as on its page, once, whoever else sends an answer', async () => {
    const { boarding, id, inbox, path } = await noted();
    await boarding.claim(id, 'Grace Lee');
    const [ada, linus] = [await console().signedIn(), await console().signedIn({ name: 'Linus' })];
    await boarding.listedAs((requirements) => requirements.some(({ claim }) => claim !== undefined));
    const open = await offered(ada, inbox);
    const row = await eventually(
      () => ada.open(open),
      ({ text }) => text.includes('Grace Lee'),
      'the claim',
    );
    const hidden = hiddenIn(row.text);
    const send = async (person: SignedIn) =>
      person.open(path, { form: { ...hidden, csrf: await person.csrf(), text: 'Rolls.' } });
    const replies = await Promise.all([send(ada), send(ada), send(linus)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
    const late = replies.filter(({ status }) => status === 409);
    for (const { text } of late)
      expect(text).toMatch(/answered this first.*Your answer was not sent\..*Rolls\./s);
    expect(
      (await boarding.state()).timeline.filter(({ event }) => event === 'requirement-resolved'),
    ).toHaveLength(1);
    expect((await linus.open(open)).text).not.toContain('<textarea');
  });

  it('whatever takes no text has only its link', async () => {
    const onboarding = await rig.onboardBusiness(business('correction'));
    await onboarding.requirement('rejected-input');
    const ada = await console().signedIn();
    const { text } = await eventually(
      () => ada.open(`/?find=${partsOfId(onboarding.workflowId)?.key}`),
      (page) => /class="question"[^>]*>[^<]{3}/.test(page.text),
      'the question',
    );
    expect(text).toContain('>Correct input</a>');
    expect(text).not.toContain('Answer here');
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
