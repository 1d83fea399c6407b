import { z } from 'zod';
import {
  absent,
  byName,
  dateTime,
  documentedText,
  exactJson,
  int32,
  isAmong,
  json,
  list,
  needed,
  someDateTime,
  sometimes,
  statusName,
  text,
} from '../field-schemas.js';
import type { MerchantPhase } from './phases.js';

/** The `pos` names in the contract. It leaves out sixteen product names, see `BOARDING_POS_NAMES`. */
export const DOCUMENTED_POS_NAMES = ['None', 'CustomPos'] as const;

/** Create merchant request (v1): docs/partner-apis.md#merchant-boarding. */
export function createMerchantRequest(posNames: readonly string[]) {
  return z.strictObject({
    cashDiscount: z.enum(['Yes', 'No']),
    firstName: text,
    lastName: text,
    dba: text,
    pos: z.enum([...DOCUMENTED_POS_NAMES, ...posNames]),
    agentProfileId: int32,
    email: z.string().optional(),
    boardingSettingsId: int32.optional(),
    guid: z.string().optional(),
  });
}

/** The fields of a create about the merchant itself, without the IDs that Gangway looks up and our own key. */
export function merchantBasics(posNames: readonly string[]) {
  const ids = { agentProfileId: true, boardingSettingsId: true, guid: true } as const;
  return createMerchantRequest(posNames).omit(ids);
}

/**
 * Create merchant request (v2). Assumed to equal v1 (docs/partner-apis.md#merchant-boarding-assumptions). The contract calls its
 * data model more complete, so further fields are sent unchanged.
 */
export function createMerchantV2Request(posNames: readonly string[]) {
  return z.looseObject(createMerchantRequest(posNames).shape);
}

function everyValue(
  value: unknown,
  visit: (value: unknown, path: string[]) => void,
  path: string[] = [],
): void {
  visit(value, path);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inside] of Object.entries(value)) everyValue(inside, visit, [...path, key]);
}

const feeAmount = z.number({ error: ({ input }) => (input === undefined ? 'is required' : undefined) });

const feeLine = z.looseObject({ perItem: feeAmount, percent: feeAmount });

/**
 * A group of fees. The contract does not list the fields of groups, only that every fee line in them has `perItem` (dollars per
 * transaction) and `percent` (a rate). This checks that, at any depth.
 */
const feeGroup = (anyValue: z.ZodType) =>
  z
    .record(z.string(), anyValue)
    .superRefine((group, context) =>
      everyValue(group, (value, path) => {
        const isLine =
          typeof value === 'object' && value !== null && ('perItem' in value || 'percent' in value);
        const issues = isLine ? (feeLine.safeParse(value).error?.issues ?? []) : [];
        for (const { message, path: inside } of issues) {
          context.addIssue({ code: 'custom', message, path: [...path, ...inside] });
        }
      }),
    )
    .describe('Every fee line in it has both perItem (dollars per transaction) and percent (a rate)');

/**
 * The card brand fee flags (docs/partner-apis.md#merchant-boarding-rules). Their groups are unknown, so they may be at any depth.
 */
const feeFlags = z
  .record(z.string(), json)
  .superRefine((group, context) =>
    everyValue(group, (value, path) => {
      const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!isGroup && typeof value !== 'boolean') {
        context.addIssue({ code: 'custom', message: 'must be true or false', path });
      }
    }),
  )
  .describe('Flags: every value in it is true or false');

const feeFields = (group: z.ZodType) => ({
  cashDiscountRate: z.number(),
  minimumDiscountAmount: z.number().min(0).max(500),
  minimumDiscountStartDate: dateTime,
  minimumDiscountType: z.enum(['Daily', 'Monthly']),
  earlyTerminationFeeAmount: z.number().min(0).max(999_999),
  earlyTerminationFeeContractMonths: z.int().min(0).max(60),
  amex: group,
  visaMasterCardDiscover: group,
  authorizationMonthlyAndSpecialProgram: group,
  pos: group,
  standard: group,
  cardBrand: feeFlags,
  debitPinAndEBT: group,
  gatewayProducts: group,
  miscFees: z.array(group),
  miscFeesVolume: z.array(group),
});

/** The fees of a merchant that a person may change: only known fields, to catch typos. */
export const feeChanges = z.strictObject(feeFields(feeGroup(json))).partial();

/**
 * Merchant fees in a request (docs/partner-apis.md#merchant-boarding-rules). Unknown fields are accepted: an update sends back all
 * fees that were read, with the changes, and must not drop fields or round numbers.
 */
export const merchantFees = z.looseObject(nullable(feeFields(feeGroup(exactJson)))).partial();

function nullable<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = Object.entries(shape).map(([name, schema]) => [name, z.nullable(schema)]);
  return Object.fromEntries(fields) as { [Name in keyof Shape]: z.ZodNullable<Shape[Name]> };
}

/**
 * Fee names without case and separators. `cash_discount_rate` is another spelling of a known fee, not a fee of the partner's own.
 */
const FEE_FIELDS = new Map(Object.keys(feeFields(json)).map((name) => [plainFieldName(name), name]));

function plainFieldName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Merchant fees in a response. Without boarding settings, they are empty until they are set. */
export const merchantFeesRead = z
  .record(z.string(), z.unknown())
  .refine(
    (fees) =>
      typeof fees['data'] !== 'object' &&
      Object.keys(fees).every((name) => [undefined, name].includes(FEE_FIELDS.get(plainFieldName(name)))),
    'has fees under other names than the documented ones',
  )
  .nullish()
  .transform((fees) => fees ?? {});

/** Text or a number, with all its digits, because leading zeros matter. Removes padding and group separators. */
const midText = z.union([z.string(), z.number()]).transform((mid) =>
  String(mid)
    .replaceAll('\0', ' ')
    .trim()
    .replace(/(?<=\d)[ -](?=\d)/g, ''),
);

/**
 * Reports whether a text is certainly a mid: 1 to 20 digits, but not all 0, or a placeholder that repeats one digit four or more
 * times.
 */
export function isMid(text: string): boolean {
  return /^(?!0+$|(\d)\1{3,19}$)\d{1,20}$/.test(text);
}

/**
 * The merchant status names that Gangway acts on, documented (docs/partner-apis.md#merchant-boarding-rules) or assumed. There are
 * more, and they depend on the ISO. With any other name, Gangway shows it and waits for the next. No other file depends on a status
 * name.
 */
export const NOT_SUBMITTED = 'Not Submitted';
export const PENDING = 'Pending';
export const PENDING_REVIEW = 'Pending Review';
export const MERCHANT_APPROVED = 'Approved';
export const DECLINED = 'Declined';
export const REQUEST_CHANGES = 'RequestChanges';
export const WITHDRAWN = 'Withdrawn';
export const MERCHANT_CLOSED = 'Closed';
export const UW_LEVEL_1 = 'UW Level 1';
export const UW_LEVEL_1_PENDING = 'UW Level 1: Pending';
export const UW_LEVEL_1_PENDING_REVIEW = 'UW Level 1: Pending Review';

/** Names that documents mention but do not explain. */
const UNEXPLAINED = [UW_LEVEL_1, 'UW Level 2', 'Conditionally Approved', 'CR:POS Equipment', PENDING_REVIEW];

const PHASES: ReadonlyMap<string, MerchantPhase> = new Map([
  [NOT_SUBMITTED, 'not-submitted'],
  [PENDING, 'pending'],
  [MERCHANT_APPROVED, 'approved'],
  [DECLINED, 'declined'],
  [REQUEST_CHANGES, 'changes-requested'],
  [WITHDRAWN, 'withdrawn'],
  [MERCHANT_CLOSED, 'closed'],
]);

/** The documented names. The statuses of the underwriters' levels have a common ending. */
const STATUS_NAMES = [...PHASES.keys(), ...UNEXPLAINED, `*: ${PENDING}`, `*${PENDING_REVIEW}`];

/** Reports whether this status name is documented. A person must explain any other. */
export function isDocumentedMerchantStatus(status: string): boolean {
  return isAmong(STATUS_NAMES, status);
}

/**
 * Returns the phase of a status. The statuses of the underwriters' levels have a common ending: `UW Level 1: Pending`
 * (docs/partner-apis.md#merchant-boarding-rules).
 */
export function merchantPhase(status: string): MerchantPhase {
  const phase = byName(PHASES, status);
  if (phase !== undefined) return phase;
  if (isAmong([`*${PENDING_REVIEW}`], status)) return 'in-review';
  return isAmong([`*: ${PENDING}`], status) ? 'awaiting-answers' : 'other';
}

/** Status data: docs/partner-apis.md#merchant-boarding. `status` is open: the list depends on the caller's ISO. */
export const merchantStatus = z.looseObject({
  status: needed(statusName(z.string(), STATUS_NAMES)),
  /** ISO 8601: when the status was last set. */
  statusDate: needed(someDateTime),
  comment: needed(absent(z.string())),
  /** May be present, temporarily, before approval: docs/partner-apis.md#merchant-boarding-assumptions. Blank text is not a mid. */
  mid: needed(sometimes(documentedText(absent(midText).transform((mid) => mid || null)))),
});

/** Status data of `status2` (assumed). The contract mentions the two fields. */
export const merchantStatus2 = merchantStatus.extend({
  success: sometimes(z.boolean().nullish()),
  error: sometimes(z.string().nullish()),
});

export const underwritingNote = z.looseObject({
  text: needed(z.string()),
  author: needed(absent(z.string())),
  date: needed(someDateTime),
});

/** An empty or absent list means no pending notes (B4). */
export const underwritingNotes = list(underwritingNote);

/** 0 means no ID, so such a response does not prove a create. */
const createdId = int32.refine((id) => id > 0, 'must be an id, from 1 on');

/** The merchant in the response to a create. Documented as `{merchantProfileId}`; a bare number is accepted too. */
export const createdMerchant = z.union([
  z.looseObject({ merchantProfileId: needed(createdId) }),
  createdId.transform((merchantProfileId) => ({ merchantProfileId })),
]);

/** Agent profile (assumed: docs/partner-apis.md#merchant-boarding). `id` is the `agentProfileId` of a create. */
export const agentProfile = z.looseObject({
  id: needed(int32),
  name: needed(absent(z.string())),
  payoutNumber: sometimes(z.string().nullish()),
  agentId: sometimes(z.number().nullish()),
  agentName: sometimes(z.string().nullish()),
  agentOfficeId: sometimes(z.number().nullish()),
  agentOfficeName: sometimes(z.string().nullish()),
  agentUserName: sometimes(z.string().nullish()),
  email: sometimes(z.string().nullish()),
});

/** Boarding settings (assumed: docs/partner-apis.md#merchant-boarding). `id` is the `boardingSettingsId` of a create. */
export const boardingSettings = z.looseObject({
  id: needed(int32),
  name: needed(absent(z.string())),
  bin: sometimes(z.string().nullish()),
  bank: sometimes(z.string().nullish()),
  association: sometimes(z.string().nullish()),
  agent: sometimes(z.string().nullish()),
  discoverEnabled: sometimes(z.boolean().nullish()),
  icaNumber: sometimes(z.string().nullish()),
  ergId: sometimes(z.string().nullish()),
  noFees: sometimes(z.boolean().nullish()),
  allowSpecifyMIDBoardingAPI: sometimes(z.boolean().nullish()),
});

/**
 * v2 submit (docs/partner-apis.md#merchant-boarding-assumptions): the complete application. The contract does not list its fields,
 * so they are sent unchanged.
 */
export const submitMerchantRequest = z.looseObject({
  merchantProfileId: int32.optional(),
  merchantProfile: z.record(z.string(), json).optional(),
  businessAndOwnerInformation: z.record(z.string(), json).optional(),
  salesAndBusinessProfile: z.record(z.string(), json).optional(),
  siteInspection: z.record(z.string(), json).optional(),
  serviceAcceptance: z.record(z.string(), json).optional(),
  fees: z.record(z.string(), json).optional(),
  equipment: json.optional(),
});

/** Our limit for one uploaded document, in bytes. The contract has none. */
export const MAX_ATTACHMENT_BYTES = 25 * 1024 * 1024;

/** A file part: see `FilePart` in the catalogue. On the wire it is bytes. */
export const filePart = z
  .strictObject({
    fileName: text,
    contentType: text,
    content: z
      .instanceof(Uint8Array)
      .refine((content) => content.byteLength > 0, 'must not be empty')
      .refine((content) => content.byteLength <= MAX_ATTACHMENT_BYTES, 'must be at most 25 MiB'),
  })
  .meta({ contentMediaType: 'application/octet-stream', description: 'Not empty, at most 25 MiB' });

export type UnderwritingNote = z.output<typeof underwritingNote>;
