import { hash, randomBytes, randomInt } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { ProposedAnswer } from '../../messages/claims.js';
import { DEFAULT_LINK_DAYS, LINK_LANGUAGES, LONGEST_LINK_DAYS } from '../../messages/codes.js';
import { NO_ACCOUNTS } from '../../messages/inputs.js';
import {
  ASK_LIMITS,
  askMerchant,
  isMerchant,
  LONGEST_ZONE,
  returnToMerchant,
  revokeLink,
  type Wanted,
} from '../../messages/links.js';
import { needsConfirmation, REQUIREMENT_KINDS, type Requirement } from '../../messages/requirements.js';
import { didYouMean } from '../../platform/settings/did-you-mean.js';
import { followFile } from '../../platform/settings/followed-file.js';
import { linkUrl } from '../../platform/settings/settings.js';
import { queryState } from '../../temporal/find-onboarding.js';
import { forgetLink, recordLink } from '../../temporal/links.js';
import { createSender, EndedOnboarding, type IdempotentRequest } from '../inbox/send-answer.js';
import { InvalidInput } from '../texts/invalid-input.js';
import { mapLines } from '../texts/json-lines.js';
import { isTimeZone } from '../texts/time.js';

/** Creates links to ask merchants. A person sends the address, by any channel: Gangway sends no email. */

export const linkCreationSettings = z.object({
  LINK_URL: linkUrl.optional(),
  LINK_TEMPLATES_FILE: z.string().optional().meta({
    description: 'Templates for questions to merchants (docs/links.md): a JSON object on each line.',
    unset: 'no templates',
  }),
});

export interface LinkSettings {
  readonly linkUrl?: string | undefined;
  readonly linkTemplates?: string | undefined;
  readonly taskQueue: string;
}

export function linksFrom(set: z.output<typeof linkCreationSettings>): Omit<LinkSettings, 'taskQueue'> {
  return { linkUrl: set.LINK_URL, linkTemplates: set.LINK_TEMPLATES_FILE };
}

const name = z.string().regex(/\S/, 'must not be empty').max(ASK_LIMITS.name);

export const wantedSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text') }),
  z.strictObject({ kind: z.literal('documents'), names: z.array(name).min(1).max(ASK_LIMITS.names) }),
  z.strictObject({
    kind: z.literal('fields'),
    fields: z
      .array(z.strictObject({ name, label: name }))
      .min(1)
      .max(ASK_LIMITS.names),
  }),
]);

/** The schema of a question to a merchant. */
export const merchantQuestion = z.strictObject({
  text: z.string().regex(/\S/, 'must not be empty').max(ASK_LIMITS.text).describe('What the merchant reads'),
  wants: wantedSchema,
  language: z.enum(LINK_LANGUAGES).default('en'),
  days: z.number().positive().max(LONGEST_LINK_DAYS).default(DEFAULT_LINK_DAYS),
  zone: z
    .string()
    .max(LONGEST_ZONE)
    .refine(isTimeZone, 'must be a time zone, such as America/New_York')
    .optional()
    .describe('Time zone in which the page shows times. Default: that of its process'),
  code: z
    .boolean()
    .default(false)
    .describe('Makes a code of six digits, which the merchant must enter first'),
});

export type MerchantQuestionInput = z.output<typeof merchantQuestion>;

const STATES = {
  open: 'has not answered yet',
  received: 'has answered',
  'sent-back': 'was asked to answer again',
  closed: 'can no longer answer',
  locked: 'entered a wrong code too often',
} as const;

/** Completes a sentence about the merchant who has a link. */
export function whatMerchantDid({ state, revision }: NonNullable<Requirement['link']>): string {
  const isDiscarded = state === 'open' && revision > 0;
  return isDiscarded ? 'can answer again: the last answer was discarded' : STATES[state];
}

const sendAsk = createSender(askMerchant, 'ask again if the merchant has no link then');
export const sendRevocation = createSender(revokeLink, 'repeat it if the link is still shown');
export const sendReturn = createSender(returnToMerchant, 'repeat it if the answer is still proposed');

/** A link for a merchant. Address and code are shown once, because the workflow stores only their hashes. */
export interface NewLink {
  readonly link: string;
  /** ISO 8601. */
  readonly until: string;
  /** Absent if a repeated request had already created the link. */
  readonly url?: string;
  readonly code?: string;
}

/** 32 characters that are hard to confuse. Five bits of each random byte select one. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789';

export const sha256 = (text: string): string => hash('sha256', text);

/** Hashes a code, salted with its link, so a table of all codes does not help. */
export const codeHash = (link: string, code: string): string => sha256(`${link} ${code}`);

/** @throws {InvalidInput} if the workflow refuses it, or there is no page for merchants */
export async function askThroughLink(
  client: Client,
  workflowId: string,
  about: { readonly requirementId: string; readonly actor: string },
  { days, code: needsCode, ...question }: MerchantQuestionInput,
  { linkUrl, taskQueue }: Pick<LinkSettings, 'linkUrl' | 'taskQueue'>,
  once?: IdempotentRequest,
): Promise<NewLink> {
  if (linkUrl === undefined)
    throw new InvalidInput('LINK_URL: is not set, so there is no page for merchants (docs/links.md)');
  await requireFields(client, workflowId, about.requirementId, question.wants);
  const link = `L-${[...randomBytes(16)].map((byte) => SIGNS[byte % SIGNS.length]).join('')}`;
  const token = randomBytes(32).toString('base64url');
  const code = needsCode ? String(randomInt(1_000_000)).padStart(6, '0') : undefined;
  const secrets = { tokenHash: sha256(token), ...(code && { codeHash: codeHash(link, code) }) };
  const until = new Date(Date.now() + days * 24 * 3_600_000).toISOString();
  // Record the link before asking, so that an address always leads to its question.
  await recordLink(
    client,
    link,
    {
      workflowId,
      requirementId: about.requirementId,
      tokenHash: secrets.tokenHash,
      language: question.language,
    },
    taskQueue,
  );
  const request = { ...about, ...question, link, ...secrets, until };
  const receipt = await sendAsk(client, workflowId, request, once).catch(async (error: unknown) => {
    // After any other error, a worker may still create the link.
    if (error instanceof InvalidInput || error instanceof EndedOnboarding) await forgetLink(client, link);
    throw error;
  });
  const isNew = receipt.link === link;
  if (!isNew) await forgetLink(client, link);
  return {
    link: receipt.link,
    until: receipt.until,
    ...(isNew && { url: `${linkUrl}/a/${link}/${token}`, ...(code && { code }) }),
  };
}

/** @throws {InvalidInput} for a field that a merchant's text cannot fill in */
async function requireFields(client: Client, workflowId: string, requirementId: string, wants: Wanted) {
  if (wants.kind !== 'fields') return;
  const { changeableFields, inputFor } = await import('../forms/corrections.js');
  const input = await inputFor(client, workflowId, await queryState(client, workflowId), requirementId);
  const fields = changeableFields(input, NO_ACCOUNTS).filter(({ kind }) => kind !== 'json');
  const names = fields.map((field) => field.name);
  const index = wants.fields.findIndex(({ name }) => !names.includes(name));
  const name = wants.fields[index]?.name;
  if (name === undefined) return;
  const suggestion = didYouMean(name, names);
  throw new InvalidInput(`wants.fields.${index}.name: is no field that a text can fill in${suggestion}`);
}

/** Reports whether everybody who may answer may confirm: true for a merchant’s text or documents without four-eyes. */
export function needsNoApprover(
  requirement: Requirement | undefined,
  proposed: Pick<ProposedAnswer, 'actor' | 'answer'> | undefined | null,
): boolean {
  if (!requirement || !proposed || !isMerchant(proposed.actor)) return false;
  const { kind } = proposed.answer;
  return (kind === 'text' || kind === 'documents') && !needsConfirmation(requirement, kind);
}

const SETTING = 'LINK_TEMPLATES_FILE';

export const templateSchema = merchantQuestion.pick({ text: true, wants: true, language: true }).extend({
  name,
  kinds: z.array(z.enum(REQUIREMENT_KINDS)).min(1).optional(),
  words: z.array(name).min(1).max(20).optional(),
});

export type Template = z.output<typeof templateSchema>;

/** Reads the templates, for each request, because the file may change. @throws {BadSetting} without quoting the file */
export function readTemplates(file: string | undefined): Template[] {
  if (file === undefined) return [];
  return followFile(SETTING, file, (text) =>
    mapLines(SETTING, text, templateSchema, (each) => each),
  ).lastGood();
}

/** Returns the templates for a requirement: those of its kind with a word that is in its text. */
export function templatesFor(
  all: readonly Template[],
  { kind, title, detail }: Pick<Requirement, 'kind' | 'title' | 'detail'>,
) {
  const text = `${title} ${detail}`.toLowerCase();
  return all.filter(
    ({ kinds, words }) =>
      (kinds?.includes(kind) ?? true) && (words?.some((word) => text.includes(word.toLowerCase())) ?? true),
  );
}
