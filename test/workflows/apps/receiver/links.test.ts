import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CLEAN_PHOTO, PHOTO } from '../../../rigs/documents/photo.js';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import {
  clientsFile,
  clientWith,
  type Reply,
  runReceiver,
  TOKEN,
} from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig({ ownNamespace: true });
afterEach(() => rig.clear());

const LINK_TOKEN = 'b2c3d4e5f60718293a4b5c6d7e8f9012';
const [CHECK, SHARE] = ['note-0e5ac65b83c0', 'note-13e54e3f88e6'];

async function clerkAndPage(more: object = {}) {
  const clients = [clientWith({}), clientWith({ name: 'link-page', scopes: ['link'], ...more }, LINK_TOKEN)];
  const options = {
    documentDir: rig.documentDir,
    clientsFile: clientsFile(clients),
    linkUrl: 'https://answers.example.com',
    accounts: { north: { posNames: [] } },
  };
  const { url, call, log } = await runReceiver(rig, options);
  const as =
    (token: string) =>
    (path: string, body: unknown, more = {}) =>
      call(`POST /v1${path}`, JSON.stringify(body), {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...more,
      });
  const upload = (path: string, file: File, headers: object) => {
    const form = new FormData();
    form.append('file', file);
    return call(`POST /v1${path}`, form, { authorization: `Bearer ${LINK_TOKEN}`, ...headers });
  };
  return { clerk: as(TOKEN), page: as(LINK_TOKEN), upload, log, url };
}

type Doors = Awaited<ReturnType<typeof clerkAndPage>>;

async function twoNotes() {
  const boarding = await rig.board(merchant('notes'));
  const { workflowId } = boarding;
  const onboarding = new Onboarding(rig.client, workflowId);
  await onboarding.until(({ requirements }) => requirements.length === 2, 'two notes');
  return { onboarding, workflowId };
}

const statusAnd = ({ status, text }: Reply) => [status, JSON.parse(text)];

async function ask({ clerk }: Doors, workflowId: string, id: string, more: object = {}) {
  const reply = await clerk(`/requirements/${workflowId}/${id}/ask`, {
    text: 'How do you take cards?',
    wants: { kind: 'text' },
    person: 'Ada Park',
    ...more,
  });
  expect(reply.status).toBe(200);
  const { link, url, code = '' } = reply.json<{ link: string; url: string; code?: string }>();
  const token = url.split('/').at(-1) ?? '';
  expect(url).toBe(`https://answers.example.com/a/${link}/${token}`);
  expect(link).toMatch(/^L-[a-z0-9]{16}$/);
  expect(token).toMatch(/^[\w-]{43}$/);
  return { link, token, code, path: `/links/${link}` };
}

const UNKNOWN = {
  type: 'urn:gangway:problem:unknown-link',
  title: 'There is no such link',
  status: 404,
  detail: 'there is no link with this name and token',
};
const SHUT = expect.objectContaining({ type: 'urn:gangway:problem:link-closed' });

// Proves D6, F10.
describe('a merchant', () => {
  it('answers with a photo, which reaches the partner without its metadata once a colleague has confirmed it', async () => {
    const all = await clerkAndPage();
    const { onboarding, workflowId } = await twoNotes();
    const { path, token } = await ask(all, workflowId, CHECK, {
      text: 'Please send a photo of a voided check.',
      wants: { kind: 'documents', names: ['Voided check'] },
    });
    const link = path.split('/').at(-1);
    // Mail scanners open links.
    for (const _ of [1, 2]) expect((await all.page(`${path}/read`, { token })).status).toBe(200);
    expect((await onboarding.state()).timeline.at(-1)?.event).toBe('merchant-asked');
    expect(statusAnd(await all.page(`${path}/begin`, { token }))).toMatchObject([
      200,
      { state: 'open', began: true },
    ]);
    const photo = new File([PHOTO], 'check.jpg', { type: 'image/jpeg' });
    expect(statusAnd(await all.upload(`${path}/documents`, photo, { 'link-token': token }))).toEqual([
      201,
      { id: 1, fileName: 'check.jpg', at: expect.any(String) },
    ]);
    const answer = { kind: 'documents', documents: [1] };
    expect(
      statusAnd(await all.page(`${path}/propose`, { token, answer, remark: 'Both sides.' })),
    ).toMatchObject([
      200,
      {
        state: 'received',
        revision: 1,
        dba: expect.any(String),
        answer: { ...answer, remark: 'Both sides.' },
      },
    ]);
    // The partner has nothing yet.
    const { requirements } = await onboarding.state();
    const proposal = requirements.find(({ id }) => id === CHECK)?.proposal;
    expect(proposal).toMatchObject({ actor: `the merchant (${link})`, answer: 'documents: check.jpg' });
    const sendBack = { proposedAt: proposal?.at, text: 'The photo is cut off.', person: 'Ada Park' };
    expect((await all.clerk(`/requirements/${workflowId}/${CHECK}/send-back`, sendBack)).status).toBe(200);
    expect(statusAnd(await all.page(`${path}/read`, { token }))).toMatchObject([
      200,
      { state: 'sent-back', message: 'The photo is cut off.', documents: [{ id: 1 }] },
    ]);
    await all.page(`${path}/propose`, { token, answer });
    const again = (await onboarding.state()).requirements.find(({ id }) => id === CHECK)?.proposal;
    const confirm = { proposedAt: again?.at, person: 'Ada Park' };
    expect((await all.clerk(`/requirements/${workflowId}/${CHECK}/confirm`, confirm)).status).toBe(200);
    expect(statusAnd(await all.page(`${path}/read`, { token }))).toEqual([
      200,
      { state: 'closed', language: 'en', why: 'answered' },
    ]);
    await onboarding.resolve(SHARE, { kind: 'text', text: 'One in ten.' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const { timeline } = await onboarding.state();
    const told = timeline
      .filter(({ detail = '' }) => detail.startsWith(CHECK))
      .map(({ event, actor }) => [event, actor]);
    const ada = 'crm (API), for Ada Park';
    expect(told).toEqual([
      ['requirement-raised', undefined],
      ['merchant-asked', ada],
      ['merchant-began', `the merchant (${link})`],
      ['answer-proposed', `the merchant (${link})`],
      ['answer-sent-back', ada],
      ['answer-proposed', `the merchant (${link})`],
      ['answer-confirmed', ada],
      ['requirement-resolved', `the merchant (${link})`],
    ]);
    const { merchantProfileId = 0 } = await onboarding.state();
    expect((await rig.sandbox.merchant(merchantProfileId))['attachments']).toMatchObject([
      { fileName: 'check.jpg', contentType: 'image/jpeg', bytes: CLEAN_PHOTO.length },
    ]);
    expect(all.log()).not.toContain(token);
    expect(JSON.stringify(timeline)).not.toContain(token);
  });

  it('cannot act with another token or name, after the end of the link, or on another question', async () => {
    const all = await clerkAndPage();
    const { onboarding, workflowId } = await twoNotes();
    const { path, token } = await ask(all, workflowId, SHARE);
    const other = await ask(all, workflowId, CHECK);
    const answer = { kind: 'text', text: 'One in ten.' };
    const before = (await onboarding.state()).timeline.length;
    const wrong = [
      [path, other.token],
      [path, randomBytes(32).toString('base64url')],
      [path, ''],
      ['/links/L-aaaaaaaaaaaaaaaa', token],
      ['/links/merchant-boarding-x', token],
    ];
    // A refusal takes its time, whatever the reason.
    let isOver = false;
    const refused = Promise.all(
      wrong.flatMap(([place, each]) =>
        ['read', 'begin', 'propose'].map(async (action) => {
          const body = { token: each, ...(action === 'propose' && { answer }) };
          return statusAnd(await all.page(`${place}/${action}`, body));
        }),
      ),
    ).finally(() => {
      isOver = true;
    });
    await onboarding.until(() => isOver, 'the refusals');
    expect(await refused).toEqual(Array.from({ length: 15 }, () => [404, UNKNOWN]));
    // A program without the scope, which may answer itself.
    expect(
      (await all.page(`/requirements/${workflowId}/${SHARE}/answer`, { answer, reason: 'x' })).status,
    ).toBe(403);
    expect(
      statusAnd(await all.page(`${path}/propose`, { token, answer: { kind: 'documents', documents: [1] } })),
    ).toMatchObject([422, { errors: [{ field: 'answer.kind', message: 'must be text' }] }]);
    expect((await onboarding.state()).timeline.length).toBe(before);
    await all.clerk(`/requirements/${workflowId}/${SHARE}/revoke-link`, { person: 'Ada Park' });
    expect(statusAnd(await all.page(`${path}/propose`, { token, answer }))).toEqual([409, SHUT]);
    expect(statusAnd(await all.page(`${path}/read`, { token }))).toMatchObject([
      200,
      { state: 'closed', why: 'revoked' },
    ]);
    // The partner decides meanwhile.
    await rig.sandbox.transition((await onboarding.state()).merchantProfileId ?? 0, { status: 'Declined' });
    await onboarding.outcome();
    expect(statusAnd(await all.page(`${other.path}/propose`, { token: other.token, answer }))).toEqual([
      409,
      SHUT,
    ]);
    expect(statusAnd(await all.page(`${other.path}/read`, { token: other.token }))).toMatchObject([
      200,
      { state: 'closed', why: 'over' },
    ]);
  });

  it('enters a code first, at most five times, and all attempts count', async () => {
    const all = await clerkAndPage();
    const { workflowId } = await twoNotes();
    const { path, token, code } = await ask(all, workflowId, SHARE, { code: true });
    expect(code).toMatch(/^\d{6}$/);
    const session = randomBytes(32).toString('base64url');
    const answer = { kind: 'text', text: 'One in ten.' };
    expect(statusAnd(await all.page(`${path}/read`, { token }))).toEqual([
      200,
      { state: 'code', language: 'en', attemptsLeft: 5 },
    ]);
    expect(statusAnd(await all.page(`${path}/propose`, { token, session, answer }))).toEqual([409, SHUT]);
    const wrongCode = code === '000000' ? '000001' : '000000';
    const enter = (each: string) => all.page(`${path}/enter`, { token, session, code: each });
    expect(statusAnd(await enter(wrongCode))).toMatchObject([200, { state: 'code', attemptsLeft: 4 }]);
    expect(statusAnd(await enter(code))).toMatchObject([
      200,
      { state: 'open', text: 'How do you take cards?' },
    ]);
    expect(statusAnd(await all.page(`${path}/read`, { token }))).toMatchObject([200, { state: 'code' }]);
    // Alone catches attempts that are tried at the same time and counted once.
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => enter(wrongCode)));
    expect(statusAnd(await enter(code))).toEqual([409, SHUT]);
    expect(statusAnd(await all.page(`${path}/read`, { token, session }))).toMatchObject([
      200,
      { state: 'closed', why: 'locked' },
    ]);
  });

  // Alone catches a stranger who fills the memory of the receiver, and a count that a cut-off file leaves behind.
  it('sends two files at the same time, and others after them', async () => {
    const all = await clerkAndPage();
    const { workflowId } = await twoNotes();
    const { path, token } = await ask(all, workflowId, CHECK, {
      wants: { kind: 'documents', names: ['Check'] },
    });
    const half = () => {
      const upload = request(`${all.url}/v1${path}/documents`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${LINK_TOKEN}`,
          'link-token': token,
          'content-type': 'multipart/form-data; boundary=b',
        },
      });
      upload.on('error', () => undefined);
      upload.write('--b\r\ncontent-disposition: form-data; name="file"; filename="check.jpg"\r\n\r\n');
      upload.write(PHOTO.subarray(0, 40));
      return upload;
    };
    const photo = new File([PHOTO], 'check.jpg', { type: 'image/jpeg' });
    const whole = async () => (await all.upload(`${path}/documents`, photo, { 'link-token': token })).status;
    const halves = [half(), half()];
    await vi.waitFor(async () => expect(await whole()).toBe(429), { timeout: 5_000 });
    for (const each of halves) each.destroy();
    await vi.waitFor(async () => expect(await whole()).toBe(201), { timeout: 5_000 });
  });

  // Alone catches a record of a link that was never made, and strangers who lock merchants out.
  it('leaves no record where it refuses a link, and keeps a limit for each link that somebody holds', async () => {
    const all = await clerkAndPage({ requestsPerMinute: 5 });
    const { workflowId } = await twoNotes();
    const { path, token } = await ask(all, workflowId, SHARE);
    await all.page(`${path}/propose`, { token, answer: { kind: 'text', text: 'One in ten.' } });
    const query = "WorkflowType = 'merchantLink' AND ExecutionStatus = 'Running'";
    const records = async () =>
      (await Array.fromAsync(rig.client.workflow.list({ query }))).map((record) => record.workflowId).sort();
    const before = await records();
    expect(before).toContain(`merchant-link-${path.split('/').at(-1)}`);
    const refused = await all.clerk(`/requirements/${workflowId}/${SHARE}/ask`, {
      text: 'Again?',
      wants: { kind: 'text' },
      person: 'Ada Park',
    });
    expect(refused.status).toBe(409);
    expect(await records()).toEqual(before);
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const guess = await all.page('/links/L-aaaaaaaaaaaaaaaa/read', { token });
        return guess.status;
      }),
    );
    expect(statuses.sort()).toContain(429);
    expect((await all.page(`${path}/read`, { token })).status).toBe(200);
  });

  it('has no link for a program of another account', async () => {
    const all = await clerkAndPage({ accounts: ['north'] });
    const { workflowId } = await twoNotes();
    const { path, token } = await ask(all, workflowId, SHARE);
    expect(statusAnd(await all.page(`${path}/read`, { token }))).toEqual([404, UNKNOWN]);
  });
});
