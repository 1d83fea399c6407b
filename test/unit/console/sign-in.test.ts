import { describe, expect, it } from 'vitest';
import { localPath, sessionOf, signInFor } from '../../../src/console/sign-in.js';

const OIDC = {
  ...{ issuer: 'https://login.example.com', clientId: 'console', clientSecret: undefined },
  ...{ scope: 'openid', rolesClaim: 'roles', accountsClaim: 'accounts' as string | undefined },
};
const signedIn = (
  claims: object,
  { subject = 'p-1', idToken = undefined as string | undefined, ...oidc } = {},
) =>
  sessionOf(
    { claims: { roles: 'viewer', accounts: 'north', ...claims }, subject, idToken },
    { ...OIDC, ...oidc },
  );

describe('who signs in', () => {
  it.each([
    ['viewer', 'viewer'],
    [['operator', 'viewer'], 'operator'],
    [['admin', 'approver', 'root'], 'admin'],
    [['Approver', 'viewer'], 'viewer'],
  ])('with the roles %j is %s: the highest counts', (roles, role) => {
    expect(signedIn({ roles }).role).toBe(role);
  });

  it.each([undefined, null, '', 'root', [], {}, 'viewer operator', [['admin']]])(
    'with the roles %j is nobody',
    (roles) => {
      expect(() => signedIn({ roles })).toThrow('You have no role in this console.');
    },
  );

  it.each([
    ['north', ['north']],
    [
      ['north', 'default'],
      ['north', ''],
    ],
    [['', 7, 'south'], ['south']],
  ])('with the accounts %j sees %j', (accounts, seen) => {
    expect(signedIn({ accounts }).accounts).toEqual(seen);
  });

  it.each([undefined, null, '', [], [7], {}])(
    'with the accounts %j sees none, and does not get in',
    (accounts) => {
      expect(() => signedIn({ accounts, roles: 'admin' })).toThrow('You may see no partner account.');
    },
  );

  it('sees all accounts where no claim limits them', () => {
    expect(
      sessionOf(
        { claims: { roles: 'admin' }, subject: 'p-1', idToken: 'i' },
        { ...OIDC, accountsClaim: undefined },
      ),
    ).toEqual({
      ...{ actor: 'p-1', name: 'p-1', role: 'admin', idToken: 'i' },
      ...{ csrf: expect.stringMatching(/^[\w-]{43}$/), since: expect.any(Number) },
    });
  });

  it.each([
    [{ name: 'Ada Park' }, 'p-1', 'Ada Park (p-1)', 'Ada Park'],
    // Nobody takes the place of the subject by a name.
    [{ name: ' Ada\n Park (p-9)\u202e ' }, 'p-1', 'Ada Park (p-9) (p-1)', 'Ada Park (p-9)'],
    // Nor does a subject end as another one.
    [{ name: 'Bo' }, 'p-1)', 'Bo (p-1_)', 'Bo'],
    [{}, 'p-9 (p-1)', 'p-9 _p-1_', 'p-9 _p-1_'],
    [{ name: ' ' }, 'p-1', 'p-1', 'p-1'],
    [{ name: 7 }, ' p 1\t', 'p 1', 'p 1'],
    [{ name: 'a'.repeat(100) }, 'p-1', `${'a'.repeat(100)} (p-1)`, 'a'.repeat(100)],
  ])('as %j %j acts as %s', (claims, subject, actor, name) => {
    expect(signedIn(claims, { subject })).toMatchObject({ actor, name });
    expect(signedIn({ name: 'a'.repeat(101) }).name).toHaveLength(100);
  });
});

describe('the page after the sign-in', () => {
  it.each([
    ['/onboardings?stage=waiting', '/onboardings?stage=waiting'],
    ['/a/../b#c', '/b'],
    ['/onboardings/merchant-boarding-1@acme', '/onboardings/merchant-boarding-1@acme'],
    ['/?text=%0d%0aset-cookie%3Aa%3Db', '/?text=%0d%0aset-cookie%3Aa%3Db'],
    [`/${'a'.repeat(999)}`, `/${'a'.repeat(999)}`],
  ])('is the one that the person wanted: %s', (given, path) => {
    expect(localPath(given)).toBe(path);
  });

  it.each([
    ...[undefined, ['/x'], '', 'x', 'https://evil.example/', '//evil.example', '/\\evil.example', '/a\\b'],
    ...['/\t/evil.example', '/.//evil.example', '/a\u0000', `/${'a'.repeat(1_000)}`, '/sign-in', '/sign-out'],
    ...['/sign-in/return?code=1', '/signed-out', '///evil.example', '\\\\evil.example', '/\n/evil.example'],
    ...['/a/..//evil.example', 'javascript:alert(1)', 'evil.example', '@evil.example'],
  ])('is the inbox instead of %j', (given) => {
    expect(localPath(given)).toBe('/');
  });

  it.each([
    ['/', '/sign-in'],
    ['/start?a=b', '/sign-in?to=%2Fstart%3Fa%3Db'],
    ['//evil.example', '/sign-in'],
  ])('of %s is remembered as %s', (url, to) => {
    expect(signInFor({ url })).toBe(to);
  });
});
