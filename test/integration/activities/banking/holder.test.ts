import { describe, expect, it } from 'vitest';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
  holderRequest,
  plan,
} from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner, OWNER } from '../../../rigs/partners/banking/partner.js';
import { answering } from '../../../rigs/partners/servers.js';

describe('a business that is submitted', () => {
  it('is taken', async () => {
    const { run, banking } = await activitiesAtSandbox();
    expect(await run('submitHolder', holderRequest())).toEqual({
      profileId: 3001,
      financialAccountId: null,
      problems: [],
    });
    expect(await banking.profile(3001)).toMatchObject({
      businessAccountHolder: { legalBusinessName: 'Baker LLC', owners: [{ familyName: 'Baker' }] },
    });
  });

  it('tells the account that was opened at once', async () => {
    const { run } = await activitiesAtSandbox();
    expect(await run('submitHolder', holderRequest('account-at-once'))).toMatchObject({
      financialAccountId: 'fa-3001-1',
    });
  });

  it.each([
    ['a member that is wrong', 'correction', {}, 3001, 'holder.website', 'cannot be reached'],
    ['an SSN that is wrong', 'straight', { ssn: '219099999' }, 3001, 'holder.ssn', 'cannot be verified'],
    ['no profile', 'straight', { ssn: '078051120' }, null, 'holder.ssn', 'the applicant cannot be served'],
  ])('comes back with %s', async (_, scenario, more, profileId, field, message) => {
    const { run } = await activitiesAtSandbox();
    expect(await run('submitHolder', holderRequest(scenario, more))).toEqual({
      profileId,
      financialAccountId: null,
      problems: [{ field, message }],
    });
  });

  it('is never repeated', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, '500-after-commit', 'submit-business-account-holder');
    expect(await failed(run('submitHolder', holderRequest()))).toMatchObject({
      details: { kind: 'Uncertain', operation: 'submit-business-account-holder' },
      isRetried: false,
    });
    expect(await banking.effects()).toEqual(['submit-business-account-holder 3001']);
  });
});

it.each([null, 0])('a success with profile %s leaves open which profile it made', async (profileId) => {
  const { client } = await bankingPartner(answering(200, JSON.stringify({ success: true, profileId })));
  const { run } = await activitiesOf(client);
  expect(await failed(run('submitHolder', holderRequest()))).toMatchObject({
    details: { kind: 'Uncertain', reason: 'success without a profile' },
    isRetried: false,
  });
});

describe('a business that is corrected', () => {
  it('is replaced, however often', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await run('submitHolder', holderRequest('correction'));
    const again = holderRequest('correction');
    expect((await run('correctHolder', { profileId: 3001, ...again })).problems).toEqual([
      { field: 'holder.website', message: 'cannot be reached' },
    ]);
    const better = holderRequest('correction', { website: 'https://bakery.example.com' });
    for (const _ of [1, 2]) {
      expect(await run('correctHolder', { profileId: 3001, ...better })).toEqual({
        profileId: 3001,
        financialAccountId: null,
        problems: [],
      });
    }
    expect(await banking.profile(3001)).toMatchObject({
      businessAccountHolder: { website: 'https://bakery.example.com' },
    });
  });

  it.each([
    ['500-before-commit', 'Uncertain', true],
    ['drop-after-commit', 'Uncertain', true],
    ['429', 'RateLimited', true],
  ])('is repeated after %s', async (fault, kind, isRetried) => {
    const { run, banking } = await activitiesAtSandbox();
    await run('submitHolder', holderRequest());
    await plan(banking, fault, 'update-business-account-holder');
    const corrected = run('correctHolder', { profileId: 3001, ...holderRequest() });
    expect(await failed(corrected)).toMatchObject({ details: { kind }, isRetried });
  });

  it('must exist: a 404 is the answer', async () => {
    const { run } = await activitiesAtSandbox();
    expect(await failed(run('correctHolder', { profileId: 7, ...holderRequest() }))).toMatchObject({
      details: { kind: 'Rejected', status: 404 },
      isRetried: false,
    });
  });
});

describe('what is wrong is told by its place in the input', () => {
  const owner = (more: object = {}) => ({ ...OWNER, ...more });
  const fieldsOf = async (submitted: Promise<unknown>) =>
    (await failed(submitted)).details.fields.map(({ field }) => field);

  it.each<[string, object, unknown, string[]]>([
    ['a member of the holder', { email: 'nobody' }, [], ['holder.email']],
    ['a missing member', { phone: undefined }, [], ['holder.phone']],
    ['an unknown member', { owner2: owner() }, [], ['holder.owner2']],
    ['an owner', {}, [owner(), owner({ ssn: '000000000' })], ['beneficialOwners.1.ssn']],
    [
      'both',
      { state: 99 },
      [owner({ percentageOwnership: 5 })],
      ['holder.state', 'beneficialOwners.0.percentageOwnership'],
    ],
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

  it('when the partner rejects it', async () => {
    const { run } = await activitiesAtSandbox('partner');
    const rejected = await failed(run('submitHolder', holderRequest('no-such-scenario')));
    expect(rejected).toMatchObject({ details: { status: 400 }, isRetried: false });
    expect(rejected.details.fields.map(({ field }) => field)).toEqual(['holder.doingBusinessAsName']);
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
    const body = JSON.stringify({ errors: { [name]: ['is not right'] } });
    const { client } = await bankingPartner(answering(400, body));
    const { run } = await activitiesOf(client);
    expect((await failed(run('submitHolder', holderRequest()))).details.fields).toEqual([
      { field, message: 'is not right' },
    ]);
  });

  it.each<[string | string[] | null, [string, string][]]>([
    ['website: cannot be reached', [['holder.website', 'cannot be reached']]],
    ['Owner2.Ssn: cannot be verified', [['beneficialOwners.1.ssn', 'cannot be verified']]],
    [
      ['email: bounces', 'owner.email: bounces as well'],
      [
        ['holder.email', 'bounces'],
        ['beneficialOwners.0.email', 'bounces as well'],
      ],
    ],
    [
      'email: bounces\nphone: rings; nobody answers',
      [
        ['holder.email', 'bounces'],
        ['holder.phone', 'rings; nobody answers'],
      ],
    ],
    ['We are closed; try again', [['', 'We are closed; try again']]],
    ['Reason: we are closed', [['', 'Reason: we are closed']]],
    ['see https://bank.example.com: it says why', [['', 'see https://bank.example.com: it says why']]],
    ['', [['', 'the partner gave no reason']]],
    [null, [['', 'the partner gave no reason']]],
  ])('when the answer is success:false and %j', async (errors, expected) => {
    const { client } = await bankingPartner(
      answering(200, JSON.stringify({ profileId: 9, success: false, errors })),
    );
    const { run } = await activitiesOf(client);
    const { problems } = await run('submitHolder', holderRequest());
    expect(problems.map(({ field, message }) => [field, message])).toEqual(expected);
  });
});
