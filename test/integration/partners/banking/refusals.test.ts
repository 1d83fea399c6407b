import { describe, expect, it } from 'vitest';
import { bankingPartner, HOLDER } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { responding } from '../../../rigs/partners/servers.js';

const USER = { nickName: 'bo', password: 'pw', tokenDevice: 'd', nameDevice: 'n' };
const PARTNER = { NickName: 'bo', Password: 'pw', TokenDevice: 'd', NameDevice: 'n' };

/** The rules themselves: test/unit/partners/banking/rules.test.ts. */
describe('a refusal costs no call and contains no value', () => {
  const at = async () => bankingPartner(responding(200, '{}'));

  it.each<[string, object, string[]]>([
    ['no password', { ...USER, password: undefined }, ['password']],
    ['an empty device', { ...USER, tokenDevice: '' }, ['tokenDevice']],
    ['an empty name of the device', { ...USER, nameDevice: '' }, ['nameDevice']],
    ['an empty partner', { ...PARTNER, NickName: '' }, ['NickName']],
    ['a code of no factor', { ...USER, smsCode: '123456' }, ['typeOperation']],
    ['a factor without code', { ...PARTNER, typeOperation: 'TimeBasedCode' }, ['smsCode']],
    ['an unknown factor', { ...USER, smsCode: '1', typeOperation: 'Pigeon' }, ['typeOperation']],
    ['both spellings', { ...USER, NickName: 'bo' }, ['NickName']],
  ])('of issueToken with %s', async (_, request, fields) => {
    const { client, tokenRequests } = await at();
    const error = await failureOf(client.issueToken(request as never));
    expect(error.fields.map(({ field }) => field)).toEqual(fields);
    expect(error.details).toMatchObject({ kind: 'Rejected', reason: 'not sent: invalid request' });
    expect(tokenRequests()).toEqual([]);
  });

  it('of a holder with everything wrong at once', async () => {
    const { client, requests, tokenRequests } = await at();
    const wrong = { ...HOLDER, ssn: '666456789', phone: '5550', employerIdentificationNumber: '007777777' };
    const error = await failureOf(client.submitBusinessAccountHolder(wrong));
    expect(error.fields).toEqual([
      { field: 'phone', message: 'must be 10 digits' },
      { field: 'ssn', message: 'must be 9 digits of a valid SSN, without dashes' },
      {
        field: 'employerIdentificationNumber',
        message: 'must be the digits of a valid EIN, without dashes',
      },
    ]);
    const thrown = JSON.stringify(error) + error.message;
    for (const value of ['666456789', '5550', '007777777']) expect(thrown).not.toContain(value);
    expect([...requests(), ...tokenRequests()]).toEqual([]);
  });
});
