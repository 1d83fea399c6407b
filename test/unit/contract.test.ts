import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  brokenPromises,
  changedRecords,
  contractLines,
  mustKeep,
  recordContract,
  releasedContracts,
} from '../../scripts/contract.js';
import { newFolder } from '../rigs/folders.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const now = contractLines();

// Proves M3.
describe('the contract of a release', () => {
  it('has a record that nobody has changed since', () => {
    expect(changedRecords()).toEqual([]);
  });

  it('is kept: its names, its fields and their types are there, and what was a complete input still is one', () => {
    const entries = [...releasedContracts()].filter(([release]) => mustKeep(release, version));
    expect(entries.map(([release, lines]) => [release, brokenPromises(lines, now)])).toEqual(
      entries.map(([release]) => [release, []]),
    );
  });
});

describe('a record of a release', () => {
  let folder: string;
  const record = () => join(folder, '1.0.0.txt');
  const sums = () => join(folder, 'SHA256SUMS');

  beforeEach(async () => {
    folder = await newFolder();
    writeFileSync(sums(), '');
    recordContract('1.0.0', ['query state', 'stage boarded'], folder);
  });

  it('has the hash that sha256sum prints, and can be made again', () => {
    recordContract('1.0.0', ['query state', 'stage boarded'], folder);
    expect(readFileSync(sums(), 'utf8')).toBe(
      '43f1a2b18ed0a70cd111621c24048559099d1e49d1fd0e8d829002ee7b419ff2  1.0.0.txt\n',
    );
    expect(changedRecords(folder)).toEqual([]);
    expect([...releasedContracts(folder)]).toEqual([['1.0.0', ['query state', 'stage boarded']]]);
  });

  it.each([
    ['a line is added', () => appendFileSync(record(), 'stage lost\n'), ['1.0.0.txt']],
    ['it is deleted', () => rmSync(record()), ['1.0.0.txt']],
    ['its hash is deleted', () => writeFileSync(sums(), ''), ['1.0.0.txt']],
    [
      'another one has no hash',
      () => writeFileSync(join(folder, '1.0.1.txt'), 'query state\n'),
      ['1.0.1.txt'],
    ],
  ])('is refused when %s', (_, change, changed) => {
    change();
    expect(changedRecords(folder)).toEqual(changed);
  });

  it('is never replaced', () => {
    expect(() => recordContract('1.0.0', ['query state'], folder)).toThrow(
      'the contract of 1.0.0 is recorded, and differs',
    );
    expect(readFileSync(record(), 'utf8')).toBe('query state\nstage boarded\n');
  });

  it.each(['', 'v1.0.0', '../1.0.0', '1.0'])('is not made for a release called "%s"', (release) => {
    expect(() => recordContract(release, [], folder)).toThrow('name the release');
  });
});

it.each([
  ['0.1.0', '0.1.3', true],
  ['0.1.0', '0.2.0', false],
  ['1.0.0', '1.4.0', true],
  ['1.0.0', '2.0.0', false],
  ['0.1.0', '1.1.0', false],
])('the contract of %s binds %s: %s', (release, later, isBound) => {
  expect(mustKeep(release, later)).toBe(isBound);
});

describe('a contract that breaks a released one', () => {
  const released = [
    'query state',
    'input merchant id string',
    'required input merchant id',
    'input merchant fees object',
  ];

  it.each([
    ['nothing has changed', [], []],
    ['a name is new', ['query history'], []],
    ['a field is new and optional', ['input merchant tag string'], []],
    [
      'a field is new and required',
      ['input merchant tag string', 'required input merchant tag'],
      ['required input merchant tag'],
    ],
    [
      'a part that was there requires a field',
      ['required input merchant fees.rate'],
      ['required input merchant fees.rate'],
    ],
    ['a new part requires a field', ['input merchant tax object', 'required input merchant tax.id'], []],
  ])('when %s', (_, added, broken) => {
    expect(brokenPromises(released, [...released, ...added])).toEqual(broken);
  });

  it('when a name is gone or has another type, but not when a field is no longer required', () => {
    expect(brokenPromises(released, ['input merchant id number', 'input merchant fees object'])).toEqual([
      'query state',
      'input merchant id string',
    ]);
  });
});

describe('the contract', () => {
  it('has each kind of name', () => {
    for (const line of [
      'command board --wait',
      'event in merchant.boarding.requested.v1',
      'exit code 3 waits for a person',
      'input merchant merchant.dba string',
      'query state',
      'required input merchant externalId',
      'search attribute OnboardingStage KEYWORD',
      'setting GANGWAY_TASK_QUEUE',
      'update resolveRequirement',
      'workflow merchantBoarding merchant-boarding-',
    ])
      expect(now).toContain(line);
  });
});
