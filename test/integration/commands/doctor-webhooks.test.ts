import { createServer } from 'node:http';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadReceiverSettings } from '../../../src/receiver/settings.js';
import { gangway } from '../../rigs/command.js';
import { type Finding, wrong } from '../../rigs/commands/doctor.js';
import { listening } from '../../rigs/listening.js';
import { jsonLines } from '../../rigs/processes.js';
import { runReceiver, SECRET } from '../../rigs/receiver/running-receiver.js';
import { createRig } from '../../rigs/rig.js';

const rig = await createRig({ worker: false });
afterAll(() => rig.close());

describe('doctor finds a webhook of the bank that nobody receives:', () => {
  const SECRET_PATH = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
  const AUTH = `path:${SECRET_PATH}`;
  const OFF = { banking: { senders: [], idFields: [] } };

  /** A rig whose bank has a webhook to this URL, or none; and what doctor finds out about it. */
  async function registered(url?: string) {
    const own = await createRig({ worker: false });
    onTestFinished(() => own.close());
    if (url !== undefined) {
      const webhook = { url, notificationType: 'ApplicationStatus' };
      const { status } = await fetch(`${own.sandbox.url}/sandbox/webhooks`, {
        ...{ method: 'POST', body: JSON.stringify(webhook) },
        headers: { 'content-type': 'application/json' },
      });
      expect(status).toBe(201);
    }
    return async (env: Record<string, string> = {}) => {
      const { stdout } = await gangway({ ...own.env, ...env }, ['doctor', '--json']);
      expect(stdout).not.toContain(SECRET_PATH);
      return jsonLines<Finding>({ code: 0, stdout, stderr: '' }).filter(({ check }) => check === 'webhooks');
    };
  }

  const receiverWith = async (auth: string) => {
    const { webhooks } = loadReceiverSettings({ RECEIVER_BANKING_AUTH: auth });
    return (await runReceiver(rig, { webhooks: auth === '' ? OFF : webhooks })).url;
  };

  const EDIT = 'run "gangway call banking update-webhook" or "delete-webhook" for webhookId 1';

  it('no receiver runs at its URL', async () => {
    const examine = await registered(`http://127.0.0.1:1/webhooks/banking/${SECRET_PATH}`);
    expect(await examine()).toEqual([
      wrong(
        'webhooks',
        'webhook 1 (ApplicationStatus) to http://127.0.0.1:1/webhooks/banking/...: nothing receives it: ECONNREFUSED',
        `start the receiver there ("npm run receiver"), or ${EDIT}`,
      ),
    ]);
  });

  it('the receiver has webhooks of the bank switched off', async () => {
    const url = await receiverWith('');
    expect(await (await registered(`${url}/webhooks/banking`))()).toEqual([
      wrong(
        'webhooks',
        `webhook 1 (ApplicationStatus) to ${url}/webhooks/banking: the receiver rejects it, because RECEIVER_BANKING_AUTH is not set there`,
        'set RECEIVER_BANKING_AUTH for the receiver',
      ),
    ]);
  });

  it('the receiver has another secret', async () => {
    const url = await receiverWith(AUTH);
    const examine = await registered(`${url}/webhooks/banking/${SECRET_PATH.replace('0', '1')}`);
    expect(await examine()).toEqual([
      wrong(
        'webhooks',
        `webhook 1 (ApplicationStatus) to ${url}/webhooks/banking/...: the receiver rejects its credential`,
        `${EDIT}, with the secret of RECEIVER_BANKING_AUTH at the end of the URL`,
      ),
    ]);
  });

  it('it is sent without encryption', async () => {
    expect(await (await registered('http://hooks.example.com/webhooks/banking'))()).toEqual([
      wrong(
        'webhooks',
        'webhook 1 (ApplicationStatus) to http://hooks.example.com/webhooks/banking: anyone on the network can read it',
        `${EDIT}, with https`,
      ),
    ]);
  });

  it('the receiver does not have the path', async () => {
    const url = await receiverWith(AUTH);
    expect(await (await registered(`${url}/hooks/bank`))()).toEqual([
      wrong(
        'webhooks',
        `webhook 1 (ApplicationStatus) to ${url}/...: the receiver has no such path`,
        `${EDIT}, with the path /webhooks/banking`,
      ),
    ]);
  });

  it('none is registered, though the receiver waits for them', async () => {
    const examine = await registered();
    const detail =
      'none is registered at the banking partner, so onboardings notice a change at their next poll';
    expect(await examine()).toEqual([{ check: 'webhooks', state: 'ok', detail }]);
    expect(await examine({ RECEIVER_BANKING_AUTH: AUTH })).toEqual([
      { check: 'webhooks', state: 'warn', detail, fix: 'run "gangway ensure-webhooks FILE"' },
    ]);
  });

  it.each([
    ['a secret in its path', AUTH, `/${SECRET_PATH}`],
    ['a signature', `signature:${SECRET}`, ''],
    ['a header', 'header:x-caller:0123456789abcdef0123456789abcdef', ''],
  ])('and none that is received with %s', async (_, auth, path) => {
    const url = await receiverWith(auth);
    const examine = await registered(`${url}/webhooks/banking${path}`);
    const shown = `webhook 1 (ApplicationStatus) to ${url}/webhooks/banking${path && '/...'}`;
    expect(await examine({ RECEIVER_BANKING_AUTH: auth })).toEqual([
      { check: 'webhooks', state: 'ok', detail: `${shown} is received` },
    ]);
    if (path !== '') return;
    expect(await examine()).toEqual([
      {
        check: 'webhooks',
        state: 'warn',
        detail: `${shown}: it is unknown how the receiver authenticates it`,
        fix: 'set RECEIVER_BANKING_AUTH here to the value for the receiver',
      },
    ]);
  });

  it('nor one that leads to another program, which gets no credential', async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(`${request.method} ${Object.keys(request.headers).includes('x-caller')}`);
      response.writeHead(405).end();
    });
    const url = `http://${await listening(other)}`;
    const examine = await registered(`${url}/bank`);
    expect(await examine({ RECEIVER_BANKING_AUTH: 'header:x-caller:0123456789abcdef' })).toEqual([
      {
        check: 'webhooks',
        state: 'ok',
        detail: `webhook 1 (ApplicationStatus) to ${url}/... leads to another program`,
      },
    ]);
    expect(seen).toEqual(['GET false']);
  });
});
