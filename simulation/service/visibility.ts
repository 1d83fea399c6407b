export type Fields = Readonly<Record<string, unknown>>;

type Test = (fields: Fields) => boolean;

const TOKEN = /\s*(?:([(),]|[<>!]?=|[<>])|('(?:[^'\\]|''|\\.)*')|(\w+))/gy;

/** Only times are compared by their order. */
const timeOf = (value: unknown) => new Date(value as string | Date).getTime();

const COMPARISONS: Readonly<Record<string, (own: unknown, wanted: unknown) => boolean>> = {
  '=': (own, wanted) => own === wanted,
  '!=': (own, wanted) => own !== wanted,
  '<': (own, wanted) => timeOf(own) < timeOf(wanted),
  '<=': (own, wanted) => timeOf(own) <= timeOf(wanted),
  '>': (own, wanted) => timeOf(own) > timeOf(wanted),
  '>=': (own, wanted) => timeOf(own) >= timeOf(wanted),
  STARTS_WITH: (own, wanted) => String(own).startsWith(String(wanted)),
};

/**
 * The part of Temporal's list filter (docs.temporal.io/list-filter) that Gangway needs.
 *
 * @throws for what is not part of it
 */
export function parsed(query: string): Test {
  const tokens = [...query.matchAll(TOKEN)].map(([text]) => text.trim());
  const next = (wanted?: string): string => {
    const token = tokens.shift() ?? '';
    if (wanted !== undefined && token !== wanted) throw lacks(query);
    return token;
  };
  const follows = (wanted: string) => tokens[0] === wanted && tokens.shift() !== undefined;
  const some = (): Test => {
    const tests = [every()];
    while (follows('OR')) tests.push(every());
    return (fields) => tests.some((test) => test(fields));
  };
  const every = (): Test => {
    const tests = [one()];
    while (follows('AND')) tests.push(one());
    return (fields) => tests.every((test) => test(fields));
  };
  const one = (): Test => {
    if (follows('(')) {
      const test = some();
      next(')');
      return test;
    }
    const [field, by] = [next(), next()];
    const own = (fields: Fields) => [fields[field] ?? []].flat();
    if (by === 'IS') {
      next('NULL');
      return (fields) => own(fields).length === 0;
    }
    if (by === 'IN') {
      next('(');
      const wanted = [literalOf(next())];
      while (follows(',')) wanted.push(literalOf(next()));
      next(')');
      return (fields) => own(fields).some((each) => wanted.includes(each));
    }
    const compare = COMPARISONS[by];
    if (!compare) throw lacks(query);
    const wanted = literalOf(next());
    return (fields) => own(fields).some((each) => compare(each, wanted));
  };
  const test = some();
  if (tokens.length > 0) throw lacks(query);
  return test;
}

const lacks = (query: string) => new Error(`the simulated service lacks ${query}`);

function literalOf(text: string): unknown {
  return text === 'true' || text.slice(1, -1).replaceAll("''", "'").replace(/\\(.)/g, '$1');
}
