import { z } from 'zod';
import { COLLEAGUE_RULE, folded, isColleague, ROLES } from '../../messages/actors.js';
import { type Assignment, LONGEST_REMARK, type Remark } from '../../messages/claims.js';
import { didYouMean } from '../../platform/settings/did-you-mean.js';
import { followFile } from '../../platform/settings/followed-file.js';
import { isInSomeAccount } from '../../temporal/find-onboarding.js';
import { UNNAMED } from '../reports/report.js';
import { InvalidInput } from '../texts/invalid-input.js';
import { mapLines } from '../texts/json-lines.js';

const SETTING = 'GANGWAY_PEOPLE_FILE';

export const peopleSettings = z.object({
  [SETTING]: z.string().optional().meta({
    description: 'File with the [colleagues](console.md#colleagues) to whom people assign requirements.',
    format: 'path',
    unset: 'people claim requirements for themselves only',
  }),
});

export const personLine = z
  .strictObject({
    name: z.string(),
    id: z.string(),
    role: z.enum(ROLES),
    accounts: z.array(z.string()).min(1).optional(),
  })
  .refine(({ name, id }) => isColleague(`${name} (${id})`), `the name and the ID together ${COLLEAGUE_RULE}`);

export interface Colleague {
  readonly name: string;
  readonly id: string;
  /** `Ada Park (ada-17)` */
  readonly actor: string;
  readonly role: (typeof ROLES)[number];
  /** '' for the unnamed account; undefined for all. */
  readonly accounts: readonly string[] | undefined;
}

/**
 * @param accounts the names of all partner accounts
 * @throws {BadSetting} with the number of the first invalid line, without quoting it
 */
export function peopleIn(text: string, accounts: readonly string[]): Colleague[] {
  const taken = new Set<string>();
  return mapLines(SETTING, text, personLine, (data, bad) => {
    const own = [data.name, data.id].map(folded);
    if (own.some((each) => taken.has(each))) throw bad('another line has this name or ID');
    for (const each of own) taken.add(each);
    if (data.accounts?.some((name) => name !== UNNAMED && !accounts.includes(name)))
      throw bad(`accounts: must be ${UNNAMED} or one of GANGWAY_ACCOUNTS`);
    const { name, id, role } = data;
    const seen = data.accounts?.map((account) => (account === UNNAMED ? '' : account));
    return { name, id, role, actor: `${name} (${id})`, accounts: seen };
  });
}

export type ReadPeople = () => readonly Colleague[];

/** Returns a reader of the last valid version of a file of colleagues. @throws {BadSetting} if the file is invalid at first */
export function followPeople(file: string | undefined, accounts: readonly string[]): ReadPeople {
  if (file === undefined) return () => [];
  const { lastGood } = followFile(SETTING, file, (text) => peopleIn(text, accounts));
  lastGood();
  return lastGood;
}

/** Returns the colleagues who see one of these accounts, the only ones to show. @param own undefined for all accounts */
export function seenWithin(people: readonly Colleague[], own: readonly string[] | undefined) {
  const isShared = (account: string) => own?.includes(account) ?? true;
  return people.filter((each) => each.accounts?.some(isShared) ?? true);
}

/** Returns the colleagues who may answer requirements of this workflow or, without `workflowId`, of any workflow. */
export function colleaguesFor(people: readonly Colleague[], workflowId?: string): readonly Colleague[] {
  const sees = ({ accounts }: Colleague) => workflowId === undefined || isInSomeAccount(workflowId, accounts);
  return people.filter((each) => each.role !== 'viewer' && sees(each));
}

/** Returns the names for a colleague: the ID, the name, and its first words. */
function namesOf({ name, id }: Colleague): string[] {
  const words = name.split(' ');
  const beginnings = words.map((_, at) => words.slice(0, at + 1).join(' '));
  return [id, ...beginnings].map(folded);
}

/**
 * Returns the colleague with a name, an ID, `Ada Park (ada-17)`, or a unique first name.
 *
 * @throws {InvalidInput} with the most similar names
 */
export function colleagueOf(people: readonly Colleague[], text: string, field: string): Colleague {
  const wanted = folded(text);
  if (wanted === '') throw new InvalidInput(`${field}: type the name of a colleague`);
  const whole = people.find(({ name, id, actor }) =>
    [name, id, actor].some((each) => folded(each) === wanted),
  );
  const named = whole ? [whole] : people.filter((each) => namesOf(each).includes(wanted));
  const [only] = named;
  if (only && named.length === 1) return only;
  const quoted = JSON.stringify(text.slice(0, LONGEST_NAME));
  if (only) {
    const some = named.slice(0, 3).map(({ actor }) => actor);
    throw new InvalidInput(`${field}: ${quoted} can be ${some.join(' or ')}; write the whole name`);
  }
  if (people.length === 0) throw new InvalidInput(`${field}: no colleague is known; check ${SETTING}`);
  const names = people.flatMap(({ name, id }) => [id, name.split(' ')[0] ?? name, name]);
  const distinct = new Map(names.map((each) => [folded(each), each])).values();
  throw new InvalidInput(`${field}: no colleague is called ${quoted}${didYouMean(text, distinct)}`);
}

const LONGEST_NAME = 100;

/** The longest text that can name a colleague. */
const LONGEST_MENTION = 170;

/** Returns the colleagues in a text: `@Ada Park`, `@Ada` or `@ada-17`, but not an email address. @throws {InvalidInput} */
export function mentionsIn(people: readonly Colleague[], text: string): Colleague[] {
  if (people.length === 0) return [];
  const longestFirst = people.flatMap(namesOf).sort((one, other) => other.length - one.length);
  const names = [...text.matchAll(/(?<![\p{L}\p{N}._-])@(?=[\p{L}\p{N}])/gu)].map(({ index }) => {
    const rest = folded(text.slice(index + 1, index + 1 + LONGEST_MENTION));
    // `@ada-18` does not mean a person whose first name is Ada.
    const begins = (name: string) =>
      rest.startsWith(name) && !/^[._-]?[\p{L}\p{N}]/u.test(rest.slice(name.length));
    const longest = longestFirst.find(begins);
    return longest || (/^[\p{L}\p{N}._-]+/u.exec(rest)?.[0] ?? rest);
  });
  return [...new Set([...new Set(names)].map((name) => colleagueOf(people, name, 'text')))];
}

/**
 * Converts a remark for the workflow.
 *
 * @throws {InvalidInput} for an unknown name, or a text that is too long to look for names
 */
export function remarkTo(
  people: readonly Colleague[],
  workflowId: string,
  text: string,
): Pick<Remark, 'text' | 'mentions'> {
  if (text.length > LONGEST_REMARK)
    throw new InvalidInput(`text: must have at most ${LONGEST_REMARK} characters; it has ${text.length}`);
  const mentions = mentionsIn(people, text).map((each) => requireSight(each, workflowId, 'text'));
  return { text, ...(mentions.length > 0 && { mentions }) };
}

/**
 * Converts an assignment for the workflow.
 *
 * @throws {InvalidInput} for an unknown name
 */
export function assignmentTo(
  people: readonly Colleague[],
  workflowId: string,
  { assignee, text = '' }: { readonly assignee: string; readonly text?: string | undefined },
): Pick<Assignment, 'assignee' | 'text' | 'mentions'> {
  const colleague = colleagueOf(people, assignee, 'assignee');
  return {
    assignee: requireSight(colleague, workflowId, 'assignee'),
    ...(text.trim() !== '' && remarkTo(people, workflowId, text)),
  };
}

function requireSight(colleague: Colleague, workflowId: string, field: string): string {
  const { name, actor } = colleague;
  if (colleaguesFor([colleague], workflowId).length > 0) return actor;
  throw new InvalidInput(`${field}: ${name} may not answer requirements of this account`);
}

/**
 * Returns the actor for a name: a colleague, so that a person always has the same actor, or the name itself.
 *
 * @throws {InvalidInput} for a first name that several colleagues have
 */
export function actorNamed(people: readonly Colleague[], name: string, field: string): string {
  const isNamed = people.some((each) => [each.actor, ...namesOf(each)].map(folded).includes(folded(name)));
  return isNamed ? colleagueOf(people, name, field).actor : name;
}
