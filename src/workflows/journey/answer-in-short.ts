import type { Answer } from '../../messages/requirements.js';
import { shortened } from '../../partners/bounds.js';
import { masked } from '../../privacy/masked.js';

/** The length of a text in the timeline, in characters. */
const TEXT_LENGTH = 120;

/** The number of fields or documents that it names. */
const MOST_NAMES = 10;

/**
 * The short form of an answer, for the timeline: the kind, and a masked and shortened content. The fields of a correction have no
 * values.
 */
export function inShort(answer: Answer): string {
  const content = contentOf(answer);
  return content === '' ? answer.kind : `${answer.kind}: ${content}`;
}

function contentOf(answer: Answer): string {
  switch (answer.kind) {
    case 'text':
      return shortened(masked(answer.text.replace(/\s+/g, ' ').trim(), 'failure'), TEXT_LENGTH);
    case 'documents':
      return listed(answer.documents.map(({ fileName }) => masked(fileName, 'failure')));
    case 'correction':
      return listed(fieldsIn(answer.patch).map((field) => masked(field, 'failure')));
    case 'adopt':
      return masked(answer.id);
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
  const more = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES).map((name) => shortened(name, TEXT_LENGTH));
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** Dotted names of the fields that a merge patch sets or removes. A list counts as one field. */
function fieldsIn(patch: Readonly<Record<string, unknown>>, prefix = ''): string[] {
  return Object.entries(patch).flatMap(([name, value]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const inside = isObject ? fieldsIn(value as Record<string, unknown>, `${prefix}${name}.`) : [];
    return inside.length > 0 ? inside : [prefix + name];
  });
}
