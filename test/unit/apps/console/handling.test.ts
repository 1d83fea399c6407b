import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '../../../../src/apps/console/route.js';
import type { SessionData } from '../../../../src/apps/console/session.js';
import type { Requirement } from '../../../../src/messages/requirements.js';
import { stoppedAt } from '../../../rigs/clock.js';
import {
  type CallOptions,
  consoleOfCalls,
  PROVIDER,
  rejected,
} from '../../../rigs/console/console-of-calls.js';
import { peopleFile } from '../../../rigs/people-file.js';

const NOON = '2026-01-31T12:00:00.000Z';
const ONE = '2026-01-31T13:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

const ID = 'merchant-boarding-m-1';
const PAGE = `/onboardings/${ID}/requirements/note-1`;
const BACK = `/onboardings/${ID}#r-note-1`;

const NOTE: Requirement = {
  id: 'note-1',
  kind: 'underwriting-note',
  title: 'A note',
  detail: 'Send a check.',
  raisedAt: NOON,
  dueAt: '2026-02-02T12:00:00.000Z',
  answers: ['text'],
};
const PROPOSAL = { actor: 'pete', at: NOON, reason: 'called', answer: 'text: One sale in ten.' };
const WHOLE = { requirementId: 'note-1', actor: 'pete', at: NOON, reason: 'called' };
const TEXT = { kind: 'text', text: 'One sale in ten, and whole.' };

/** A console with one onboarding that asks one thing. */
const asking = (more: Partial<Requirement> = {}, options: CallOptions = {}) =>
  consoleOfCalls({
    workflows: {
      [ID]: {
        state: { requirements: [{ ...NOTE, ...more }] },
        queries: { proposedAnswer: { ...WHOLE, answer: TEXT }, input: { input: {} } },
      },
    },
    ...options,
  });

/** The same with an answer that is proposed; null when it was withdrawn meanwhile. */
const proposing = (proposedAnswer: object | null, input: object = {}) => {
  const state = { requirements: [{ ...NOTE, proposal: PROPOSAL }] };
  const queries = { proposedAnswer, input: { input } };
  return consoleOfCalls({ workflows: { [ID]: { state, queries } } });
};

/** What the buttons of a claim and of a proposal do. */
const buttons = (text: string) =>
  [...text.matchAll(/name="do" value="([\w-]+)"/g)].map(([, what]) => what).join(' ');

describe('the page of a requirement', () => {
  const OLGAS = { actor: 'olga', until: ONE };
  const PETES = { actor: 'pete', until: ONE };
  it.each<[role: Role, claim: Requirement['claim'], holder: string, does: string]>([
    ['viewer', undefined, '<span class="holder nobody">Unclaimed', ''],
    ['operator', undefined, '<span class="holder nobody">Unclaimed', 'claim'],
    ['operator', OLGAS, '<span class="holder mine">Claimed by you until', 'claim release'],
    ['viewer', OLGAS, '<span class="holder mine">Claimed by you until', ''],
    ['operator', PETES, '<span class="holder">Claimed by pete until', 'take-over'],
    ['viewer', PETES, '<span class="holder">Claimed by pete until', ''],
    // A claim that has ended keeps nobody out.
    ['operator', { ...PETES, until: NOON }, '<span class="holder nobody">Unclaimed', 'claim'],
  ])('shows %s a claim %j', async (role, claim, holder, does) => {
    const { open } = await asking(claim && { claim });
    const { status, text } = await open({ role }, PAGE);
    expect([status, text.replace(/ <time.*?<\/time>/g, ''), buttons(text)]).toEqual([
      200,
      expect.stringContaining(holder),
      does,
    ]);
  });

  // Alone catches a send button that does not say that a colleague has claimed the requirement.
  it.each<[claim: NonNullable<Requirement['claim']>, isSaid: boolean]>([
    [PETES, true],
    [OLGAS, false],
    [{ ...PETES, until: NOON }, false],
  ])('says beside the button whether somebody else has claimed it: %j', async (claim, isSaid) => {
    const { open } = await asking({ claim });
    const { text } = await open({}, PAGE);
    expect(/Send the answer<\/button><span class="advice">pete has claimed it<\/span>/.test(text)).toBe(
      isSaid,
    );
  });

  // Alone catches entries about one of several questions that do not say about which.
  it.each([
    [['note-1', 'note-2'], 1],
    [['note-1'], 0],
  ])('says in the timeline which of the questions %j was claimed', async (ids, times) => {
    const raised = ids.map(
      (id) => ({ at: NOON, event: 'requirement-raised', detail: `${id}: About ${id}?` }) as const,
    );
    const claimed = {
      at: NOON,
      event: 'requirement-claimed',
      actor: 'pete',
      detail: 'note-1: until 2026-01-31 16:00 UTC',
    } as const;
    const state = { requirements: [NOTE], timeline: [...raised, claimed] };
    const queries = { input: { input: {} } };
    const { open } = await consoleOfCalls({ workflows: { [ID]: { state, queries } } });
    const { text } = await open({}, `/onboardings/${ID}`);
    expect(text.split('claimed the note<small>About note-1?</small>').length - 1).toBe(times);
  });

  const OWN = 'A second person confirms it. You can withdraw it.';
  it.each<[role: Role, actor: string, proposer: string, advice: string, does: string, isWhole: boolean]>([
    ['viewer', 'olga', 'pete proposed an answer', 'An approver confirms it.', '', false],
    ['operator', 'olga', 'pete proposed an answer', 'An approver confirms it.', 'withdraw', true],
    ['approver', 'olga', 'pete proposed an answer', '', 'confirm withdraw', true],
    ['viewer', 'pete', 'You proposed an answer', OWN, '', false],
    ['approver', 'pete', 'You proposed an answer', OWN, 'withdraw', true],
  ])('shows %s %s who proposed what', async (role, actor, proposer, advice, does, isWhole) => {
    const { open } = await asking({ proposal: PROPOSAL });
    const { text } = await open({ role, actor }, PAGE);
    const section = /<section class="proposal".*?<\/section>/s.exec(text)?.[0] ?? '';
    expect(section).toContain(`<h3>${proposer}</h3>`);
    expect(/<p class="advice">(.*?)<\/p>/.exec(section)?.[1] ?? '').toBe(advice);
    expect(buttons(section)).toBe(does);
    expect(section.includes('One sale in ten, and whole.')).toBe(isWhole);
    expect(section.includes('<p>“One sale in ten.”</p>')).toBe(!isWhole);
    expect(section.includes(`name="proposedAt" value="${NOON}"`)).toBe(does !== '');
  });

  it.each([
    [
      { kind: 'documents', documents: [{ key: 'k', fileName: 'a.pdf' }] },
      '/documents/k">a.pdf</a></li></ul>',
    ],
    [{ kind: 'choice', choice: 'declined' }, '<p>Choose <strong>declined</strong></p>'],
    [{ kind: 'confirm', id: '1012' }, '<p>Confirm <strong>1012</strong></p>'],
    [{ kind: 'retry' }, '<p>try again</p>'],
    [TEXT, '<blockquote class="detail">One sale in ten, and whole.</blockquote>'],
  ])('shows what is proposed as a whole: %j', async (answer, text) => {
    const { open } = await proposing({ ...WHOLE, answer });
    expect((await open({ role: 'approver' }, PAGE)).text).toContain(text);
  });

  it('shows the changes of a proposed correction, before and after', async () => {
    const answer = { kind: 'correction', patch: { fees: { rate: 3 } } };
    const { open } = await proposing({ ...WHOLE, answer }, { fees: { rate: 2 } });
    const { text } = await open({ role: 'approver' }, PAGE);
    expect(text).toContain('Fees, rate');
    expect(text).not.toContain('<p>corrected</p>');
  });

  // Alone catches a click on the page of an onboarding that deletes what a merchant sent.
  it('alone has the buttons for the answer of a merchant', async () => {
    const { open } = await asking({ proposal: { ...PROPOSAL, actor: 'the merchant (L-7k2m9q4x8v3r5t6w)' } });
    const { text } = await open({ role: 'approver' }, `/onboardings/${ID}`);
    expect(text).toContain('Read it, and confirm it or send it back');
    expect(buttons(text)).toBe('claim');
  });

  it('shows a proposal that is withdrawn meanwhile as it was listed', async () => {
    const { open } = await proposing(null);
    expect((await open({ role: 'approver' }, PAGE)).text).toContain('<p>“One sale in ten.”</p>');
  });
});

/** In four hours. */
const FOUR = '2026-01-31T16:00:00.000Z';
type Fields = Readonly<Record<string, string>>;

describe('the form of a claim', () => {
  it.each<[form: Fields, sent: object, message: string]>([
    [{ do: 'claim' }, { until: FOUR }, 'You have claimed it. Other people can see this.'],
    [{ do: 'release' }, {}, 'You released it.'],
    [{ do: 'take-over' }, { until: FOUR, override: true }, 'You took it over.'],
  ])('%j sends what it is for', async (form, sent, message) => {
    const { open, updates, audited } = await asking();
    const reply = await open({}, `${PAGE}/claim`, { form });
    expect([reply.status, reply.to, reply.message]).toEqual([303, PAGE, { text: message }]);
    const request = { requirementId: 'note-1', actor: 'olga', ...sent };
    expect(updates()).toEqual([['assignRequirement', ID, request]]);
    const entry = { actor: 'olga', what: form['do'], workflowId: ID, requirementId: 'note-1' };
    expect(audited()).toEqual([entry]);
  });

  const people = [
    { name: 'Ada Park', id: 'ada-17', role: 'operator' },
    { name: 'Vera Viewer', id: 'v-1', role: 'viewer' },
    { name: 'Olga', id: 'olga', role: 'operator' },
  ];
  const THREE_DAYS = '2026-02-03T12:00:00.000Z';

  it('assigns it to a colleague, with a remark that mentions another one', async () => {
    const { open, updates } = await asking({}, { env: { ...PROVIDER, ...peopleFile(people) } });
    const { text } = await open({}, PAGE);
    // Neither oneself nor who may not answer.
    expect([...text.matchAll(/<option value="(.*?)"/g)].map(([, name]) => name)).toEqual(['Ada Park']);
    const form = { do: 'assign', assignee: 'ada', remark: 'Please call them, @Olga.' };
    const reply = await open({}, `${PAGE}/claim`, { form });
    expect([reply.to, reply.message, reply.isProblem]).toEqual([
      PAGE,
      { text: 'Ada Park has it now.' },
      undefined,
    ]);
    const assigned = { assignee: 'Ada Park (ada-17)', until: THREE_DAYS, override: false };
    const remark = { text: form.remark, mentions: ['Olga (olga)'] };
    const request = { requirementId: 'note-1', actor: 'olga', ...assigned, ...remark };
    expect(updates()).toEqual([['assignRequirement', ID, request]]);
  });

  // Alone catches a remark whose mention is dropped while somebody edits the file of colleagues.
  it('adds a remark with its mention while the file cannot be used', async () => {
    const env = { ...PROVIDER, ...peopleFile(people) };
    const { open, updates } = await asking({}, { env });
    writeFileSync(env.GANGWAY_PEOPLE_FILE, '{');
    await open({}, `${PAGE}/remarks`, { form: { remark: 'Please, @Ada.' } });
    expect(updates()).toMatchObject([['addRemark', ID, { mentions: ['Ada Park (ada-17)'] }]]);
  });

  // Alone catches a refused assignment that closes its form, or loses the remark.
  it.each([
    ['Adda', 'Why', 'assignee', 'no colleague is called &quot;Adda&quot;; did you mean Ada?'],
    ['vera', 'Why', 'assignee', 'Vera Viewer may not answer requirements of this account'],
    ['', 'Why', 'assignee', 'type the name of a colleague'],
    ['ada', '@Adda', 'remark', 'no colleague is called &quot;adda&quot;; did you mean Ada?'],
  ])(
    'sends nothing for the colleague %s and %s, and keeps the form',
    async (assignee, remark, field, why) => {
      const { open, updates } = await asking({}, { env: { ...PROVIDER, ...peopleFile(people) } });
      const { status, text } = await open({}, `${PAGE}/claim`, { form: { do: 'assign', assignee, remark } });
      expect([status, updates()]).toEqual([422, []]);
      const [, form = ''] = /(<details class="answer" open><summary>Assign.*?<\/details>)/s.exec(text) ?? [];
      const wrong = form.split('<div class="field">').filter((each) => each.includes('aria-invalid="true"'));
      expect(wrong).toEqual([expect.stringContaining(`name="${field}"`)]);
      expect(wrong).toEqual([expect.stringContaining(why)]);
      expect(form).toContain(assignee === '' ? ' value list=' : ` value="${assignee}" list=`);
      expect(form).toContain(`>${remark}</textarea>`);
      expect(form).toMatch(/list="([^"]*)".*<datalist id="\1"><option value="Ada Park">/s);
    },
  );

  it('of an assignment is not there without colleagues', async () => {
    const { open } = await asking();
    expect((await open({}, PAGE)).text).not.toContain('Assign to a colleague');
  });

  it('leads to an error when it fails for another reason', async () => {
    const fail = () => {
      throw new Error('broken');
    };
    const { open, audited } = await asking({}, { onUpdate: fail });
    expect((await open({}, `${PAGE}/claim`, { form: { do: 'claim' } })).status).toBe(500);
    expect((await open({}, `${PAGE}/proposal`, { form: { do: 'withdraw' } })).status).toBe(500);
    expect(audited()).toEqual([]);
  });
});

describe('what was chosen in the inbox', () => {
  const OTHER = 'merchant-boarding-m-2@north';
  const inbox = (onUpdate?: CallOptions['onUpdate'], env: CallOptions['env'] = PROVIDER) => {
    const state = { requirements: [NOTE] };
    return consoleOfCalls({
      workflows: {
        [ID]: { state, dba: 'Oak Press' },
        [OTHER]: { state, dba: 'Elm Store', account: 'north' },
      },
      env,
      ...(onUpdate && { onUpdate }),
    });
  };
  const chosen = (...places: string[]) => ({ chosen: places, list: 'kind=ticket' });

  it('is claimed, and leads back to the same filter', async () => {
    const { open, updates, audited } = await inbox();
    // The same one twice counts once.
    const form = chosen(`note-1 ${ID}`, `note-1 ${OTHER}`, `note-1 ${ID}`);
    const reply = await open({}, '/inbox/claims', { form });
    const message = { text: 'You claimed 2 requirements. Other people can see this.' };
    expect([reply.status, reply.to, reply.message]).toEqual([303, '/?kind=ticket', message]);
    const request = { requirementId: 'note-1', actor: 'olga', until: FOUR };
    expect(updates().sort()).toEqual([
      ['assignRequirement', ID, request],
      ['assignRequirement', OTHER, request],
    ]);
    const entry = { actor: 'olga', what: 'claim', requirementId: 'note-1' };
    expect(audited()).toEqual([
      { ...entry, workflowId: ID },
      { ...entry, workflowId: OTHER },
    ]);
  });

  it('is assigned to a colleague', async () => {
    const ada = { name: 'Ada Park', id: 'ada-17', role: 'operator', accounts: ['default'] };
    const env = { ...PROVIDER, ...peopleFile([ada]) };
    const { open, updates } = await inbox(undefined, env);
    const form = { ...chosen(`note-1 ${ID}`, `note-1 ${OTHER}`), do: 'assign', assignee: 'Ada Park' };
    const { message, to } = await open({}, '/inbox/claims', { form });
    // Alone catches a refusal after which a person selects everything again.
    const left = [`chosen=note-1+${OTHER.replace('@', '%40')}`, 'assignee=Ada+Park'].join('&');
    expect(to).toBe(`/?kind=ticket&${left}`);
    const refused = 'Elm Store: Ada Park may not answer requirements of this account';
    expect(message).toEqual({
      text: `You assigned 1 of 2 requirements to Ada Park. Not assigned: ${refused}`,
    });
    expect(updates()).toMatchObject([['assignRequirement', ID, { assignee: 'Ada Park (ada-17)' }]]);
  });

  // Alone catches Enter in the field of a colleague that claims, or claims again after the name was refused.
  it('is assigned by Enter in the field of a colleague, and a wrong name is refused once', async () => {
    const ada = { name: 'Ada Park', id: 'ada-17', role: 'operator' };
    const { open, updates } = await inbox(undefined, { ...PROVIDER, ...peopleFile([ada]) });
    const places = chosen(`note-1 ${ID}`, `note-1 ${OTHER}`);
    const assign = (assignee: string) =>
      open({}, '/inbox/claims', { form: { ...places, do: 'assign', assignee } });
    const refused = await Promise.all(['Adda', ' '].map(assign));
    expect(refused.map(({ message }) => message?.text)).toEqual([
      'You assigned nothing: no colleague is called "Adda"; did you mean Ada?',
      'You assigned nothing: type the name of a colleague',
    ]);
    expect(refused[0]?.to).toContain('note-1+merchant-boarding-m-1&chosen=note-1+merchant-boarding-m-2');
    expect(updates()).toEqual([]);
    expect((await assign('ada')).message?.text).toBe(
      'You assigned 2 requirements to Ada Park. Ada Park finds them by “mine”.',
    );
  });

  it.each<[string, string[], text: string, claimed: number]>([
    ['nothing', [], 'Select something first.', 0],
    [
      'one that somebody else took',
      [`taken ${ID}`, `note-1 ${ID}`],
      `You claimed 1 of 2 requirements. Not claimed: Oak Press: pete has claimed taken until noon`,
      1,
    ],
    [
      'more than a message names',
      [`taken ${ID}`, `taken ${OTHER}`, `taken-2 ${ID}`, `taken-3 ${ID}`],
      'You claimed 0 of 4 requirements. Not claimed: Oak Press and Elm Store: pete has claimed taken until noon',
      0,
    ],
    [
      'what is not there',
      ['note-1 merchant-boarding-gone', 'nonsense'],
      'You claimed 0 of 2 requirements. Not claimed: ' +
        'There is no onboarding with this ID, or you may not see it.',
      0,
    ],
  ])('may be %s', async (_, places, text, claimed) => {
    const { open, audited } = await inbox((_name, request) => {
      if ((request as { requirementId: string }).requirementId === 'note-1') return { open: 1 };
      throw rejected('requirementId: pete has claimed taken until noon');
    });
    const reply = await open({}, '/inbox/claims', { form: { chosen: places, list: '' } });
    const left = new URLSearchParams(
      places.filter((each) => each !== `note-1 ${ID}`).map((each) => ['chosen', each]),
    );
    const to = places.length > 0 ? `/?${left}` : '/';
    expect([reply.status, reply.to, reply.message]).toEqual([303, to, { text }]);
    expect(audited()).toHaveLength(claimed);
  });

  it.each<[who: Partial<SessionData>, form: Record<string, string | string[]>, status: number]>([
    [{ role: 'viewer' }, chosen(`note-1 ${ID}`), 403],
    [{}, { ...chosen(`note-1 ${ID}`), csrf: 'x' }, 403],
    [{}, chosen(...Array.from({ length: 101 }, (_, number) => `note-${number} ${ID}`)), 400],
  ])('of %j is refused as a whole', async (who, form, status) => {
    const { open, updates, audited } = await inbox();
    expect((await open(who, '/inbox/claims', { form })).status).toBe(status);
    expect([updates(), audited()]).toEqual([[], []]);
  });

  it('is not claimed in an account that the person may not see', async () => {
    const { open, updates } = await inbox();
    const reply = await open({ accounts: [''] }, '/inbox/claims', {
      form: chosen(`note-1 ${OTHER}`, `note-1 ${ID}`),
    });
    expect(reply.message).toEqual({
      text: `You claimed 1 of 2 requirements. Not claimed: There is no onboarding with this ID, or you may not see it.`,
    });
    expect(updates().map(([, workflowId]) => workflowId)).toEqual([ID]);
  });
});

describe('a remark for colleagues', () => {
  const TIMELINE = [
    { at: NOON, event: 'remark-added', detail: 'note-1: <b>Called</b> them.', actor: 'Pete (pete)' },
    { at: NOON, event: 'remark-added', detail: 'note-11: Of another one.', actor: 'Pete (pete)' },
    { at: NOON, event: 'answer-taken-back', detail: 'note-1', actor: 'Pete (pete)' },
  ] as const;
  const remarked = (onUpdate?: CallOptions['onUpdate']) =>
    consoleOfCalls({
      workflows: {
        [ID]: { state: { requirements: [NOTE], timeline: TIMELINE }, queries: { input: { input: {} } } },
      },
      ...(onUpdate && { onUpdate }),
    });

  it.each<[role: Role, forms: number]>([
    ['viewer', 0],
    ['operator', 1],
  ])('is shown to a %s at its requirement, and in the part that updates', async (role, forms) => {
    const { open } = await remarked();
    for (const path of [PAGE, `${PAGE}/part`]) {
      const { text } = await open({ role }, path);
      const [section = ''] = /<section aria-label="Remarks">.*?<\/section>/s.exec(text) ?? [];
      expect(section).toContain('<strong><span title="Pete (pete)">Pete</span></strong>, ');
      expect(section).toContain(': &lt;b>Called&lt;/b> them.</p>');
      expect(section).not.toContain('Of another one.');
    }
    const { text } = await open({ role }, PAGE);
    expect(text.split(`action="${PAGE}/remarks"`).length - 1).toBe(forms);
  });

  it('is sent with its actor, and leads back to the requirement and its list', async () => {
    const { open, updates, audited } = await remarked();
    const form = { remark: 'They call back.', list: 'kind=ticket' };
    const { status, to, message } = await open({}, `${PAGE}/remarks`, { form });
    expect([status, to]).toEqual([303, `${PAGE}?list=kind%3Dticket`]);
    expect(message).toEqual({ text: 'Your colleagues see the remark.' });
    const sent = { requirementId: 'note-1', actor: 'olga', text: 'They call back.' };
    // The second click of a double click.
    await open({}, `${PAGE}/remarks`, { form });
    expect(updates()).toEqual([['addRemark', ID, sent]]);
    // The audit log names no text.
    expect(audited()).toEqual([{ actor: 'olga', what: 'remark', workflowId: ID, requirementId: 'note-1' }]);
  });

  it('is not lost when its workflow rejects it', async () => {
    const { open, audited } = await remarked(() => {
      throw rejected('text: must have at most 500 characters; it has 501');
    });
    const { status, text } = await open({}, `${PAGE}/remarks`, { form: { remark: 'x'.repeat(501) } });
    expect([status, audited()]).toEqual([422, []]);
    const [form = ''] = /<details class="answer" open><summary>Remark.*?<\/details>/s.exec(text) ?? [];
    expect(form).toContain(`${'x'.repeat(501)}</textarea>`);
    expect(form).toContain('>must have at most 500 characters; it has 501</p>');
    // Its requirement may have closed meanwhile.
    const gone = await open({}, `${PAGE.replace('note-1', 'note-2')}/remarks`, { form: { remark: 'Hm.' } });
    expect(gone.message?.text).toBe('text: must have at most 500 characters; it has 501. You wrote: Hm.');
  });

  it('is sent again at once after a refusal, and by others and elsewhere at the same time', async () => {
    let refusals = 1;
    const { open, updates } = await remarked(() => {
      if (refusals-- > 0) throw rejected('its worker is busy');
      return { open: 0 };
    });
    const remark = (who: Partial<SessionData> = {}, text = 'They call back.', page = PAGE) =>
      open(who, `${page}/remarks`, { form: { remark: text } });
    const [first, second] = [await remark(), await remark()];
    expect(first.text).toContain('>its worker is busy</p>');
    expect([first.message, second.message]).toEqual([undefined, { text: 'Your colleagues see the remark.' }]);
    await Promise.all([remark({ actor: 'pete', csrf: 'petes' }), remark({}, 'They wait.')]);
    await remark({}, 'They wait.', `/onboardings/${ID}/requirements/note-2`);
    const sent = { requirementId: 'note-1', actor: 'olga', text: 'They call back.' };
    const requests = updates().map(([, , request]) => request);
    expect([...requests.slice(0, 2), requests[4]]).toEqual([
      sent,
      sent,
      { ...sent, requirementId: 'note-2', text: 'They wait.' },
    ]);
    // They were sent at the same time.
    const both = [
      { ...sent, actor: 'pete' },
      { ...sent, text: 'They wait.' },
    ];
    expect(new Set(requests.slice(2, 4))).toEqual(new Set(both));
    expect(requests).toHaveLength(5);
  });

  it.each<[Partial<SessionData>, Fields, status: number]>([
    [{ role: 'viewer' }, { remark: 'x' }, 403],
    [{}, { remark: 'x', csrf: 'y' }, 403],
    [{ role: 'admin', accounts: ['north'] }, { remark: 'x' }, 404],
  ])('of %j with %j is refused', async (who, form, status) => {
    const { open, updates } = await remarked();
    expect((await open(who, `${PAGE}/remarks`, { form })).status).toBe(status);
    expect(updates()).toEqual([]);
  });
});

describe('the form of a proposal', () => {
  const CONFIRM = ['confirmAnswer', 'You confirmed the answer. Nothing else is open.'] as const;
  const WITHDRAW = ['withdrawProposal', 'The proposal is withdrawn.'] as const;
  it.each<[Fields, readonly [update: string, message: string], to: string]>([
    [{ do: 'confirm', page: ID }, CONFIRM, `/onboardings/${ID}`],
    [{ do: 'confirm' }, CONFIRM, `/onboardings/${ID}`],
    [{ do: 'withdraw', page: ID }, WITHDRAW, BACK],
    [{ do: 'withdraw' }, WITHDRAW, PAGE],
  ])('%j of an approver', async (form, [update, message], to) => {
    const onUpdate = () => ({ open: 0, resolution: { answer: TEXT } });
    const { open, updates, audited } = await asking({ proposal: PROPOSAL }, { onUpdate });
    const sent = { form: { proposedAt: NOON, ...form } };
    const reply = await open({ role: 'approver' }, `${PAGE}/proposal`, sent);
    expect([reply.status, reply.to, reply.message]).toEqual([303, to, { text: message }]);
    expect(updates()).toEqual([[update, ID, { requirementId: 'note-1', proposedAt: NOON, actor: 'olga' }]]);
    const what = `${form['do']} a proposed answer`;
    expect(audited()).toEqual([{ actor: 'olga', what, workflowId: ID, requirementId: 'note-1' }]);
  });

  it.each<[Partial<SessionData>, string, Fields, status: number, message: string]>([
    [{}, 'proposal', { do: 'confirm' }, 403, 'This needs the role approver. Your role is operator.'],
    [{ role: 'viewer' }, 'proposal', { do: 'withdraw' }, 403, 'This needs the role operator.'],
    [{ role: 'viewer' }, 'claim', { do: 'claim' }, 403, 'This needs the role operator.'],
    [{}, 'proposal', { do: 'claim' }, 400, 'This form is not from this console.'],
    [{}, 'claim', { do: 'confirm' }, 400, 'This form is not from this console.'],
    [{}, 'claim', { do: 'claim', csrf: 'x' }, 403, 'This form has expired, or is not from this console.'],
    // An approver of another account.
    [{ role: 'approver', accounts: ['north'] }, 'proposal', { do: 'confirm' }, 404, 'There is no onboarding'],
    [{ role: 'admin', accounts: ['north'] }, 'claim', { do: 'take-over' }, 404, 'There is no onboarding'],
  ])('%j to %s sends nothing: %j', async (who, path, form, status, message) => {
    const { open, updates, audited } = await asking({ proposal: PROPOSAL });
    const reply = await open(who, `${PAGE}/${path}`, { form });
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
    expect([updates(), audited()]).toEqual([[], []]);
  });
});

it.each([
  ['claim', { do: 'claim', page: ID }, BACK],
  ['proposal', { do: 'confirm' }, PAGE],
])('the form of a %s returns to its page, with what the workflow has against it', async (path, form, to) => {
  const refuse = () => {
    throw rejected('requirementId: somebody was first');
  };
  const { open, audited } = await asking({ proposal: PROPOSAL }, { onUpdate: refuse });
  const reply = await open({ role: 'approver' }, `${PAGE}/${path}`, { form });
  const message = { text: 'requirementId: somebody was first' };
  expect([reply.status, reply.to, reply.message, audited()]).toEqual([303, to, message, []]);
  // It stays until somebody closes it.
  expect(reply.isProblem).toBe(true);
});
