import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  assignmentTo,
  colleagueOf,
  followPeople,
  mentionsIn,
  peopleIn,
  remarkTo,
  seenWithin,
} from '../../../../src/services/inbox/people.js';
import { peopleFile } from '../../../rigs/people-file.js';

const FILE = [
  { name: 'Ada Park', id: 'ada-17', role: 'operator' },
  { name: 'Ada Smith', id: 'ada-18', role: 'approver' },
  { name: 'Bo Baker', id: 'b.baker@example.com', role: 'operator', accounts: ['acme', 'default'] },
  { name: 'Vera Viewer', id: 'v-1', role: 'viewer' },
].map((each) => JSON.stringify(each));
const PEOPLE = peopleIn(FILE.join('\n'), ['acme']);
const ID = 'merchant-boarding-m-1';

describe('a colleague', () => {
  it.each([
    ['Ada Park', 'ada-17'],
    [' ada  PARK ', 'ada-17'],
    ['ADA-18', 'ada-18'],
    ['Ada Smith (ada-18)', 'ada-18'],
    ['bo', 'b.baker@example.com'],
    ['vera', 'v-1'],
  ])('is called %s', (text, id) => {
    expect(colleagueOf(PEOPLE, text, 'assignee').id).toBe(id);
  });

  it.each([
    ['ada', 'assignee: "ada" can be Ada Park (ada-17) or Ada Smith (ada-18); write the whole name'],
    ['Ada Prak', 'assignee: no colleague is called "Ada Prak"; did you mean Ada Park?'],
    ['Boo', 'assignee: no colleague is called "Boo"; did you mean Bo?'],
    ['Baker', 'assignee: no colleague is called "Baker"'],
    ['Ada Park (ada-18)', 'assignee: no colleague is called "Ada Park (ada-18)"'],
    ['x'.repeat(200), `assignee: no colleague is called "${'x'.repeat(100)}"`],
  ])('is not called %s', (text, message) => {
    expect(() => colleagueOf(PEOPLE, text, 'assignee')).toThrow(message);
  });

  it('is nobody without a file', () => {
    expect(() => colleagueOf([], 'Ada', 'assignee')).toThrow(
      'no colleague is known; check GANGWAY_PEOPLE_FILE',
    );
    expect(followPeople(undefined, [])()).toEqual([]);
  });

  it('is assigned only what they may answer', () => {
    const to = (assignee: string, workflowId: string) => assignmentTo(PEOPLE, workflowId, { assignee });
    expect(to('bo', ID)).toEqual({ assignee: 'Bo Baker (b.baker@example.com)' });
    expect(to('bo', `${ID}@acme`)).toBeDefined();
    expect(() => to('bo', `${ID}@other`)).toThrow(
      'assignee: Bo Baker may not answer requirements of this account',
    );
    expect(() => to('vera', ID)).toThrow('assignee: Vera Viewer may not answer');
  });
});

describe('a mention', () => {
  it.each([
    ['@Ada Park please', ['ada-17']],
    ['Ask (@ada-18), @BO: or @Ada Smith.', ['ada-18', 'b.baker@example.com']],
    ['@b.baker@example.com', ['b.baker@example.com']],
    ['They write from joe@example.com, 2 @ 3', []],
  ])('is in "%s"', (text, ids) => {
    expect(mentionsIn(PEOPLE, text).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['@Bob', 'text: no colleague is called "bob"; did you mean Bo?'],
    ['@Adam', 'text: no colleague is called "adam"; did you mean Ada?'],
    ['@Ada', 'text: "ada" can be Ada Park'],
    ['@bo-17', 'text: no colleague is called "bo-17"'],
    ['@vera', 'text: Vera Viewer may not answer'],
  ])('of nobody is refused: %s', (text, message) => {
    expect(() => remarkTo(PEOPLE, ID, text)).toThrow(message);
  });

  it('is not looked for in a text that is too long, which would compare every name at each @', () => {
    expect(() => remarkTo(PEOPLE, ID, '@bo '.repeat(200))).toThrow(
      'text: must have at most 500 characters; it has 800',
    );
  });

  it('is text where no colleagues are known', () => {
    expect(remarkTo([], ID, '@Bob')).toEqual({ text: '@Bob' });
  });
});

describe('a file of people', () => {
  it.each([
    [['{'], 'line 1: '],
    [['', '{"name":"Ada","id":"a","role":"boss"}'], 'line 2: role: '],
    [
      ['{"name":"Ada (x)","id":"a","role":"viewer"}'],
      'line 1: the name and the ID together must name a colleague',
    ],
    [
      ['{"name":"crm (API)","id":"a","role":"viewer"}'],
      'line 1: the name and the ID together must name a colleague',
    ],
    [[FILE[0], '{"name":"ADA-17","id":"a","role":"viewer"}'], 'line 2: another line has this name or ID'],
    [
      ['{"name":"Ada","id":"a","role":"viewer","accounts":["other"]}'],
      'line 1: accounts: must be default or',
    ],
    [Array.from({ length: 1_001 }, () => '{}'), 'has more than 1000 lines'],
  ])('that cannot be used is named without its content', (lines, rule) => {
    expect(() => peopleIn(lines.join('\n'), ['acme'])).toThrow(`GANGWAY_PEOPLE_FILE: ${rule}`);
  });

  it('names colleagues of other accounts to nobody who is limited to one', () => {
    const namesFor = (own?: readonly string[]) => seenWithin(PEOPLE, own).map(({ id }) => id);
    expect(namesFor()).toContain('b.baker@example.com');
    expect(namesFor(['acme'])).toContain('b.baker@example.com');
    expect(namesFor(['other'])).toEqual(['ada-17', 'ada-18', 'v-1']);
  });

  it('that is missing is named', () => {
    expect(() => followPeople('/nowhere/people.jsonl', [])).toThrow('cannot be read (ENOENT)');
  });

  // Alone catches a remark that loses its mention, and an assignment without a colleague, while somebody edits the file.
  it('keeps its last good colleagues while it cannot be used, and one warning names it', async () => {
    const { GANGWAY_PEOPLE_FILE: file } = peopleFile(FILE.map((line) => JSON.parse(line)));
    const people = followPeople(file, ['acme']);
    const warned = once(process, 'warning');
    writeFileSync(file, '{');
    expect([people().length, people().length]).toEqual([4, 4]);
    expect(remarkTo(people(), ID, '@bo')).toMatchObject({ mentions: ['Bo Baker (b.baker@example.com)'] });
    expect((await warned)[0].message).toBe(
      `GANGWAY_PEOPLE_FILE: line 1: must be an object (${file}). Its last good content stays in use.`,
    );
    writeFileSync(file, FILE[0] ?? '');
    expect(people().map(({ id }) => id)).toEqual(['ada-17']);
  });
});
