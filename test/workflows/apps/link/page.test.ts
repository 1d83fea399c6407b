import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { CLEAN_PHOTO, PHOTO } from '../../../rigs/documents/photo.js';
import { newFolder } from '../../../rigs/folders.js';
import { merchant } from '../../../rigs/inputs.js';
import { runLink, upload } from '../../../rigs/link/running-link.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { clientsFile, clientWith, runReceiver, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig({ ownNamespace: true });
afterEach(() => rig.clear());

const LINK_TOKEN = randomBytes(32).toString('hex');
const [CHECK, SHARE] = ['note-0e5ac65b83c0', 'note-13e54e3f88e6'];

/** The page, its API with a document store, and a merchant with two notes. */
async function pageWith(documentDir: string) {
  const clients = [clientWith({}), clientWith({ name: 'page', scopes: ['link'] }, LINK_TOKEN)];
  const receiver = await runReceiver(rig, {
    documentDir,
    clientsFile: clientsFile(clients),
    linkUrl: 'https://answers.example.com',
  });
  const page = await runLink({
    api: { url: receiver.url } as never,
    settings: { LINK_API_TOKEN: LINK_TOKEN },
  });
  const { workflowId } = await rig.board(merchant('notes'));
  const onboarding = new Onboarding(rig.client, workflowId);
  await onboarding.until(({ requirements }) => requirements.length === 2, 'two notes');
  return { receiver, page, workflowId, onboarding };
}

// Alone catches a page and an API that each keep their own contract.
it('a merchant answers on the page with a photo, which a clerk reads, sends back, and confirms', async () => {
  const { receiver, page, workflowId, onboarding } = await pageWith(rig.documentDir);
  const clerk = async (action: string, body: object, id = CHECK) => {
    const line = `POST /v1/requirements/${workflowId}/${id}/${action}`;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const sent = await receiver.call(line, JSON.stringify({ ...body, person: 'Ada Park' }), headers);
    expect([sent.status, sent.text]).toEqual([200, expect.any(String)]);
    return sent.json<{ url: string; code: string }>();
  };
  const { url, code } = await clerk('ask', {
    text: 'Envíe una foto de un cheque.',
    wants: { kind: 'documents', names: ['Cheque'] },
    language: 'es',
    code: true,
  });
  const link = new URL(url).pathname;
  let cookie = '';
  const open = (path = '', more: object = {}) =>
    page.open(`${link}${path}`, { headers: { cookie }, ...more });
  const post = (action: string, fields: Record<string, string> = {}) =>
    open(`/${action}`, {
      method: 'POST',
      payload: String(new URLSearchParams(fields)),
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    });
  const proposal = async () =>
    (await onboarding.state()).requirements.find(({ id }) => id === CHECK)?.proposal;

  expect((await open()).body).toContain('Escriba su código');
  expect((await post('enter', { code: code === '000000' ? '000001' : '000000' })).headers.location).toBe(
    `${link}?wrong`,
  );
  const entered = await post('enter', { code });
  cookie = String(entered.headers['set-cookie']).split(';')[0] ?? '';
  expect((await open()).body).toContain('Responder ahora');
  expect((await post('begin')).statusCode).toBe(303);
  // Who begins again and again lets no history grow.
  const { historyLength } = await rig.client.workflow.getHandle(workflowId).describe();
  for (const _ of [1, 2, 3]) expect((await post('begin')).statusCode).toBe(303);
  expect(await rig.client.workflow.getHandle(workflowId).describe()).toMatchObject({ historyLength });
  const { payload, headers } = upload('cheque.jpg', PHOTO);
  const sent = await open('/documents', { method: 'POST', payload, headers: { ...headers, cookie } });
  expect([sent.statusCode, sent.body]).toEqual([200, expect.stringContaining('cheque.jpg ha llegado')]);
  expect((await post('propose', { document: '1', remark: 'Ambos lados.' })).headers.location).toBe(link);
  expect((await open()).body).toContain('Recibido, gracias');
  expect(await proposal()).toMatchObject({ answer: 'documents: cheque.jpg', reason: 'Ambos lados.' });

  await clerk('send-back', { proposedAt: (await proposal())?.at, text: 'Está cortada.' });
  expect((await open()).body).toContain('Está cortada.');
  expect((await post('propose', { document: '1' })).statusCode).toBe(303);
  await clerk('confirm', { proposedAt: (await proposal())?.at });
  expect((await open()).body).toContain('Esta pregunta ya está respondida');
  expect((await post('propose', { document: '1' })).body).toContain('Lo que acaba de enviar no se recibió');

  await onboarding.resolve(SHARE, { kind: 'text', text: 'One in ten.' });
  expect(await onboarding.outcome()).toMatchObject({ outcome: 'boarded' });
  const { merchantProfileId = 0 } = await onboarding.state();
  expect((await rig.sandbox.merchant(merchantProfileId))['attachments']).toMatchObject([
    { fileName: 'cheque.jpg', bytes: CLEAN_PHOTO.length },
  ]);
  const token = link.split('/').at(-1);
  for (const log of [page.log(), receiver.log()]) {
    expect(log).not.toContain(token);
    expect(log).not.toContain(code);
  }
});

// Alone catches a file that is lost, or counts twice, while nobody can store it.
it('a merchant uploads while the document store is unavailable, reads so, and uploads again', async () => {
  const documentDir = join(await newFolder(), 'documents');
  await writeFile(documentDir, 'no folder');
  const { receiver, page, workflowId } = await pageWith(documentDir);
  const question = { text: 'A check, please.', wants: { kind: 'documents', names: ['Check'] } };
  const newLink = await receiver.call(
    `POST /v1/requirements/${workflowId}/${CHECK}/ask`,
    JSON.stringify({ ...question, person: 'Ada Park' }),
    { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
  );
  const link = new URL(newLink.json<{ url: string }>().url).pathname;
  const send = () => page.open(`${link}/documents`, upload('check.jpg', PHOTO));
  await page.open(`${link}/begin`, { method: 'POST' });
  const away = await send();
  expect([away.statusCode, away.body]).toEqual([
    503,
    expect.stringContaining('The file check.jpg did not arrive.'),
  ]);
  expect(away.body).toContain('No document has arrived yet.');
  await rm(documentDir);
  expect((await send()).body).toContain('check.jpg has arrived.');
  expect(await readdir(documentDir)).toHaveLength(1);
});
