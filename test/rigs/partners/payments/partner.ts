import { type ByHand, byHand } from '../../../../src/partners/by-hand.js';
import {
  type PaymentsClient,
  type PaymentsSettings,
  paymentsClient,
} from '../../../../src/partners/payments/client.js';
import { testEnds } from '../../shared.js';
import { type RecordingServer, type Respond, recordingServer } from '../servers.js';

/** A payments platform over HTTP and a client of it. Default environment: UAT. */
export async function paymentsPlatform(
  respond: Respond,
  settings: Partial<PaymentsSettings> = {},
): Promise<RecordingServer & { client: ByHand<PaymentsClient> }> {
  const server = await recordingServer(respond);
  const client = byHand(paymentsClient({ url: server.url, apiKey: 'k3y', environment: 'uat', ...settings }));
  testEnds(() => client.close());
  return { ...server, client };
}

/** A response that every operation can read. */
export const ANYTHING =
  '{"id":"x-1","status":"pending","accounts":[],"terminals":[],"transactions":[],"apikeys":[]}';
