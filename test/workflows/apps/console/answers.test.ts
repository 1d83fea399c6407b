import { expect, it } from 'vitest';
import { partsOfId } from '../../../../src/messages/ids.js';
import { runConsole } from '../../../rigs/console/running-console.js';
import { merchant } from '../../../rigs/inputs.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await sharedRig();

const address = (text = '') => text.replaceAll('&amp;', '&');

// Proves S2.
it('in a row of the inbox, a note is answered by the forms of its page, and the inbox stays with its filter', async () => {
  const console = await runConsole(rig);
  const { merchant: of } = merchant();
  const input = merchant('more-notes', { merchant: { ...of, dba: 'Row Café [more-notes]' } });
  const boarding = await rig.board(input);
  const { workflowId } = boarding;
  const { id } = await boarding.requirement('underwriting-note');
  const list = `find=${partsOfId(workflowId)?.key}&kind=underwriting-note`;
  const [inbox, page] = [`/?${list}`, `/onboardings/${encodeURIComponent(workflowId)}`];
  const path = `${page}/requirements/${id}`;
  const [ada, viewer] = [await console.signedIn(), await console.signedIn({ role: 'viewer' })];
  const offering = await eventually(
    () => ada.open(inbox),
    ({ text }) => text.includes('>Answer here<'),
    'the way to answer',
  );
  const open = address(/<a href="([^"]*)" aria-label="[^"]*">Answer here</.exec(offering.text)?.[1]);
  const { text } = await ada.open(open);
  expect(text).toContain(`action="${path}" id="form-${id}-text"`);
  expect(text).toMatch(/<textarea [^>]*maxlength="4000" required autofocus/);
  expect(text).toContain('Note from Underwriting: Please describe the goods sold.');
  expect(text).toMatch(
    /<form [^>]*action="[^"]*\/documents"[^>]*>.*?name="page" value="inbox".*?type="file"/s,
  );
  /** What the form sends besides what a person types. */
  const form = /<form [^>]*id="form-note-[^>]*>.*?<\/form>/s.exec(text)?.[0] ?? '';
  const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const hidden = Object.fromEntries(fields.map(([, name, value]) => [name, address(value)]));
  // With the time from which the list counts what is new.
  const [, since] = /&since=([\dTZ.%A-]+)$/.exec(hidden['list'] ?? '') ?? [];
  const back = `${list}&since=${since}`;
  expect(hidden).toEqual({ csrf: await ada.csrf(), kind: 'text', page: 'inbox', list: back });
  expect((await viewer.open(open)).text).not.toMatch(/Answer here|<textarea/);
  const foreign = { ...hidden, csrf: await viewer.csrf(), text: 'No.' };
  expect((await viewer.open(path, { form: foreign })).status).toBe(403);
  const reply = await ada.open(path, { form: { ...hidden, text: 'Bread <b>&</b> rolls.' } });
  expect([reply.status, reply.headers.get('location')]).toEqual([303, `/?${back}`]);
  const after = (await ada.open(inbox)).text;
  expect(after).toContain(
    'autofocus>Your answer is accepted. Row Café [more-notes]: Nothing else is open.</p>',
  );
  // Not even where the server still lists it.
  expect(after).not.toContain(`r-${workflowId}-${id}`);
  const { timeline } = await boarding.state();
  expect(timeline.find(({ event }) => event === 'requirement-resolved')).toMatchObject({
    actor: ada.actor,
    detail: `${id}: text: Bread <b>&</b> rolls.`,
  });
  expect((await ada.open(page)).text).toContain('Bread &lt;b>&amp;&lt;/b> rolls.');
});
