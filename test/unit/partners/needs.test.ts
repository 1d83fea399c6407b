import { describe, expect, it } from 'vitest';
import { needsOfWorkflows } from '../../rigs/partners/needs.js';

describe('what workflows need of the partners', () => {
  it('is marked in the catalogue: each operation and field that their activities use, and no other', () => {
    const { used, marked } = needsOfWorkflows();
    expect({ unmarked: used.filter((place) => !marked.includes(place)) }).toEqual({ unmarked: [] });
    expect({ unused: marked.filter((place) => !used.includes(place)) }).toEqual({ unused: [] });
    // The search has found something, in each system.
    expect(used.map((place) => place.replace(/:\d+/, ''))).toEqual(
      expect.arrayContaining([
        'boarding/operations.ts getStatus',
        'boarding/schemas.ts mid',
        'banking/responses.ts bankingStatus',
        'payments/operations.ts listTerminals',
      ]),
    );
  });
});
