import { expect, it } from 'vitest';
import { mutableFields } from '../../../scripts/mutable.js';

it.each([
  ['readonly id = 7;', []],
  ['constructor(private readonly id: number) {}', []],
  ['readonly #later: Promise<void>;', []],
  ['readonly on = { end: () => 7 };', []],
  ['count = 0;', ['count']],
  ['#latest: string | undefined;', ['#latest']],
  ['private static last?: Date;', ['last']],
  ['readonly #seen = new Set<string>();', ['#seen']],
  ['readonly all: string[] = [];', ['all']],
  ['readonly memo = { status: "" };', ['memo']],
])('of a class with %s, what can change is %j', (member, fields) => {
  expect(mutableFields(`export class Poll { ${member} }`)).toEqual(fields);
});
