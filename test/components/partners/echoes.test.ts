import type { IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { z } from 'zod';
import { closeAll, partnerClients, readAccounts } from '../../../src/partners/account-settings.js';
import { type ByHand, byHand } from '../../../src/partners/by-hand.js';
import type { CallOptions } from '../../../src/partners/client.js';
import {
  eachSystem,
  PARTNERS,
  type PartnerClients,
  SYSTEM_NAMES,
  settingsPrefix,
} from '../../../src/partners/descriptors.js';
import { holder as holderOf } from '../../rigs/inputs.js';
import { failureOf } from '../../rigs/partners/failure.js';
import { recordingServer, responding } from '../../rigs/partners/servers.js';

const BASIC = Buffer.from('harbor:hunter2/secret').toString('base64');

/** The partners with one secret, and its setting. */
const OTHERS = SYSTEM_NAMES.filter((system) => system !== 'boarding' && system !== 'banking').flatMap(
  (system) =>
    Object.entries(PARTNERS[system].settings.shape)
      .filter(([, schema]) => (schema as z.ZodType).meta()?.['secret'])
      .map(([setting]) => [system, setting, `${system}-secret-1`] as const),
);

/** The credentials of each client. To a client, those of the others are ordinary words. */
const OWN = eachSystem((system): readonly string[] => {
  if (system === 'boarding') return ['hunter2/secret', BASIC];
  if (system === 'banking') return ['hunter2/secret', 'bank-token-1'];
  return OTHERS.flatMap(([other, , secret]) => (other === system ? [secret] : []));
});

/** Private values of requests, in forms that a partner may use. */
const NAMES = ['Adelheid', 'ADELHEID', 'Zuckerbaecker'];
const EMAILS = ['adelheid@example.com', 'Adelheid@Example.com'];
const PHONES = ['518-555-0100', '(518) 555-0100', '5185550100'];
const NUMBERS = ['123-45-6789', '123456789', '12-3456789'];
const PRIVATE = [...NAMES, ...EMAILS, ...PHONES, ...NUMBERS];

const TOKEN = `{"token":"bank-token-1","expiration":null,"userId":7}`;

/** Clients of a partner that responds to each request with the words of that request, in JSON that `body` makes. */
async function echoing(status: number, body: (words: string) => object): Promise<ByHand<PartnerClients>> {
  const { url, requests } = await recordingServer((response, request: IncomingMessage) => {
    if (request.url === '/api/auth/v2') return responding(200, TOKEN)(response, request);
    const { headers, body: sent } = requests.at(-1) ?? { headers: {}, body: '' };
    const { authorization, ...others } = headers as Record<string, string>;
    const words = [
      'bad',
      authorization,
      others['x-svc-api-key'],
      ...PRIVATE,
      String(sent),
      ...Object.values(OWN).flat(),
    ];
    responding(status, JSON.stringify(body(words.join(' '))))(response, request);
  });
  const account = readAccounts({
    BOARDING_URL: url,
    BOARDING_USERNAME: 'harbor',
    BOARDING_PASSWORD: 'hunter2/secret',
    BANKING_URL: url,
    BANKING_USERNAME: 'harbor',
    BANKING_PASSWORD: 'hunter2/secret',
    BANKING_DEVICE_TOKEN: 'device-1',
    ...Object.assign(
      {},
      ...OTHERS.map(([system, setting, secret]) => ({
        [`${settingsPrefix(system)}URL`]: url,
        [setting]: secret,
      })),
    ),
  });
  const clients = byHand(partnerClients(account));
  onTestFinished(() => closeAll(clients));
  return clients;
}

const person = { firstName: 'Adelheid', lastName: 'Zuckerbaecker', email: 'adelheid@example.com' };
const merchant = { ...person, cashDiscount: 'No', dba: 'Corner', pos: 'None', agentProfileId: 101 } as const;
const names = { givenName: 'Adelheid', familyName: 'Zuckerbaecker', email: 'adelheid@example.com' };
const holder = { ...holderOf(), ...names, phone: '5185550100', ssn: '123456789' };
const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
const account = {
  type: 'merchant',
  name: 'Corner',
  description: 'mid 1',
  address,
  admin_email: 'adelheid@example.com',
} as const;

type Call = (clients: ByHand<PartnerClients>, options?: CallOptions) => Promise<unknown>;

const submit: Call = ({ boarding }, options) =>
  boarding.submitMerchant(
    {
      merchantProfileId: 7,
      businessAndOwnerInformation: {
        owners: [{ ownerFirstName: 'Adelheid', ownerLastName: 'Zuckerbaecker', contactPhone: 5_185_550_100 }],
        contactEmail: 'adelheid@example.com',
      },
    },
    options,
  );

const create: Call = ({ boarding }) => boarding.createMerchant(merchant);

const register: Call = ({ processor }) =>
  processor.registerWebhook({ event_names: ['a'], webhook_url: ['https://example.com/hooks'] });

// Proves P3.
describe('a partner that repeats the request in a refusal', () => {
  it.each<[keyof PartnerClients, string, readonly string[], Call]>([
    ['boarding', 'create-merchant', [...NAMES, ...EMAILS, ...NUMBERS], create],
    ['boarding', 'submit-merchant', PRIVATE, submit],
    [
      'banking',
      'submit-business-account-holder',
      PRIVATE,
      (all) => all.banking.submitBusinessAccountHolder(holder),
    ],
    ['payments', 'create-account', [...EMAILS, ...NUMBERS], (all) => all.payments.createAccount(account)],
    [
      'plant-store',
      'create-plant',
      NUMBERS,
      (all) => all['plant-store'].createPlant({ id: 1, name: 'Fern' }),
    ],
    ['processor', 'register-webhook', NUMBERS, register],
  ])('cannot get it past the %s client (%s)', async (system, _, hidden, call) => {
    const clients = await echoing(400, (words) => ({
      data: null,
      status: false,
      error: words,
      errors: [words],
      message: words,
      requestId: words,
    }));
    const error = await failureOf(call(clients));
    expect(error.status).toBe(400);
    const thrown = JSON.stringify([error.details, error.message]);
    expect(thrown).toContain('[Redacted]');
    for (const value of [...OWN[system], ...hidden]) expect(thrown).not.toContain(value);
  });

  it('cannot get it past the banking client in a response of 200 with a refusal', async () => {
    const { banking } = await echoing(200, (errors) => ({ success: false, errors }));
    const { errors } = await banking.submitBusinessAccountHolder(holder);
    expect(errors).toContain('[Redacted]');
    for (const value of [...OWN.banking, ...NAMES, ...EMAILS, ...PHONES, '123456789'])
      expect(errors).not.toContain(value);
  });

  it('cannot get it into a warning or the id of the request', async () => {
    const warnings: string[] = [];
    const data = { status: 'Pending' };
    const clients = await echoing(200, (words) => ({ data, warning: words, requestId: words }));
    await submit(clients, { onWarning: (warning) => void warnings.push(warning) });
    expect(warnings).toHaveLength(1);
    for (const value of [...OWN.boarding, ...PRIVATE]) expect(warnings[0]).not.toContain(value);
  });
});

describe('a partner that repeats our credentials in its data', () => {
  const NOTE: Call = ({ boarding }) => boarding.getUnderwritingNotes({ id: 7 });
  const changes = (comment: string) => ({ data: { status: 'RequestChanges', comment } });
  it.each<[keyof PartnerClients, string, (words: string) => object, Call]>([
    ['boarding', 'a comment', changes, ({ boarding }) => boarding.getStatus({ id: 7 })],
    ['boarding', 'a note', (text) => ({ data: [{ text, author: text }] }), NOTE],
    ['banking', 'a ticket', (text) => [{ ticketId: 1, text }], (all) => all.banking.listNewTickets({})],
    [
      'payments',
      'a name',
      (name) => ({ accounts: [{ id: 'a-1', name }] }),
      (all) => all.payments.listAccounts({}),
    ],
    ['plant-store', 'a tag', (tag) => [{ name: 'Fern', tag }], (all) => all['plant-store'].listPlants({})],
    ['processor', 'its message', (message) => ({ status: true, message }), register],
  ])('cannot get them past the %s client: %s', async (system, _, body, call) => {
    const text = JSON.stringify(await call(await echoing(200, body)));
    expect(text).toContain('bad');
    expect(text).toContain('[Redacted]');
    expect(text).toContain('adelheid@example.com');
    for (const secret of OWN[system]) expect(text).not.toContain(secret);
  });

  it('may still renew a token as the same token', async () => {
    const { banking } = await echoing(200, () => [{ ticketId: 1 }]);
    await banking.listNewTickets({});
    expect(
      await banking.issueToken({ nickName: 'a', password: 'p', tokenDevice: 'd', nameDevice: 'n' }),
    ).toMatchObject({ token: 'bank-token-1' });
  });
});
