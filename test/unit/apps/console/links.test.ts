import { beforeEach, describe, expect, it } from 'vitest';
import type { Requirement } from '../../../../src/messages/requirements.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { consoleOfCalls, PROVIDER, rejected } from '../../../rigs/console/console-of-calls.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

const ID = 'merchant-boarding-m-1';
const PAGE = `/onboardings/${ID}/requirements/note-1`;
const LINK = 'L-7k2m9q4x8v3r5t6w';
const MERCHANT = `the merchant (${LINK})`;
const UNTIL = '2026-02-07T12:00:00.000Z';
const NOTE: Requirement = {
  id: 'note-1',
  kind: 'changes-requested',
  title: 'A note',
  detail: 'Please send a voided check.',
  raisedAt: NOON,
  dueAt: '2026-02-03T18:00:00.000Z',
  answers: ['text', 'documents'],
};
const OPEN = { link: LINK, actor: 'olga', until: UNTIL, state: 'open', revision: 0 } as const;
const PROPOSAL = { actor: MERCHANT, at: NOON, reason: 'The bank was closed.', answer: 'text: Done.' };
const ANSWERED = { proposal: PROPOSAL, link: { ...OPEN, state: 'received', revision: 1 } } as const;

const WITH_LINKS = { ...PROVIDER, LINK_URL: 'https://answers.example.com' };
const asking = (more: Partial<Requirement> = {}, onUpdate?: (name: string, request: unknown) => unknown) => {
  const timeline = [
    {
      at: NOON,
      event: 'merchant-asked',
      actor: 'olga',
      detail: `note-1: ${LINK} until 2026-02-07 12:00 UTC: Please call: the bank.`,
    },
  ] as const;
  const answer = { kind: 'text', text: 'Done.' };
  const queries = {
    proposedAnswer: { requirementId: 'note-1', actor: MERCHANT, at: NOON, reason: PROPOSAL.reason, answer },
    input: { type: 'merchantBoarding', input: { merchant: { dba: 'Row' } } },
  };
  return consoleOfCalls({
    workflows: { [ID]: { state: { requirements: [{ ...NOTE, ...more }], timeline }, queries } },
    env: WITH_LINKS,
    ...(onUpdate && { onUpdate }),
  });
};

const sectionOf = (text: string) => /<section class="proposal".*?<\/section>/s.exec(text)?.[0] ?? '';
const formOf = (text: string) => /<form [^>]*id="ask-note-1".*?<\/form>/s.exec(text)?.[0] ?? '';

describe('the answer of a merchant', () => {
  // Alone catches a button next to Confirm that deletes the answer, and a remark that looks like a reason.
  it('is with its question, can be sent back, and is discarded only in a folded place', async () => {
    const { open } = await asking(ANSWERED);
    for (const path of [PAGE, `${PAGE}/part`]) {
      const section = sectionOf((await open({}, path)).text);
      expect(section).toContain('You asked: Please call: the bank.');
      expect(section).toContain('the partner does not get it: The bank was closed.');
      expect(section).not.toMatch(/Reason|Withdraw/);
      const [visible = '', folded] = section.split('<summary>Discard the merchant’s answer');
      const does = (part = '') => [...part.matchAll(/name="do" value="([\w-]+)"/g)].map(([, what]) => what);
      expect([does(visible), does(folded)]).toEqual([['confirm', 'send-back'], ['withdraw']]);
    }
  });

  it('hides the form that would ask again, and folds the other answers', async () => {
    const { text } = await (await asking(ANSWERED)).open({}, PAGE);
    expect(formOf(text)).toBe('');
    expect(text).toMatch(/<details class="answer text" name="answers-note-1"><summary>Answer with text/);
  });

  it('cannot be sent back after its link has ended', async () => {
    const { proposal } = ANSWERED;
    const section = sectionOf((await (await asking({ proposal })).open({}, PAGE)).text);
    expect(section).toContain('The link has ended, so you cannot send it back.');
    expect(section).not.toContain('value="send-back"');
  });

  it('that was discarded is not one that was never given', async () => {
    const says = async (revision: number) =>
      (await (await asking({ link: { ...OPEN, revision } })).open({}, PAGE)).text;
    expect(await says(0)).toContain('The merchant has not answered yet.');
    expect(await says(1)).toContain('The merchant can answer again: the last answer was discarded.');
  });

  it.each([
    ['send-back', 'Sent back. Tell the merchant to open the same link again.'],
    ['revoke', 'The link has ended.'],
  ])('%s leads back to the question', async (what, message) => {
    const { open } = await asking(ANSWERED);
    const form = { do: what, proposedAt: NOON, text: 'It is cut off.' };
    const reply = await open({}, `${PAGE}/link`, { form });
    expect([reply.status, reply.to, reply.message]).toEqual([303, PAGE, { text: message }]);
  });

  it('keeps the sentence that its workflow rejects', async () => {
    const { open } = await asking(ANSWERED, () => {
      throw rejected('proposedAt: another answer is proposed now');
    });
    const form = { do: 'send-back', proposedAt: NOON, text: 'It is cut off.' };
    const { message } = await open({}, `${PAGE}/link`, { form });
    expect(message).toEqual({
      text: 'proposedAt: another answer is proposed now\nYou wrote: It is cut off.',
    });
  });
});

describe('a question to the merchant', () => {
  const QUESTION = {
    do: 'ask',
    once: '1',
    text: 'Photo?',
    wants: 'documents',
    names: 'Voided check',
    days: '3',
    language: 'en',
  };
  const SPANISH = { ...QUESTION, language: 'es', code: 'true' };

  it('proposes what the note asks for, and a link that ends before it is due', async () => {
    const form = formOf((await (await asking()).open({}, PAGE)).text);
    expect(form).toContain('<option value="documents" selected>');
    expect(form).toMatch(/name="days"[^>]* value="3"/);
    const late = formOf((await (await asking({ dueAt: NOON })).open({}, PAGE)).text);
    expect(late).toMatch(/name="days"[^>]* value="1"/);
    // Alone catches a deadline of the merchant that is later than the real one.
    const soon = formOf((await (await asking({ dueAt: '2026-02-01T11:00:00.000Z' })).open({}, PAGE)).text);
    expect(soon).toMatch(/name="days"[^>]* value="0\.9"/);
    expect(soon).toContain('The answer is due 2026-02-01 11:00 UTC.');
    const check = formOf(
      (await (await asking({ detail: 'Please send a voided check.' })).open({}, PAGE)).text,
    );
    expect(check).toMatch(/name="names"[^>]* value="voided check"/);
    const plain = await asking({ detail: 'What do you sell?', dueAt: '2026-03-31T12:00:00.000Z' });
    const other = formOf((await plain.open({}, PAGE)).text);
    expect(other).toContain('<option value="text" selected>');
    expect(other).toMatch(/name="days"[^>]* value="7"/);
  });

  it('about a rejected field has its label, in the text and as a chosen box', async () => {
    const answers = ['correction'] as const;
    const fields = ['merchant.dba'];
    const { open } = await asking({ answers, fields, detail: 'merchant.dba: is too long' });
    const form = formOf((await open({}, PAGE)).text);
    expect(form).toContain('>Doing business as: is too long</textarea>');
    expect(form).toMatch(/name="field\.merchant\.dba"[^>]* checked/);
    expect(form).not.toContain('Names of the documents');
  });

  it.each([
    [{ names: ' , ' }, 'ask-names', 'name at least one document, such as voided check'],
    [{ days: '40' }, 'ask-days', 'must be a number of days, at most 30'],
    [{ days: 'x' }, 'ask-days', 'must be a number of days, at most 30'],
    [{ text: ' ' }, 'ask-text', 'must not be empty'],
    [{ names: 'x'.repeat(81) }, 'ask-names', 'must be at most 80 characters'],
    [{ wants: 'correction' }, 'ask-wants', 'choose at least one field below'],
  ])('with a mistake stays open and filled: %j', async (change, field, message) => {
    const { open, updates } = await asking();
    const { status, text } = await open({}, `${PAGE}/link`, { form: { ...SPANISH, ...change } });
    expect([status, updates()]).toEqual([422, []]);
    expect(text).toMatch(/<details class="answer" name="answers-note-1" open><summary>Ask the merchant/);
    const form = formOf(text);
    expect(form).toContain(`id="note-1-${field}-error">${message}`);
    expect(form).toContain('<option value="es" selected>');
    expect(form).toMatch(/name="code"[^>]* checked/);
    if (!('text' in change)) expect(form).toContain('>Photo?</textarea>');
  });

  it('that its workflow rejects stays filled', async () => {
    const { open } = await asking({}, () => {
      throw rejected('requirementId: an answer is proposed; confirm or withdraw it first');
    });
    const { status, text } = await open({}, `${PAGE}/link`, { form: SPANISH });
    expect([status, formOf(text)]).toEqual([422, expect.stringContaining('an answer is proposed')]);
    expect(formOf(text)).toContain('>Photo?</textarea>');
  });

  it('says that it ends the link there is', async () => {
    const form = formOf((await (await asking({ link: OPEN })).open({}, PAGE)).text);
    expect(form).toContain('A new link ends it.');
    expect(form).toContain('Make another link');
  });

  // Alone catches a deadline that the merchant reads in the zone of a server.
  it('has the zone of the browser in which it was asked', async () => {
    const { open, updates } = await asking({}, (_, request) => ({
      requirementId: 'note-1',
      until: UNTIL,
      link: (request as { readonly link: string }).link,
    }));
    const cookies = { 'gangway-zone': 'America/Chicago' };
    await open({}, `${PAGE}/link`, { form: QUESTION, cookies });
    await open({}, `${PAGE}/link`, { form: { ...QUESTION, once: '2' } });
    const zones = updates().map(([, , request]) => (request as { readonly zone?: string }).zone);
    expect(zones).toEqual(['America/Chicago', undefined]);
  });

  // Alone catches a reload that ends the link which was just copied.
  it('has one address, shown once; sent again, it makes no other link', async () => {
    let created: { readonly link: string } | undefined;
    const { open, updates } = await asking({}, (_, request) => {
      created ??= request as { readonly link: string };
      return { requirementId: 'note-1', link: created.link, until: UNTIL };
    });
    const first = await open({}, `${PAGE}/link`, { form: QUESTION });
    expect(first.text).toContain('Copy it now: it is shown only once.');
    // It ends on February 7, and the answer is due on February 3.
    expect(first.text).toMatch(/That is later than <time[^>]*>2026-02-03 18:00:00 UTC<\/time>/);
    expect(first.text).toMatch(/data-copy="https:\/\/answers\.example\.com\/a\/L-[^"]*">Copy the link</);
    const again = await open({}, `${PAGE}/link`, { form: QUESTION });
    expect(again.text).toContain('You have made this link already');
    expect(again.text).not.toContain('answers.example.com/a/');
    const keys = updates().map(([, , , key]) => key);
    expect(keys[0]).toEqual({ id: expect.stringMatching(/^key-/), body: expect.any(String) });
    expect(keys[1]).toEqual(keys[0]);
    const other = await open({}, `${PAGE}/link`, { form: { ...QUESTION, text: 'Letter?' } });
    expect(other.status).toBe(200);
    expect(updates()[2]?.[3]).not.toEqual(keys[0]);
  });
});
