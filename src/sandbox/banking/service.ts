import type { BankingOperations } from '../../partners/banking/operations.js';
import { operationName } from '../../partners/catalogue.js';
import type { Signs } from '../ledger.js';
import type { World } from '../partner.js';
import { type Handlers, Refusal } from '../routes.js';
import { Accounts, MANY_PAGES_PROFILE_ID, NOT_LINKED_PROFILE_ID } from './accounts.js';
import { Cards } from './cards.js';
import { type Profile, userProfileIdOf } from './profile.js';
import { Profiles } from './profiles.js';
import { isOpen, RESOLVED, type Ticket, Tickets, ticketRecord } from './scenarios.js';
import { type BankingUser, SignIn, Team } from './users.js';
import { Notifications, Webhooks } from './webhooks.js';

/** The banking partner behind its API: the parts that depend on each other. */
export class BankingService {
  readonly signIn: SignIn;
  readonly profiles: Profiles;
  readonly webhooks: Webhooks;
  readonly handlers: Handlers<BankingOperations, BankingUser>;

  constructor(world: World) {
    const { ledger, faults, pace, now, tokenLifetimeMs, password } = world;
    const record = (operation: keyof BankingOperations & string, id: number | string, signs?: Signs) =>
      ledger.record({ system: 'banking', operation: operationName(operation), id, ...signs });
    const signIn = new SignIn(now, tokenLifetimeMs, password);
    const tickets = new Tickets(now);
    const webhooks = new Webhooks(faults, record);
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
      merchants: () => world.merchants,
      record,
      isCode: (code, kind) => signIn.isCode(code, kind),
      openAccount: (profile) => accounts.open(profile)?.id,
      report: (notificationType, profile, status) => {
        const { partnerId } = profile.basics;
        webhooks.report(partnerId, { notificationType, ...about(profile), status });
        const subject = notificationType === 'ApplicationStatus' ? 'Application status' : 'Profile lock';
        const metaData = { profileId: String(profile.id) };
        const kind = { group: 'Messages', level: 'Info', category: 'Other' } as const;
        notifications.add({ partnerId, subject, body: `Now ${status}`, metaData, ...kind });
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
    this.signIn = signIn;
    this.profiles = profiles;
    this.webhooks = webhooks;
    this.handlers = {
      issueToken: (request) => signIn.signIn(request),
      confirmSecondFactor: (request) => signIn.signIn(request, true),
      refreshToken: (_, user) => signIn.issue(user),
      ...profiles.handlers,
      ...cards.handlers,
      ...accounts.handlers,
      ...notifications.handlers,
      ...webhooks.handlers,
      ...new Team(record).handlers,
      ...ticketHandlers({
        tickets,
        record,
        answered: (userProfileId) => profiles.findByUserProfile(userProfileId)?.ticketAnswered(),
      }),
    };
    addCustomers({ profiles, accounts, cards, notifications });
  }

  close(): void {
    this.webhooks.close();
  }
}

const PHONE = '5185550100';

/** Customers that are there from the start, so that there is something to read. */
function addCustomers(parts: {
  profiles: Profiles;
  accounts: Accounts;
  cards: Cards;
  notifications: Notifications;
}): void {
  const { profiles, accounts, cards, notifications } = parts;
  const ada = { givenName: 'Ada', familyName: 'Reader', email: 'ada@example.com', phone: PHONE };
  const bo = { givenName: 'Bo', familyName: 'Reader', email: 'bo@example.com', phone: PHONE };
  const di = { givenName: 'Di', familyName: 'Teller', email: 'di@example.com', phone: PHONE };
  const cy = { givenName: 'Cy', familyName: 'Elsewhere', email: 'cy@example.com', phone: PHONE };
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
  const adas = profiles.addPerson(1, ada, 501);
  const adasAccount = open(adas);
  open(adas);
  // Physical, Virtual, Burner, Other: card-1001 to card-1004.
  for (const type of [1, 2, 3, 4]) if (adasAccount) cards.issue(adasAccount, type);
  profiles.addPerson(1, bo, NOT_LINKED_PROFILE_ID);
  profiles.addPerson(1, di, MANY_PAGES_PROFILE_ID);
  const cysAccount = open(profiles.addPerson(2, cy, 601));
  if (cysAccount) cards.issue(cysAccount, 1);

  const at = (day: number) => ({ partnerId: 1, createdDate: `2026-01-0${day}T08:00:00Z`, metaData: null });
  const information = { group: 'Notifications', level: 'Info' } as const;
  notifications.add({
    ...at(1),
    ...information,
    category: 'Cards',
    subject: 'Card shipped',
    body: 'On its way',
  });
  notifications.add({
    ...at(2),
    ...information,
    category: 'Deposits',
    subject: 'Deposit',
    body: '$1,200.00 arrived',
  });
  notifications.add({
    ...at(3),
    ...information,
    level: 'Warning',
    category: 'WithdrawalsTransfers',
    subject: 'Low balance',
    body: null,
  });
  notifications.add({
    ...at(4),
    ...information,
    group: 'Campaigns',
    category: 'Other',
    subject: null,
    body: 'A message',
  });
  notifications.add({
    ...at(5),
    ...information,
    group: 'CardholderAgreement',
    category: 'Cards',
    subject: 'Agreement',
    body: 'Please read it',
  });
  notifications.add({
    ...at(6),
    ...information,
    partnerId: 2,
    category: 'Other',
    subject: 'Elsewhere',
    body: null,
  });
}

type TicketHandlers = Pick<
  Handlers<BankingOperations, BankingUser>,
  'listNewTickets' | 'listTickets' | 'createTicket' | 'getTicket' | 'updateTicket'
>;

/** The parts of the sandbox that tickets need. */
export interface TicketContext {
  readonly tickets: Tickets;
  record(operation: keyof BankingOperations & string, id: number, signs?: Signs): void;
  /** A ticket about the profile of this user profile was answered. */
  answered(userProfileId: number): void;
}

/** The operations on tickets. A ticket is answered by a reply, by a text put into it, or by the change it asks for. */
function ticketHandlers({ tickets, record, answered }: TicketContext): TicketHandlers {
  function get(id: number, { partnerId }: BankingUser): Ticket {
    const ticket = tickets.find(id);
    if (!ticket) throw new Refusal(404, `ticket ${id} not found`);
    if (ticket.partnerId !== partnerId) throw new Refusal(403, 'The ticket belongs to another partner');
    return ticket;
  }

  function resolve(ticket: Ticket, status = RESOLVED): void {
    const wasOpen = isOpen(ticket);
    ticket.status = status;
    const { userProfileId } = ticket;
    if (wasOpen && !isOpen(ticket) && userProfileId !== null) answered(userProfileId);
  }

  return {
    listNewTickets: (_, { partnerId }) => tickets.of({ partnerId }).filter(isOpen).map(ticketRecord),
    listTickets: (_, { partnerId }) => tickets.of({ partnerId }).map(ticketRecord),
    getTicket: ({ ticketId }, user) => ticketRecord(get(ticketId, user)),
    createTicket: ({ parentTicketId, ...wanted }, user) => {
      const parent = parentTicketId === undefined ? undefined : get(parentTicketId, user);
      const { partnerId, userId, profileId } = user;
      const userProfileId = profileId === undefined ? userId : userProfileIdOf(profileId);
      const ticket = tickets.open({ partnerId, userProfileId }, wanted, parent);
      record('createTicket', ticket.ticketId, parent && { of: parent.ticketId });
      if (parent) resolve(parent);
      return ticketRecord(ticket);
    },
    updateTicket: ({ ticketId, text, status }, user) => {
      const ticket = get(ticketId, user);
      if (text !== undefined) ticket.text = text;
      record('updateTicket', ticketId);
      if (text !== undefined || status !== undefined) resolve(ticket, status);
      return ticketRecord(ticket);
    },
  };
}
