import { describe, expect, it } from 'vitest';
import { bankingPartner, issuingToken } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const tickets = responding(200, '[]');

/** Issues `token-1`, `token-2` and so on. */
function issuingTokens(lifetimeMs = 600_000, clockOffsetMs = 0): Respond {
  let issued = 0;
  return (response, request) => {
    issued += 1;
    issuingToken(`token-${issued}`, lifetimeMs, Date.now() + clockOffsetMs)(response, request);
  };
}

/** A clock that only the test moves. */
function stopwatch() {
  let at = 0;
  return {
    now: () => at,
    pass: (milliseconds: number) => {
      at += milliseconds;
    },
  };
}

/** Responds with a 401 to an unknown token. */
function accepting(tokens: readonly string[], respond: Respond = tickets): Respond {
  return (response, request) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    (tokens.includes(token) ? respond : responding(401, ''))(response, request);
  };
}

describe('a token', () => {
  it('is requested once for 200 callers at the same time', async () => {
    const partner = await bankingPartner(tickets);
    await Promise.all(Array.from({ length: 200 }, () => partner.client.listTickets({})));
    expect(partner.requests()).toHaveLength(200);
    expect(partner.tokenRequests()).toHaveLength(1);
    const tokens = new Set(partner.requests().map(({ headers }) => headers.authorization));
    expect([...tokens]).toEqual(['Bearer t0k3n']);
  });

  it.each([
    [
      'user',
      { form: 'user' } as const,
      'POST /api/auth/v2',
      '{"nickName":"ada","password":"s3cret","tokenDevice":"device-1","nameDevice":"Ada’s worker"}',
    ],
    [
      'partner',
      { form: 'partner' } as const,
      'POST /api/auth/v2',
      '{"NickName":"ada","Password":"s3cret","TokenDevice":"device-1","NameDevice":"Ada’s worker"}',
    ],
    [
      'user like version 1',
      { form: 'user', likeV1: true } as const,
      'POST /api/auth/v2?likev1=true',
      '{"nickName":"ada","password":"s3cret","tokenDevice":"device-1","nameDevice":"Ada’s worker"}',
    ],
  ])('is requested in the form of a %s', async (_, settings, line, body) => {
    const { client, tokenRequests } = await bankingPartner(tickets, settings);
    await client.listTickets({});
    const [request] = tokenRequests();
    expect(request?.line).toBe(line);
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.body.toString('utf8')).toBe(body);
  });

  it('without an expiration, as in version 1, is used', async () => {
    const issue = responding(200, '{"token":"old-style"}');
    const partner = await bankingPartner(tickets, { likeV1: true }, issue);
    await partner.client.listTickets({});
    await partner.client.listTickets({});
    expect(partner.requests().map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill('Bearer old-style'),
    );
    expect(partner.tokenRequests()).toHaveLength(1);
  });
});

describe('renewal', () => {
  /** Renews `from` to `to`, and responds to all other requests by their token. */
  const renewing =
    (to: string, status = 200): Respond =>
    (response, request) => {
      if (request.url !== '/api/auth/refresh') return tickets(response, request);
      if (status === 200) issuingToken(to)(response, request);
      else responding(status, '')(response, request);
    };

  it('calls E2 with the current token, when four fifths of its life are over', async () => {
    const { now, pass } = stopwatch();
    const partner = await bankingPartner(renewing('renewed'), { now }, issuingToken('first', 10 * MINUTE));
    const { client } = partner;
    await client.listTickets({});
    pass(8 * MINUTE - 1);
    await client.listTickets({});
    expect(partner.requests().map(({ line }) => line)).toEqual(Array(2).fill('GET /api/tickets'));
    pass(1);
    await Promise.all(Array.from({ length: 50 }, () => client.listTickets({})));
    const [, , refresh, ...later] = partner.requests();
    expect(refresh?.line).toBe('POST /api/auth/refresh');
    expect(refresh?.headers.authorization).toBe('Bearer first');
    expect(refresh?.body).toHaveLength(0);
    expect(later.map(({ headers }) => headers.authorization)).toEqual(Array(50).fill('Bearer renewed'));
    expect(partner.tokenRequests()).toHaveLength(1);
  });

  it('falls back to E1 when E2 fails', async () => {
    const { now, pass } = stopwatch();
    const partner = await bankingPartner(renewing('never', 500), { now }, issuingTokens());
    await partner.client.listTickets({});
    pass(8.5 * MINUTE);
    await partner.client.listTickets({});
    expect(partner.tokenRequests()).toHaveLength(2);
    expect(partner.requests().at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  it('that fails leaves the token in use while it is valid', async () => {
    let issued = 0;
    const issue: Respond = (...args) => {
      issued += 1;
      (issued === 1 ? issuingToken('first') : responding(500, ''))(...args);
    };
    const { now, pass } = stopwatch();
    const partner = await bankingPartner(renewing('never', 500), { now }, issue);
    await partner.client.listTickets({});
    pass(8.5 * MINUTE);
    await partner.client.listTickets({});
    await partner.client.listTickets({});
    expect(partner.requests().at(-1)?.headers.authorization).toBe('Bearer first');
    expect(partner.tokenRequests()).toHaveLength(2);
    pass(1.5 * MINUTE);
    expect((await failureOf(partner.client.listTickets({}))).kind).toBe('NotSent');
    expect(partner.tokenRequests()).toHaveLength(3);
  });

  it('that failed is retried ten seconds later', async () => {
    const { now, pass } = stopwatch();
    const down = responding(500, '');
    let isDown = false;
    const issue: Respond = (...args) => (isDown ? down : issuingToken('first'))(...args);
    const renew: Respond = (...args) => (isDown ? renewing('never', 500) : renewing('renewed'))(...args);
    const partner = await bankingPartner(renew, { now }, issue);
    const authorization = async () => {
      await partner.client.listTickets({});
      return partner.requests().at(-1)?.headers.authorization;
    };
    await authorization();
    pass(8 * MINUTE);
    isDown = true;
    expect(await authorization()).toBe('Bearer first');
    isDown = false;
    pass(9_999);
    expect(await authorization()).toBe('Bearer first');
    pass(1);
    expect(await authorization()).toBe('Bearer renewed');
  });

  it.each([
    ['hours behind ours', -5 * HOUR],
    ['hours ahead of our clock', 5 * HOUR],
  ])('uses the partner’s clock, which is %s', async (_, offset) => {
    const partner = await bankingPartner(tickets, {}, issuingTokens(600_000, offset));
    for (let call = 0; call < 5; call += 1) await partner.client.listTickets({});
    expect(partner.tokenRequests()).toHaveLength(1);
    expect(partner.requests().map(({ line }) => line)).toEqual(Array(5).fill('GET /api/tickets'));
  });

  it.each([
    ['hours behind ours', -5 * HOUR],
    ['hours ahead of our clock', 5 * HOUR],
  ])('is in time when the partner’s clock is %s', async (_, offset) => {
    const { now, pass } = stopwatch();
    const partner = await bankingPartner(renewing('renewed'), { now }, issuingTokens(2 * MINUTE, offset));
    await partner.client.listTickets({});
    pass(1.65 * MINUTE);
    await partner.client.listTickets({});
    expect(partner.requests().at(-1)?.headers.authorization).toBe('Bearer renewed');
  });
});

describe('a 401 on an operation', () => {
  it('leads to one fresh token and one replay, for a write as well', async () => {
    const partner = await bankingPartner(
      accepting(['token-2'], responding(200, '{"ticketId":3}')),
      {},
      issuingTokens(),
    );
    const ticket = await partner.client.createTicket({ text: 'Hello' });
    expect(ticket.ticketId).toBe(3);
    expect(partner.requests().map(({ line, headers }) => [line, headers.authorization])).toEqual([
      ['POST /api/tickets', 'Bearer token-1'],
      ['POST /api/tickets', 'Bearer token-2'],
    ]);
    expect(partner.requests().map(({ body }) => body.toString('utf8'))).toEqual(
      Array(2).fill('{"text":"Hello"}'),
    );
    expect(partner.tokenRequests()).toHaveLength(2);
  });

  it('leads to one fresh token for all 200 calls with a 401', async () => {
    const partner = await bankingPartner(accepting(['token-2']), {}, issuingTokens());
    const lists = await Promise.all(Array.from({ length: 200 }, () => partner.client.listTickets({})));
    expect(lists).toEqual(Array(200).fill([]));
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

describe('no token', () => {
  it.each([
    [400, 'Unauthorized'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'Unauthorized'],
    [429, 'RateLimited'],
    [500, 'NotSent'],
  ])('after a %i of E1 makes a call %s: it was not sent', async (status, kind) => {
    const partner = await bankingPartner(tickets, {}, responding(status, '{"message":"Not s3cret"}'));
    const error = await failureOf(partner.client.createTicket({ text: 'Hello' }));
    expect(error.details).toMatchObject({
      system: 'banking',
      operation: 'create-ticket',
      kind,
      status,
      fields: [{ field: '', message: 'Not [Redacted]' }],
      reason: `issue-token: HTTP ${status}`,
    });
    expect(partner.requests()).toEqual([]);
  });

  it('has the words of E1, if it responds with some instead of a token, as for a captcha', async () => {
    const captcha = responding(200, '{"token":null,"message":"Solve the captcha first"}');
    const partner = await bankingPartner(tickets, {}, captcha);
    const error = await failureOf(partner.client.listTickets({}));
    expect(error.details).toMatchObject({
      kind: 'Unauthorized',
      fields: [{ field: '', message: 'Solve the captcha first' }],
    });
    await failureOf(partner.client.listTickets({}));
    expect(partner.tokenRequests()).toHaveLength(1);
  });

  it('is returned to a caller that gave up, while the others still wait', async () => {
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

describe('a refusal is remembered', () => {
  it.each([
    ['a locked account', 403, 'Forbidden'],
    ['a wrong password', 401, 'Unauthorized'],
  ])('%s is not requested again and again', async (_, status, kind) => {
    const partner = await bankingPartner(tickets, {}, responding(status, '{"message":"Account locked"}'));
    const errors = [];
    for (let call = 0; call < 5; call += 1) errors.push(await failureOf(partner.client.listTickets({})));
    expect(errors.map((error) => error.kind)).toEqual(Array(5).fill(kind));
    expect(errors.every(({ details }) => details.needs === undefined)).toBe(true);
    expect(partner.tokenRequests()).toHaveLength(1);
    expect(partner.requests()).toEqual([]);
  });

  it.each([
    ['a locked account', 403, 15 * MINUTE, {}],
    ['a wrong password', 401, MINUTE, {}],
    ['a locked account', 403, 300, { lockedMs: 300, refusedMs: 0 }],
    ['a wrong password', 401, 300, { lockedMs: 0, refusedMs: 300 }],
  ])('%s (%i) is retried after its cool-down of %i ms', async (_, status, milliseconds, coolDown) => {
    const { now, pass } = stopwatch();
    const partner = await bankingPartner(tickets, { coolDown, now }, responding(status, ''));
    await failureOf(partner.client.listTickets({}));
    pass(milliseconds - 1);
    await failureOf(partner.client.listTickets({}));
    expect(partner.tokenRequests()).toHaveLength(1);
    pass(1);
    await failureOf(partner.client.listTickets({}));
    expect(partner.tokenRequests()).toHaveLength(2);
  });

  it('until the client forgets it', async () => {
    let isLocked = true;
    const issue: Respond = (...args) => (isLocked ? responding(403, '') : issuingToken('t0k3n'))(...args);
    const { client, tokenRequests } = await bankingPartner(tickets, {}, issue);
    await failureOf(client.listTickets({}));
    isLocked = false;
    await failureOf(client.listTickets({}));
    client.forget();
    expect(await client.listTickets({})).toEqual([]);
    expect(tokenRequests()).toHaveLength(2);
  });

  it('but a partner that is down is called again', async () => {
    const partner = await bankingPartner(tickets, {}, responding(503, ''));
    await failureOf(partner.client.listTickets({}));
    await failureOf(partner.client.listTickets({}));
    expect(partner.tokenRequests()).toHaveLength(2);
  });
});
