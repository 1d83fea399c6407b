export type Fields = Readonly<Record<string, unknown>>;

const VALUE = String.raw`(?:true|'(?:[^'\\]|''|\\.)*')`;
const CONDITION = new RegExp(
  String.raw`(\w+) (?:IS NULL|= (${VALUE})|IN \((${VALUE}(?:, ${VALUE})*)\))(?: AND |$)`,
  'gy',
);

/**
 * The part of Temporal's list filter (docs.temporal.io/list-filter) that activities and workers need: all conditions hold.
 *
 * @throws for what is not part of it
 */
export function parsed(query: string): (fields: Fields) => boolean {
  const conditions = [...query.matchAll(CONDITION)];
  if (conditions.map(([text]) => text).join('') !== query)
    throw new Error(`the simulated service lacks ${query}`);
  const tests = conditions.map(([, field = '', value, values = value]) => {
    const wanted = values?.match(new RegExp(VALUE, 'g'))?.map(literalOf);
    return (fields: Fields) => {
      const own = [fields[field] ?? []].flat();
      return wanted ? own.some((each) => wanted.includes(each)) : own.length === 0;
    };
  });
  return (fields) => tests.every((test) => test(fields));
}

function literalOf(text: string): unknown {
  return text === 'true' || text.slice(1, -1).replaceAll("''", "'").replace(/\\(.)/g, '$1');
}
