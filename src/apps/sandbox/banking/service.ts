import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type BankingOperations, bankingOperations, newCard } from '../../../partners/banking/operations.js';
import { businessAccountHolder, NOTIFICATION_TYPES } from '../../../partners/banking/requests.js';
import { dollars } from '../../../partners/banking/rules.js';
import { operationName } from '../../../partners/catalogue.js';
import { int32, int64 } from '../../../partners/field-schemas.js';
import { SHORT_MESSAGE_CODE } from '../fault-kinds.js';
import type { Signs } from '../ledger.js';
import {
  controlsOf,
  type EmulatedPartner,
  type Handlers,
  invalidControl,
  onTheWire,
  partnerRoutes,
  plainBody,
  Refusal,
  type World,
} from '../routes.js';
import { usualHandlers } from '../store.js';
import { Accounts, NOT_LINKED_PROFILE_ID } from './accounts.js';
import { Cards } from './cards.js';
import { type Profile, profileChange, profileIdOf, userProfileIdOf } from './profile.js';
import { Profiles } from './profiles.js';
import {
  BUSINESS_SCENARIOS,
  isOpen,
  MAGIC_SSNS,
  RESOLVED_TICKET,
  type Ticket,
  Tickets,
} from './scenarios.js';
import * as users from './users.js';
import { Notifications, Webhooks } from './webhooks.js';

type Parts = ReturnType<typeof partsOf>;

function partsOf(world: World, record: Recorder) {
  const { pace, now } = world;
  const signIn = new users.SignIn(now, world.tokenLifetimeMs, world.password);
  const tickets = new Tickets(now);
  const webhooks = new Webhooks(world.faults, record);
  const notifications = new Notifications(now, record);
  const accounts = new Accounts((id, user) => profiles.get(id, user));
  const about = (profile: Profile) => ({
    profileId: profile.id,
    merchantProfileId: profiles.merchantProfileIdOf(profile),
    createdAt: new Date(now()).toISOString(),
  });
  const profiles: Profiles = new Profiles({
    pace,
    now,
    tickets,
    record,
    merchants: () => world.merchants,
    isCode: (code, kind) => signIn.isCode(code, kind),
    openAccount: (profile) => accounts.open(profile)?.id,
    report: (notificationType, profile, status) => {
      const { partnerId } = profile.basics;
      webhooks.report(partnerId, { notificationType, ...about(profile), status });
      const subject = notificationType === 'ApplicationStatus' ? 'Application status' : 'Profile lock';
      const metaData = { profileId: String(profile.id) };
      notifications.add(partnerId, { subject, body: `Now ${status}`, metaData });
    },
  });
  const cards = new Cards({
    accounts,
    now,
    record,
    report: ({ partnerId, profileId, paymentCardId, status }) => {
      const profile = profiles.find(profileId);
      if (!profile) return;
      const notificationType = 'PaymentCardStatus';
      webhooks.report(partnerId, { notificationType, ...about(profile), status, paymentCardId });
    },
  });
  return { signIn, profiles, accounts, cards, tickets, notifications, webhooks };
}

type Recorder = (operation: keyof BankingOperations & string, id: number | string, signs?: Signs) => void;

function handlersOf(parts: Parts, record: Recorder): Handlers<BankingOperations, users.BankingUser> {
  const { signIn, profiles, tickets, notifications, webhooks } = parts;
  const stores = {
    '/api/notifications': notifications.all,
    '/api/tickets': tickets.all,
    '/api/Partners/webhooks': webhooks.receivers,
  };
  return {
    ...usualHandlers(bankingOperations(), stores, record),
    issueToken: (request) => signIn.signIn(request),
    confirmSecondFactor: (request) => signIn.signIn(request, true),
    refreshToken: (_, user) => signIn.issue(user),
    ...profiles.handlers,
    ...parts.cards.handlers,
    ...parts.accounts.handlers,
    ...notifications.handlers,
    ...webhooks.handlers,
    ...users.teamHandlers(record),
    ...ticketHandlers(parts, record),
  } as Handlers<BankingOperations, users.BankingUser>;
}

/** Customers that exist from the start, so that there is something to read. */
function addCustomers({ profiles, accounts, cards, notifications }: Parts): void {
  const person = (givenName: string, familyName: string) => {
    return { givenName, familyName, email: `${givenName.toLowerCase()}@example.com`, phone: '5185550100' };
  };
  const month = [
    { createdAt: '2026-01-03T10:00:00Z', description: 'Card sales', amount: 120_000 },
    { createdAt: '2026-01-10T12:00:00Z', description: 'Rent', amount: -45_000 },
    { createdAt: '2026-02-03T10:00:00Z', description: 'Card sales', amount: 98_050 },
  ];
  const open = (profile: Profile) => {
    const account = accounts.open(profile, month);
    profile.financialAccountId ??= account?.id ?? null;
    return account;
  };
  const adas = profiles.addPerson(1, person('Ada', 'Reader'), 501);
  const adasAccount = open(adas);
  open(adas);
  // Physical, Virtual, Burner, Other: card-1001 to card-1004.
  for (const type of [1, 2, 3, 4]) if (adasAccount) cards.issue(adasAccount, type);
  profiles.addPerson(1, person('Bo', 'Reader'), NOT_LINKED_PROFILE_ID);
  profiles.addPerson(1, person('Di', 'Teller'), 503);
  const cysAccount = open(profiles.addPerson(2, person('Cy', 'Elsewhere'), 601));
  if (cysAccount) cards.issue(cysAccount, 1);

  for (const subject of ['Card shipped', 'Deposit', 'Low balance'])
    notifications.add(1, { subject, body: null, group: 'Notifications' });
  notifications.add(2, { subject: 'Elsewhere', body: null });
}

/** The operations on tickets. A reply, a text put into the ticket, or the requested change answers it. */
function ticketHandlers({ tickets, profiles }: Parts, record: Recorder) {
  const render = (ticket: Ticket) => tickets.all.render(ticket);
  const get = (id: number, user: users.BankingUser) => tickets.all.get(id, user);

  function resolve(ticket: Ticket, status = RESOLVED_TICKET): void {
    const wasOpen = isOpen(ticket);
    ticket.status = status;
    const { userProfileId } = ticket;
    if (wasOpen && !isOpen(ticket) && userProfileId !== null)
      profiles.find(profileIdOf(userProfileId))?.ticketAnswered();
  }

  return {
    listNewTickets: (_, user) => tickets.all.of(user).filter(isOpen).map(render),
    createTicket: ({ parentTicketId, ...wanted }, user) => {
      const parent = parentTicketId === undefined ? undefined : get(parentTicketId, user);
      const { partnerId, userId, profileId } = user;
      const userProfileId = profileId === undefined ? userId : userProfileIdOf(profileId);
      const ticket = tickets.open({ partnerId, userProfileId }, wanted, parent);
      record('createTicket', ticket.ticketId, parent && { of: parent.ticketId });
      if (parent) resolve(parent);
      return render(ticket);
    },
    updateTicket: ({ ticketId, text, status }, user) => {
      const ticket = get(ticketId, user);
      if (text !== undefined) ticket.text = text;
      record('updateTicket', ticketId);
      if (text !== undefined || status !== undefined) resolve(ticket, status);
      return render(ticket);
    },
  } satisfies users.BankingHandlers;
}

/** The caller of an operation without credentials. */
const NOBODY: users.BankingUser = { name: '', userId: 0, partnerId: 0, access: 'none', role: 'client' };

const annualBusinessRevenue = onTheWire(dollars).nullish();

/** Serves every banking operation of the catalogue (docs/partner-apis.md#banking): plain JSON, no envelope. */
function bankingRoutes(
  server: FastifyInstance,
  { signIn }: Parts,
  handlers: Handlers<BankingOperations, users.BankingUser>,
  world: World,
): void {
  partnerRoutes(server, world, {
    name: 'banking',
    operations: bankingOperations(),
    requests: {
      submitBusinessAccountHolder: businessAccountHolder.extend({ annualBusinessRevenue }),
      updateBusinessAccountHolder: businessAccountHolder.extend({ annualBusinessRevenue, profileId: int32 }),
      createCard: newCard.extend({ maxTotalSpending: onTheWire(int64).nullish() }),
    },
    handlers,
    admit: ({ headers }, { anonymous, effect, path }) => {
      if (anonymous) return NOBODY;
      const caller = signIn.userOf(headers.authorization);
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
    bankingUsers: users.BANKING_USERS.map(({ name, profileId = null, ...user }) => {
      return { username: name, password: name, profileId, ...user };
    }),
    oneTimeCodes: { ShortMessageCode: SHORT_MESSAGE_CODE, totpSecret: users.TOTP_SECRET },
  },
  start(server, world) {
    const record: Recorder = (operation, id, signs) =>
      world.ledger.record({ system: 'banking', operation: operationName(operation), id, ...signs });
    const parts = partsOf(world, record);
    addCustomers(parts);
    bankingRoutes(server, parts, handlersOf(parts, record), world);
    bankingControlRoutes(server, parts);
    server.addHook('preClose', async () => parts.webhooks.close());
  },
};

/** `/sandbox/profiles/...` and `/sandbox/webhooks`: the banking part of what tests and demos steer. */
function bankingControlRoutes(server: FastifyInstance, { profiles, webhooks }: Parts): void {
  const render = ({ basics, record }: Profile) => ({ ...record, partnerId: basics.partnerId });
  controlsOf(server, {
    kind: 'profile',
    find: (id) => profiles.find(Number(id)),
    render,
    change: profileChange,
    apply: (profile, change) => {
      profile.set(change);
      return render(profile);
    },
  });

  server.post('/sandbox/webhooks', ({ body }, reply) => {
    const wanted = webhook.safeParse(body);
    if (!wanted.success) return invalidControl(reply, wanted.error);
    const { partnerId, ...registration } = wanted.data;
    const { receivers } = webhooks;
    return reply.code(201).send(receivers.render(receivers.create(registration, { partnerId })));
  });

  server.get('/sandbox/webhooks', () => ({ deliveries: webhooks.deliveries }));
}
