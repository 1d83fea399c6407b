import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from '../../../../src/platform/settings/did-you-mean.js';

describe('the nearest names', () => {
  it.each([
    ['bordered', ['boarding', 'boarded', 'onboarded', 'declined'], ['boarded']],
    [
      'boardingSettingId',
      ['boardingSettings', 'boardingSettingsId', 'agentProfileId'],
      ['boardingSettingsId'],
    ],
    ['DBA', ['merchant.dba', 'boarding.merchant.dba'], ['merchant.dba']],
    ['first_name', ['merchant.firstName', 'merchant.lastName'], ['merchant.firstName']],
    ['corner-bakry', ['corner-bakery', 'harbor-books'], ['corner-bakery']],
    ['notes', ['note-1', 'note-2', 'changes-requested-1'], ['note-1', 'note-2']],
    ['BOARDING_USRNAME', ['BOARDING_USERNAME', 'BANKING_USERNAME'], ['BOARDING_USERNAME']],
  ])('of %s among %j are %j', (value, names, expected) => {
    expect(nearest(value, names)).toEqual(expected);
  });

  it.each([
    ['dob', ['dba', 'pos']],
    ['xyz', ['boarded', 'declined']],
    ['', ['dba']],
    ['--', ['dba']],
    ['merchant', ['merchantProfileId', 'merchant.dba']],
  ])('of %s do not exist among %j', (value, names) => {
    expect(nearest(value, names)).toEqual([]);
    expect(didYouMean(value, names)).toBe('');
  });

  it('are three at most', () => {
    expect(nearest('note', ['note1', 'note2', 'note3', 'note4'])).toHaveLength(3);
  });

  it('are a question at the end of a message', () => {
    expect(didYouMean('colr', ['color'])).toBe('; did you mean color?');
    expect(didYouMean('not-1', ['note-1', 'nut-1'])).toBe('; did you mean note-1 or nut-1?');
  });
});
