import { type ClaimAndProposal, type ClaimsMemo, currentClaim } from './claims.js';
import { omitUndefined } from './objects.js';
import type { Stage } from './onboarding-state.js';
import type { Requirement, RequirementKind } from './requirements.js';

/**
 * The values that the list of workflows shows of an onboarding, besides IDs and states: its name, its open requirements, and the
 * time of its stages. All of it is in search attributes, so that a list of thousands needs no query. Workflows write these texts,
 * and clients read them. Claims and proposals are in the memo, which is encrypted.
 */

/** The form of the dba in the search attribute and the log: as it is, or only its initials. Payloads always have all of it. */
export type DbaForm = 'shown' | 'masked';

/** A dba in a search attribute: `Acme Bikes`, or masked `A… B…`. */
export function indexedDba(dba: string, form: DbaForm): string {
  return form === 'shown' ? dba : dba.replace(/(\S)\S*/gu, '$1…');
}

/** Both forms, because each onboarding has the one of its start. */
export function dbaForms(dba: string): string[] {
  return [...new Set([indexedDba(dba, 'shown'), indexedDba(dba, 'masked')])];
}

/** A prefix of a word in {@link indexedWords} has at most this many characters. Longer words that begin alike are one. */
const LONGEST_PREFIX = 12;

/** The words of a text as searches compare them: lower case, without accents, the beginning of a long one. */
export function searchWords(text: string): string[] {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => [...word].slice(0, LONGEST_PREFIX).join('')))];
}

/** The whole of a masked name in one word, which finds it by its whole name. No prefix is as long as this one. */
export function maskedName(dba: string): string {
  const initials = (dba.match(/\S+/gu) ?? []).map((word) => searchWords([...word][0] ?? '').join(''));
  return `maskedinitials${initials.join('').slice(0, LONGEST_INITIALS)}`;
}

const LONGEST_INITIALS = 100;

/**
 * The value of search attribute `DbaWords`: the beginnings of the words of a dba, because visibility stores compare whole words
 * only. Plain letters and digits mean the same to each store.
 */
export function indexedWords(dba: string, form: DbaForm): string {
  const words = new Set<string>();
  let bytes = 0;
  const add = (word: string) => {
    bytes += word.replace(/[^ -~]/g, '   ').length + 1;
    if (bytes <= MAX_BYTES) words.add(word);
  };
  if (form === 'masked') add(maskedName(dba));
  for (const word of searchWords(indexedDba(dba, form)))
    for (let prefix = word; prefix !== ''; prefix = [...prefix].slice(0, -1).join('')) add(prefix);
  return [...words].join(' ');
}

/** An open requirement as the list has it. A claim that has ended is left out. */
export type ListedRequirement = Pick<Requirement, 'id' | 'raisedAt' | 'dueAt'> &
  ClaimAndProposal & {
    readonly kind: RequirementKind;
  };

/** Temporal terminates a workflow whose search attribute has more than 2 kB. */
const MAX_BYTES = 1_800;

/** Stands before the number of the requirements that do not fit. */
const MORE = '+';

/**
 * The values of search attribute `RequirementsState`: an entry `<kind> <id> <raised> <due>` for each open requirement, the first due
 * first, and each kind by itself, so that a query finds it.
 *
 * @param most how many have an entry; the others are counted
 */
export function listedRequirements(open: readonly Requirement[], most = open.length): string[] {
  if (open.length === 0) return [];
  const kinds = [...new Set(open.map(({ kind }) => kind))];
  const byDue = [...open].sort((one, other) => one.dueAt.localeCompare(other.dueAt));
  const entries = byDue.map(({ kind, id, raisedAt, dueAt }) => `${kind} ${id} ${raisedAt} ${dueAt}`);
  let bytes = bytesOf(kinds);
  const fitting = entries.slice(0, most).filter((entry) => {
    bytes += bytesOf([entry]);
    return bytes <= MAX_BYTES;
  });
  const more = entries.length - fitting.length;
  return [...fitting, ...(more > 0 ? [`${MORE}${more}`] : []), ...kinds];
}

/** IDs are plain ASCII. An entry has two quotes and a comma around it. */
function bytesOf(entries: readonly string[]): number {
  return entries.reduce((sum, entry) => sum + entry.length + 3, 0);
}

/** The opposite of {@link listedRequirements}. `more` is the number of those that did not fit. */
export function requirementsIn(values: readonly string[]): {
  readonly requirements: readonly ListedRequirement[];
  readonly more: number;
} {
  const requirements = values.flatMap((value): ListedRequirement[] => {
    const [kind = '', id, raisedAt, dueAt] = value.split(' ');
    if (!id || !raisedAt || !dueAt) return [];
    return [{ kind: kind as RequirementKind, id, raisedAt, dueAt }];
  });
  const more = values.find((value) => value.startsWith(MORE));
  return { requirements, more: Number(more ?? 0) };
}

/** Adds who handles the requirements now. */
export function withClaims(
  requirements: readonly ListedRequirement[],
  memo: ClaimsMemo,
  now: number = Date.now(),
): readonly ListedRequirement[] {
  return requirements.map((requirement) => {
    const by = Object.hasOwn(memo, requirement.id) ? memo[requirement.id] : undefined;
    if (!by) return requirement;
    const claim = currentClaim(by, now);
    const { proposal, mentioned, link } = by;
    return { ...requirement, ...omitUndefined({ claim, proposal, mentioned, link }) };
  });
}

/** The duration of each completed stage, in whole seconds. */
export type StageSeconds = Readonly<Partial<Record<Stage, number>>>;

/** The values of search attribute `StageTimes`: `underwriting 172800`. */
export function listedStages(times: StageSeconds): string[] {
  return Object.entries(times).map(([stage, seconds]) => `${stage} ${seconds}`);
}

/** The opposite of {@link listedStages}. */
export function stagesIn(values: readonly string[]): StageSeconds {
  return Object.fromEntries(
    values.map((value) => {
      const [stage, seconds] = value.split(' ');
      return [stage, Number(seconds)];
    }),
  );
}

/**
 * The times of the stages when one of them ends.
 *
 * @param sinceStart seconds since the onboarding began
 */
export function withStage(times: StageSeconds, ended: Stage, sinceStart: number): StageSeconds {
  const before = Object.values(times).reduce((sum, seconds) => sum + seconds, 0);
  const seconds = Math.max(0, Math.round(sinceStart) - before);
  return { ...times, [ended]: (times[ended] ?? 0) + seconds };
}
