import { expect, it } from 'vitest';
import { callActivities } from '../../../src/activities/cli-calls.js';
import type { PartnerResponse } from '../../../src/messages/activities.js';
import { boardingOperations } from '../../../src/partners/boarding/operations.js';
import { environment } from '../../rigs/activities/environment.js';
import { clientOf, recordingServer, responding } from '../../rigs/partners/servers.js';

/** What a worker reports of a call of a boarding partner that responds with this body. */
async function reported(
  status: number,
  body: string,
  operation = 'set-underwriting-pending',
): Promise<PartnerResponse> {
  const { url } = await recordingServer(responding(status, body));
  const unused = {} as never;
  const { callPartner } = callActivities({
    system: 'boarding',
    operations: boardingOperations(),
    client: clientOf(url) as never,
    documents: unused,
    downloads: unused,
  });
  const call = { system: 'boarding', operation, request: { id: 1 } } as const;
  return environment().run(callPartner, call);
}

it('a worker reports the response to a call unchanged, with the warnings of the partner', async () => {
  expect(await reported(200, '{"data":{"queue":3},"requestId":1}')).toEqual({ response: { queue: 3 } });
  expect(await reported(200, '{"data":null,"warning":"slow today"}')).toEqual({
    response: null,
    warnings: ['slow today'],
  });
});

it('a worker reports whole numbers beyond 2^53 as the text of their digits', async () => {
  const body = '{"data":{"ids":[9007199254740993,7]}}';
  const response = { ids: ['9007199254740993', 7] };
  expect(await reported(200, body)).toEqual({ response });
  expect(await reported(200, body, 'get-fees')).toEqual({ response });
});

it('a worker reports a rejection with a response, and its problems', async () => {
  const body = '{"data":{"id":1},"success":false,"error":"Locked","warning":"soon","requestId":9}';
  expect(await reported(200, body)).toEqual({
    response: { id: 1 },
    warnings: ['soon'],
    refusal: expect.objectContaining({ kind: 'Rejected', fields: [{ field: '', message: 'Locked' }] }),
  });
});

it('a worker fails a call that is rejected without a response', async () => {
  for (const [status, body] of [
    [200, '{"data":null,"success":false,"error":"Locked"}'],
    [400, '{"data":{"id":1},"error":"Locked"}'],
  ] as const) {
    await expect(reported(status, body)).rejects.toMatchObject({ type: 'PartnerError', nonRetryable: true });
  }
});
