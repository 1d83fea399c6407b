import { describe, expect, it } from 'vitest';
import { loadCommandSettings } from '../../../src/commands/cli/command-line.js';
import { BadSetting } from '../../../src/settings/settings.js';

describe('the settings of the command', () => {
  it('have defaults', () => {
    expect(loadCommandSettings({})).toMatchObject({
      taskQueue: 'gangway',
      payloadKeys: undefined,
      uiUrl: undefined,
      documentDir: 'documents',
      accounts: {},
    });
  });

  it('reject an address of the Web UI that is not a URL', () => {
    expect(() => loadCommandSettings({ GANGWAY_UI_URL: 'ui' })).toThrow(
      new BadSetting('GANGWAY_UI_URL', 'must be a URL'),
    );
  });

  it('are no settings of the worker', () => {
    expect(() => loadCommandSettings({ GANGWAY_POLL_MIN: 'often', GANGWAY_LOG_LEVEL: 'loud' })).not.toThrow();
  });

  it('are checked against partners whose certificates are not verified', () => {
    const environment = { BOARDING_URL: 'https://boarding.example.com', BOARDING_USERNAME: 'u' };
    const settings = { ...environment, BOARDING_PASSWORD: 'p', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(() => loadCommandSettings(settings)).toThrow('NODE_TLS_REJECT_UNAUTHORIZED');
  });
});
