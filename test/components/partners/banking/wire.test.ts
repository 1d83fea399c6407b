import { describe, expect, it } from 'vitest';
import { submissionOf } from '../../../../src/partners/banking/holder.js';
import { bankingOperations } from '../../../../src/partners/banking/operations.js';
import { ADDRESS, bankingPartner, HOLDER, OWNER } from '../../../rigs/partners/banking/partner.js';
import { responding } from '../../../rigs/partners/servers.js';

const profile = '{"id":4,"bankingStatus":"New"}';
const addressJson = '"streetAddress":"1 Main Street","postalCode":"12207","city":"Albany","state":33';

const documented = Array.from({ length: 15 }, (_, index) => `E${index + 1}`);

describe('every operation of the contract', () => {
  it('is documented if the contract prints it, except the refresh, which it prints without shapes', () => {
    const entries = Object.values(bankingOperations());
    const references = entries.flatMap((entry) => ('reference' in entry ? [entry.reference] : []));
    expect(references.sort()).toEqual(documented.toSorted());
    for (const entry of entries) {
      const isPrinted = 'reference' in entry && entry.reference !== 'E2';
      expect(entry.provenance).toBe(isPrinted ? 'documented' : 'assumed');
    }
  });
});

describe('settings', () => {
  it('replace svc by a brand segment, and nothing else', async () => {
    const { client, requests } = await bankingPartner(responding(200, profile), { pathSegment: 'acme' });
    await client.findProfileByMerchant({ merchantProfileId: 1 });
    await client.changeAddress(ADDRESS);
    expect(requests().map(({ line }) => line)).toEqual([
      'GET /acme/profile/byMerchant/1',
      'POST /changeAddress',
    ]);
  });

  it.each(['', 'a/b', '..%2f', 'a b', '{id}'])('refuse the segment %j', (pathSegment) => {
    expect(() => bankingOperations(pathSegment)).toThrow(TypeError);
  });

  it('send the partner id with every call', async () => {
    const { client, requests } = await bankingPartner(responding(200, '[]'), { partnerId: 'p-77' });
    await client.listTickets({});
    expect(requests()[0]?.headers['x-partner-id']).toBe('p-77');
  });
});

describe('bodies', () => {
  it('of a search without fields are an empty object', async () => {
    const { client, requests } = await bankingPartner(responding(200, '[]'));
    await client.searchBusinessAccountHolders({});
    expect(requests()[0]?.body.toString('utf8')).toBe('{}');
  });

  it.each([0, 1, 2, 3, 4])('name %i owners', (count) => {
    const owners = Array.from({ length: count }, (_, index) => ({ ...OWNER, firstName: `O${index}` }));
    const { owner, owner2, owner3, owner4 } = submissionOf(HOLDER, owners);
    const named = [owner, owner2, owner3, owner4].map((one) => one?.firstName);
    expect(named).toEqual(['O0', 'O1', 'O2', 'O3'].map((name, index) => (index < count ? name : undefined)));
  });

  it('cannot name five', () => {
    expect(() => submissionOf(HOLDER, Array(5).fill(OWNER))).toThrow(RangeError);
  });

  it('of a change of address have three variants', async () => {
    const { client, requests } = await bankingPartner(responding(200, '{}'));
    await client.changeAddress({ ...ADDRESS, extendedAddress: null });
    await client.changeAddress({ ...ADDRESS, associatedPersonId: 'person-1' });
    expect(requests().map(({ body }) => body.toString('utf8'))).toEqual([
      '{"streetAddress":"1 Main Street","extendedAddress":null,"postalCode":"12207","city":"Albany","state":33}',
      `{${addressJson},"associatedPersonId":"person-1"}`,
    ]);
  });
});
