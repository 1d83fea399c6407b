import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientsIn, followClients, newClient } from '../../../../src/apps/receiver/clients.js';
import { Problem } from '../../../../src/apps/receiver/problems.js';
import { listening } from '../../../rigs/listening.js';
import { clientsFile, clientWith } from '../../../rigs/receiver/running-receiver.js';

const [OLD, NEW] = ['a'.repeat(43), 'b'.repeat(43)];
const [HASH, SECOND, THIRD] = ['1', '2', '3'].map((digit) => `sha256:${digit.repeat(64)}`);
const LINE = { name: 'crm', tokens: [HASH], scopes: ['read'] };

const rejected = (...lines: (object | string)[]) => {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  try {
    return clientsIn(text, ['acme']).length;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a line of API_CLIENTS_FILE', () => {
  it.each<[object | string, string]>([
    ['{', 'must be an object'],
    [{ ...LINE, name: 'CRM' }, 'name: must be 1 to 40 of a-z, 0-9 and "-"'],
    [{ ...LINE, tokens: [OLD] }, 'tokens.0: must be sha256:<64 hexadecimal digits>'],
    [{ ...LINE, tokens: [HASH, SECOND, THIRD] }, 'tokens: must have at most 2 items'],
    [{ ...LINE, tokens: undefined }, 'needs either tokens or jwt'],
    [{ ...LINE, scopes: [] }, 'scopes: must have at least 1 item'],
    [{ ...LINE, accounts: ['south'] }, 'accounts: must be default or one of GANGWAY_ACCOUNTS'],
    [{ ...LINE, requestsPerMinute: 0 }, 'requestsPerMinute: must be at least 1'],
    [{ ...LINE, scope: ['read'] }, 'scope: is not a known field; did you mean scopes?'],
  ])('is refused: %j', (line, rule) => {
    expect(rejected(line)).toBe(`API_CLIENTS_FILE: line 1: ${rule}`);
  });

  it('is refused when another line has its name or token', () => {
    const message = 'API_CLIENTS_FILE: line 3: another line has this name, token or subject';
    expect(rejected(LINE, '', { ...LINE, name: 'erp' })).toBe(message);
    expect(rejected(LINE, '', { ...LINE, tokens: [SECOND] })).toBe(message);
    expect(rejected(LINE, { ...LINE, name: 'erp', tokens: [SECOND], accounts: ['acme', 'default'] })).toBe(2);
  });
});

it('a new client has a token of 256 random bits, which only its hash is kept of', () => {
  const [one, other] = [newClient('crm', ['read'], ['acme']), newClient('crm', ['read'], ['acme'])];
  expect(one.token).toMatch(/^gangway_[\w-]{43}$/);
  expect(one.token).not.toBe(other.token);
  expect(JSON.stringify(one.client)).not.toContain(one.token);
  expect(clientsIn(JSON.stringify(one.client), ['acme'])).toEqual([
    { ...one.client, scopes: ['read'], accounts: ['acme'], requestsPerMinute: 3_000 },
  ]);
  expect(() => newClient('CRM', ['write'], undefined)).toThrow('the client: is not valid; nothing was made');
});

// Catches a list that is read once, a revocation that waits for a restart, and a file that is open to all while it cannot be read.
it('is read again when it changes: a rotation, a revocation, and a mistake that lets nobody in', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = clientsFile([clientWith({ name: 'crm' }, OLD)]);
  const identify = followClients(file, []);
  const nameOf = async (token: string) => {
    vi.advanceTimersByTime(600);
    return (await identify(`Bearer ${token}`))?.name;
  };
  const write = (...clients: object[]) =>
    writeFileSync(file, clients.map((line) => JSON.stringify(line)).join('\n'));
  expect([await nameOf(OLD), await nameOf(NEW)]).toEqual(['crm', undefined]);
  const tokens = [OLD, NEW].map((token) => `sha256:${createHash('sha256').update(token).digest('hex')}`);
  write(clientWith({ name: 'crm', tokens }));
  expect([await nameOf(OLD), await nameOf(NEW)]).toEqual(['crm', 'crm']);
  write(clientWith({ name: 'crm' }, NEW));
  expect([await nameOf(OLD), await nameOf(NEW)]).toEqual([undefined, 'crm']);
  writeFileSync(file, '{');
  await expect(nameOf(NEW)).rejects.toThrow(Problem);
  expect(await identify(undefined)).toBeUndefined();
  rmSync(file);
  await expect(nameOf(NEW)).rejects.toThrow('the list of clients cannot be used now');
  write(clientWith({ name: 'crm' }, NEW));
  expect(await nameOf(NEW)).toBe('crm');
});

// Alone catches an error that passes without a change of the file, and that locks everybody out until somebody changes it.
it('is read again after an error', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = clientsFile([clientWith({ name: 'crm' }, OLD)]);
  const accounts: string[] = [];
  writeFileSync(file, JSON.stringify(clientWith({ name: 'crm', accounts: ['acme'] }, OLD)));
  const identify = followClients(file, accounts);
  await expect(identify(`Bearer ${OLD}`)).rejects.toThrow(Problem);
  accounts.push('acme');
  vi.advanceTimersByTime(600);
  expect((await identify(`Bearer ${OLD}`))?.name).toBe('crm');
});

it('without a file, nobody has a token', async () => {
  expect(await followClients(undefined, [])(`Bearer ${OLD}`)).toBeUndefined();
});

// Catches a token of an issuer that counts for whichever client has that issuer, and one that outlives its time or its client.
it('a JSON Web Token is of the client with its issuer and subject, until it expires or its line is gone', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const [keys, stranger] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' };
  const server = createServer((_, response) => void response.end(JSON.stringify({ keys: [jwk] })));
  const jwksUrl = `http://${await listening(server)}`;
  const [issuer, audience, now] = [
    'https://login.example.com',
    'gangway-api',
    Math.floor(Date.now() / 1_000),
  ];
  const line = (name: string, subject: string) =>
    JSON.stringify({ name, scopes: ['read'], jwt: { jwksUrl, issuer, audience, subject } });
  const file = clientsFile([]);
  writeFileSync(file, `${line('crm', 'crm-17')}\n${line('erp', 'erp-4')}`);
  const identify = followClients(file, []);
  const nameOf = async (claims: object = {}, { privateKey } = keys) => {
    const token = new SignJWT({ iss: issuer, aud: audience, sub: 'crm-17', exp: now + 300, ...claims });
    const signed = await token.setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
    return (await identify(`Bearer ${signed}`))?.name;
  };
  expect([await nameOf(), await nameOf({ sub: 'erp-4' })]).toEqual(['crm', 'erp']);
  for (const claims of [
    { sub: 'shop-2' },
    { sub: undefined },
    { aud: 'gangway-codec' },
    { iss: 'https://example.com' },
    { exp: now - 60 },
    { exp: undefined },
  ])
    expect([claims, await nameOf(claims)]).toEqual([claims, undefined]);
  expect(await nameOf({}, stranger)).toBeUndefined();
  writeFileSync(file, line('erp', 'erp-4'));
  vi.advanceTimersByTime(600);
  expect([await nameOf(), await nameOf({ sub: 'erp-4' })]).toEqual([undefined, 'erp']);
});
