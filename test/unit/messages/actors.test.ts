import { describe, expect, it } from 'vitest';
import {
  asSubject,
  CLIENT_NAME,
  eventActor,
  isPersonName,
  isSamePerson,
  looksLikeProgram,
  mayBeProposer,
  partsOfActor,
  programActor,
} from '../../../src/messages/actors.js';

it.each([
  // People change their name at the identity provider, or remove it.
  ['Ada Park (ada-17)', 'Eve Moss (ada-17)', true],
  ['Ada Park (ada-17)', 'ada-17', true],
  ['Ada Park (ada-17)', 'Ada Park (eve-3)', false],
  ['Ada Park (ada-17)', 'Ada Park', false],
  // No name takes the place of the subject.
  ['Ada Park (ada-17)', 'Eve (ada-17) (eve-3)', false],
  ['Eve (ada-17) (eve-3)', 'Eve Moss (eve-3)', true],
  ['ada-17', 'x（ada-17）', false],
  ['olga@example.com', ' Olga@Example.com ', true],
  ['olga', 'olga', true],
  ['olga', 'pete', false],
  ['olga', '', false],
  // A program acts as its person. Two programs that name nobody are two people.
  ['crm (API), for Ada Park (ada-17)', 'Eve Moss (ada-17)', true],
  ['crm (API), for Ada Park', 'shop (API), for Ada Park', true],
  ['crm (API), for Ada Park', 'crm (API)', false],
  ['crm (API)', 'shop (API)', false],
  ['crm (API)', 'api', false],
])('two actors %j and %j are those of one person: %j', (one, other, same) => {
  expect(isSamePerson(one, other)).toBe(same);
});

// Alone catches that a program, or one of two spellings of a name, makes two people of one.
it.each([
  ['Ada Park (ada-17)', 'Ada Park (ada-17)', true],
  ['crm (API), for Ada Park', 'Ada Park (ada-17)', true],
  ['Ada Park (ada-17)', 'crm (API), for ada park', true],
  ['crm (API), for Ada Park', 'shop (API), for Ada Park', true],
  ['crm (API), for Ada Park', 'crm (API)', true],
  ['Ada Park (ada-17)', 'Ada Park (eve-3)', false],
  ['crm (API), for Ada Park', 'crm (API), for Eve Moss', false],
  ['crm (API), for Ada Park', 'shop (API)', false],
  ['Ada Park (ada-17)', 'crm (API)', false],
  ['Ada Park (ada-17)', '', false],
  ['ada', 'Ada Park (ada-17)', true],
  ['Ada Park (ada-17)', 'crm (API), for Ada', true],
  ['ada-17', 'Ada Park (ada-17)', true],
  ['Adam', 'Ada Park (ada-17)', false],
  ['Ada (ada-18)', 'Ada Park (ada-17)', false],
])('%j may have proposed what %j did: %j', (actor, proposer, may) => {
  expect(mayBeProposer(actor, proposer)).toBe(may);
});

describe('the actor of a program', () => {
  it('has the program and the person, whatever the person is called', () => {
    expect(programActor('crm', 'Ada Park')).toBe('crm (API), for Ada Park');
    expect(programActor('crm')).toBe('crm (API)');
    expect(partsOfActor('crm (API), for Ada Park (ada-17)')).toEqual({
      program: 'crm',
      person: 'Ada Park (ada-17)',
    });
    expect(partsOfActor('crm (API), for shop (API), for Eve')).toEqual({
      program: 'crm',
      person: 'shop (API), for Eve',
    });
    expect(partsOfActor('Ada Park (ada-17)')).toEqual({ person: 'Ada Park (ada-17)' });
  });

  // Alone catches a sentence whose subject seems to be the person only.
  it('ends with a comma before its verb', () => {
    const subjects = [programActor('crm', 'Ada Park'), programActor('crm'), 'Ada Park (ada-17)'].map(
      asSubject,
    );
    expect(subjects).toEqual(['crm (API), for Ada Park,', 'crm (API)', 'Ada Park (ada-17)']);
  });

  // Alone catches that an event or a name at the identity provider poses as a program.
  it.each([
    ['crm (API), for Ada', true],
    ['Crm (api)', true],
    ['crm （API） for Ada', true],
    ['crm ( API )', true],
    ['Ada Park (ada-17)', false],
    ['API team', false],
  ])('%j looks like one: %j', (actor, looks) => {
    expect(looksLikeProgram(actor)).toBe(looks);
  });

  it.each([
    ['Ada Park', true],
    ['Ada Park (ada-17)', true],
    ["Seán O'Neill", true],
    ['ada@example.com', true],
    ['Ада Парк', true],
    ['Ада Парк (ada-17)', true],
    ['Park 박 지우', true],
    ['アダ Park ー', true],
    // A letter of another alphabet: Cyrillic, Greek, Lisu, and a Cyrillic one in an ID.
    ['\u0410da Park', false],
    ['\u0391da Park', false],
    ['Ada Pa\ua4e3k', false],
    ['\u0410\u0434\u0430 \u03a0arc', false],
    ['Ada Park (\u0430da-17)', false],
    ['', false],
    [' Ada', false],
    ['Ada, for Eve', false],
    ['Ada (API), for Eve', false],
    ['Ada\nEve', false],
    ['Ada\u202eevE', false],
    ['Ada\u200bPark', false],
    ['a'.repeat(101), false],
  ])('a person may be called %j: %j', (name, may) => {
    expect(isPersonName(name)).toBe(may);
  });

  it.each([
    ['crm', true],
    ['back-office-2', true],
    ['', false],
    ['Crm', false],
    ['crm (API)', false],
    ['a'.repeat(41), false],
  ])('a client may be called %j: %j', (name, may) => {
    expect(CLIENT_NAME.test(name)).toBe(may);
  });
});

// Alone catches a person who confirms under another spelling, which looks the same or nearly so.
it.each([
  'Ada  Park',
  ' ada park ',
  'Ada\u034f Park',
  'Ada\u3164 Park',
  'Ada Park\ufe0f',
  'Ａda Park',
  'Ada\u200b Park',
])('%j may be Ada Park, who proposed', (spelling) => {
  expect(mayBeProposer(programActor('crm', spelling), 'Ada Park (ada-17)')).toBe(true);
});

// Alone catches a person named like a program, or with an invisible name.
it.each(['hr (API)', 'Ada (api)', '\u3164', '\uffa0\u034f'])('%j is no name of a person', (name) => {
  expect(isPersonName(name)).toBe(false);
});

// Alone catches an actor that people cannot tell from a program.
it.each(['crm (A\u200bPI)', 'crm (\u2060API), for Bo', 'crm (  api )'])(
  '%j looks like a program',
  (actor) => {
    expect(looksLikeProgram(actor)).toBe(true);
  },
);

// Alone catches an event whose sender passes for a person: its source is whatever the sender writes.
it.each([
  ['urn:crm:EU', 'urn-crm-eu (event)'],
  ['Ada Park (ada-17)', 'ada-park-ada-17 (event)'],
  ['//', 'unknown (event)'],
  [`https://crm.example/${'x'.repeat(2_000)}`, 'https-crm-example-xxxxxxxxxxxxxxxxxxxx (event)'],
])('the source %.40s of an event is a program', (source, actor) => {
  expect(eventActor(source)).toBe(actor);
  expect(looksLikeProgram(actor)).toBe(true);
  expect(partsOfActor(actor)).toEqual({ program: actor.replace(' (event)', '') });
});
