import {
  type BankingClient,
  type BankingSettings,
  bankingClient,
} from '../../../../src/partners/banking/client.js';
import { type ByHand, byHand } from '../../../../src/partners/by-hand.js';
import * as inputs from '../../inputs.js';
import { testEnds } from '../../shared.js';
import { type Respond, recordingServer, responding } from '../servers.js';

/** Issues a token as E1 prints it: `token`, `userId`, and an `expiration` in ten minutes. */
export function issuingToken(token: string): Respond {
  const expiration = new Date(Date.now() + 600_000).toISOString();
  return responding(200, `{"token":"${token}","expiration":"${expiration}","userId":7}`);
}

/** A partner over HTTP, its requests and those for tokens, and a client of it. Default token: `t0k3n`. */
export async function bankingPartner(
  respond: Respond,
  settings: Partial<BankingSettings> = {},
  issue: Respond = issuingToken('t0k3n'),
) {
  const isToken = (line: string) => line.startsWith('POST /api/auth/v2');
  const { url, requests } = await recordingServer((response, request) => {
    const chosen = isToken(`${request.method} ${request.url}`) ? issue : respond;
    chosen(response, request);
  });
  return {
    client: clientAt(url, settings),
    requests: () => requests.filter(({ line }) => !isToken(line)),
    tokenRequests: () => requests.filter(({ line }) => isToken(line)),
  };
}

export function clientAt(url: string, settings: Partial<BankingSettings> = {}): ByHand<BankingClient> {
  const client = byHand(
    bankingClient({
      url,
      username: 'ada',
      password: 's3cret',
      deviceToken: 'device-1',
      deviceName: 'Ada’s worker',
      form: 'user',
      ...settings,
    }),
  );
  testEnds(() => client.close());
  return client;
}

export const OWNER = {
  ...inputs.OWNER,
  homePhone: '5551230002',
  ssn: '234567891',
  dob: '1981-03-04T00:00:00Z',
  homeAddress: '2 Elm Street',
  percentageOwnership: 25,
};

/** Everything that E7 requires. */
export const HOLDER = {
  ...inputs.HOLDER,
  phone: '5551230001',
  businessPhone: '5551230003',
  postalCode: '12207-1234',
  authorizingPersonTitle: 3,
  percentageOwnership: 75,
};

export const ADDRESS = { streetAddress: '1 Main Street', postalCode: '12207', city: 'Albany', state: 33 };
