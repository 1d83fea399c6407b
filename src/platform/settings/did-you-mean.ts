import { distance } from 'fastest-levenshtein';

/** The share of a name, and the number of letters, that may be mistyped. */
const SHARE = 0.4;
const MAX_MISTYPED = 4;

/**
 * Returns the valid names closest to a typed one, several only if they are equally close. For a path such as `merchant.dba`, the
 * last name alone is enough, and the shortest path is the closest. Case and punctuation do not count.
 */
export function nearest(word: string, names: Iterable<string>): string[] {
  const wanted = plain(word);
  const most = Math.min(Math.max(1, Math.floor(wanted.length * SHARE)), MAX_MISTYPED);
  const ranked = [...new Set(names)]
    .map((name) => ({ name, apart: apart(wanted, plain(name), most), depth: name.split('.').length }))
    .filter((each) => wanted !== '' && each.apart <= most)
    .sort((one, other) => one.apart - other.apart || one.depth - other.depth);
  const [best] = ranked;
  const nearest = ranked.filter(({ apart, depth }) => apart === best?.apart && depth === best?.depth);
  return nearest.slice(0, 3).map(({ name }) => name);
}

/**
 * Suggests the names that are most similar to a word. Returns an empty text if none is similar.
 * @example didYouMean('emial', ['email', 'phone']) // '; did you mean email?'
 */
export function didYouMean(word: string, names: Iterable<string>): string {
  const [first, ...more] = nearest(word, names);
  return first === undefined ? '' : `; did you mean ${[first, ...more].join(' or ')}?`;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '');
}

/** Returns the number of different letters, or infinity if more than `most`. */
function apart(wanted: string, name: string, most: number): number {
  const candidates = [name, name.slice(name.lastIndexOf('.') + 1)];
  const similar = candidates.filter(({ length }) => Math.abs(length - wanted.length) <= most);
  return Math.min(...similar.map((each) => distance(wanted, each)));
}
