import { describe, expect, it } from 'vitest';
import { bankingPartner, issuingToken } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';

const tickets = responding(200, '[]');

describe('a 401 on an operation', () => {
  it('leads to one fresh token and one replay, for a write as well', async () => {
    let issued = 0;
    const issue: Respond = (...args) => issuingToken(`token-${++issued}`)(...args);
    const respond: Respond = (response, request) => {
      const isFresh = request.headers.authorization === 'Bearer token-2';
      const [status, body] = isFresh ? [200, '{"ticketId":3}'] : [401, '{"message":"expired"}'];
      responding(status as number, body as string)(response, request);
    };
    const partner = await bankingPartner(respond, {}, issue);
    expect((await partner.client.createTicket({ text: 'Hello' })).ticketId).toBe(3);
    expect(partner.requests().map(({ line, headers }) => [line, headers.authorization])).toEqual([
      ['POST /api/tickets', 'Bearer token-1'],
      // The token is refused for reads as well, so nobody has looked at the write.
      ['GET /api/tickets/new', 'Bearer token-1'],
      ['GET /api/tickets/new', 'Bearer token-1'],
      ['POST /api/tickets', 'Bearer token-2'],
    ]);
    const text = '{"text":"Hello"}';
    expect(partner.requests().map(({ body }) => body.toString('utf8'))).toEqual([text, '', '', text]);
    expect(partner.tokenRequests()).toHaveLength(2);
  });
});

describe('without a token', () => {
  it.each([
    [403, 'Forbidden'],
    [500, 'NotSent'],
  ])('after a %i of E1, a call is %s: it was not sent', async (status, kind) => {
    const partner = await bankingPartner(tickets, {}, responding(status, '{"message":"Not s3cret"}'));
    const error = await failureOf(partner.client.createTicket({ text: 'Hello' }));
    expect(error.details).toMatchObject({
      system: 'banking',
      operation: 'create-ticket',
      kind,
      status,
      atSignIn: true,
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
    const listing = client.listTickets({});
    const hasty = failureOf(client.listTickets({}, { signal: controller.signal }));
    controller.abort();
    expect((await hasty).details).toMatchObject({ kind: 'NotSent', reason: 'AbortError' });
    release();
    expect(await listing).toEqual([]);
    expect(requests()).toHaveLength(1);
  });
});
