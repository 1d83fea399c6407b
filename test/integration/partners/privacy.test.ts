import { describe, expect, it } from 'vitest';
import type { PartnerError } from '../../../src/partners/partner-error.js';
import { failureOf } from '../../rigs/partners/failure.js';
import {
  clientOf,
  closedPort,
  recordingServer,
  responding,
  socketServer,
} from '../../rigs/partners/servers.js';

const personal = { firstName: 'Adelheid', lastName: 'Zuckerbaecker', email: 'adelheid@example.com' };
const request = {
  ...personal,
  cashDiscount: 'No',
  dba: 'Zuckerbaecker Sweets',
  pos: 'None',
  agentProfileId: 101,
  guid: 'customer-77',
} as const;

/** Private values: credentials in any form, and the data of the request. */
const SECRETS = [
  'hunter2',
  'aGFyYm9yOmh1bnRlcjI=',
  ...Object.values(personal),
  'Sweets',
  'customer-77',
  'page of a proxy',
];

async function failureAt(url: string): Promise<PartnerError> {
  const limits = { headersTimeoutMs: 100 };
  return failureOf(
    clientOf(url, { username: 'harbor', password: 'hunter2', limits }).createMerchant(request),
  );
}

describe('an error contains nothing of credentials, bodies or people', () => {
  const whenever: readonly [string, () => Promise<string>][] = [
    ['refused', async () => `http://127.0.0.1:${await closedPort()}`],
    ['cut', async () => (await socketServer((socket) => socket.once('data', () => socket.destroy()))).url],
    ['timed out', async () => (await socketServer(() => undefined)).url],
    ['handled by a proxy', async () => (await recordingServer(responding(502, 'page of a proxy'))).url],
    ['followed by HTML', async () => (await recordingServer(responding(200, 'page of a proxy'))).url],
    [
      'unauthorized',
      async () => (await recordingServer(responding(401, '{"error":"Unauthorized","message":"x"}'))).url,
    ],
    [
      'followed by a body that does not fit',
      async () =>
        (await recordingServer(responding(200, '{"data":{"merchantProfileId":"page of a proxy"}}'))).url,
    ],
  ];

  it.each(whenever)('when the call was %s', async (_, url) => {
    const error = await failureAt(await url());
    const thrown = [error.message, String(error), JSON.stringify(error), JSON.stringify(error.details)];
    for (const secret of SECRETS) expect(thrown.join('\n')).not.toContain(secret);
  });

  it('in its message, even when the response does', async () => {
    const body = `{"data":null,"error":"hunter2","requestId":1,"validationResults":[
      {"memberNames":["email"],"errorMessage":"adelheid@example.com is taken"}]}`;
    const { url } = await recordingServer(responding(400, body));
    const { message } = await failureAt(url);
    expect(message).toBe('boarding create-merchant: Rejected, HTTP 400 (email)');
  });
});
