import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { newCard } from '../../partners/banking/card-operations.js';
import { bankingOperations } from '../../partners/banking/operations.js';
import { businessAccountHolder, NOTIFICATION_TYPES } from '../../partners/banking/requests.js';
import { dollars } from '../../partners/banking/rules.js';
import { int32, int64 } from '../../partners/fields.js';
import type { EmulatedPartner, World } from '../partner.js';
import { controlsOf, invalidControl, onTheWire, partnerRoutes, plainBody, Refusal } from '../routes.js';
import { type Profile, profileChange } from './profile.js';
import { BUSINESS_SCENARIOS, MAGIC_SSNS } from './scenarios.js';
import { type BankingService, bankingService } from './service.js';
import { BANKING_USERS, type BankingUser, SHORT_MESSAGE_CODE, TOTP_SECRET } from './users.js';

/** Stands in for the caller of an operation that goes without credentials. */
const NOBODY: BankingUser = { name: '', userId: 0, partnerId: 0, access: 'none', role: 'client' };

const annualBusinessRevenue = onTheWire(dollars).nullish();

/** Serves every banking operation of the catalogue, with the documented responses (apis/1): plain JSON, no envelope. */
function bankingRoutes(server: FastifyInstance, service: BankingService, world: World): void {
  partnerRoutes(server, world, {
    name: 'banking',
    operations: bankingOperations(),
    requests: {
      submitBusinessAccountHolder: businessAccountHolder.extend({ annualBusinessRevenue }),
      updateBusinessAccountHolder: businessAccountHolder.extend({ annualBusinessRevenue, profileId: int32 }),
      createCard: newCard.extend({ maxTotalSpending: onTheWire(int64).nullish() }),
    },
    handlers: service.handlers,
    admit: ({ headers }, { anonymous, effect, path }) => {
      if (anonymous) return NOBODY;
      const caller = service.signIn.userOf(headers.authorization);
      if (!caller) throw new Refusal(401, 'The token is missing, expired or invalid');
      const isRefresh = path === '/api/auth/refresh';
      const may = caller.access === 'write' || isRefresh || (caller.access === 'read' && effect === 'read');
      if (!may) throw new Refusal(403, 'No permission for this operation');
      return caller;
    },
    envelope: plainBody,
  });
}

/** As E13, but for any URL: to test with a receiver on loopback. */
const webhook = z.strictObject({
  name: z.string().default('control'),
  url: z.url({ protocol: /^https?$/ }),
  notificationType: z.enum(NOTIFICATION_TYPES),
  partnerId: z.int().default(1),
});

export const bankingPartner: EmulatedPartner = {
  credentials: {
    BANKING_USERNAME: 'sandbox',
    BANKING_PASSWORD: 'sandbox',
    BANKING_DEVICE_TOKEN: 'sandbox-device',
  },
  scenarios: {
    businesses: Object.entries(BUSINESS_SCENARIOS).map(([name, { description }]) => ({ name, description })),
    ssns: MAGIC_SSNS,
    bankingUsers: BANKING_USERS.map(({ name, profileId = null, ...user }) => {
      return { username: name, password: name, profileId, ...user };
    }),
    oneTimeCodes: { ShortMessageCode: SHORT_MESSAGE_CODE, totpSecret: TOTP_SECRET },
  },
  start(server, world) {
    const service = bankingService(world);
    bankingRoutes(server, service, world);
    bankingControlRoutes(server, service);
    server.addHook('preClose', async () => service.webhooks.close());
  },
};

/** `/sandbox/profiles/...` and `/sandbox/webhooks`: the banking part of what tests and demos steer. */
function bankingControlRoutes(server: FastifyInstance, { profiles, webhooks }: BankingService): void {
  const shown = ({ basics, record }: Profile) => ({ ...record, partnerId: basics.partnerId });
  controlsOf(server, {
    kind: 'profile',
    find: (id) => profiles.find(Number(id)),
    shown,
    change: profileChange,
    apply: (profile, change) => {
      profile.set(change);
      return shown(profile);
    },
  });

  server.post('/sandbox/webhooks', ({ body }, reply) => {
    const wanted = webhook.safeParse(body);
    if (!wanted.success) return invalidControl(reply, wanted.error);
    const { partnerId, ...registration } = wanted.data;
    const { receivers } = webhooks;
    return reply.code(201).send(receivers.shown(receivers.create(registration, { partnerId })));
  });

  server.get('/sandbox/webhooks', () => ({ deliveries: webhooks.deliveries }));
}
