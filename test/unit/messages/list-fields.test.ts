import { describe, expect, it } from 'vitest';
import { claimsMemo } from '../../../src/messages/claims.js';
import {
  indexedDba,
  indexedWords,
  listedRequirements,
  listedStages,
  requirementsIn,
  searchWords,
  stagesIn,
  withClaims,
  withStage,
} from '../../../src/messages/list-fields.js';
import type { Requirement } from '../../../src/messages/requirements.js';

const note = (number: number, dueAt = '2026-01-03T10:00:00.000Z'): Requirement => ({
  id: `note-${number}`,
  kind: 'underwriting-note',
  title: 'An underwriting note',
  answers: ['text'],
  detail: 'Please send a voided check.',
  raisedAt: '2026-01-01T10:00:00.000Z',
  dueAt,
});

describe('the requirements of an onboarding in a search attribute', () => {
  it('have kind, id and dates alone, the first due first, and each kind by itself', () => {
    const ticket = { ...note(3), kind: 'ticket', id: 'ticket-7' } as const;
    expect(listedRequirements([note(1), note(2, '2026-01-02T10:00:00.000Z'), ticket])).toEqual([
      'underwriting-note note-2 2026-01-01T10:00:00.000Z 2026-01-02T10:00:00.000Z',
      'underwriting-note note-1 2026-01-01T10:00:00.000Z 2026-01-03T10:00:00.000Z',
      'ticket ticket-7 2026-01-01T10:00:00.000Z 2026-01-03T10:00:00.000Z',
      'underwriting-note',
      'ticket',
    ]);
  });

  it('are read as they were written', () => {
    const { id, kind, raisedAt, dueAt } = note(1);
    const read = requirementsIn(listedRequirements([note(1)]));
    expect(read).toEqual({ requirements: [{ id, kind, raisedAt, dueAt }], more: 0 });
    expect(requirementsIn([])).toEqual({ requirements: [], more: 0 });
  });

  it('stay below the 2 kB of a search attribute, and count those that do not fit', () => {
    const all = Array.from({ length: 200 }, (_, index) => note(index));
    const values = listedRequirements(all);
    expect(JSON.stringify(values).length).toBeLessThan(2_000);
    const { requirements, more } = requirementsIn(values);
    expect(requirements.length).toBeGreaterThan(15);
    expect(requirements.length + more).toBe(200);
  });
});

describe('who handles requirements, in the memo', () => {
  const claim = { actor: 'olga@example.com', until: '2026-01-01T14:00:00.000Z' };
  const proposal = { actor: 'pete', at: '2026-01-01T10:00:00.000Z', reason: 'called', answer: 'text: Yes' };
  const open = [{ ...note(1), claim }, { ...note(2), proposal }, note(3)];
  const at = (time: string) => {
    const { requirements } = requirementsIn(listedRequirements(open));
    return withClaims(requirements, claimsMemo(open) ?? {}, Date.parse(time));
  };

  it('is a claim that has not ended, and a proposal without the answer and the reason', () => {
    expect(at('2026-01-01T13:59:00.000Z')).toMatchObject([
      { id: 'note-1', claim },
      { id: 'note-2', proposal: { actor: 'pete', at: proposal.at } },
      { id: 'note-3' },
    ]);
    expect(JSON.stringify(claimsMemo(open))).not.toMatch(/called|Yes/);
    expect([claimsMemo([note(1)]), claimsMemo([])]).toEqual([undefined, undefined]);
    const [after] = at(claim.until);
    expect(after).not.toHaveProperty('claim');
  });

  // Alone catches a list that does not show that the merchant was asked, or that the link is locked.
  it('has the link of a merchant who has not answered', () => {
    const until = '2026-01-31T14:00:00.000Z';
    const link = { link: 'L-a', actor: 'olga', until, state: 'locked', revision: 0 } as const;
    expect(claimsMemo([{ ...note(1), link }])).toEqual({ 'note-1': { link: { state: 'locked', until } } });
    expect(claimsMemo([{ ...note(1), link, proposal }])?.['note-1']).not.toHaveProperty('link');
    const [listed] = withClaims([note(1)], { 'note-1': { link: { state: 'open', until } } });
    expect(listed?.link).toEqual({ state: 'open', until });
  });

  it('leaves the name out where an actor is too long, and never the subject', () => {
    const handledBy = (actor: string) => claimsMemo([{ ...note(1), claim: { ...claim, actor } }])?.['note-1'];
    const [name, subject] = ['n'.repeat(100), 's'.repeat(97)];
    expect(handledBy(`${name} (${subject})`)?.claim?.actor).toBe(`${name} (${subject})`);
    expect(handledBy(`${name} (${subject}s)`)?.claim?.actor).toBe(`${subject}s`);
  });

  it('is short: names of 200 characters, and 64 kB even if each character has three bytes', () => {
    const [actor, mentioned] = [
      '語'.repeat(500),
      Array.from({ length: 5 }, (_, at) => `Ada (${'語'.repeat(63)}${at})`),
    ];
    const all = Array.from({ length: 40 }, (_, number) => ({
      ...note(number),
      claim: { ...claim, actor, by: actor },
      proposal: { ...proposal, actor },
      mentioned,
    }));
    const memo = claimsMemo([note(99), ...all]) ?? {};
    expect(Buffer.byteLength(JSON.stringify(memo))).toBeLessThan(64_000);
    expect(Object.keys(memo)).toEqual(all.slice(0, 18).map(({ id }) => id));
    const { claim: taken, proposal: record } = memo['note-0'] ?? {};
    expect([taken?.actor.length, record?.actor.length]).toEqual([200, 200]);
  });
});

describe('the time of stages', () => {
  it('is counted for each stage that is over, also for one that comes again', () => {
    const second = withStage(withStage({}, 'preparing', 12.4), 'applying', 20);
    expect(second).toEqual({ preparing: 12, applying: 8 });
    expect(withStage(second, 'preparing', 21)).toEqual({ preparing: 13, applying: 8 });
  });

  it('is read as it was written', () => {
    const times = { preparing: 12, underwriting: 172_800 };
    expect(listedStages(times)).toEqual(['preparing 12', 'underwriting 172800']);
    expect(stagesIn(listedStages(times))).toEqual(times);
  });
});

it('a dba in a search attribute has only its initials where it is masked', () => {
  expect(indexedDba('Acme Bikes', 'shown')).toBe('Acme Bikes');
  expect(indexedDba('Acme Bikes', 'masked')).toBe('A… B…');
  expect(indexedDba('Café Öl', 'masked')).toBe('C… Ö…');
});

describe('the words of a dba', () => {
  it.each([
    ['Córner-Bakery, Inc.', ['corner', 'bakery', 'inc']],
    ['ＡＣＭＥ ﬁsh', ['acme', 'fish']],
    ['bike BIKE', ['bike']],
    ["'); -- …", []],
    ['Donaudampfschiff', ['donaudampfsc']],
  ])('of %s are %j', (text, words) => {
    expect(searchWords(text)).toEqual(words);
  });

  it('are indexed by each of their beginnings, and masked by their initials only', () => {
    expect(indexedWords('Red Fox', 'shown')).toBe('red re r fox fo f');
    expect(indexedWords('Red Fox', 'masked')).toBe('maskedinitialsrf r f');
    expect(indexedWords('… !!', 'masked')).toBe('maskedinitials');
  });

  it('have no beginning that is taken for a masked name', () => {
    expect(indexedWords('Maskedinitialsrf Maskedinitials', 'shown')).not.toContain('maskedinitials');
  });

  it.each(['中', '𝒳', 'é', 'ab '])('fit a search attribute, however many there are: %s', (text) => {
    const name = Array.from({ length: 60 }, (_, number) => text.repeat(12) + number).join(' ');
    for (const form of ['shown', 'masked'] as const) {
      const indexed = indexedWords(name, form);
      expect(Buffer.byteLength(indexed)).toBeLessThanOrEqual(1_800);
      expect(indexed).not.toBe('');
    }
  });
});
