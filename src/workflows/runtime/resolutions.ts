/** Checks people's answers, and summarizes them. */
import { LONGEST_ACTOR } from '../../messages/actors.js';
import { fieldOf, isObject } from '../../messages/objects.js';
import { type Answer, needsConfirmation, type Requirement } from '../../messages/requirements.js';
import { truncate } from '../../partners/text-limits.js';
import { redact } from '../../platform/privacy/masked.js';

export interface Answerable {
  readonly open: readonly Requirement[];
  /** IDs of requirements whose answers people can still take back. */
  readonly unsent: readonly string[];
  /** The answer is a proposal, which another person confirms. */
  readonly isProposal?: boolean;
}

/**
 * Returns the problem with a resolution, which may be any JSON from the Web UI, without quoting it. Synchronous, because an update
 * validator calls it.
 */
export function problemWith(
  resolution: unknown,
  { open, unsent, isProposal = false }: Answerable,
  correctable: readonly string[],
): string | undefined {
  if (!isObject(resolution)) return 'the resolution must be an object';
  const { requirementId, answer, actor, reason } = resolution;
  const requirement = open.find(({ id }) => id === requirementId);
  const takesBack = isObject(answer) && answer['kind'] === 'take-back';
  if (!requirement && !takesBack) return problemWithId(resolution, open);
  const problems = [
    requirement && !takesBack
      ? (problemWithAnswer(answer, requirement, correctable) ??
        (isProposal ? undefined : problemWithOnePerson(answer, requirement)))
      : problemWithTakingBack(requirementId, unsent),
    problemWithActor(actor, 'the person who answers'),
    isText(reason) ? undefined : 'reason: must not be empty',
  ];
  return problems.filter(Boolean).join('; ') || undefined;
}

export function problemWithActor(actor: unknown, who = 'a person'): string | undefined {
  if (!isText(actor)) return `actor: must name ${who}`;
  return actor.length > LONGEST_ACTOR ? `actor: must have at most ${LONGEST_ACTOR} characters` : undefined;
}

export function problemWithId(
  request: { readonly requirementId?: unknown } | null,
  open: readonly Requirement[],
): string | undefined {
  if (open.some(({ id }) => id === request?.requirementId)) return undefined;
  return `requirementId: no requirement with this ID is open; open: ${listOf(open.map(({ id }) => id))}`;
}

function problemWithTakingBack(requirementId: unknown, unsent: readonly string[]): string | undefined {
  if (unsent.some((id) => id === requirementId)) return undefined;
  return `requirementId: no requirement with this ID has an unsent answer; unsent: ${listOf(unsent)}`;
}

function listOf(ids: readonly string[]): string {
  return ids.join(', ') || 'none';
}

function problemWithAnswer(
  answer: unknown,
  { id, answers, idFormat, choices = [], blank }: Requirement,
  correctable: readonly string[],
): string | undefined {
  const [example] = answers;
  if (!isObject(answer)) return `answer: must be an object with a kind, such as {"kind": "${example}"}`;
  const kind = answers.find((each) => each === answer['kind']);
  switch (kind) {
    case 'text':
      return isText(answer['text']) ? undefined : 'answer.text: must be a text, and not empty';
    case 'documents':
      return problemWithDocuments(answer['documents']);
    case 'correction':
      return problemWithPatch(answer['patch'], correctable) ?? problemWithBlanks(answer['patch'], blank);
    case 'confirm':
      return isId(answer['id'], idFormat) ? undefined : `answer.id: ${idFormat === 'text' ? TEXT_ID : ID}`;
    case 'code':
      return isText(answer['code']) ? undefined : 'answer.code: must be a text, and not empty';
    case 'choice':
      return choices.some((choice) => choice === answer['choice'])
        ? undefined
        : `answer.choice: must be one of ${choices.join(', ')}`;
    case 'retry':
    case 'abandon':
      return undefined;
    default:
      return `answer.kind: ${id} takes ${answers.join(', ')}`;
  }
}

/** Call this only with a valid answer. */
function problemWithOnePerson(answer: unknown, requirement: Requirement): string | undefined {
  const kind = isObject(answer) ? answer['kind'] : undefined;
  if (!needsConfirmation(requirement, kind)) return undefined;
  const how = 'gangway resolve --propose, the console, or update proposeAnswer';
  return `answer: a second person must confirm the answer ${kind} to ${requirement.id}; propose it (${how})`;
}

function problemWithDocuments(documents: unknown): string | undefined {
  const where = 'gangway resolve --document FILE stores a file and sends it';
  if (!Array.isArray(documents) || documents.length === 0)
    return `answer.documents: must name at least one; ${where}`;
  const complete = documents.every(
    (document) =>
      isObject(document) &&
      [document['key'], document['fileName'], document['contentType']].every((each) => isText(each)),
  );
  return complete ? undefined : `answer.documents: each needs key, fileName and contentType; ${where}`;
}

function problemWithPatch(patch: unknown, correctable: readonly string[]): string | undefined {
  if (!isObject(patch)) return 'answer.patch: must be an object';
  const fields = Object.keys(patch);
  if (fields.length > 0 && fields.every((field) => correctable.includes(field))) return undefined;
  const [example] = correctable;
  const form = `in the form of the input: {"${example}": {"FIELD": "VALUE"}}`;
  return `answer.patch: takes one or more of ${correctable.join(', ')}, and no other field, ${form}`;
}

/** @param blank the blank correction from the question */
function problemWithBlanks(patch: unknown, blank: unknown, path = 'answer.patch'): string | undefined {
  if (patch === '' && blank === '') return `${path}: fill in the empty quotes, or remove the field`;
  if (!isObject(patch)) return undefined;
  // A field name that a person wrote may be a misplaced value, so no message quotes it.
  if (Object.hasOwn(patch, '')) return 'answer.patch: fill in the name of each field, or remove the field';
  const within = isObject(blank) ? blank : {};
  const problems = Object.entries(patch).map(([name, value]) =>
    problemWithBlanks(value, fieldOf(within, name), `${path}.${name}`),
  );
  return problems.find(Boolean);
}

const ID = 'must be the id at the partner, in digits and in quotes: "1012"';
const TEXT_ID = 'must be 1 to 64 characters of ASCII without spaces, in quotes';

function isId(value: unknown, format: Requirement['idFormat']): boolean {
  return typeof value === 'string' && (format === 'text' ? /^[!-~]{1,64}$/ : /^[1-9]\d{0,9}$/).test(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim().length > 0;
}

/** The maximum length of a text in the timeline, in characters. */
const TEXT_LENGTH = 120;

/** The maximum number of fields or documents that a summary names. */
const MAX_NAMES = 10;

/** Returns an answer's kind and content for the timeline, masked and shortened. Names a correction's fields without values. */
export function summarizeAnswer(answer: Answer): string {
  const content = contentOf(answer);
  return content === '' ? answer.kind : `${answer.kind}: ${content}`;
}

function contentOf(answer: Answer): string {
  switch (answer.kind) {
    case 'text':
      return truncate(redact(answer.text.replace(/\s+/g, ' ').trim(), 'failure'), TEXT_LENGTH);
    case 'documents':
      return listed(answer.documents.map(({ fileName }) => redact(fileName, 'failure')));
    case 'correction':
      return listed(fieldsIn(answer.patch).map((field) => redact(field, 'failure')));
    case 'confirm':
      return redact(answer.id);
    case 'choice':
      return answer.choice;
    case 'code':
    case 'retry':
    case 'take-back':
    case 'abandon':
      return '';
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const texts = names.slice(0, MAX_NAMES).map((name) => truncate(name, TEXT_LENGTH));
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** Returns the dotted names of the fields that a merge patch sets or removes. A list counts as one field. */
function fieldsIn(patch: Readonly<Record<string, unknown>>, prefix = ''): string[] {
  return Object.entries(patch).flatMap(([name, value]) => {
    const inside = isObject(value) ? fieldsIn(value, `${prefix}${name}.`) : [];
    return inside.length > 0 ? inside : [prefix + name];
  });
}
