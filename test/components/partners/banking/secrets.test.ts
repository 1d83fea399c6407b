import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bankingPartner, issuingToken } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';

const tickets = responding(200, '[]');
/** A token that was never issued to us. */
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';

describe('secrets', () => {
  const settings = { password: 'hunter2', deviceToken: 'dev1ce', totpSecret: 'GEZDGNBVGY3TQOJQ' };
  const SECRETS = ['hunter2', 'dev1ce', 'GEZDGNBVGY3TQOJQ', JWT, '654321', 't0k3n'];
  const words = SECRETS.slice(0, -1).join(' ');

  /** All that a log could print of a value. */
  const printed = (value: unknown) =>
    [JSON.stringify(value), inspect(value, { depth: 20, showHidden: true }), String(value)].join('\n');

  it.each<[string, Respond, Respond]>([
    ['E1 repeats them', tickets, responding(401, `{"message":"${words}"}`)],
    ['E1 repeats them as fields', tickets, responding(400, `{"errors":{"hunter2":["${words}"]}}`)],
    ['E1 is cut', tickets, (response) => void response.destroy()],
    ['E1 is no JSON', tickets, responding(200, SECRETS.join(' '))],
    [
      'an operation repeats the token',
      responding(400, '{"errors":{"text":["t0k3n is no text"]}}'),
      issuingToken('t0k3n'),
    ],
    ['an operation responds with 401', responding(401, 't0k3n'), issuingToken('t0k3n')],
  ])('are not in the error when %s', async (_, respond, issue) => {
    const { client } = await bankingPartner(respond, settings, issue);
    client.useCode('654321');
    const error = await failureOf(client.createTicket({ text: 'Hello' }));
    const text = printed(error) + printed(error.details) + printed(error.cause);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  });

  it('are not in the error of issue-token, which otherwise contains the partner’s words', async () => {
    const { client } = await bankingPartner(tickets, {}, responding(400, '{"message":"p4ss is too short"}'));
    const request = { nickName: 'bo', password: 'p4ss', tokenDevice: 'd', nameDevice: 'n' };
    const error = await failureOf(client.issueToken(request));
    const fields = [{ field: '', message: '[Redacted] is too short' }];
    expect(error.details).toMatchObject({ kind: 'Rejected', status: 400, fields });
    expect(printed(error)).not.toContain('p4ss');
  });

  it('are not in the client', async () => {
    const { client } = await bankingPartner(tickets, settings);
    await client.listTickets({});
    client.useCode('654321');
    for (const secret of SECRETS) expect(printed(client)).not.toContain(secret);
  });
});
