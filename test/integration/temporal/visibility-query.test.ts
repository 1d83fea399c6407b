import { describe, expect, it } from 'vitest';
import { problemInQuery } from '../../../src/temporal/query.js';
import { listOnboardings } from '../../../src/temporal/search.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

/** The problem of a list with the typed query inside a longer one. */
async function problemOf(typed: string): Promise<string | undefined> {
  const query = `WorkflowType IN ('merchantBoarding') AND (${typed})`;
  try {
    for await (const _ of listOnboardings(rig.client, query, 1)) break;
    return 'no problem';
  } catch (error) {
    return problemInQuery(rig.client, error, { query, typed });
  }
}

describe('the problem of a query that a person typed', () => {
  it.each([
    ["PartnerStatus == 'x'", "syntax error near position 16 of PartnerStatus == 'x'"],
    ["PartnerStatus 'x'", "syntax error near position 17 of PartnerStatus 'x'"],
    ["PartnerStatus = 'x')", "syntax error at the end of PartnerStatus = 'x')"],
    ["PartnerStatus = 'Pending", "a quote is not closed; text stands between two '"],
  ])('counts a position in what was typed: %s', async (typed, problem) => {
    expect(await problemOf(typed)).toBe(problem);
  });

  it.each([
    ["PartnrStatus = 'x'", /^PartnrStatus is not a field; did you mean PartnerStatus\?$/],
    ["Shade = 'x'", /^Shade is not a field$/],
    ["ActionRequired = 'ja'", /search attribute ActionRequired of type Bool/],
  ])('names the field, and the nearest ones or the reason of the server: %s', async (typed, problem) => {
    expect(await problemOf(typed)).toMatch(problem);
  });

  it('does not exist for an error of another kind, or for a valid query', async () => {
    const about = { query: 'x', typed: 'x' };
    expect(await problemInQuery(rig.client, new Error('broken'), about)).toBeUndefined();
    expect(await problemOf("PartnerStatus = 'x'")).toBe('no problem');
  });
});
