import { expect, it } from 'vitest';
import { loadCommandSettings } from '../../../../src/apps/command/cli/command-line.js';
import { actorFrom } from '../../../../src/apps/command/onboarding/claim.js';
import { peopleFile } from '../../../rigs/people-file.js';

const [ADA, EVE, ADA_MOSS] = [
  { name: 'Ada Park', id: 'ada-17', role: 'operator' },
  { name: 'Eve Moss', id: 'eve-3', role: 'operator' },
  { name: 'Ada Moss', id: 'ada-18', role: 'operator' },
];

const among = (people?: readonly object[]) => ({
  config: () => loadCommandSettings(people ? peopleFile(people) : {}),
});

// Alone catches a person at a terminal who poses as a program, and so as another person than before.
it('--actor names a person, and no program', () => {
  expect(actorFrom(among(), { actor: 'Ada Park' })).toBe('Ada Park');
  expect(() => actorFrom(among(), { actor: 'crm (API), for Bo Baker' })).toThrow(
    '--actor must not look like a client of the API; name the person',
  );
});

// Alone catches a colleague who is one person in the console and another one in a command, and so claims and confirms as both.
it('--actor is the colleague of the file, by whatever they are called', () => {
  const actor = (name: string, people: readonly object[] = [ADA, EVE]) =>
    actorFrom(among(people), { actor: name });
  for (const name of ['ada', 'Ada', 'ADA PARK', ' ada  park ', 'ada-17', 'Ada Park (ada-17)'])
    expect(actor(name)).toBe('Ada Park (ada-17)');
  expect(actor('olga')).toBe('olga');
  expect(() => actor('ada', [ADA, ADA_MOSS])).toThrow(
    '--actor: "ada" can be Ada Park (ada-17) or Ada Moss (ada-18); write the whole name',
  );
  expect(() => actor('olga', [{}])).toThrow('GANGWAY_PEOPLE_FILE: line 1: ');
});
