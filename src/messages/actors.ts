/** Who does something, as one text: `Ada Park (ada-17)`, a person; `crm (API), for Ada Park`, a program that acts for one. */
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

/** `ada-17` of `Ada Park (ada-17)`, as it is written. */
export function personId(actor: string): string | undefined {
  return IDENTITY.exec(actor)?.[1];
}

export const COLLEAGUE_RULE = 'must name a colleague with an ID, as in Ada Park (ada-17)';

export const PERSON_NAME_RULE =
  "must be 1 to 100 letters of one alphabet, digits, spaces and . ' _ @ + -, and may end with an ID, as in Ada Park (ada-17)";

/** Letters of one of these look like letters of another one. Han, kana and Hangul stand beside Latin letters in real names. */
const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}])(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}])\p{L}/u,
];

/** `Ada` with a Cyrillic first letter would be a second person whom nobody can tell from Ada (Unicode UTS 39). */
function mixesAlphabets(text: string): boolean {
  return ALPHABETS.filter((alphabet) => alphabet.test(text)).length > 1;
}

/** In characters: a name of 100 with an ID of 200, as an identity provider may have it. Programs are shorter. */
export const LONGEST_ACTOR = 303;

/** Makes the actor for a program that the HTTP API has authenticated. @param person undefined: it acts by itself */
export function programActor(client: string, person?: string): string {
  return person === undefined ? `${client} (API)` : `${client} (API), for ${person}`;
}

/** The actor for an event that starts an onboarding: `urn-crm (event)`. The sender chooses the source. */
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

/** Reports whether a text could be mistaken for the actor of a program, or for a merchant behind a link. Doors refuse it from people. */
export function looksLikeProgram(actor: string): boolean {
  return /\( ?(?:api|event|l-[a-z0-9]{16}) ?\)/.test(folded(actor));
}

/** The program and the person of an actor. */
export function partsOfActor(actor: string): { readonly program?: string; readonly person?: string } {
  const [, program, person] =
    /^([a-z0-9-]{1,40}) \((?:API|event)\)(?:, for (.+))?$/s.exec(actor.trim()) ?? [];
  return program === undefined ? { person: actor.trim() } : { program, ...omitUndefined({ person }) };
}

/** Reports whether two actors are one person. Case and spaces at the ends of an identity make no difference. */
export function isSamePerson(one: string, other: string): boolean {
  return personIdentity(one) === personIdentity(other);
}

/**
 * `ada-17` of `Ada Park (ada-17)`: people can change their name, and the subject at the identity provider stays. Else the whole text. A
 * program acts with the identity of its person, or with its own.
 */
export function personIdentity(actor: string): string {
  const { person } = partsOfActor(actor);
  return folded(person === undefined ? actor : (personId(person) ?? person));
}

// Keeps F8.
/**
 * Reports whether an actor may be the one who proposed an answer, and so must not confirm it: the same person, perhaps by a name or a
 * first name without an identity, or a program in its own name.
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

/** A text as people read it: without characters that nobody sees, and with single spaces. */
export function folded(text: string): string {
  const seen = text.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, '');
  return seen.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** The roles of people in the console. Each includes the ones before it. */
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
