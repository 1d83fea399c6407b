import { describe, expect, it } from 'vitest';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
  holderRequest,
  plan,
} from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner, OWNER } from '../../../rigs/partners/banking/partner.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';
import { changed, HOLDER } from '../../../rigs/sandbox/banking/running-banking.js';

describe('a business that is submitted', () => {
  it('has a baseline when its result is unknown', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const names = ['Corner Bakery', 'Corner Bakery North', 'CORNER BAKERY ', 'The Corner Bakery'];
    for (const name of names) await banking.submit(changed(HOLDER, 'doingBusinessAsName', `"${name}"`));
    await plan(banking, 'drop-after-commit', 'submit-business-account-holder');
    const { details } = await failed(run('submitHolder', named('corner bakery')));
    expect(details).toMatchObject({ kind: 'Uncertain', baseline: [3001, 3003, 3002, 3004] });
  });

  // Catches a search during a deployment of the partner that counts as one that finds nothing: every profile would be new.
  it('is not sent while a search for its name gets a 404', async () => {
    const { client, requests } = await bankingPartner(responding(404, '{"message":"no route"}'));
    const { run } = await activitiesOf(client);
    expect(await failed(run('submitHolder', named('Corner Bakery')))).toMatchObject({
      details: { operation: 'search-business-account-holders', kind: 'Uncertain', status: 404 },
      isRetried: true,
    });
    expect(JSON.stringify(requests()).includes('/businessAccountHolder')).toBe(false);
  });

  // Catches an outage that counts as a merchant without a profile: the business would be submitted a second time.
  it('is not sent while the search for the profile of its merchant fails', async () => {
    const { client, requests } = await bankingPartner(responding(503, '{"message":"down"}'));
    const { run } = await activitiesOf(client);
    const request = { ...named('Corner Bakery'), merchantProfileId: 1001 };
    expect(await failed(run('submitHolder', request))).toMatchObject({
      details: { operation: 'find-profile-by-merchant', status: 503 },
      isRetried: true,
    });
    expect(requests()).toHaveLength(1);
  });

  it('is not sent when its merchant has a profile that is not declined', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const merchantProfileId = await banking.create();
    const existing = await banking.submit();
    const request = { ...named('Another Name'), merchantProfileId };
    expect(await run('submitHolder', request)).toMatchObject({
      existing: { profileId: existing, against: ['its dba differs'], unclear: [] },
    });
    expect(await banking.effects()).toHaveLength(2);
    const again = { ...request, declined: [existing] };
    await plan(banking, 'drop-before-commit', 'submit-business-account-holder');
    const { details } = await failed(run('submitHolder', again));
    expect(details).toMatchObject({ kind: 'Uncertain', baseline: [existing] });
    expect(await run('submitHolder', again)).toMatchObject({ profileId: existing + 1 });
  });
});

it.each([null, 0])('a success with profile %s is uncertain', async (profileId) => {
  const { client } = await bankingPartner(bankThatResponds({ success: true, profileId }));
  const { run } = await activitiesOf(client);
  expect(await failed(run('submitHolder', holderRequest()))).toMatchObject({
    details: { kind: 'Uncertain', reason: 'success without a profile' },
    isRetried: false,
  });
});

const named = (doingBusinessAsName: string) => holderRequest('straight', { doingBusinessAsName });

// Catches a business that is submitted again because one list lacks a row: the bank has saved what it refused.
it('a profile that only the second of two searches shows is a candidate', async () => {
  const searches = ['[]', '[{"id":4,"dba":"Corner Bakery"}]'];
  const profile = '{"id":4,"bankingStatus":"Submitted"}';
  const { client, requests } = await bankingPartner((response, request) =>
    responding(200, request.url?.includes('Search') ? String(searches.shift()) : profile)(response, request),
  );
  const { run } = await activitiesOf(client);
  const request = { ...named('Corner Bakery'), baseline: [] };
  expect(await run('findCandidates', request)).toMatchObject([{ profileId: 4 }]);
  expect(requests().map(({ line }) => line)).toEqual([
    'POST /api/AccountsSearch/BusinesAccountHolder',
    'POST /api/AccountsSearch/BusinesAccountHolder',
    'GET /svc/profile/4',
  ]);
});

// Catches a profile that was there before, and counts as the one that a refused submission has made.
it('a profile that only one of two searches shows is in the baseline', async () => {
  const searches = ['[]', '[{"id":4,"dba":"Corner Bakery"}]'];
  const { client } = await bankingPartner((response, request) =>
    request.url?.includes('Search')
      ? responding(200, String(searches.shift()))(response, request)
      : responding(500, '{}')(response, request),
  );
  const { run } = await activitiesOf(client);
  expect(await failed(run('submitHolder', named('Corner Bakery')))).toMatchObject({
    details: { kind: 'Uncertain', baseline: [4] },
  });
});

describe('a candidate for a submission', () => {
  const ours = { ...named('Corner Bakery'), merchantProfileId: 7 };
  const { doingBusinessAsName, legalBusinessName, employerIdentificationNumber } = ours.holder;
  const output = { doingBusinessAsName, legalBusinessName, employerIdentificationNumber };

  const withEin = (employerIdentificationNumber: string) => ({ ...output, employerIdentificationNumber });

  it.each<[string, object | null, string[], string[]]>([
    ['all of it', { ...output, merchantProfileId: 7 }, [], []],
    ['no merchant', output, [], []],
    ['punctuation and case', { ...output, legalBusinessName: 'BAKER, L.L.C.' }, [], []],
    ['a masked EIN', withEin('XX-XXX6789'), [], []],
    ['its merchant alone', { doingBusinessAsName, merchantProfileId: 7 }, [], []],
    ['another merchant', { ...output, merchantProfileId: 8 }, ['it belongs to merchant 8'], []],
    ['another dba', { ...output, doingBusinessAsName: 'Bakery' }, ['its dba differs'], []],
    [
      'another EIN of its merchant',
      { ...withEin('*****0000'), merchantProfileId: 7 },
      ['its EIN differs'],
      [],
    ],
    ['another legal name', { ...output, legalBusinessName: 'Other Inc' }, ['its legal name differs'], []],
    ['an EIN that is hidden', withEin('*********'), [], ['its EIN is not shown']],
    ['an EIN of which three digits are shown', withEin('XX-XXXX789'), [], ['its EIN is not shown']],
    ['its dba alone', { doingBusinessAsName }, [], ['its EIN is not shown', 'its legal name is not shown']],
    ['all but its dba', { ...output, doingBusinessAsName: null }, [], ['its dba is not shown']],
    ['its merchant alone, without its dba', { merchantProfileId: 7 }, [], ['its dba is not shown']],
    ['nothing', null, [], ['its dba is not shown', 'its EIN is not shown', 'its legal name is not shown']],
  ])('is compared with it: %s', async (_, businessAccountHolder, against, unclear) => {
    const profile = { id: 4, bankingStatus: 'Submitted', businessAccountHolder };
    const { client } = await bankingPartner(responding(200, JSON.stringify(profile)));
    const { run } = await activitiesOf(client);
    expect(await run('examineProfile', { profileId: 4, ...ours })).toMatchObject({
      profileId: 4,
      bankingStatus: 'Submitted',
      against,
      unclear,
    });
  });

  it.each([
    ['upper case and no accents', 'Café Zoë & Söhne', 'CAFE ZOE & SOHNE', 'same'],
    ['letters and marks apart', 'Café Zoë', 'Cafe\u0301 Zoe\u0308', 'same'],
    ['entities', "Café Moss & Daughter's", 'CAF&Eacute; MOSS &AMP; DAUGHTER&#39;S', 'same'],
    ['25 characters', 'The Very Long Bakery of Albany Inc', 'THE VERY LONG BAKERY OF A', 'same'],
    ['24 and a space', 'The Very Long Bakery And Café', 'THE VERY LONG BAKERY AND', 'same'],
    ['another beginning', 'The Very Long Bakery of Albany Inc', 'THE VERY LONG BAKERY IN A', 'different'],
    ['too few characters to be cut', 'Corner Bakery North', 'CORNER BAKERY', 'different'],
    ['letters without an ASCII form', 'パン屋', '魚屋', 'different'],
    ['the same letters without one', 'パン屋', 'パン屋', 'same'],
  ])('is compared as a bank stores names, with %s', async (_, value, stored, expected) => {
    const holder = { ...ours.holder, doingBusinessAsName: value };
    const businessAccountHolder = { ...output, doingBusinessAsName: stored };
    const profile = { id: 4, bankingStatus: 'Submitted', businessAccountHolder };
    const { client } = await bankingPartner(responding(200, JSON.stringify(profile)));
    const { run } = await activitiesOf(client);
    const { against } = (await run('examineProfile', { profileId: 4, ...ours, holder })) ?? {};
    expect(against).toEqual(expected === 'same' ? [] : ['its dba differs']);
  });

  it.each([
    ['the tax number agrees', {}, { against: ['its dba differs'], isNamesOnly: true }],
    ['it differs', { employerIdentificationNumber: '987654321' }, undefined],
  ])('that the search finds under another name is listed where %s', async (_, more, expected) => {
    const businessAccountHolder = { ...output, doingBusinessAsName: 'Harbor Bakery', ...more };
    const profile = { id: 4, bankingStatus: 'Submitted', businessAccountHolder };
    const { client } = await bankingPartner((response, request) => {
      const isSearch = request.url?.includes('Search');
      const matches = [{ id: 4, dba: 'Harbor Bakery' }];
      responding(200, JSON.stringify(isSearch ? matches : profile))(response, request);
    });
    const { run } = await activitiesOf(client);
    const { merchantProfileId: _id, ...business } = ours;
    const matches = await run('findCandidates', { ...business, baseline: [] });
    expect(matches).toMatchObject(expected ? [{ profileId: 4, ...expected }] : []);
  });

  it('is compared as well where the partner finds it for the merchant', async () => {
    const businessAccountHolder = { merchantProfileId: 7, doingBusinessAsName: 'Bakery' };
    const profile = { id: 4, bankingStatus: 'Submitted', businessAccountHolder };
    const { client, requests } = await bankingPartner(responding(200, JSON.stringify(profile)));
    const { run } = await activitiesOf(client);
    const existing = { profileId: 4, against: ['its dba differs'], unclear: [] };
    expect(await run('submitHolder', ours)).toMatchObject({ existing });
    expect(requests().map(({ line }) => line)).toEqual(['GET /svc/profile/byMerchant/7']);
  });

  it('has the same name or merchant, and is not in the baseline', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const request = named('Corner Bakery');
    const earlier = await banking.submit();
    const value = await banking.submit();
    const north = await banking.submit(changed(HOLDER, 'doingBusinessAsName', '"Corner Bakery North"'));
    const matches = await run('findCandidates', { ...request, baseline: [earlier, north] });
    expect(matches.map(({ profileId }) => profileId)).toEqual([value]);
  });

  it.each([404, 403])('does not exist when the partner responds with %i', async (status) => {
    const { client, requests } = await bankingPartner(responding(status, '{}'));
    const { run } = await activitiesOf(client);
    expect(await run('examineProfile', { profileId: 4, ...ours })).toBeNull();
    expect(requests()).toHaveLength(1);
  });
});

describe('a business that is corrected', () => {
  it('is replaced, however often, also after a lost response', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await run('submitHolder', holderRequest('correction'));
    const again = holderRequest('correction');
    expect((await run('correctHolder', { profileId: 3001, ...again })).problems).toEqual([
      { field: 'holder.website', message: 'cannot be reached' },
    ]);
    const better = holderRequest('correction', { website: 'https://bakery.example.com' });
    await plan(banking, 'drop-after-commit', 'update-business-account-holder');
    const lost = await failed(run('correctHolder', { profileId: 3001, ...better }));
    expect(lost).toMatchObject({ details: { kind: 'Uncertain' }, isRetried: true });
    const corrected = { profileId: 3001, financialAccountId: null, problems: [] };
    for (const _ of [1, 2])
      expect(await run('correctHolder', { profileId: 3001, ...better })).toEqual(corrected);
    expect(await banking.profile(3001)).toMatchObject({
      businessAccountHolder: { website: 'https://bakery.example.com' },
    });
  });
});

describe('a problem is reported by its path in the input', () => {
  const owner = (more: object = {}) => ({ ...OWNER, ...more });
  const fieldsOf = async (submitted: Promise<unknown>) =>
    (await failed(submitted)).details.fields.map(({ field }) => field);

  it.each<[string, object, unknown, string[]]>([
    ['a field of the holder', { email: 'nobody' }, [], ['holder.email']],
    ['a missing field', { phone: undefined }, [], ['holder.phone']],
    ['an unknown field', { owner2: owner() }, [], ['holder.owner2']],
    ['an owner', {}, [owner(), owner({ ssn: '000000000' })], ['beneficialOwners.1.ssn']],
    ['both', { state: 99 }, [owner({ ssn: '1' })], ['holder.state', 'beneficialOwners.0.ssn']],
    ['too many owners', {}, Array(5).fill(owner()), ['beneficialOwners']],
    ['no list of owners', {}, 'Bo', ['beneficialOwners']],
  ])('when it is not even sent: %s', async (_, more, beneficialOwners, expected) => {
    const { run, banking } = await activitiesAtSandbox();
    const request = { ...holderRequest('straight', more), beneficialOwners } as ReturnType<
      typeof holderRequest
    >;
    expect(await fieldsOf(run('submitHolder', request))).toEqual(expected);
    expect(await fieldsOf(run('correctHolder', { profileId: 3001, ...request }))).toEqual(expected);
    expect(await banking.effects()).toEqual([]);
  });

  it.each([
    ['email', 'holder.email'],
    ['EmployerIdentificationNumber', 'holder.employerIdentificationNumber'],
    ['percentageOwnership', 'holder.percentageOwnership'],
    ['$.dateOfBirth', 'holder.dateOfBirth'],
    ['owner', 'beneficialOwners.0'],
    ['owner.ssn', 'beneficialOwners.0.ssn'],
    ['Owner4.HomePhone', 'beneficialOwners.3.homePhone'],
    ['owner2.nickName', 'beneficialOwners.1.nickName'],
    ['owner5.ssn', 'owner5.ssn'],
    ['constructor', 'constructor'],
    ['request', 'request'],
    ['', ''],
  ])('when the partner calls it %j', async (name, field) => {
    const body = { errors: { [name]: ['is not right'] } };
    const { client } = await bankingPartner(bankThatResponds(body, 400));
    const { run } = await activitiesOf(client);
    expect((await failed(run('submitHolder', holderRequest()))).details.fields).toEqual([
      { field, message: 'is not right' },
    ]);
  });

  it.each<[string | string[] | null, Record<string, string>, boolean?]>([
    ['website: cannot be reached', { 'holder.website': 'cannot be reached' }],
    ['Owner2.Ssn: cannot be verified', { 'beneficialOwners.1.ssn': 'cannot be verified' }],
    [
      ['email: bounces', 'owner.email: bounces as well'],
      { 'holder.email': 'bounces', 'beneficialOwners.0.email': 'bounces as well' },
    ],
    ['email: bounces\nphone: rings; nobody', { 'holder.email': 'bounces', 'holder.phone': 'rings; nobody' }],
    ['We are closed; try again', { '': 'We are closed; try again' }],
    ['Reason: we are closed', { '': 'Reason: we are closed' }],
    [
      'see https://bank.example.com: it explains why',
      { '': 'see https://bank.example.com: it explains why' },
    ],
    ['', { '': 'the partner gave no reason' }],
    [null, { '': 'the partner gave no reason' }],
    // Catches a profile that is never submitted, and of which nobody hears.
    ['ssn: cannot be verified', { 'holder.ssn': 'cannot be verified' }, true],
    [' ', {}, true],
  ])('when the response has the errors %j, and %j', async (errors, expected, success = false) => {
    const { client } = await bankingPartner(bankThatResponds({ profileId: 9, success, errors }));
    const { run } = await activitiesOf(client);
    const problems = Object.entries(expected).map(([field, message]) => ({ field, message }));
    expect(await run('submitHolder', holderRequest())).toMatchObject({ problems });
  });
});

/** A partner without profiles, and its response to a submission. */
function bankThatResponds(submitted: object, status = 200): Respond {
  return (response, request) => {
    const isSearch = request.url?.startsWith('/api/AccountsSearch') === true;
    const respond = isSearch ? responding(200, '[]') : responding(status, JSON.stringify(submitted));
    respond(response, request);
  };
}
