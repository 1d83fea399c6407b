import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';

/** The part of Temporal's list filter that src/temporal/query.ts makes (docs.temporal.io/list-filter). */

export type Fields = Readonly<Record<string, unknown>>;

type Test = (fields: Fields) => boolean;

const TOKEN = /\s*('(?:[^'\\]|''|\\.)*'|[\w.]+|<=|>=|!=|[=<>(),])/gy;

/** @throws for what is not part of it */
export function parsed(query: string): Test {
  const tokens = [...query.matchAll(TOKEN)].map(([, token = '']) => token);
  let at = 0;
  const next = () => tokens[at++] ?? '';
  const isNext = (token: string) => {
    const isIt = tokens[at]?.toUpperCase() === token;
    if (isIt) at += 1;
    return isIt;
  };
  const value = (): string | boolean => {
    const token = next();
    if (token === 'true') return true;
    return token.slice(1, -1).replaceAll("''", "'").replace(/\\(.)/g, '$1');
  };

  function either(): Test {
    const tests = [both()];
    while (isNext('OR')) tests.push(both());
    return (fields) => tests.some((test) => test(fields));
  }

  function both(): Test {
    const tests = [one()];
    while (isNext('AND')) tests.push(one());
    return (fields) => tests.every((test) => test(fields));
  }

  function one(): Test {
    if (isNext('(')) {
      const test = either();
      if (!isNext(')')) throw new Error(`no ) in ${query}`);
      return test;
    }
    const field = next();
    if (isNext('IS')) {
      const isNot = isNext('NOT');
      if (!isNext('NULL')) throw new Error(`no NULL in ${query}`);
      return (fields) => (fields[field] === undefined) !== isNot;
    }
    if (isNext('IN')) {
      const values: unknown[] = [];
      for (next(); !isNext(')'); isNext(',')) values.push(value());
      return (fields) => values.some((each) => has(fields[field], each));
    }
    if (isNext('STARTS_WITH')) {
      const prefix = String(value());
      return (fields) => String(fields[field] ?? '').startsWith(prefix);
    }
    const by = next();
    const wanted = value();
    const compare = COMPARISONS[by];
    if (!compare) throw new Error(`${by} in ${query}`);
    const indexed = (value: unknown) => (TEXTS.has(field) ? String(value).split(' ') : value);
    return (fields) => fields[field] !== undefined && compare(indexed(fields[field]), wanted);
  }

  if (tokens.length === 0) return () => true;
  const test = either();
  if (at < tokens.length) throw new Error(`cannot read ${tokens.slice(at).join(' ')} in ${query}`);
  return test;
}

/** Search attributes of which the service compares words. */
const TEXTS = new Set(
  Object.values(SEARCH_ATTRIBUTES).flatMap(({ name, type }) => (type === 'TEXT' ? [name] : [])),
);

const has = (is: unknown, wanted: unknown) => (Array.isArray(is) ? is.includes(wanted) : is === wanted);

const COMPARISONS: Readonly<Record<string, (is: unknown, wanted: unknown) => boolean>> = {
  '=': has,
  '!=': (is, wanted) => !has(is, wanted),
  '<': (is, wanted) => String(is) < String(wanted),
  '<=': (is, wanted) => String(is) <= String(wanted),
  '>': (is, wanted) => String(is) > String(wanted),
  '>=': (is, wanted) => String(is) >= String(wanted),
};
