import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contractLines, REQUIRED } from '../../scripts/contract.js';

const RELEASES = readdirSync('test/contract');
const now = contractLines();

const recorded = (file: string) => readFileSync(`test/contract/${file}`, 'utf8').trimEnd().split('\n');

/** `input merchant merchant` for `input merchant merchant.dba`, and `input merchant` for a field that is in no part. */
function partOf(field: string): string {
  const [input = '', kind = '', path = ''] = field.split(' ');
  const part = path.split('.').slice(0, -1).join('.').replace(/\[\]$/, '');
  return [input, kind, ...(part === '' ? [] : [part])].join(' ');
}

// Proves M3.
describe.each(RELEASES)('the contract of %s', (file) => {
  const lines = recorded(file);

  it('is kept: all of its names and fields are there, with the same types', () => {
    const promised = lines.filter((line) => !line.startsWith(REQUIRED));
    expect(promised.filter((line) => !now.includes(line))).toEqual([]);
  });

  it('is kept: what was a complete input still is one', () => {
    const isKnown = (field: string) => lines.some((line) => line.startsWith(`${field} `));
    const added = now.filter((line) => line.startsWith(REQUIRED) && !lines.includes(line));
    // A new optional part may have fields that the part needs.
    expect(added.filter((line) => isKnown(partOf(line.slice(REQUIRED.length))))).toEqual([]);
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
