import { z } from 'zod';
import { LINK_ENDS, LINK_LANGUAGES } from '../../../messages/codes.js';
import { ASK_LIMITS, LINK_LIMITS, LINK_SECRET } from '../../../messages/links.js';
import { MOST_FILES } from '../../../partners/documents/document-types.js';
import { merchantQuestion, wantedSchema } from '../../../services/links/create-link.js';
import { at, example, person, proposedAt } from './shapes.js';

/** The shapes of requests and responses about links. */

const sentence = (most: number) => z.string().regex(/\S/, 'must not be empty').max(most);

export const askRequest = example(merchantQuestion.extend({ person }), {
  text: 'Please send a photo of a voided check.',
  wants: { kind: 'documents', names: ['Voided check'] },
  person: 'Ada Park',
});
export const revokeLinkRequest = example(z.strictObject({ person }), { person: 'Ada Park' });
export const sendBackRequest = example(
  z.strictObject({ proposedAt, text: sentence(ASK_LIMITS.text), person }),
  {
    proposedAt: '2026-01-31T12:00:00.000Z',
    text: 'The photo is cut off at the right.',
    person: 'Ada Park',
  },
);
export const newLink = z.object({
  link: z.string(),
  until: at,
  url: z
    .string()
    .optional()
    .describe('Shown once, because only its hash is kept. Absent for a repeated request'),
  code: z.string().optional().describe('Tell it to the merchant by another channel'),
});

const secret = z.string().max(100);
const holderFields = { token: secret, session: secret.optional() };
export const readLinkRequest = z.strictObject(holderFields);
export const enterRequest = z.strictObject({
  token: secret,
  code: z.string().max(20),
  session: z.string().regex(LINK_SECRET, 'must be 256 random bits in base64url'),
});
export const merchantRequest = z.strictObject({
  ...holderFields,
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('text'), text: sentence(LINK_LIMITS.text) }),
    z.strictObject({
      kind: z.literal('documents'),
      documents: z.array(z.int().min(1).max(LINK_LIMITS.documents)).min(1).max(MOST_FILES),
    }),
    z.strictObject({
      kind: z.literal('fields'),
      values: z.record(z.string().max(ASK_LIMITS.name), sentence(LINK_LIMITS.remark)),
    }),
  ]),
  remark: sentence(LINK_LIMITS.remark).optional(),
});

export const linkDocument = z.object({ id: z.int(), fileName: z.string(), at });
const language = z.enum(LINK_LANGUAGES);
export const linkView = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('closed'),
    language,
    why: z.enum(LINK_ENDS),
  }),
  z.object({ state: z.literal('code'), language, attemptsLeft: z.int() }),
  z.object({
    state: z.enum(['open', 'received', 'sent-back']),
    language,
    zone: z.string().optional(),
    dba: z.string().optional(),
    text: z.string(),
    wants: wantedSchema,
    expiresAt: at,
    documents: z.array(linkDocument),
    revision: z.int(),
    began: z.boolean(),
    answer: z.record(z.string(), z.unknown()).optional().describe('What the merchant sent last'),
    message: z.string().optional().describe('Why it was sent back'),
  }),
]);

/** The schemas of links with a name in the OpenAPI document. */
export const NAMED_OF_LINKS = {
  AskRequest: askRequest,
  NewLink: newLink,
  RevokeLinkRequest: revokeLinkRequest,
  SendBackRequest: sendBackRequest,
  ReadLinkRequest: readLinkRequest,
  EnterRequest: enterRequest,
  MerchantRequest: merchantRequest,
  LinkView: linkView,
  LinkDocument: linkDocument,
  Wanted: wantedSchema,
} as const;

export const linkPath = z.strictObject({ link: z.string().max(40) });
