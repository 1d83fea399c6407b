/**
 * Recognizes a list that is only a page. The contracts show lists without any sign of further pages, so a list with one is not
 * believed to be whole: it would hide what is on the other pages.
 */
import type { Operation } from './catalogue.js';

/** Request fields of operations that are read page by page. Their callers read on. */
const PAGING = ['skip', 'take', 'offset', 'limit', 'count', 'page'];

const TOTALS = ['total', 'totalcount', 'totalrecords', 'totalitems', 'totalresults', 'recordcount', 'count'];
const PAGES = ['pages', 'pagecount', 'totalpages'];
const HAS_MORE = /^(has(next|more)\w*|more|istruncated)$/;
const NEXT = /^(next(page|link|url|cursor|token|pagetoken|offset)?|continuationtoken)$/;
const AROUND = /^(page(info)?|paging|pagination|meta|links)$/;

/**
 * The sign that a list is not complete; undefined when there is none.
 *
 * @param around the body without the list
 * @param headers by lower-case name
 */
export function signOfMore(
  { query = [] }: Operation,
  list: unknown,
  around: unknown,
  headers: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!Array.isArray(list) || query.some((name) => PAGING.includes(name))) return undefined;
  if (/rel="?next\b/i.test(String(headers['link'] ?? ''))) return 'header Link';
  if (Number(headers['x-total-count'] ?? 0) > list.length) return 'header X-Total-Count';
  return signIn(around, list.length);
}

function signIn(around: unknown, length: number): string | undefined {
  if (typeof around !== 'object' || around === null) return undefined;
  for (const [field, value] of Object.entries(around)) {
    const name = field.toLowerCase().replaceAll(/[_-]/g, '');
    const isMore =
      (TOTALS.includes(name) && Number(value) > length) ||
      (PAGES.includes(name) && Number(value) > 1) ||
      (HAS_MORE.test(name) && value === true) ||
      (NEXT.test(name) && Boolean(value));
    if (isMore) return field;
    const inside = AROUND.test(name) ? signIn(value, length) : undefined;
    if (inside !== undefined) return `${field}.${inside}`;
  }
  return undefined;
}
