import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import {
  type BoardingOperations,
  boardingOperations,
  FEES_PATH,
} from '../../../partners/boarding/operations.js';
import { UW_LEVEL_1_PENDING } from '../../../partners/boarding/schemas.js';
import { operationName } from '../../../partners/catalogue.js';
import type { Signs } from '../ledger.js';
import {
  type Content,
  controlsOf,
  type EmulatedPartner,
  type Handlers,
  invalidField,
  partnerRoutes,
  Refusal,
  statusLabel,
  type World,
} from '../routes.js';
import { plainName, scenarioOf, unknownMagicValue } from '../scenario.js';
import { type Owner, Store } from '../store.js';
import { Merchant, merchantChange, SCENARIOS } from './merchants.js';

/** Agent profiles of the sandbox, by ISO (assumed: docs/partner-apis.md#merchant-boarding). */
const AGENT_PROFILES = [
  { partnerId: 1, id: 101, name: 'Harbor Agents' },
  { partnerId: 1, id: 102, name: 'Lighthouse Sales' },
  { partnerId: 2, id: 201, name: 'Other ISO Agents' },
];

/** Boarding settings of the sandbox, by ISO (assumed: docs/partner-apis.md#merchant-boarding). */
const BOARDING_SETTINGS = [
  { partnerId: 1, id: 11, name: 'Standard' },
  { partnerId: 1, id: 12, name: 'Cash Discount' },
  { partnerId: 2, id: 21, name: 'Other ISO Standard' },
];

/** The fees that boarding settings fill in. */
const FEES = {
  cashDiscountRate: 3.5,
  minimumDiscountAmount: 25,
  minimumDiscountStartDate: '2026-01-01T00:00:00Z',
  minimumDiscountType: 'Monthly',
  earlyTerminationFeeAmount: 295,
  earlyTerminationFeeContractMonths: 36,
  visaMasterCardDiscover: { interchangePlus: { qualified: { perItem: 0.1, percent: 0.25 } } },
  authorizationMonthlyAndSpecialProgram: {
    chargeback: { perItem: 25, percent: 0 },
    statement: { perItem: 10, percent: 0 },
    pciAnnual: { perItem: 99, percent: 0 },
  },
  miscFees: [],
  miscFeesVolume: [],
};

/** The callers, by Basic credentials (the password is the user name, unless one is set for all). `partnerId` is the ISO. */
interface User extends Owner {
  readonly name: string;
  readonly mayWrite: boolean;
}

const USERS: readonly User[] = [
  { name: 'sandbox', partnerId: 1, mayWrite: true },
  { name: 'other-iso', partnerId: 2, mayWrite: true },
  { name: 'read-only', partnerId: 1, mayWrite: false },
];

/** The boarding partner behind its API: merchants and their rules (docs/partner-apis.md#merchant-boarding-rules). */
class BoardingService {
  readonly #merchants = new Store<Merchant>({
    kind: 'merchant',
    owner: 'ISO',
    id: (number) => 1_000 + number,
  });
  readonly #idsByName = new Map<string, Map<string | number, number>>();

  constructor(private readonly world: World) {}

  find(id: number): Merchant | undefined {
    return this.#merchants.find(id);
  }

  /** Returns the IDs of the merchants with this name, ignoring magic values, of any ISO; of several with one guid, the latest. */
  idsNamed(dba: string): readonly number[] {
    return [...(this.#idsByName.get(plainName(dba))?.values() ?? [])];
  }

  /** Returns the latest merchant with the same name and guid: the same customer, boarded again. */
  latestLike(id: number): number {
    const merchant = this.find(id);
    return (merchant && this.#idsByName.get(plainName(merchant.basics.dba))?.get(keyOf(merchant))) ?? id;
  }

  readonly handlers: Handlers<BoardingOperations, User> = {
    listAgentProfiles: (_, user) =>
      ofIso(AGENT_PROFILES, user).map(({ id, name }) => ({
        id,
        name,
        payoutNumber: `P-${id}`,
        agentId: id + 1_000,
        agentName: name,
        agentOfficeId: id + 2_000,
        agentOfficeName: `${name} Office`,
        agentUserName: `agent${id}`,
        email: `agent${id}@example.com`,
      })),
    listBoardingSettings: (_, user) =>
      ofIso(BOARDING_SETTINGS, user).map(({ id, name }) => ({
        id,
        name,
        bin: '012345',
        bank: '0099',
        association: '000123',
        agent: '000045',
        discoverEnabled: true,
        icaNumber: '1234',
        ergId: '0042',
        noFees: false,
        allowSpecifyMIDBoardingAPI: false,
      })),
    createMerchantV1: (request, user) => this.#create('createMerchantV1', request, user),
    createMerchant: (request, user) => this.#create('createMerchant', request, user),
    getFees: ({ id }, user) => this.#merchant(id, user).fees,
    updateFees: ({ id, ...fees }, user) =>
      this.#change('updateFees', id, user, (merchant) => {
        merchant.fees = fees;
      }),
    submitMerchant: ({ merchantProfileId, ...application }, user) => {
      // Without an ID, the real service also creates a merchant; the contract does not say what it needs for that.
      if (merchantProfileId === undefined)
        throw invalidField('merchantProfileId', 'is required by the sandbox');
      return this.#submit('submitMerchant', merchantProfileId, user, application);
    },
    submitMerchantV1: ({ id }, user) => this.#submit('submitMerchantV1', id, user, {}),
    getStatus: ({ id }, user) => this.#merchant(id, user, true).statusData,
    getStatus2: ({ id }, user) => {
      return { ...this.#merchant(id, user, true).statusData, success: true, error: null };
    },
    updateStatus: ({ id, status, comment = null }, user) =>
      this.#change('updateStatus', id, user, (merchant) => merchant.set({ status, comment })),
    uploadAttachment: ({ id, file, description = null }, user) => {
      const { fileName, contentType, content } = file;
      const attachment = { fileName, contentType, bytes: content.byteLength, description };
      const add = (merchant: Merchant) => merchant.attachments.push(attachment);
      return this.#change('uploadAttachment', id, user, add, { name: fileName });
    },
    getUnderwritingNotes: ({ id }, user) => this.#merchant(id, user).notes,
    requestUnderwritingReview: ({ id, comment }, user) =>
      this.#change('requestUnderwritingReview', id, user, (merchant) => {
        if (!merchant.review(comment))
          throw invalidField('id', `is ${merchant.status}, not under underwriting`);
      }),
    setUnderwritingPending: ({ id }, user) =>
      this.#change('setUnderwritingPending', id, user, (merchant) =>
        merchant.set({ status: UW_LEVEL_1_PENDING }),
      ),
  } satisfies Required<Handlers<BoardingOperations, User>>;

  #create(
    operation: 'createMerchant' | 'createMerchantV1',
    basics: z.output<BoardingOperations['createMerchant']['request']>,
    user: User,
  ) {
    const { dba, agentProfileId, boardingSettingsId } = basics;
    const scenario = scenarioOf(SCENARIOS, dba);
    if (!scenario) throw invalidField('dba', unknownMagicValue(SCENARIOS, dba));
    const profile = AGENT_PROFILES.find(({ id }) => id === agentProfileId);
    if (!profile) throw new Refusal(404, `agentProfileId ${agentProfileId} not found`);
    if (profile.partnerId !== user.partnerId)
      throw new Refusal(403, 'The agent profile belongs to another ISO');
    const hasSettings = ofIso(BOARDING_SETTINGS, user).some(({ id }) => id === boardingSettingsId);
    if (boardingSettingsId !== undefined && !hasSettings)
      throw new Refusal(404, `boardingSettingsId ${boardingSettingsId} not found`);
    const fees = hasSettings ? structuredClone(FEES) : {};
    const merchant = this.#merchants.add(
      user,
      (id) => new Merchant(Number(id), user.partnerId, basics, fees, scenario, this.world.pace),
    );
    const name = plainName(dba);
    this.#idsByName.set(name, (this.#idsByName.get(name) ?? new Map()).set(keyOf(merchant), merchant.id));
    this.#record(operation, merchant);
    return { merchantProfileId: merchant.id };
  }

  #submit(
    operation: 'submitMerchant' | 'submitMerchantV1',
    merchantProfileId: number,
    user: User,
    application: Record<string, unknown>,
  ) {
    this.#change(operation, merchantProfileId, user, (merchant) => {
      if (!merchant.submit(application))
        throw invalidField('merchantProfileId', `is ${merchant.status}: already submitted`);
    });
    return { merchantProfileId };
  }

  #merchant(id: number, user: User, isStatusRead = false): Merchant {
    const merchant = this.#merchants.get(id, user);
    merchant.advance(isStatusRead);
    return merchant;
  }

  /** Makes a change that takes effect unless it throws. Its response has no payload. */
  #change(
    operation: keyof BoardingOperations,
    id: number,
    user: User,
    make: (merchant: Merchant) => unknown,
    signs?: Signs,
  ): null {
    const merchant = this.#merchant(id, user);
    make(merchant);
    this.#record(operation, merchant, signs);
    return null;
  }

  #record(operation: keyof BoardingOperations, { id, basics: { guid } }: Merchant, signs?: Signs): void {
    const own = { ...(guid !== undefined && { guid }), ...signs };
    this.world.ledger.record({ system: 'boarding', operation: operationName(operation), id, ...own });
  }
}

/** Returns the identity of a customer among those with the same name, from the request. */
function keyOf({ id, basics }: Merchant): string | number {
  return basics.guid ?? id;
}

function ofIso<T extends Owner>(all: readonly T[], { partnerId }: User): T[] {
  return all.filter((entry) => entry.partnerId === partnerId);
}

/** Serves every boarding operation of the catalogue (docs/partner-apis.md#merchant-boarding). */
function boardingRoutes(server: FastifyInstance, service: BoardingService, world: World): void {
  let requests = 0;
  partnerRoutes(server, world, {
    name: 'boarding',
    operations: boardingOperations(world.posNames),
    handlers: service.handlers,
    admit: ({ headers }, { method }) => {
      const credentials = ({ name }: User) =>
        Buffer.from(`${name}:${world.password ?? name}`).toString('base64');
      const caller = USERS.find((user) => headers.authorization === `Basic ${credentials(user)}`);
      if (!caller) throw outsideEnvelope(401, 'Unauthorized', 'Invalid credentials');
      if (method !== 'GET' && !caller.mayWrite)
        throw outsideEnvelope(403, 'Forbidden', 'No permission for this operation');
      return caller;
    },
    move: ({ id, merchantProfileId }, meanwhile) =>
      service.find(Number(merchantProfileId ?? id))?.meanwhile(meanwhile),
    envelope: ({ path }, content) => {
      const envelope = path === FEES_PATH ? feesEnvelope : commonEnvelope;
      return envelope({ ...content, requestId: 70_000 + ++requests });
    },
  });
}

interface NumberedContent extends Content {
  readonly requestId: number;
}

/** The form that refusals of a caller have (docs/partner-apis.md#merchant-boarding-assumptions). */
function outsideEnvelope(status: number, error: string, message: string): Refusal {
  return new Refusal(status, message, [], { error, message });
}

function commonEnvelope({ data, status, error, fields, requestId }: NumberedContent) {
  const validationResults = fields.map(({ field, message }) => ({
    memberNames: [field],
    errorMessage: message,
  }));
  return { data, status: statusLabel(status), error, warning: null, validationResults, requestId };
}

function feesEnvelope({ data, error, fields, requestId }: NumberedContent) {
  const validationErrors = fields.map(({ field, message }) => ({ field, error: message }));
  return { data, requestId, success: error === null, error, validationErrors };
}

/** `/sandbox/merchants/...`: what tests and demos steer. */
function boardingControlRoutes(server: FastifyInstance, service: BoardingService): void {
  controlsOf(server, {
    kind: 'merchant',
    find: (id) => service.find(Number(id)),
    render: (merchant) => {
      const { id, isoId, basics, fees, notes, application, attachments, reviewComments, statusData } =
        merchant;
      return { id, isoId, basics, ...statusData, fees, notes, application, attachments, reviewComments };
    },
    change: merchantChange,
    apply: (merchant, change) => {
      merchant.set(change);
      return merchant.statusData;
    },
  });
}

export const boardingPartner: EmulatedPartner = {
  credentials: { BOARDING_USERNAME: 'sandbox', BOARDING_PASSWORD: 'sandbox' },
  scenarios: {
    merchants: Object.entries(SCENARIOS).map(([name, { description }]) => ({ name, description })),
    users: USERS.map(({ name, partnerId: isoId, mayWrite }) => {
      return { username: name, password: name, isoId, mayWrite };
    }),
  },
  start(server, world) {
    const service = new BoardingService(world);
    world.merchants = service;
    boardingRoutes(server, service, world);
    boardingControlRoutes(server, service);
  },
};
