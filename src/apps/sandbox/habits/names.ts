import { bodies, type Fields, type Habit, type Habits, isFields, of, reads, texts } from './habit.js';

/** Habits of storing and searching names. */

const NAMES = /^(dba|doingBusinessAsName|legalBusinessName|name|givenName|familyName)$/;

const stores = (change: (name: string) => string) => texts(reads, NAMES, change);

/** Finds the names that a rule accepts, where the sandbox finds those that contain the text. */
function searches(isFound: (name: string, wanted: string) => boolean): Habit['start'] {
  const isSearch = of('search-business-account-holders');
  return () => async (call, perform) => {
    const { dba } = call.fields;
    if (!isSearch(call) || typeof dba !== 'string') return perform();
    const { count: _, ...scope } = call.fields;
    const answer = await perform({ ...scope, dba: '' });
    if (!Array.isArray(answer.body)) return answer;
    const isWanted = (one: unknown) => isFields(one) && isFound(String(one['dba']), dba);
    return { ...answer, body: (answer.body as Fields[]).filter(isWanted) };
  };
}

const describe = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The maximum length of a name on card networks' statements. */
const LONGEST = 25;

export const names: Habits = {
  'upper-case': {
    does: 'Names are stored in upper case.',
    seen: 'the files of card networks and of the ACH',
    start: stores((name) => name.toUpperCase()),
  },
  ascii: {
    does: 'Names are stored as ASCII: é becomes e, and what has no such letter becomes a question mark.',
    seen: 'the character set of ACH files',
    start: stores((name) =>
      name
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .replace(/[^ -~]/g, '?'),
    ),
  },
  'cut-at-25': {
    does: 'Names are cut at 25 characters.',
    seen: 'card networks, whose field for the doing-business-as name has 25 characters',
    start: stores((name) => name.slice(0, LONGEST)),
  },
  'html-escaped': {
    does: 'Names are stored with HTML entities.',
    seen: 'services that escape what they store and not what they show',
    start: stores((name) => name.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&quot;')),
  },
  decomposed: {
    does: 'Names are stored in Unicode normalization form D.',
    seen: 'Unicode Standard Annex 15',
    start: stores((name) => name.normalize('NFD')),
  },
  'spaces-collapsed': {
    does: 'Two spaces in a name become one.',
    seen: 'HTML forms and templates',
    start: stores((name) => name.replace(/ +/g, ' ').trim()),
  },
  'suffix-dropped': {
    does: 'A legal form at the end of a name is dropped: LLC, Inc, Corp.',
    seen: 'screening services, which compare names without it',
    start: stores((name) => name.replace(/,? (LLC|Inc|Corp)\.?$/i, '')),
  },
  'title-case': {
    does: 'Every word of a name begins with a capital, and has no other.',
    seen: 'forms that tidy what is typed',
    start: stores((name) =>
      name.toLowerCase().replace(/(?<![\p{L}\p{N}[-])\p{Ll}/gu, (letter) => letter.toUpperCase()),
    ),
  },
  'typographic-quotes': {
    does: 'An apostrophe in a name becomes a typographic one, and a hyphen a dash.',
    seen: 'word processors',
    start: stores((name) => name.replaceAll("'", '’').replaceAll(' - ', ' – ')),
  },
  'searches-prefixes': {
    does: 'A search finds names that begin with the text.',
    seen: 'databases without an index for anything else',
    start: searches((name, wanted) => name.toLowerCase().startsWith(wanted.toLowerCase())),
  },
  'searches-words': {
    does: 'A search finds names that have every word of the text as a whole word.',
    seen: 'full-text indexes',
    start: searches((name, wanted) => describe(wanted).every((word) => describe(name).includes(word))),
  },
  'searches-case': {
    does: 'A search distinguishes capitals.',
    seen: 'PostgreSQL: LIKE is case-sensitive',
    start: searches((name, wanted) => name.includes(wanted)),
  },
  'searches-first-ten': {
    does: 'A search returns at most ten names, whatever is asked for.',
    seen: 'search boxes that suggest',
    start: bodies(of('search-business-account-holders'), (body) =>
      Array.isArray(body) ? body.slice(0, 10) : body,
    ),
  },
};
