import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bankingPartner, clientAt, issuingToken } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';

const HOUR = 60 * 60_000;
const tickets = responding(200, '[]');

describe('the second factor', () => {
  /** RFC 6238, implemented independently: HMAC-SHA1 over the count of half minutes, dynamically truncated. */
  function timeBasedCode(key: string, at: number): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
    const mac = createHmac('sha1', key).update(counter).digest();
    const offset = (mac.at(-1) ?? 0) & 0xf;
    return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
  }

  // The key of RFC 6238, appendix B: "12345678901234567890". The test vector there ends in 287082 at 59 seconds.
  const totpSecret = 'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ';
  const key = '12345678901234567890';
  const sent = (body: Buffer | undefined) => JSON.parse(body?.toString('utf8') ?? 'null');
  const around = (at: number) => [-30_000, 0, 30_000].map((shift) => timeBasedCode(key, at + shift));

  it('of this test agrees with the RFC', () => {
    expect(timeBasedCode(key, 59_000)).toBe('287082');
  });

  it('is a time-based code if there is a secret', async () => {
    const { client, tokenRequests } = await bankingPartner(tickets, { totpSecret });
    await client.listTickets({});
    const { smsCode, ...others } = sent(tokenRequests()[0]?.body);
    expect(around(Date.now())).toContain(smsCode);
    expect(others).toEqual({
      nickName: 'ada',
      password: 's3cret',
      tokenDevice: 'device-1',
      nameDevice: 'Ada’s worker',
      typeOperation: 'TimeBasedCode',
    });
  });

  it('uses the partner’s clock, once a refusal has shown it', async () => {
    const theirs = () => Date.now() + 5 * HOUR;
    let asked = 0;
    const issue: Respond = (response, request) => {
      asked += 1;
      const refused = responding(401, '', { date: new Date(theirs()).toUTCString() });
      (asked === 1 ? refused : issuingToken('t0k3n', 600_000, theirs()))(response, request);
    };
    const { client, tokenRequests } = await bankingPartner(tickets, { totpSecret }, issue);
    expect(await client.listTickets({})).toEqual([]);
    const codes = tokenRequests().map(({ body }) => sent(body).smsCode);
    expect(codes).toHaveLength(2);
    expect(around(Date.now())).toContain(codes[0]);
    expect(around(theirs())).toContain(codes[1]);
  });

  it('is not sent a second time to a partner whose clock is ours', async () => {
    const { client, tokenRequests } = await bankingPartner(tickets, { totpSecret }, responding(403, ''));
    const error = await failureOf(client.listTickets({}));
    expect(error.details.needs).toBeUndefined();
    expect(tokenRequests()).toHaveLength(1);
  });

  it('cannot have a secret that is not base32, and the error does not show the secret', () => {
    const totpSecret = 'not-base-32-1890';
    expect(() => clientAt('http://127.0.0.1:1', { totpSecret })).toThrow(
      new TypeError('the TOTP secret must be base32'),
    );
  });

  it.each([
    ['403 without a body', 403, ''],
    ['403 about a factor', 403, '{"message":"Multi-factor authentication failed"}'],
    ['401 about a factor', 401, '{"error":"MFA_REQUIRED"}'],
    ['401 about a code', 401, '{"message":"Wrong code"}'],
  ])('is asked of a person after a %s', async (_, status, body) => {
    const { client } = await bankingPartner(tickets, {}, responding(status, body));
    expect((await failureOf(client.listTickets({}))).details.needs).toBe('one-time-code');
  });

  it.each([
    ['401 without a body', 401, ''],
    ['401 about the password', 401, '{"code":401,"message":"Wrong user name or password"}'],
    ['403 about a lock', 403, '{"message":"Account is locked after too many codes"}'],
    ['403 about a suspension', 403, '{"error":"suspended"}'],
    ['404', 404, '{"message":"no such code"}'],
  ])('is not asked of a person after a %s', async (_, status, body) => {
    const { client } = await bankingPartner(tickets, {}, responding(status, body));
    expect((await failureOf(client.listTickets({}))).details).not.toHaveProperty('needs');
  });

  it('uses the code of a person for one attempt, at once', async () => {
    const issue: Respond = (response, request) => {
      const isFirst = issued === 0;
      issued += 1;
      (isFirst ? responding(403, '') : issuingToken(`token-${issued}`))(response, request);
    };
    let issued = 0;
    const partner = await bankingPartner(tickets, {}, issue);
    await failureOf(partner.client.listTickets({}));
    partner.client.useCode('654321');
    expect(await partner.client.listTickets({})).toEqual([]);
    partner.client.forget();
    await partner.client.listTickets({});
    const codes = partner.tokenRequests().map(({ body }) => {
      const { smsCode, typeOperation } = sent(body);
      return [smsCode, typeOperation];
    });
    expect(codes).toEqual([
      [undefined, undefined],
      ['654321', 'ShortMessageCode'],
      [undefined, undefined],
    ]);
  });
});
