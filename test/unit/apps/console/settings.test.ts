import { describe, expect, it } from 'vitest';
import { loadConsoleSettings } from '../../../../src/apps/console/settings.js';
import { BadSetting } from '../../../../src/platform/settings/settings.js';
import { SESSION_KEY } from '../../../rigs/console/running-console.js';

const SIGN_IN = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'gangway',
  CONSOLE_SESSION_KEYS: SESSION_KEY,
};

describe('the settings of the console', () => {
  it.each<[string, Record<string, string>]>([
    ['CONSOLE_ADDRESS: must be a loopback address', { CONSOLE_ADDRESS: '0.0.0.0:0' }],
    ['CONSOLE_ADDRESS: must be a loopback address', { ...SIGN_IN, CONSOLE_ADDRESS: '0.0.0.0:0' }],
    ['CONSOLE_SESSION_KEYS: is not set, but OIDC_ISSUER is', { ...SIGN_IN, CONSOLE_SESSION_KEYS: '' }],
    ['CONSOLE_SESSION_KEYS: each must be 32 or more', { ...SIGN_IN, CONSOLE_SESSION_KEYS: 'short' }],
    ['OIDC_CLIENT_ID: is not set, but OIDC_ISSUER is', { ...SIGN_IN, OIDC_CLIENT_ID: '' }],
    ['OIDC_ISSUER: must be https', { ...SIGN_IN, OIDC_ISSUER: 'http://login.example.com' }],
    ['CONSOLE_URL: must be https', { ...SIGN_IN, CONSOLE_URL: 'http://console.example.com' }],
    ['CONSOLE_URL: must be an address without a path', { ...SIGN_IN, CONSOLE_URL: 'https://a.example/b' }],
    ['CONSOLE_PERSON: must be an ID in GANGWAY_PEOPLE_FILE', { CONSOLE_PERSON: 'ada' }],
    [
      'CONSOLE_PERSON: must be an ID in GANGWAY_PEOPLE_FILE, without OIDC_ISSUER',
      { ...SIGN_IN, CONSOLE_PERSON: 'ada' },
    ],
    ['GANGWAY_FOUR_EYES: each must be one of', { GANGWAY_FOUR_EYES: 'everything' }],
    ['GANGWAY_FOUR_EYES: each must be one of', { GANGWAY_FOUR_EYES: 'ticket,code' }],
  ])('are rejected: %s (%o)', (message, settings) => {
    const load = () => loadConsoleSettings(settings);
    expect(load).toThrow(BadSetting);
    expect(load).toThrow(message);
  });
});
