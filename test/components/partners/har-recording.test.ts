import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { closeAll, partnerClients, readAccounts } from '../../../src/partners/account-settings.js';
import { type ByHand, byHand } from '../../../src/partners/by-hand.js';
import type { PartnerClients } from '../../../src/partners/descriptors.js';
import { gangway } from '../../rigs/command.js';
import { newFolder } from '../../rigs/folders.js';
import { failureOf, NOWHERE } from '../../rigs/partners/failure.js';
import { type Respond, recordingServer, responding } from '../../rigs/partners/servers.js';
import { runSandbox } from '../../rigs/sandbox/running-sandbox.js';

/** The exchanges of a recording in their order, as method, URL, request, status and what is kept of the response. */
async function exchanges(folder: string) {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const { log } = JSON.parse(await readFile(join(folder, name), 'utf8'));
      const [{ request, response, comment }] = log.entries;
      return { request, response, comment, name };
    }),
  );
}

/** Clients that record what a server of the test responds, after the sign-in. */
async function recording(respond: Respond): Promise<{ clients: ByHand<PartnerClients>; folder: string }> {
  const { url } = await recordingServer((response, request) => {
    const isSignIn = request.url === '/api/auth/v2';
    (isSignIn ? responding(200, TOKEN) : respond)(response, request);
  });
  const folder = join(await newFolder(), 'recording');
  return { clients: clientsOf(url, folder), folder };
}

function clientsOf(url: string, folder: string): ByHand<PartnerClients> {
  const account = readAccounts({
    BOARDING_URL: url,
    BOARDING_USERNAME: 'harbor',
    BOARDING_PASSWORD: 'hunter2/secret',
    BANKING_URL: url,
    BANKING_USERNAME: 'harbor',
    BANKING_PASSWORD: 'hunter2/secret',
    BANKING_DEVICE_TOKEN: 'device-1',
    GANGWAY_RECORD: folder,
  });
  const clients = byHand(partnerClients(account));
  onTestFinished(() => closeAll(clients));
  return clients;
}

const TOKEN =
  '{"token":"bank-token-1","refresh":"bank-token-2","expiration":"2026-01-05T12:10:00Z","userId":7}';

describe('a recording', () => {
  it('has each exchange of a call: the sign-in without credentials, the refusal, and the repeated call', async () => {
    let calls = 0;
    const { clients, folder } = await recording((...args) => {
      const respond =
        ++calls === 1 ? responding(401, '{"message":"expired bank-token-1"}') : responding(200, '[]');
      respond(...args);
    });
    await clients.banking.listNewTickets({});
    const all = await exchanges(folder);
    const issued = '{"token":"removed","refresh":"removed","expiration":"2026-01-05T12:10:00Z","userId":7}';
    expect(all.map(({ comment, response }) => [comment, response.status, response.content.text])).toEqual([
      ['banking issue-token', 200, issued],
      ['banking list-new-tickets', 401, '{"message":"expired removed"}'],
      ['banking issue-token', 200, issued],
      ['banking list-new-tickets', 200, '[]'],
    ]);
    expect(all[0]?.request).toMatchObject({
      method: 'POST',
      url: 'https://banking.invalid/api/auth/v2',
      headers: [{ name: 'content-type', value: 'application/json' }],
      postData: {
        text: '{"nickName":"removed","password":"removed","tokenDevice":"removed","nameDevice":"removed"}',
      },
    });
  });

  it('has a page of a proxy as its length and a keyed hash, and a message in plain text as text', async () => {
    const page = '<html>Ada Lovelace has signed out</html>';
    const replies = [
      ['text/html', page],
      ['text/plain', 'Ada Lovelace is unknown at 518-555-0100'],
    ];
    const { clients, folder } = await recording((response) => {
      const [type = '', body = ''] = replies.shift() ?? [];
      response.writeHead(503, { 'content-type': type, 'set-cookie': 'session=1' }).end(body);
    });
    await failureOf(clients.boarding.getStatus({ id: 7 }));
    const person = { dba: 'Ada Lovelace', firstName: 'Ada', lastName: 'Lovelace' };
    const request = { ...person, cashDiscount: 'No', pos: 'None', agentProfileId: 101 } as const;
    await failureOf(clients.boarding.createMerchant(request));
    const [first, second] = await exchanges(folder);
    expect(first?.response.content).toEqual({
      size: page.length,
      mimeType: 'text/html',
      comment: expect.stringMatching(/^40 bytes, keyed hash [0-9a-f]{64}$/),
    });
    expect(first?.response.headers.map(({ name }: { name: string }) => name)).not.toContain('set-cookie');
    expect(second?.response.content.text).toMatch(/^private-\w{10} is unknown at 9\d\d-555-01\d\d$/);
  });

  it('has a file as its length and a keyed hash', async () => {
    const statement = Buffer.alloc(300_000, 'Ada ');
    const { clients, folder } = await recording((response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(statement);
    });
    const { body } = await clients.banking.generateStatement({
      period: '2026-01-01T00:00:00Z',
      financialAccountId: 'fa_1',
    });
    expect(await buffer(body)).toEqual(statement);
    const [, file] = await exchanges(folder);
    expect(file?.response.content).toEqual({
      size: 300_000,
      mimeType: 'application/pdf',
      comment: expect.stringMatching(/^300000 bytes, keyed hash [0-9a-f]{64}$/),
    });
  });

  it('has a call without a response, and why', async () => {
    const { clients, folder } = await recording((response) => response.destroy());
    await failureOf(clients.boarding.submitMerchant({ merchantProfileId: 7 }));
    await failureOf(clientsOf(NOWHERE, folder).boarding.getStatus({ id: 7 }));
    const all = await exchanges(folder);
    expect(all.map(({ response }) => [response.status, response._error, response._sent])).toEqual([
      [0, expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/), true],
      [0, 'ECONNREFUSED', false],
    ]);
  });

  it('never fails a call, and warns where an exchange is lost', async () => {
    const { clients, folder } = await recording(responding(200, '{"data":[]}'));
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file in its place');
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    expect(await clients.boarding.listAgentProfiles({})).toEqual([]);
    expect(warned.mock.calls).toEqual([
      [`an exchange is not recorded: ${folder} cannot be written (ENOTDIR)`],
    ]);
  });

  it('needs a folder that can be made', async () => {
    const folder = join(await newFolder(), 'recording');
    await writeFile(folder, 'a file in its place');
    expect(() => clientsOf(NOWHERE, join(folder, 'below'))).toThrow(
      `GANGWAY_RECORD: ${folder}/below cannot be made (ENOTDIR)`,
    );
  });
});

describe('gangway call --record', () => {
  it('records a call from this machine', async () => {
    const { url } = await runSandbox();
    const env = { BOARDING_URL: url, BOARDING_USERNAME: 'sandbox', BOARDING_PASSWORD: 'sandbox' };
    const folder = join(await newFolder(), 'recording');
    const args = ['call', 'boarding', 'list-agent-profiles', '--record', folder];
    expect((await gangway(env, [...args, '--local'])).code).toBe(0);
    const [exchange, ...others] = await exchanges(folder);
    expect([exchange?.request.url, exchange?.response.status, others]).toEqual([
      'https://boarding.invalid/api/v1/agentProfiles',
      200,
      [],
    ]);
    expect(exchange?.response.content.text).toContain('"id":101,"name":"');
    expect(await gangway(env, args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('set GANGWAY_RECORD for it'),
    });
  });
});
