/** The person or program that acts, as one text: `Ada Park (ada-17)`; a program acting for a person: `crm (API), for Ada Park`. */
import { omitUndefined } from './objects.js';

/** The name of a program. */
export const CLIENT_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** Reports whether a program may act for a person of this name. */
export function isPersonName(name: string): boolean {
  const form = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’_@+-]{0,99}(?:\([\p{L}\p{N}._@+|:-]{1,64}\))?$/u;
  const parts = [name.replace(IDENTITY, ''), IDENTITY.exec(name)?.[1] ?? ''];
  return form.test(name) && folded(name) !== '' && !looksLikeProgram(name) && !parts.some(mixesAlphabets);
}

/** Reports whether a text names a person with an ID: `Ada Park (ada-17)`. */
export function isColleague(text: unknown): text is string {
  return typeof text === 'string' && isPersonName(text) && personId(text) !== undefined;
}

/** Returns the ID in an actor, unchanged: `ada-17` for `Ada Park (ada-17)`. */
export function personId(actor: string): string | undefined {
  return IDENTITY.exec(actor)?.[1];
}

export const COLLEAGUE_RULE = 'must name a colleague with an ID, as in Ada Park (ada-17)';

export const PERSON_NAME_RULE =
  "must be 1 to 100 letters of one alphabet, digits, spaces and . ' _ @ + -, and may end with an ID, as in Ada Park (ada-17)";

/** Alphabets with letters that look alike. Real names mix Latin letters with Han, kana and Hangul, which are not listed. */
const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}])(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}])\p{L}/u,
];

/** `Ada` with a Cyrillic A would be another person, but look the same (Unicode UTS 39). */
function mixesAlphabets(text: string): boolean {
  return ALPHABETS.filter((alphabet) => alphabet.test(text)).length > 1;
}

/** In characters: a name of 100 and an ID of 200, both from an identity provider. Programs are shorter. */
export const LONGEST_ACTOR = 303;

/** Returns the actor of a program that the HTTP API has authenticated. @param person undefined if it acts in its own name */
export function programActor(client: string, person?: string): string {
  return person === undefined ? `${client} (API)` : `${client} (API), for ${person}`;
}

/** Returns the actor of an event that starts an onboarding: `urn-crm (event)`. The sender chooses the source. */
export function eventActor(source: string): string {
  const name = source
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return `${name.replace(/^-|-$/g, '') || 'unknown'} (event)`;
}

/** The actor as the subject of a sentence: `crm (API), for Ada Park,` has claimed it. */
export function asSubject(actor: string): string {
  const { program, person } = partsOfActor(actor);
  return program !== undefined && person !== undefined ? `${actor},` : actor;
}

/** Reports whether a text could be mistaken for a program or a merchant with a link. Every entry point refuses it from people. */
export function looksLikeProgram(actor: string): boolean {
  return /\( ?(?:api|event|l-[a-z0-9]{16}) ?\)/.test(folded(actor));
}

/** Returns the program and the person in an actor. */
export function partsOfActor(actor: string): { readonly program?: string; readonly person?: string } {
  const [, program, person] =
    /^([a-z0-9-]{1,40}) \((?:API|event)\)(?:, for (.+))?$/s.exec(actor.trim()) ?? [];
  return program === undefined ? { person: actor.trim() } : { program, ...omitUndefined({ person }) };
}

/** Reports whether two actors are the same person. Ignores case and surrounding spaces of an identity. */
export function isSamePerson(one: string, other: string): boolean {
  return personIdentity(one) === personIdentity(other);
}

/**
 * Returns what identifies an actor: the ID (`ada-17` for `Ada Park (ada-17)`), because names can change and IDs do not; without
 * one, the whole text. A program has the identity of its person, or its own.
 */
export function personIdentity(actor: string): string {
  const { person } = partsOfActor(actor);
  return folded(person === undefined ? actor : (personId(person) ?? person));
}

// Keeps F8.
/**
 * Reports whether an actor may be the proposer of an answer, and so must not confirm it: the same person, a full or first name
 * without an ID that matches, or a program in its own name.
 */
export function mayBeProposer(actor: string, proposer: string): boolean {
  const [one, other] = [partsOfActor(actor), partsOfActor(proposer)];
  if (one.person === undefined || other.person === undefined) return one.program === other.program;
  const nameOf = (person: string) => folded(person.replace(IDENTITY, ''));
  const areIdentified = IDENTITY.test(one.person) && IDENTITY.test(other.person);
  const names = [one.person, other.person].map((person) => `${nameOf(person)} `);
  const isCalled = names.every((name) =>
    names.every((whole) => whole.startsWith(name) || name.startsWith(whole)),
  );
  return isSamePerson(actor, proposer) || (!areIdentified && isCalled);
}

/** The subject at the identity provider, after a name. */
const IDENTITY = /\(([^()]*)\)$/;

/** Returns a text as people see it: without invisible characters, and with single spaces. */
export function folded(text: string): string {
  const seen = text.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, '');
  return seen.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** The roles of people in the console. Each includes the previous ones. */
export const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;

/** The rights of a program at the HTTP API. */
export const SCOPES = [
  'read',
  'private',
  'start',
  'answer',
  'claim',
  'approve',
  'documents',
  'link',
] as const;

/** A right of a program at the HTTP API. */
export type Scope = (typeof SCOPES)[number];
