import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRecording } from '../../../src/sandbox/playback.js';
import { loadSandboxSettings } from '../../../src/sandbox/settings.js';
import { gangway, startGangway } from '../../rigs/command.js';
import { runSandbox } from '../../rigs/sandbox/running-sandbox.js';
import { testEnds } from '../../rigs/shared.js';
import { eventually } from '../../rigs/waiting.js';

type Line = readonly [line: string, response: string | number, status?: number, request?: string];

/** A folder of HAR files as another program writes them: one exchange each, at the base URL of a partner. */
async function recorded(...lines: readonly Line[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-playback-'));
  testEnds(() => rm(folder, { recursive: true, force: true }));
  for (const [index, [line, body, status = 200, request]] of lines.entries()) {
    const [method, path] = line.split(' ');
    const entry = {
      startedDateTime: `2026-01-05T12:00:00.${String(index).padStart(3, '0')}Z`,
      request: {
        ...{ method, url: `https://uat.partner.test/base${path}` },
        ...(request !== undefined && { postData: { mimeType: 'application/json', text: request } }),
      },
      response: {
        status,
        headers: [
          { name: 'Retry-After', value: '7' },
          { name: 'Set-Cookie', value: 'a=b' },
        ],
        content:
          typeof body === 'string'
            ? { size: 1, mimeType: 'application/json', text: body }
            : { size: body, mimeType: 'text/html' },
      },
    };
    await writeFile(join(folder, `${index}.har`), JSON.stringify({ log: { entries: [entry] } }));
  }
  return folder;
}

async function playing(...lines: readonly Line[]) {
  const sandbox = await runSandbox({ playback: readRecording(await recorded(...lines)) });
  const call = async (line: string, body?: string) => (await sandbox.call(line, body, 'nobody')).text;
  return { sandbox, call, report: () => sandbox.control('GET /sandbox/recording') };
}

const STATUS = 'GET /api/v1/merchant/status?id=7';
const SUBMIT = 'POST /api/v2/merchant/submit';
const state = (status: string) => `{"data":{"status":"${status}"},"status":"OK"}`;

describe('a recording in the sandbox', () => {
  it('responds to a read in its order, and repeats the last response', async () => {
    const { call, report } = await playing(
      [STATUS, state('Pending')],
      [STATUS, state('Escalated To Committee')],
      [STATUS.replace('7', '8'), state('Declined')],
    );
    expect(await call(STATUS)).toBe(state('Pending'));
    expect(await call(STATUS.replace('?id', '?ID'))).toBe(state('Escalated To Committee'));
    expect(await call(STATUS)).toBe(state('Escalated To Committee'));
    expect(await report()).toEqual({ missing: [], left: ['boarding get-status id=8'] });
  });

  it('responds once to a poll that found nothing new', async () => {
    const numbered = (status: string, requestId: number) =>
      `{"data":{"status":"${status}"},"requestId":${requestId}}`;
    const { call } = await playing(
      [STATUS, numbered('Pending', 1)],
      [STATUS, numbered('Pending', 2)],
      [STATUS, numbered('Pending', 3)],
      [STATUS, numbered('Approved', 4)],
    );
    expect([await call(STATUS), await call(STATUS)]).toEqual([
      numbered('Pending', 1),
      numbered('Approved', 4),
    ]);
  });

  it('shows nothing that came after a write before that write, and nothing from before it afterwards', async () => {
    const { call } = await playing(
      [STATUS, state('Not Submitted')],
      [STATUS, state('Draft')],
      [SUBMIT, '{"data":{"merchantProfileId":7}}', 200, '{"merchantProfileId":7}'],
      // Of another merchant.
      ['POST /api/v1/merchant/updateStatus?id=8', '{}', 200, '{"status":"Closed"}'],
      [STATUS, state('Pending')],
      [STATUS.replace('7', '8'), state('Closed')],
    );
    expect(await call(STATUS)).toBe(state('Not Submitted'));
    await call(SUBMIT, '{"merchantProfileId":7}');
    expect([await call(STATUS), await call(STATUS)]).toEqual([state('Pending'), state('Pending')]);
  });

  it('waits for a write however often the caller reads', async () => {
    const notes = 'GET /api/v1/merchant/underwritingNotes?id=7';
    const { call } = await playing(
      [notes, '{"data":[{"text":"why?"}]}'],
      ['POST /api/v1/merchant/underwritingReview?id=7', '{"data":null}'],
      [notes, '{"data":[]}'],
    );
    for (const _ of [1, 2, 3]) expect(await call(notes)).toBe('{"data":[{"text":"why?"}]}');
    await call('POST /api/v1/merchant/underwritingReview?id=7');
    expect(await call(notes)).toBe('{"data":[]}');
  });

  it('responds to a write that must not be repeated as often as it was recorded, and names what it lacks', async () => {
    const { sandbox, call, report } = await playing([SUBMIT, '{"data":null}'], [STATUS, state('Pending')]);
    expect(await call(SUBMIT, '{}')).toBe('{"data":null}');
    const again = await sandbox.call(SUBMIT, '{}');
    expect([again.status, again.json<{ error: string }>().error]).toEqual([
      501,
      'the recording has no further response to boarding submit-merchant',
    ]);
    const other = await sandbox.call(STATUS.replace('7', '99'));
    expect([other.status, other.json<{ error: string }>().error]).toEqual([
      501,
      'the recording has no response to boarding get-status id=99',
    ]);
    expect(await report()).toEqual({
      missing: ['boarding submit-merchant', 'boarding get-status id=99'],
      left: ['boarding get-status id=7'],
    });
  });

  it('responds with the status, Retry-After and media type that were recorded', async () => {
    const { sandbox } = await playing([STATUS, 1_234, 503]);
    const { status, headers, text } = await sandbox.call(STATUS);
    expect([
      status,
      headers.get('retry-after'),
      headers.get('content-type'),
      headers.get('set-cookie'),
    ]).toEqual([503, '7', 'text/html', null]);
    expect(text).toBe(' '.repeat(1_234));
  });

  it('cuts the connection where there was no response', async () => {
    const { sandbox } = await playing([STATUS, '', 0]);
    await expect(sandbox.call(STATUS)).rejects.toThrow('fetch failed');
  });

  it('has the values of the caller where it has placeholders for those of the recorded request', async () => {
    const create = 'POST /api/v2/merchant/create';
    const business = 'GET /api/v1/merchant/underwritingNotes?id=7';
    const { call } = await playing(
      [create, '{"data":{"merchantProfileId":7}}', 200, '{"dba":"private-0123456789"}'],
      [business, '{"data":[{"text":"private-0123456789"}]}'],
    );
    await call(create, '{"dba":"Corner Bakery"}');
    expect(await call(business)).toBe('{"data":[{"text":"Corner Bakery"}]}');
  });

  it('leaves other operations, and each sign-in that succeeded, to the emulated partners', async () => {
    const { sandbox } = await playing(
      [STATUS, state('Pending')],
      ['POST /api/auth/v2', '{"message":"one-time code required"}', 403],
      ['POST /api/auth/v2', '{"token":"removed"}'],
    );
    const signIn =
      '{"nickName":"sandbox","password":"sandbox","tokenDevice":"sandbox-device","nameDevice":"till"}';
    expect((await sandbox.call('POST /api/auth/v2', signIn)).status).toBe(403);
    const token = (await sandbox.call('POST /api/auth/v2', signIn)).json<{ token: string }>();
    expect(token.token).not.toBe('removed');
    expect((await sandbox.call('GET /api/v1/agentProfiles')).status).toBe(200);
    expect((await sandbox.call('GET /api/v1/agentProfiles', undefined, 'nobody')).status).toBe(401);
  });

  it('has the faults that are planned', async () => {
    const { sandbox, call } = await playing([STATUS, state('Pending')]);
    await sandbox.control('POST /sandbox/faults', '{"fault":"429","operation":"get-status"}');
    expect((await sandbox.call(STATUS)).status).toBe(429);
    expect(await call(STATUS)).toBe(state('Pending'));
  });
});

describe('SANDBOX_RECORDING', () => {
  const load = (folder: string) => () => loadSandboxSettings({ SANDBOX_RECORDING: folder });

  it('names a folder of HAR files', async () => {
    const folder = await recorded([STATUS, state('Pending')]);
    expect(load(folder)().playback?.report.left).toEqual(['boarding get-status id=7']);
  });

  it('is rejected with the file and the reason', async () => {
    expect(load('/nowhere')).toThrow('SANDBOX_RECORDING: /nowhere cannot be read (ENOENT)');
    const folder = await recorded();
    expect(load(folder)).toThrow(`SANDBOX_RECORDING: ${folder} has no .har file`);
    await writeFile(join(folder, 'a.har'), '{');
    expect(load(folder)).toThrow('SANDBOX_RECORDING: a.har is no HAR file: no JSON');
    await writeFile(join(folder, 'a.har'), '{"log":{}}');
    expect(load(folder)).toThrow('SANDBOX_RECORDING: a.har is no HAR file: log.entries');
    const stranger = await recorded(['GET /api/v9/nothing', '{}']);
    expect(load(stranger)).toThrow(
      'SANDBOX_RECORDING: 0.har: GET /base/api/v9/nothing is no operation of a partner',
    );
  });
});

describe('gangway sandbox', () => {
  const LOOPBACK = { SANDBOX_ADDRESS: '127.0.0.1:0' };

  it('plays a recording until Ctrl-C', async () => {
    const folder = await recorded([STATUS, state('Escalated To Committee')]);
    const running = startGangway(LOOPBACK, ['sandbox', '--recording', folder]);
    const printed = await eventually(
      async () => running.stdout(),
      (text) => text.includes('\n'),
      'its address',
    );
    const [, url = ''] =
      /^sandbox is ready at (http:\S+); scenarios: \S+\/sandbox\/scenarios\n$/.exec(printed) ?? [];
    expect(await (await fetch(`${url}${STATUS.slice(4)}`)).text()).toBe(state('Escalated To Committee'));
    running.kill('SIGINT');
    expect(await running.finished).toMatchObject({ code: 130, stderr: '' });
    await expect(fetch(url)).rejects.toThrow();
  });

  it.each([
    [
      'a folder that is not there',
      {},
      ['--recording', '/nowhere'],
      '--recording: /nowhere cannot be read (ENOENT)',
    ],
    ['an invalid pace', { SANDBOX_PACE: 'soon' }, [], 'SANDBOX_PACE: '],
    [
      'an address of another machine',
      { SANDBOX_ADDRESS: '192.0.2.1:4010' },
      [],
      'SANDBOX_ADDRESS: listen EADDRNOTAVAIL',
    ],
  ])('refuses %s', async (_, env, args, message) => {
    const { code, stderr } = await gangway({ ...LOOPBACK, ...env }, ['sandbox', ...args]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
