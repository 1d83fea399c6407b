import { describe, expect, it } from 'vitest';
import { runLink, upload } from '../../../rigs/link/running-link.js';
import { ASKED, CODE, DOCUMENTS, FIELDS, LINK, NAME, TOKEN } from '../../../rigs/link/stand-in-api.js';

const BEGAN = { ...ASKED, began: true };
const CHECK = { id: 1, fileName: 'check.jpg', at: '2026-11-30T10:00:00Z' };

/** The words of a page, without its tags. */
const textOf = (html: string) =>
  html
    .replace(/<title>.*<\/title>/, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the page of a link', () => {
  it('says who asks, about which business, what is wanted and until when, and the answer begins with a button', async () => {
    const { api, open, post } = await runLink();
    const { statusCode, body } = await open(LINK);
    const text = textOf(body);
    expect(statusCode).toBe(200);
    for (const each of ['Acme Payments needs something', 'Corner Bakery', 'How do you take orders?'])
      expect(text).toContain(each);
    expect(text).toMatch(
      /Please answer by Monday, December 7, 2026 at \d+:35\sPM Newfoundland Standard Time/,
    );
    expect(body).not.toContain('<textarea');
    expect(api.changes()).toEqual([]);

    const began = await post('begin');
    expect([began.statusCode, began.headers.location]).toEqual([303, LINK]);
    expect(api.changes()).toEqual(['begin']);
    expect((await open(LINK)).body).toContain('<textarea');
  });

  it('takes a text, thanks for it, and shows it again until the clerk has confirmed it', async () => {
    const { api, open, post } = await runLink({ link: BEGAN });
    const sent = await post('propose', { text: ' By phone. ', remark: 'Call after 5.' });
    expect([sent.statusCode, sent.headers.location]).toEqual([303, LINK]);
    expect(api.calls.at(-1)?.body).toEqual({
      token: TOKEN,
      answer: { kind: 'text', text: 'By phone.' },
      remark: 'Call after 5.',
    });
    const { body } = await open(LINK);
    for (const each of ['Received, thank you', 'By phone.', 'Call after 5.'])
      expect(textOf(body)).toContain(each);
    expect(body).not.toContain('<textarea');
    expect((await open(`${LINK}?change`)).body).toContain('>By phone.</textarea>');
  });

  // Alone catches a page that offers what the API refuses in other words.
  it('says how many documents an answer takes, before it sends them', async () => {
    const documents = Array.from({ length: 11 }, (_, index) => ({ ...CHECK, id: index + 1 }));
    const { api, open } = await runLink({ link: { ...BEGAN, language: 'es', wants: DOCUMENTS, documents } });
    const sent = (ids: readonly number[]) =>
      open(`${LINK}/propose`, {
        method: 'POST',
        payload: String(new URLSearchParams(ids.map((id) => ['document', `${id}`]))),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const refused = await sent(documents.map(({ id }) => id));
    expect([refused.statusCode, textOf(refused.body)]).toEqual([
      422,
      expect.stringContaining('Marque 10 documentos como máximo.'),
    ]);
    expect(api.changes()).toEqual([]);
    expect((await sent(documents.slice(1).map(({ id }) => id))).statusCode).toBe(303);
  });

  it('sends a file on, says that it has arrived, and sends the marked documents', async () => {
    const { api, open, post } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS } });
    expect(textOf((await open(LINK)).body)).toContain('No document has arrived yet.');
    const { statusCode, body } = await open(`${LINK}/documents`, upload('check.jpg', 'x'.repeat(300_000)));
    expect(statusCode).toBe(200);
    expect(api.calls.at(-1)?.body).toMatchObject({ fileName: 'check.jpg', size: 300_000 });
    expect(textOf(body)).toContain('check.jpg has arrived.');
    const [, id = ''] = /name="document" value="([^"]+)" checked/.exec(body) ?? [];
    await post('propose', { document: id });
    expect(api.calls.at(-1)?.body['answer']).toEqual({ kind: 'documents', documents: [Number(id)] });
    expect(textOf((await open(LINK)).body)).toContain('What you sent check.jpg');
  });

  // Alone catches an upload, or a refused form, that undoes what was typed and unmarked.
  it('keeps the remark and the marks while files arrive, and after each refusal', async () => {
    const documents = [CHECK, { ...CHECK, id: 2, fileName: 'blurred.jpg' }];
    const { open, post } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS, documents } });
    const markedIn = (body: string) => [...body.matchAll(/value="(\d)" checked/g)].map(([, id]) => id);
    const typed = { document: '1', remark: 'Both sides.' };
    const huge = upload('huge.jpg', 'x', typed);
    // Refused by its length, before it arrives.
    Object.assign(huge.headers ?? {}, { 'content-length': '12000000' });
    for (const [file, marked] of [
      [upload('back.jpg', 'x', typed), ['1', '3']],
      [upload('', '', typed), ['1']],
      [upload('large.jpg', Buffer.alloc(10 * 1024 * 1024 + 1), typed), ['1']],
      [huge, ['1']],
    ] as const) {
      const { body } = await open(`${LINK}/documents`, file);
      expect([markedIn(body), textOf(body)]).toEqual([marked, expect.stringContaining('Both sides.')]);
    }
    // A phone that reloads the page without its form.
    expect((await open(`${LINK}/documents`)).headers.location).toBe(`${LINK}?change`);
    const none = await post('propose', { remark: 'Both sides.' });
    expect([none.statusCode, markedIn(none.body)]).toEqual([422, []]);
  });

  // Alone catches a file that was chosen, and is lost by the other button.
  it('uploads the chosen file with the answer, or sends nothing and says why', async () => {
    const { api, open } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS, documents: [CHECK] } });
    const chosen = upload('back.jpg', 'x', { document: '1', remark: 'Both sides.' });
    api.instead = (action) =>
      action === 'documents'
        ? { status: 422, body: { errors: [{ field: 'file', message: 'is empty' }] } }
        : undefined;
    const refused = await open(`${LINK}/propose`, chosen);
    expect([refused.statusCode, api.changes()]).toEqual([422, ['documents']]);
    expect(refused.body).toContain('<title>Not sent yet');
    expect(textOf(refused.body)).toContain('back.jpg was not uploaded: it is empty.');
    api.instead = () => undefined;
    const { headers } = await open(`${LINK}/propose`, chosen);
    expect(headers.location).toBe(LINK);
    expect(api.calls.at(-1)?.body).toMatchObject({
      answer: { kind: 'documents', documents: [1, 2] },
      remark: 'Both sides.',
    });
  });

  // Alone catches a lost response after an upload whose form cannot be sent again.
  it('lets a form with a file be sent again, without the file, when nobody knows whether it arrived', async () => {
    const { api, open } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS } });
    api.instead = (action) => (action === 'propose' ? { status: 503 } : undefined);
    const { body } = await open(`${LINK}/propose`, upload('back.jpg', 'x', { remark: 'Both sides.' }));
    expect(textOf(body)).toContain('We do not know whether this arrived');
    expect(body).toMatch(/name="remark" value="Both sides\.".*name="document" value="1"/);
  });

  it('asks again, and says that the earlier answer was not used, after a clerk withdrew it', async () => {
    const { open } = await runLink({ link: { ...BEGAN, revision: 1, answer: { text: 'By phone.' } } });
    const { body } = await open(LINK);
    expect(body).toContain('<title>Please answer again · Acme Payments</title>');
    expect(textOf(body)).toContain('Acme Payments did not use your earlier answer.');
    expect(body).toContain('>By phone.</textarea>');
  });

  it('asks for fields by their labels, and shows what the API refuses next to what was typed', async () => {
    const text = 'zip: must be five digits';
    const { api, open, post } = await runLink({ link: { ...BEGAN, wants: FIELDS, text } });
    expect(textOf((await open(LINK)).body)).toContain('ZIP code: must be five digits');
    api.instead = (action) =>
      action === 'propose'
        ? {
            status: 422,
            body: { errors: [{ field: 'answer.values.zip.first', message: 'must be five digits' }] },
          }
        : undefined;
    const { statusCode, body } = await post('propose', {
      'field:city': 'Springfield',
      'field:zip': '1',
      'field:ssn': '078051120',
    });
    expect(statusCode).toBe(422);
    expect(textOf(body)).toContain('ZIP code: must be five digits');
    expect(body).toContain('href="#field-zip"');
    expect(body).toMatch(/value="Springfield"[^>]*id="field-city"/);
    // What nobody asked for is not sent.
    expect(api.calls.at(-1)?.body['answer']).toEqual({
      kind: 'fields',
      values: { city: 'Springfield', zip: '1' },
    });
  });

  it('shows what the clerk misses, and marks only the documents that came since', async () => {
    const later = { id: 2, fileName: 'other.jpg', at: '2026-11-30T11:00:00Z' };
    const left = { id: 3, fileName: 'blurred.jpg', at: '2026-11-30T09:00:00Z' };
    const link = { ...BEGAN, state: 'sent-back', wants: DOCUMENTS, message: 'The check is not voided.' };
    const { open } = await runLink({
      link: { ...link, documents: [left, CHECK, later], answer: { documents: [1] } },
    });
    const { body } = await open(LINK);
    expect(textOf(body)).toMatch(/Something is missing .*The check is not voided\./);
    const checked = [...body.matchAll(/value="(\d)" checked/g)].map(([, id]) => id);
    expect(checked).toEqual(['1', '2']);
  });

  it.each([
    ['answered', 'en', 'This question is answered'],
    ['received', 'en', 'Received, thank you'],
    ['handled', 'en', 'Acme Payments is working on this'],
    ['over', 'es', 'Esta pregunta está cerrada'],
    ['expired', 'es', 'Este enlace ha vencido'],
    ['revoked', 'en', 'This link is no longer valid'],
    ['locked', 'es', 'Este enlace está bloqueado'],
  ])('says that a link is closed: %s in %s', async (why, language, text) => {
    const { api, open, post } = await runLink({ link: { state: 'closed', language, why } });
    const { body } = await open(LINK);
    expect(body).toContain(`<html lang="${language}">`);
    expect(textOf(body)).toContain(text);
    // Whoever had the form open learns that it came too late, and why.
    const end = why === 'received' ? 'Your earlier answer was received' : text;
    const lost = language === 'en' ? 'What you just sent was not received' : 'Lo que acaba de enviar no se';
    for (const late of [
      await post('propose', { text: 'late' }),
      await open(`${LINK}/documents`, upload('late.pdf', '%PDF')),
    ]) {
      expect(late.statusCode).toBe(409);
      expect(textOf(late.body)).toMatch(new RegExp(`${lost}.*${end}\\.`));
    }
    expect(api.changes()).toEqual([]);
  });

  it('is in Spanish where the clerk chose that, dates included', async () => {
    const { open } = await runLink({ link: { ...ASKED, language: 'es' } });
    const text = textOf((await open(LINK)).body);
    expect(text).toContain('Acme Payments necesita algo de usted');
    expect(text).toMatch(/lunes, 7 de diciembre de 2026, \d\d:35 hora estándar de Terranova/);
    expect(text).not.toContain('undefined');
  });
});

// Alone catches a deadline in the zone of a server, which a merchant takes for their own.
it.each([
  ['America/New_York', 'Eastern Standard Time'],
  ['Nowhere/Land', 'Newfoundland Standard Time'],
])('the deadline is in the zone of whoever asked, if there is one: %s', async (zone, name) => {
  const { open } = await runLink({ link: { ...ASKED, zone } });
  expect(textOf((await open(LINK)).body)).toMatch(
    new RegExp(`Monday, December 7, 2026 at \\d+:\\d\\d [AP]M ${name}`),
  );
});

describe('a link with a code', () => {
  const link = { state: 'code', language: 'en', attemptsLeft: 5 };

  it('shows nothing before the code, and then knows the browser by a cookie of this link alone', async () => {
    const { api, open, post } = await runLink({ link });
    const { body } = await open(LINK);
    // Alone catches a page that threatens before anybody has tried.
    expect(textOf(body)).not.toContain('Tries that are left');
    expect(body).not.toContain('Corner Bakery');
    const { headers } = await post('enter', { code: ' 314-159 ' });
    const [cookie = ''] = [headers['set-cookie']].flat();
    expect(cookie).toMatch(
      new RegExp(`^link-session=[\\w-]{43}; Path=/a/${NAME}; HttpOnly; Secure; SameSite=Lax$`),
    );
    const session = cookie.slice('link-session='.length).split(';')[0];
    expect(api.calls.at(-1)?.body).toEqual({ token: TOKEN, code: CODE, session });
    await open(LINK, { headers: { cookie: `link-session=${session}` } });
    expect(api.calls.at(-1)?.body).toEqual({ token: TOKEN, session });
  });

  it('knows the browser after the code of a link that was answered before', async () => {
    const { api, post } = await runLink({ link });
    api.instead = () => ({ status: 200, body: { state: 'received' } });
    expect((await post('enter', { code: CODE })).headers['set-cookie']).toBeDefined();
    api.instead = () => ({ status: 200, body: { state: 'closed', why: 'locked' } });
    expect((await post('enter', { code: CODE })).headers['set-cookie']).toBeUndefined();
  });

  it('says that a code is wrong, and counts no try for what cannot be one', async () => {
    const { api, open, post } = await runLink({ link });
    const { headers } = await post('enter', { code: '271828' });
    expect(headers['set-cookie']).toBeUndefined();
    expect(textOf((await open(String(headers.location))).body)).toMatch(
      /not right\. .*Tries that are left: 4/,
    );
    await post('enter', { code: 'abc' });
    expect(api.changes()).toEqual(['enter']);
  });
});

describe('when something fails, the page says what was received', () => {
  it.each([
    ['an empty text', BEGAN, { text: '  ' }, 'Write your answer.'],
    ['a text that is too long', BEGAN, { text: 'x'.repeat(10_001) }, 'This text is too long.'],
    ['no document', { ...BEGAN, wants: DOCUMENTS }, {}, 'Choose a file first. Nothing was uploaded.'],
    [
      'no document of one that arrived',
      { ...BEGAN, wants: DOCUMENTS, documents: [{ id: 1, fileName: 'a.pdf', at: '2026-12-01T10:00:00Z' }] },
      {},
      'Choose a file, or mark at least one document.',
    ],
    ['no field', { ...BEGAN, wants: FIELDS }, {}, 'Write your answer.'],
  ])('%s: nothing, and what was typed is kept', async (_, link, fields: Record<string, string>, text) => {
    const { api, post } = await runLink({ link });
    const { statusCode, body } = await post('propose', { ...fields, remark: 'My remark' });
    expect([statusCode, api.changes()]).toEqual([422, []]);
    expect(textOf(body)).toContain(text);
    if (fields['text'] !== undefined) expect(body).toContain('>My remark</textarea>');
  });

  // Alone catches a text that the browser's own limit allows, because it counts the end of a line once.
  it('counts the end of a line once', async () => {
    const { api, post } = await runLink({ link: BEGAN });
    const text = Array.from({ length: 4_000 }, () => 'a').join('\r\n');
    expect((await post('propose', { text })).statusCode).toBe(303);
    expect(api.calls.at(-1)?.body['answer']).toEqual({ kind: 'text', text: text.replaceAll('\r', '') });
  });

  // Alone catches a message of the API, in English, on a page in another language.
  it('says in its own language what the API refuses, and that the answer was changed too often', async () => {
    const spanish = { ...BEGAN, language: 'es' };
    const { api, post } = await runLink({ link: spanish });
    const errors = [{ field: 'answer.text', message: 'must be short' }];
    api.instead = (action) => (action === 'propose' ? { status: 422, body: { errors } } : undefined);
    const refused = textOf((await post('propose', { text: 'x' })).body);
    expect([refused.includes('Revise este dato.'), refused.includes('must be')]).toEqual([true, false]);
    const often = await runLink({ link: { ...spanish, state: 'received', revision: 20 } });
    const { statusCode, body } = await often.post('propose', { text: 'x' });
    expect([statusCode, often.api.changes()]).toEqual([422, []]);
    expect(textOf(body)).toContain('Ya no puede cambiar esta respuesta.');
    expect(textOf((await often.open(LINK)).body)).not.toContain('Cambiar su respuesta');
  });

  it.each([
    ['read', 'Nothing was received'],
    ['propose', 'We do not know whether this arrived'],
  ])('while the API is unavailable in %s, and the answer can be sent again', async (failing, text) => {
    const { api, post } = await runLink({ link: BEGAN });
    api.instead = (action) =>
      action === failing ? { status: 503, headers: { 'retry-after': '7' } } : undefined;
    const { statusCode, headers, body } = await post('propose', { text: 'By "phone"', remark: '' });
    expect([statusCode, headers['retry-after']]).toEqual([503, '7']);
    expect(textOf(body)).toContain(text);
    expect(body).toContain(`action="${LINK}/propose"`);
    expect(body).toContain('name="text" value="By &quot;phone&quot;"');
  });

  it.each([
    ['hangs up', { hangUp: true }],
    ['knows no such token', { status: 401 }],
    ['leads elsewhere', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
    ['has another shape', { status: 200, body: { state: '<b>raw</b>' } }],
    ['has a bug', { status: 500, body: { detail: '<b>raw</b>' } }],
  ] as const)('an API that %s is unavailable, and nothing of its response is shown', async (_, response) => {
    const { api, open, log } = await runLink();
    api.instead = () => ({ status: 0, ...response });
    const { statusCode, body } = await open(LINK);
    expect([statusCode, textOf(body)]).toEqual([503, expect.stringContaining('not available now')]);
    expect(body + log()).not.toContain('raw');
    expect(body).not.toContain('Corner Bakery');
  });

  it('an answer to what was answered meanwhile was not received, and the page says why', async () => {
    const { api, post } = await runLink({ link: BEGAN });
    api.instead = (action) => {
      if (action !== 'propose') return undefined;
      api.link = { state: 'closed', language: 'en', why: 'handled' };
      return { status: 409 };
    };
    const { statusCode, body } = await post('propose', { text: 'late' });
    expect([statusCode, textOf(body)]).toEqual([
      409,
      expect.stringMatching(/What you just sent was not received .*is working on this\./),
    ]);
  });

  const refusals: [string, number, number, string][] = [
    ['too large', 413, 413, 'x.jpg was not uploaded: it is larger than 10 MB.'],
    ['of another type', 415, 415, 'x.jpg was not uploaded: it is not a photo (JPEG or PNG) or a PDF file.'],
    ['not what its name says', 422, 422, 'x.jpg was not uploaded: it is not a photo'],
    ['lost on the way', 503, 503, 'Open the page to see what arrived'],
  ];
  it.each(refusals)('a file that is %s', async (_, refusal, status, text) => {
    const { api, open } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS } });
    api.instead = (action) => (action === 'documents' ? { status: refusal } : undefined);
    const { statusCode, body } = await open(`${LINK}/documents`, upload('x.jpg', 'x'.repeat(200_000)));
    expect([statusCode, textOf(body)]).toEqual([status, expect.stringContaining(text)]);
  });

  // Alone catches a merchant who cannot tell whether the file arrived, while the document store is unavailable.
  it('a file that nobody could store, with the form to send it again', async () => {
    const { api, open } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS } });
    const body = { type: 'urn:gangway:problem:documents-unavailable' };
    api.instead = (action) => (action === 'documents' ? { status: 503, body } : undefined);
    const page = await open(`${LINK}/documents`, upload('x.jpg', 'x'));
    expect(page.statusCode).toBe(503);
    expect(textOf(page.body)).toContain('The file x.jpg did not arrive. Please choose it again.');
    expect(page.body).toContain(`formaction="${LINK}/documents"`);
  });

  it('a file after the last one that is taken', async () => {
    const documents = Array.from({ length: 20 }, (_, index) => ({ ...CHECK, id: index + 1 }));
    const { api, open } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS, documents } });
    const { statusCode, body } = await open(`${LINK}/documents`, upload('x.jpg', 'x'));
    expect([statusCode, api.changes()]).toEqual([413, []]);
    expect(textOf(body)).toContain('x.jpg was not uploaded: there are 20 files already.');
  });

  it('a form without a file, and a file that is larger than allowed, which is not given on', async () => {
    const { api, open } = await runLink({ link: { ...BEGAN, wants: DOCUMENTS } });
    const none = await open(`${LINK}/documents`, upload('', ''));
    expect([none.statusCode, textOf(none.body)]).toEqual([
      422,
      expect.stringContaining('Choose a file first'),
    ]);
    const large = await open(`${LINK}/documents`, upload('a.jpg', Buffer.alloc(10 * 1024 * 1024 + 1)));
    expect([large.statusCode, textOf(large.body)]).toEqual([
      413,
      expect.stringContaining('larger than 10 MB'),
    ]);
    expect(api.calls.filter(({ action }) => action === 'stored')).toEqual([]);
  });
});
