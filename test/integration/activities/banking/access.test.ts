import { describe, expect, it } from 'vitest';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
} from '../../../rigs/activities/banking/running-activities.js';
import {
  bankingPartner,
  clientAt,
  TOKEN_LINE,
  tellingToken,
} from '../../../rigs/partners/banking/partner.js';
import { answering, recordingServer } from '../../../rigs/partners/servers.js';

const nickname = { paymentCardId: 'card-1001', nickName: 'Lunch' };

describe('a one-time code', () => {
  it('is asked for, and lets the call through', async () => {
    const { run, banking } = await activitiesAtSandbox('mfa');
    expect(await failed(run('setCardNickname', nickname))).toMatchObject({
      details: { kind: 'Forbidden', needs: 'one-time-code' },
      isRetried: false,
    });
    expect(await run('setCardNickname', { ...nickname, oneTimeCode: '000000' })).toEqual({ last4: '1001' });
    expect(await banking.effects()).toEqual(['set-card-nickname card-1001']);
  });

  it('is not used by a retry, which may come after it was spent', async () => {
    const { run } = await activitiesAtSandbox('mfa');
    const retried = run('setCardNickname', { ...nickname, oneTimeCode: '000000' }, { attempt: 2 });
    expect(await failed(retried)).toMatchObject({ details: { needs: 'one-time-code' } });
  });

  it('and signing in anew go together', async () => {
    const { run } = await activitiesAtSandbox('mfa');
    const access = { oneTimeCode: '000000', afresh: true } as const;
    expect(await run('setCardNickname', { ...nickname, ...access })).toEqual({ last4: '1001' });
  });
});

describe('signing in anew', () => {
  const profile = answering(200, '{"id":4,"bankingStatus":"Approved"}');
  const seen = { bankingStatus: 'New', financialAccountId: null, ticketIds: [] };

  it.each([
    ['happens at the first attempt', { attempt: 1 }, 2],
    ['does not happen at a retry', { attempt: 2 }, 1],
    [
      'does not happen to a poll that was nudged',
      { attempt: 1, heartbeatDetails: { polls: 3, attempt: 3 } },
      1,
    ],
  ])('%s', async (_, info, tokens) => {
    const { client, tokenRequests } = await bankingPartner(profile);
    const { run } = await activitiesOf(client);
    await run('readProfile', { profileId: 4 });
    await run('awaitProfileChange', { profileId: 4, seen, afresh: true }, info);
    expect(tokenRequests()).toHaveLength(tokens);
  });

  it('asks again although a refusal is still remembered', async () => {
    let isRefusing = true;
    const { url, requests } = await recordingServer((response, request) => {
      const isToken = `${request.method} ${request.url}` === TOKEN_LINE;
      const issue = isRefusing ? answering(401, '{"message":"no"}') : tellingToken('t');
      (isToken ? issue : profile)(response, request);
    });
    const { run } = await activitiesOf(clientAt(url));
    const read = (access: { afresh?: true }) => run('readProfile', { profileId: 4, ...access });
    await failed(read({}));
    isRefusing = false;
    expect((await failed(read({}))).details.kind).toBe('Unauthorized');
    expect(requests).toHaveLength(1);
    expect(await read({ afresh: true })).toMatchObject({ bankingStatus: 'Approved' });
  });
});

it('what opens the door is no part of the request', async () => {
  const { client, requests } = await bankingPartner(answering(200, '{"paymentCardId":"card-1001"}'));
  const { run } = await activitiesOf(client);
  await run('setCardNickname', { ...nickname, oneTimeCode: '123456', afresh: true });
  expect(requests().map(({ body }) => String(body))).toEqual([JSON.stringify(nickname)]);
});
