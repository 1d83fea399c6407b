import { describe, expect, it, onTestFinished } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { type Finding, wrong } from '../../rigs/commands/doctor.js';
import { jsonLines } from '../../rigs/processes.js';
import { SECRET } from '../../rigs/receiver/running-receiver.js';
import { createRig } from '../../rigs/rig.js';

describe('doctor compares the webhooks of the bank with the settings of the receiver:', () => {
  const SECRET_PATH = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
  const AUTH = `path:${SECRET_PATH}`;

  /** What doctor finds out about a bank that has a webhook to this URL, or none. */
  async function found(url: string | undefined, auth: string): Promise<Finding[]> {
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
    const env = { ...own.env, RECEIVER_BANKING_AUTH: auth };
    const { stdout } = await gangway(env, ['doctor', '--json']);
    expect(stdout).not.toContain(SECRET_PATH);
    return jsonLines<Finding>({ code: 0, stdout, stderr: '' }).filter(({ check }) => check === 'webhooks');
  }

  const RECEIVER = 'https://hooks.example.com/webhooks/banking';
  const EDIT = 'run "gangway call banking update-webhook" or "delete-webhook" for webhookId 1';

  it.each([
    [`${RECEIVER}/${SECRET_PATH.replace('0', '1')}`, AUTH],
    [RECEIVER, AUTH],
  ])('the URL has another secret, or none: %s', async (url, auth) => {
    const shown = url === RECEIVER ? url : `${RECEIVER}/...`;
    expect(await found(url, auth)).toEqual([
      wrong(
        'webhooks',
        `webhook 1 (ApplicationStatus) to ${shown}: its secret is none of RECEIVER_BANKING_AUTH`,
        `${EDIT}, with the secret of RECEIVER_BANKING_AUTH at its end`,
      ),
    ]);
  });

  it('it is sent without encryption', async () => {
    expect(await found('http://hooks.example.com/webhooks/banking', '')).toEqual([
      wrong(
        'webhooks',
        'webhook 1 (ApplicationStatus) to http://hooks.example.com/webhooks/banking: anyone on the network can read it',
        `${EDIT}, with https`,
      ),
    ]);
  });

  it('none is registered, though the receiver waits for them', async () => {
    const detail =
      'none is registered at the banking partner, so onboardings notice a change at their next poll';
    expect(await found(undefined, '')).toEqual([{ check: 'webhooks', state: 'ok', detail }]);
    expect(await found(undefined, AUTH)).toEqual([
      { check: 'webhooks', state: 'warn', detail, fix: 'run "gangway ensure-webhooks FILE"' },
    ]);
  });

  it.each([
    ['a secret in its path', AUTH, `${RECEIVER}/${SECRET_PATH}`, `${RECEIVER}/...`],
    ['a signature', `signature:${SECRET}`, RECEIVER, RECEIVER],
    ['the URL of another program', AUTH, 'https://bank.example.com/hooks/7', 'https://bank.example.com/...'],
  ])('nothing is wrong with %s', async (_, auth, url, shown) => {
    expect(await found(url, auth)).toEqual([
      { check: 'webhooks', state: 'ok', detail: `webhook 1 (ApplicationStatus) to ${shown}` },
    ]);
  });
});
