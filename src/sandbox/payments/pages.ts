import { writeExactly } from '../../partners/exact-json.js';

interface Wanted {
  readonly search?: string | undefined;
  readonly account_id?: string | undefined;
  readonly status?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const DEFAULT_LIMIT = 50;

/** The page of `records` that is wanted, under the name of the listing. `search` looks into every member. */
export function pageOf(name: string, records: readonly object[], wanted: Wanted) {
  const { search, account_id, status, limit = DEFAULT_LIMIT, offset = 0 } = wanted;
  const members = Object.entries({ account_id, status }).filter(([, value]) => value !== undefined);
  const found = records.filter(
    (record) =>
      members.every(([member, value]) => record[member as keyof typeof record] === value) &&
      (search === undefined || writeExactly(record).toLowerCase().includes(search.toLowerCase())),
  );
  return {
    limit,
    offset,
    page: Math.floor(offset / limit) + 1,
    [name]: found.slice(offset, offset + limit),
    total: found.length,
  };
}
