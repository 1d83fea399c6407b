import { z } from 'zod';
import { changeableInput } from '../../activities/corrections.js';
import type { Correctable, Patch } from '../../messages/activities.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import type { Requirement } from '../../messages/requirements.js';
import { MAX_NESTING, TOO_NESTED } from '../../partners/json.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { truncate } from '../../partners/text-limits.js';
import { REDACTED } from '../../platform/privacy/masked.js';
import { withoutPrivate } from '../../platform/privacy/private-fields.js';
import { feeText } from '../../services/forms/amounts.js';
import { type ChangeableField, changeableFields } from '../../services/forms/corrections.js';
import { type Field, ruleInForm } from '../../services/forms/schema-fields.js';
import { patchFrom, type Setting, valueAt } from '../../services/forms/set-fields.js';
import { withTime } from '../../services/forms/typed-input.js';
import { InvalidInput } from '../../services/texts/invalid-input.js';
import { harmless, parseJson } from '../../services/texts/text.js';
import type { Fields } from './query.js';

export interface CorrectionField extends Field {
  /** The current value for people, masked; undefined if there is none. */
  readonly now: string | undefined;
  /** The current value if a form can show it and send it back unchanged; otherwise '', for example for a masked value. */
  readonly filledIn: string;
  readonly isNamed: boolean;
}

export const OTHER_FIELDS = 3;

const NOW_LENGTH = 80;

/** Returns all fields that a correction can change now, first those that the partner named. A list has a further, empty item. */
export function formFields(correctable: Correctable, accounts: KnownAccounts, requirement?: Requirement) {
  const masked = withoutPrivate(correctable.input);
  const all = changeableFields(correctable, accounts).flatMap((field) => eachItem(field, masked));
  const holds = (name: string) => all.some((other) => other.name.startsWith(`${name}.`));
  const leaves = all.filter(({ name }) => !holds(name));
  const isNamed = requirement ? namedBy(requirement) : () => false;
  const fields = leaves.map((field) => ({
    ...field,
    ...kindIn(field),
    rule: ruleInForm(field),
    now: shownNow(field),
    filledIn: filledIn(field),
    isNamed: isNamed(field.name),
  }));
  return [...fields.filter(({ isNamed }) => isNamed), ...fields.filter(({ isNamed }) => !isNamed)];
}

/** Returns the control of a field. A flag has a third choice, for no change. A field without a schema takes the type of its value. */
function kindIn({ kind, type, now }: ChangeableField): Partial<Field> {
  const isOpen = type === 'any' && kind === 'text';
  if (kind === 'flag' || (isOpen && typeof now === 'boolean'))
    return { kind: 'choice', values: ['true', 'false'] };
  return isOpen && typeof now === 'number' ? { kind: 'number' } : {};
}

/** Expands `beneficialOwners.N.city` to a field for each owner and one for a new owner. */
function eachItem(field: ChangeableField, masked: unknown): ChangeableField[] {
  const [, list, rest] = /^(.*?)\.N\.(.*)$/s.exec(field.name) ?? [];
  if (list === undefined || rest === undefined) return [field];
  const items = valueAt(masked, list.split('.'));
  const length = Array.isArray(items) ? items.length : 0;
  return Array.from({ length: length + 1 }, (_, index) => {
    const name = `${list}.${index}.${rest}`;
    // The schema reports which fields of a new item are required.
    return { ...field, name, isRequired: false, now: valueAt(masked, name.split('.')) };
  }).flatMap((each) => eachItem(each, masked));
}

function shownNow(field: ChangeableField): string | undefined {
  if (field.now === undefined) return undefined;
  return field.now === REDACTED ? 'hidden' : truncate(textOf(field), NOW_LENGTH);
}

function textOf({ name, now = '' }: ChangeableField): string {
  if (FEE.test(name) && typeof now === 'number') return feeText(name, now);
  return typeof now === 'string' ? now : JSON.stringify(now);
}

export const FEE = /^fees\./;

/** The maximum length of a value that a form shows in a field. */
const MOST_FILLED = 500;

/** Returns the value that a form shows in a field; '' for a mask, or if a browser would send it back changed. */
function filledIn(field: ChangeableField): string {
  const { kind } = field;
  const text = textOf(field);
  const isPlain = text === harmless(text) && !/[\r\n]/.test(text) && !text.includes(REDACTED);
  if (!isPlain || text.length > MOST_FILLED) return '';
  const [day] = (kind === 'date' && /^[1-9]\d{3}-\d\d-\d\d(?=T00:00:00(?:\.000)?Z$)/.exec(text)) || [];
  // A browser would clear a day that does not exist.
  return z.iso.date().safeParse(day).data ?? text.trim();
}

/** Reports whether a partner names a field: by its path, the end of its path, or the bank's name in a ticket (`Owner1Address`). */
function namedBy({ fields = [], kind, detail }: Requirement): (field: string) => boolean {
  const [, ofTicket] = (kind === 'ticket' && /asks about the field (\w+)\.$/.exec(detail)) || [];
  return (field) =>
    fields.some((name) => field === name || field.endsWith(`.${name}`) || field.startsWith(`${name}.`)) ||
    (ofTicket !== undefined && isMeant(field, ofTicket));
}

/**
 * Reports whether a name of the bank may mean a field: `Phone` is `holder.phone`, `Owner2Address` is
 * `beneficialOwners.1.homeAddress`.
 */
function isMeant(field: string, name: string): boolean {
  const [, owner, ofOwner] = /^Owner(\d)(.+)$/.exec(name) ?? [];
  const last = (field.split('.').at(-1) ?? '').toLowerCase();
  if (owner === undefined || ofOwner === undefined)
    return !/\.\d+\./.test(field) && last === name.toLowerCase();
  return field.startsWith(`beneficialOwners.${Number(owner) - 1}.`) && last.includes(ofOwner.toLowerCase());
}

/** The name of the hidden field with the values that the form filled in: `holder.city=Albany&holder.state=33`. */
export const FILLED_IN = 'was';

/** Returns a function that returns what a person entered in a field: '' to clear it, undefined if it is unchanged. */
export function enteredIn(fields: Fields): (field: string) => string | undefined {
  const was = new Map(new URLSearchParams(fields.text(FILLED_IN)));
  return (field) => {
    const text = fields.all(nameOfValue(field)).at(-1)?.trim();
    return text === (was.get(field) ?? '') ? undefined : text;
  };
}

export const nameOfValue = (field: string) => `set.${field}`;
export const nameOfRemoval = (field: string) => `remove.${field}`;

/**
 * Returns the merge patch of a form. Leaves out fields that are empty or unchanged, and removes those that the person cleared.
 *
 * @throws {InvalidInput} that names each invalid value
 */
export function patchIn(fields: Fields, correctable: Correctable, accounts: KnownAccounts): Patch {
  const kinds = new Map(formFields(correctable, accounts).map(({ name, kind }) => [name, kind]));
  const problems: FieldProblem[] = [];
  const settings = [
    ...valueSettings(fields, kinds, problems),
    ...otherSettings(fields, problems),
    ...removals(fields),
  ];
  if (settings.length === 0 && problems.length === 0)
    throw new InvalidInput('The correction changes nothing: change at least one field.');
  if (settings.some(({ field }) => field.split('.').length > MAX_NESTING))
    problems.push({ field: '', message: TOO_NESTED });
  if (problems.length > 0) throw new InvalidInput('A value is not valid.', problems);
  try {
    return patchFrom(
      settings,
      correctable.input,
      changeableInput(correctable, accounts).schema,
      'The correction',
    );
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const formWording = error.problems.map(({ field, message }) => ({
      field,
      message: message.replace(
        /; to send it as text: .*$/s,
        kinds.get(field) === 'number' ? '' : '; to send it as text, put it in double quotes',
      ),
    }));
    throw new InvalidInput(error.message, formWording);
  }
}

/** Returns the removals of list items, last item first, because a removal shifts the items after it. */
function removals(fields: Fields): Setting[] {
  const entered = enteredIn(fields);
  const removed = fields.names.flatMap((name) => {
    const [, what, field = ''] = /^(remove|set)\.(.+)$/.exec(name) ?? [];
    const isRemoved = what === 'remove' ? fields.text(name) !== '' : entered(field) === '';
    return field !== '' && isRemoved ? [field] : [];
  });
  return [...new Set(removed)]
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .map((field) => ({ field, text: 'null' }));
}

const MASKED = 'is the sign of a hidden value: enter the value, or leave the field empty';

function valueSettings(fields: Fields, kinds: ReadonlyMap<string, Field['kind']>, problems: FieldProblem[]) {
  const entered = enteredIn(fields);
  return fields.names.flatMap((name): Setting[] => {
    const [, field = ''] = /^set\.(.+)$/.exec(name) ?? [];
    const text = entered(field);
    if (field === '' || !text || fields.text(nameOfRemoval(field)) !== '') return [];
    if (text.includes(REDACTED)) {
      problems.push({ field, message: MASKED });
      return [];
    }
    const kind = kinds.get(field);
    if (kind !== 'json') return [{ field, text: kind === undefined ? text : asText(withTime(kind, text)) }];
    try {
      parseJson(text, field);
      return [{ field, text }];
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      problems.push({ field, message: error.message.replace(`${field}: `, '') });
      return [];
    }
  });
}

/** Quotes a text, so that a field of a known type is never parsed as JSON. */
function asText(text: string): string {
  return text === 'null' || /^["{[]/.test(text) ? JSON.stringify(text) : text;
}

/** Reads fields that the schema does not name, such as an application's. People type their names, too. */
function otherSettings(fields: Fields, problems: FieldProblem[]): Setting[] {
  return Array.from({ length: OTHER_FIELDS }, (_, index) => index).flatMap((index): Setting[] => {
    const field = fields.text(`other.${index}.name`).trim();
    const text = fields.text(`other.${index}.value`).trim();
    if (field === '' && text === '') return [];
    if (/^[^\s=.]+(\.[^\s=.]+)*$/.test(field) && text !== '') return [{ field, text }];
    const message = text === '' ? 'needs a value' : 'must be a name such as application.volume';
    problems.push({ field: `other.${index}`, message });
    return [];
  });
}
