import { z } from 'zod';
import * as banking from '../../../partners/banking/responses.js';
import { Store } from '../store.js';

/** One change by the partner. Omitted fields stay unchanged. */
export interface Step {
  readonly bankingStatus?: string;
  readonly tickets?: readonly NewTicket[];
  /** Reopens answered tickets. */
  readonly reopensTickets?: true;
  readonly opensAccount?: true;
}

/** A field of the submission that the partner wants corrected by PUT. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

/** The changes that happen to a business at the sandbox's pace after each action of the caller. */
export interface Scenario {
  readonly description: string;
  /** The problem of the submission: it is `success: false` until a PUT changes it. */
  readonly problem?: Problem;
  readonly opensAccount?: true;
  /** After the submission put it at Submitted. */
  readonly submitted: readonly Step[];
  /** After the first, second, ... time that all tickets are answered. */
  readonly answered?: readonly (readonly Step[])[];
}

/** Returns a scenario in which the bank does these things after the submission. */
function plays(description: string, ...submitted: readonly Step[]): Scenario {
  return { description, submitted };
}

const becomes = (bankingStatus: string): Step => ({ bankingStatus });
const inReview = becomes('InReview');
const underReview = becomes('PendingUW');
const approved = becomes(banking.PROFILE_APPROVED);
const opened: readonly Step[] = [approved, { opensAccount: true }];

const asks = (...tickets: readonly Omit<NewTicket, 'topic'>[]): Step => ({
  tickets: tickets.map((ticket) => ({ topic: 'Application', ...ticket })),
});
const use = { text: 'What will the account be used for?' };
const phone = { text: 'The phone number is not in service. Please correct it.', updateFieldRequest: 'Phone' };
const address = {
  text: 'The address of the first owner cannot be verified.',
  updateFieldRequest: 'Owner1Address',
};
const ein = {
  text: 'The EIN does not match the legal name.',
  updateFieldRequest: 'EmployerIdentificationNumber',
};

/** A doingBusinessAsName that ends in `[name]` plays the scenario of that name; one without brackets plays `straight`. */
export const BUSINESS_SCENARIOS: Readonly<Record<string, Scenario>> = {
  straight: plays('PendingUW, Approved, then a financial account', underReview, ...opened),
  'account-at-once': {
    ...plays('the submission opens the financial account; PendingUW, Approved', underReview, approved),
    opensAccount: true,
  },
  'account-on-request': plays(
    'Approved, without a financial account until submit-business-customer opens one',
    underReview,
    approved,
  ),
  'auto-approved': plays(
    'AutoApprovedUW, Approved, then a financial account',
    becomes(banking.AUTO_APPROVED_UW),
    ...opened,
  ),
  'approved-uw': plays(
    'PendingUW, ApprovedUW, Approved, then a financial account',
    underReview,
    becomes(banking.APPROVED_UW),
    ...opened,
  ),
  'pending-review': plays(
    'Pending, Pending_Review, InReview, Approved, then a financial account',
    ...['Pending', 'Pending_Review', 'InReview'].map(becomes),
    ...opened,
  ),
  denied: plays(`PendingUW, ${banking.DENIED}`, underReview, becomes(banking.DENIED)),
  closed: plays(`PendingUW, ${banking.PROFILE_CLOSED}`, underReview, becomes(banking.PROFILE_CLOSED)),
  cancelled: plays(`PendingUW, ${banking.CANCELLED}`, underReview, becomes(banking.CANCELLED)),
  'unknown-status': plays(
    'a status that no document names, then approval',
    becomes('EscalatedToCommittee'),
    ...opened,
  ),
  ticket: {
    description: 'PendingUW with a ticket about Phone; approved once it is corrected or replied to',
    submitted: [underReview, asks(phone)],
    answered: [opened],
  },
  tickets: {
    description: 'two tickets at once, about Owner1Address and a question; approved once both are answered',
    submitted: [underReview, asks(address, use)],
    answered: [opened],
  },
  'more-tickets': {
    description: 'a ticket that asks a question, and after its answer one about EmployerIdentificationNumber',
    submitted: [underReview, asks(use)],
    answered: [[asks(ein)], opened],
  },
  'reopened-ticket': {
    description:
      'a ticket that asks a question; after its answer InReview, then the same ticket is open again',
    submitted: [underReview, asks(use)],
    // A reader that reads twice in a row still sees it in review.
    answered: [[inReview, inReview, inReview, { ...underReview, reopensTickets: true }], opened],
  },
  'superseded-ticket': plays(
    'a ticket about Phone, then approved although nobody answered',
    underReview,
    asks(phone),
    ...opened,
  ),
  correction: {
    ...plays(
      'the submission is success:false until a PUT changed website; then as straight',
      underReview,
      ...opened,
    ),
    problem: { field: 'website', message: 'cannot be reached' },
  },
  waiting: plays('stays Submitted until POST /sandbox/profiles/{id}/transition moves it'),
};

/** The effects of an authorizing person's SSN. Each is valid by the contract's pattern, and was never issued to a person. */
export const MAGIC_SSNS = {
  '219099999': 'success:false: the profile exists, and waits for a PUT with another ssn',
  '078051120': 'success:false: no profile comes of it, and profileId is 0',
  '457555462': '404: something that the submission refers to is missing',
} as const;

export const UNVERIFIED_SSN = '219099999';
export const REFUSED_SSN = '078051120';
export const DANGLING_SSN = '457555462';

export const newTicket = z.strictObject({
  text: z.string().min(1),
  topic: z.string().optional(),
  updateFieldRequest: z.string().optional(),
  /** The user who opens it: null for nobody. Default: the owner. */
  userProfileId: z.int32().nullable().optional(),
});

type NewTicket = z.output<typeof newTicket>;

export const NEW_TICKET = 'New';
export const RESOLVED_TICKET = 'Resolved';

export interface Ticket {
  readonly partnerId: number;
  readonly ticketId: number;
  readonly createdDate: string;
  status: string;
  text: string;
  readonly topic: string;
  readonly topicId: number;
  /** The user of the profile that the ticket is about; otherwise its creator. */
  readonly userProfileId: number | null;
  readonly parentTicketId: number | null;
  readonly updateFieldRequest: string | null;
}

export class Tickets {
  readonly all = new Store<Ticket>({
    kind: 'ticket',
    id: (number) => 9_000 + number,
    render: ({ partnerId: _, ...ticket }) => ticket,
  });

  constructor(private readonly now: () => number) {}

  open(
    owner: { partnerId: number; userProfileId: number },
    wanted: NewTicket & { readonly topicId?: number | undefined },
    parent?: Ticket,
  ): Ticket {
    return this.all.add(owner, (ticketId) => ({
      partnerId: owner.partnerId,
      ticketId: Number(ticketId),
      createdDate: new Date(this.now()).toISOString(),
      // A reply asks nothing.
      status: parent ? RESOLVED_TICKET : NEW_TICKET,
      text: wanted.text,
      topic: wanted.topic ?? parent?.topic ?? 'General',
      topicId: wanted.topicId ?? parent?.topicId ?? 1,
      userProfileId:
        wanted.userProfileId === undefined ? (parent ?? owner).userProfileId : wanted.userProfileId,
      parentTicketId: parent?.ticketId ?? null,
      updateFieldRequest: wanted.updateFieldRequest ?? null,
    }));
  }

  reopen(owner: Pick<Ticket, 'partnerId' | 'userProfileId'>): void {
    for (const ticket of this.of(owner)) if (ticket.parentTicketId === null) ticket.status = NEW_TICKET;
  }

  of(owner: { partnerId: number; userProfileId: number | null }): Ticket[] {
    return this.all.of(owner).filter(({ userProfileId }) => userProfileId === owner.userProfileId);
  }
}

export function isOpen({ status }: Ticket): boolean {
  return status !== RESOLVED_TICKET && status !== 'Closed';
}
