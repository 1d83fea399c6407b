import { z } from 'zod';
import {
  CANCELLED,
  DENIED,
  PROFILE_APPROVED,
  PROFILE_CLOSED,
  PROFILE_NEW,
} from '../../../partners/banking/responses.js';
import type { Pace } from '../scenario.js';
import { Script } from '../scenario.js';
import { type Holder, holderRecord, requestedField } from './holder-record.js';
import type { Problem, Scenario, Step } from './scenarios.js';
import { isOpen, newTicket, RESOLVED_TICKET, type Tickets } from './scenarios.js';

const SUBMITTED = 'Submitted';
const REFUSED: readonly string[] = [DENIED, PROFILE_CLOSED, CANCELLED];
const FINAL: readonly string[] = [PROFILE_APPROVED, ...REFUSED];

/** Meanings of the numbers are not shown in the contract; these are assumed. */
const APPLICATION_STATUS = { [PROFILE_NEW]: 0, [SUBMITTED]: 1, [PROFILE_APPROVED]: 2, [DENIED]: 3 } as const;

const FIRST_USER_PROFILE_ID = 10_000;

/** A profile and its user profile are two numbers; the sandbox keeps them apart by a constant. */
export function userProfileIdOf(profileId: number): number {
  return FIRST_USER_PROFILE_ID + profileId;
}

export function profileIdOf(userProfileId: number): number {
  return userProfileId - FIRST_USER_PROFILE_ID;
}

/** Changes by the partner's staff or a test. Omitted fields stay. */
export const profileChange = z.strictObject({
  bankingStatus: z.string().min(1).optional(),
  isLocked: z.boolean().optional(),
  /** Ties the profile to a merchant, whatever their names. */
  merchantProfileId: z.int32().optional(),
  /** Fields of the business account holder that read as null from now on. */
  hides: z.array(z.string()).optional(),
  tickets: z.array(newTicket).readonly().optional(),
  reopensTickets: z.boolean().optional(),
});

export interface Person {
  readonly givenName: string;
  readonly familyName: string;
  readonly email: string;
  readonly phone: string;
}

export interface Address {
  readonly streetAddress: string;
  readonly extendedAddress: string | null;
  readonly postalCode: string;
  readonly locality: string;
  readonly state: number;
}

const SOME_ADDRESS: Address = {
  streetAddress: '1 Harbor Street',
  extendedAddress: null,
  postalCode: '12207',
  locality: 'Albany',
  state: 33,
};

/** The owner of a profile, and the parts of the partner that it needs. */
export interface ProfileContext {
  readonly pace: () => Pace;
  readonly now: () => number;
  readonly tickets: Tickets;
  openAccount(profile: Profile): string | undefined;
  report(notificationType: 'ApplicationStatus' | 'LockUnlockProfile', profile: Profile, status: string): void;
  merchantProfileIdOf(profile: Profile): number | null;
}

export interface ProfileBasics {
  readonly id: number;
  readonly partnerId: number;
  readonly agentId: number;
  readonly createdBy: 'BankingAPI' | 'OnlineBankingApplication';
}

/** A banking profile in the sandbox: of a person or, once there is a holder, of a business. */
export class Profile {
  readonly userProfileId: number;
  bankingStatus: string = PROFILE_NEW;
  financialAccountId: string | null = null;
  /** The account that the bank opened by itself, until somebody requests one. */
  ownAccount: string | undefined;
  isLocked = false;
  holder: Holder | undefined;
  /** Set by hand, or found by the name of the business. */
  merchantProfileId: number | undefined;
  #hidden: readonly string[] = [];
  address: Address = SOME_ADDRESS;
  readonly #createdDate: string;
  #updatedDate: string | null = null;
  #applicationDate: string | null = null;
  #approvalDate: string | null = null;
  #problem: Problem | undefined;
  readonly #script: Script<Step>;
  #scenario: Scenario | undefined;
  #timesAnswered = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly basics: ProfileBasics,
    private readonly context: ProfileContext,
    readonly person?: Person,
  ) {
    this.userProfileId = userProfileIdOf(basics.id);
    this.#createdDate = this.#today();
    this.#script = new Script(context.pace);
  }

  get id(): number {
    return this.basics.id;
  }

  submit(holder: Holder, scenario: Scenario, problem = scenario.problem): Problem | undefined {
    this.holder = holder;
    this.#scenario = scenario;
    this.#problem = problem;
    if (!problem) this.#begin();
    return problem;
  }

  /**
   * Replaces the holder, which may correct problems and answer tickets.
   *
   * @param problem the problem of the new holder, whatever was wrong with the old one
   */
  update(holder: Holder, problem?: Problem): Problem | undefined {
    const before = this.holder;
    this.holder = holder;
    this.#updatedDate = this.#today();
    if (!before) return undefined;
    this.#answerByChange(before, holder);
    const field = this.#problem?.field as keyof Holder | undefined;
    const isStill = field !== undefined && (before[field] === holder[field] || !holder[field]);
    this.#problem = problem ?? (isStill ? this.#problem : undefined);
    if (!this.#problem && this.bankingStatus === PROFILE_NEW) this.#begin();
    return this.#problem;
  }

  get refusesChanges(): string | undefined {
    return REFUSED.includes(this.bankingStatus) ? `the profile is ${this.bankingStatus}` : undefined;
  }

  set(change: z.output<typeof profileChange>): void {
    const { bankingStatus, isLocked, merchantProfileId, hides, tickets, reopensTickets } = change;
    this.#updatedDate = this.#today();
    if (merchantProfileId !== undefined) this.merchantProfileId = merchantProfileId;
    if (hides) this.#hidden = hides;
    if (reopensTickets) this.context.tickets.reopen(this.#owner);
    for (const ticket of tickets ?? []) this.context.tickets.open(this.#owner, ticket);
    if (bankingStatus !== undefined && bankingStatus !== this.bankingStatus) this.#moveTo(bankingStatus);
    if (isLocked !== undefined && isLocked !== this.isLocked) {
      this.isLocked = isLocked;
      this.context.report('LockUnlockProfile', this, isLocked ? 'Locked' : 'Unlocked');
    }
  }

  /** Makes the partner's due changes. A read of the profile counts for a pace in reads. */
  advance(isStatusRead: boolean): void {
    for (const step of this.#script.due(isStatusRead)) this.#take(step);
    this.#wakeForNextStep();
  }

  /** Call this after a ticket of this profile is answered. After the last one, the profile proceeds. */
  ticketAnswered(): void {
    if (this.#openTickets.length > 0) return;
    const next = this.#scenario?.answered?.[this.#timesAnswered++];
    if (next) this.#play(next);
  }

  #begin(): void {
    this.#applicationDate = this.#today();
    this.#moveTo(SUBMITTED);
    if (this.#scenario?.opensAccount) this.#openAccount();
    this.#play(this.#scenario?.submitted ?? []);
  }

  #play(steps: readonly Step[]): void {
    this.#script.play(steps);
    this.#wakeForNextStep();
  }

  /** Webhooks are sent without a request, so a step must not wait for a read. */
  #wakeForNextStep(): void {
    clearTimeout(this.#timer);
    const wait = this.#script.untilNext;
    if (wait !== undefined) this.#timer = setTimeout(() => this.advance(false), wait).unref();
  }

  #take({ bankingStatus, tickets, reopensTickets, opensAccount }: Step): void {
    this.set({ bankingStatus, tickets, reopensTickets });
    if (opensAccount) this.#openAccount();
  }

  #openAccount(): void {
    if (this.financialAccountId !== null) return;
    this.ownAccount = this.context.openAccount(this);
    this.financialAccountId = this.ownAccount ?? null;
  }

  #moveTo(status: string): void {
    this.bankingStatus = status;
    if (status === PROFILE_APPROVED) this.#approvalDate = this.#today();
    // After a decision, the bank asks nothing more.
    if (FINAL.includes(status)) for (const ticket of this.#openTickets) ticket.status = RESOLVED_TICKET;
    this.context.report('ApplicationStatus', this, status);
  }

  #answerByChange(before: Holder, after: Holder): void {
    const answered = this.#openTickets.filter(({ updateFieldRequest: field }) => {
      return field !== null && requestedField(before, field) !== requestedField(after, field);
    });
    for (const ticket of answered) ticket.status = RESOLVED_TICKET;
    if (answered.length > 0) this.ticketAnswered();
  }

  get #owner() {
    return { partnerId: this.basics.partnerId, userProfileId: this.userProfileId };
  }

  get #openTickets() {
    return this.context.tickets.of(this.#owner).filter(isOpen);
  }

  #today(): string {
    return new Date(this.context.now()).toISOString();
  }

  get holderRecord(): Record<string, unknown> | undefined {
    const dates = { createdDate: this.#createdDate, updatedDate: this.#updatedDate };
    const { holder } = this;
    if (!holder) return undefined;
    const record = holderRecord(this.id, holder, dates, this.context.merchantProfileIdOf(this));
    return { ...record, ...Object.fromEntries(this.#hidden.map((field) => [field, null])) };
  }

  get record() {
    const { id, agentId, createdBy } = this.basics;
    const { bankingStatus, financialAccountId, isLocked, userProfileId, holder } = this;
    const isSubmitted = bankingStatus !== PROFILE_NEW;
    const codes = APPLICATION_STATUS as Readonly<Record<string, number>>;
    return {
      id,
      createdDate: this.#createdDate,
      updatedDate: this.#updatedDate,
      userProfileId,
      step: isSubmitted ? 4 : 1,
      accountHolderInformation: this.#personRecord,
      businessAccountHolder: this.holderRecord ?? null,
      isSubmitted,
      accountHolderId: isSubmitted ? `holder-${id}` : null,
      nickName: null,
      cardProductId: null,
      openApplicationId: isSubmitted ? `application-${id}` : null,
      financialAccountId,
      applicationStatus: codes[bankingStatus] ?? (REFUSED.includes(bankingStatus) ? 4 : 1),
      bankingStatus,
      applicationDate: this.#applicationDate,
      approvalDate: this.#approvalDate,
      isDeleted: false,
      isLocked,
      isAccessLocked: false,
      isMfaEnabled: false,
      isOtpEnabled: false,
      agentPayoutProfileId: agentId,
      salesRepresentativeId: null,
      rewordType: 1,
      isNew: !isSubmitted,
      isExceptional: false,
      profileSettings: {
        financialAccountsPermissions: {
          financialAccountsMaxNumber: MAX_ACCOUNTS,
          externalAccountsMaxNumber: 5,
        },
        transferAmountLimits: { achOutTransferAmountLimit: null, internalTransferAmountLimit: null },
        loanOff: true,
      },
      applicationCreationType: createdBy,
      exceptionalTemplateId: null,
      profileType: holder?.profileType ?? 0,
      accountType: holder ? 2 : 1,
      employer: null,
      lockFinancialAccountId: null,
      agreements: null,
    };
  }

  /** Null for a business, whose people are in its own record. */
  get #personRecord() {
    if (!this.person) return null;
    return {
      id: this.id,
      createdDate: this.#createdDate,
      updatedDate: this.#updatedDate,
      ...this.person,
      middleName: null,
      ssn: 'XXX-XX-XXXX',
      dateOfBirth: '1980-02-29T00:00:00Z',
      ...this.address,
      countryCodeAlpha3: 'USA',
    };
  }
}

/** Usual limit of active financial accounts for a customer (docs/partner-apis.md#banking-assumptions). */
export const MAX_ACCOUNTS = 5;
