import { describe, expect, it } from 'vitest';
import { bankingPartner, issuingToken } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';

const tickets = responding(200, '[]');

/** Issues `token-1`, `token-2` and so on. */
function issuingTokens(): Respond {
  let issued = 0;
  return (response, request) => {
    issued += 1;
    issuingToken(`token-${issued}`)(response, request);
  };
}

/** Responds with a 401 to an unknown token. */
function accepting(tokens: readonly string[], respond: Respond = tickets): Respond {
  return (response, request) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    (tokens.includes(token) ? respond : responding(401, ''))(response, request);
  };
}

describe('a 401 on an operation', () => {
  it('leads to one fresh token and one replay, for a write as well', async () => {
    const respond = accepting(['token-2'], responding(200, '{"ticketId":3}'));
    const partner = await bankingPartner(respond, {}, issuingTokens());
    expect((await partner.client.createTicket({ text: 'Hello' })).ticketId).toBe(3);
    expect(partner.requests().map(({ line, headers }) => [line, headers.authorization])).toEqual([
      ['POST /api/tickets', 'Bearer token-1'],
      ['POST /api/tickets', 'Bearer token-2'],
    ]);
    expect(partner.requests().map(({ body }) => body.toString('utf8'))).toEqual(
      Array(2).fill('{"text":"Hello"}'),
    );
    expect(partner.tokenRequests()).toHaveLength(2);
  });

  it('is Unauthorized when the replay gets a 401, too', async () => {
    const partner = await bankingPartner(responding(401, ''), {}, issuingTokens());
    const error = await failureOf(partner.client.listTickets({}));
    expect(error.details).toMatchObject({ kind: 'Unauthorized', status: 401, operation: 'list-tickets' });
    expect(partner.requests()).toHaveLength(2);
    expect(partner.tokenRequests()).toHaveLength(2);
  });
});

describe('without a token', () => {
  it.each([
    [404, 'Unauthorized'],
    [403, 'Forbidden'],
    [429, 'RateLimited'],
    [500, 'NotSent'],
  ])('after a %i of E1, a call is %s: it was not sent', async (status, kind) => {
    const partner = await bankingPartner(tickets, {}, responding(status, '{"message":"Not s3cret"}'));
    const error = await failureOf(partner.client.createTicket({ text: 'Hello' }));
    expect(error.details).toMatchObject({
      ...{ system: 'banking', operation: 'create-ticket', kind, status, atSignIn: true },
      fields: [{ field: '', message: 'Not [Redacted]' }],
      reason: `issue-token: HTTP ${status}`,
    });
    expect(partner.requests()).toEqual([]);
  });

  it('a caller may give up, while the others still wait', async () => {
    const controller = new AbortController();
    let release = () => {};
    const mayAnswer = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Respond = (...args) => void mayAnswer.then(() => issuingToken('t0k3n')(...args));
    const { client, requests } = await bankingPartner(tickets, {}, slow);
    const patient = client.listTickets({});
    const hasty = failureOf(client.listTickets({}, { signal: controller.signal }));
    controller.abort();
    expect((await hasty).details).toMatchObject({ kind: 'NotSent', reason: 'AbortError' });
    release();
    expect(await patient).toEqual([]);
    expect(requests()).toHaveLength(1);
  });
});

it('the client takes the code of a person, and forgets a refusal', async () => {
  const { client, tokenRequests } = await bankingPartner(tickets, {}, responding(403, ''));
  const refused = async () => (await failureOf(client.listTickets({}))).details.needs;
  expect([await refused(), await refused()]).toEqual(['one-time-code', 'one-time-code']);
  client.useCode('654321', 'TimeBasedCode');
  await refused();
  client.forget();
  await refused();
  const codes = tokenRequests().map(({ body }) => JSON.parse(body.toString('utf8')).smsCode);
  expect(codes).toEqual([undefined, '654321', undefined]);
});
