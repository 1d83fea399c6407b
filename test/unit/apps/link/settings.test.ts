import { describe, expect, it } from 'vitest';
import { loadLinkSettings } from '../../../../src/apps/link/settings.js';
import { BadSetting } from '../../../../src/platform/settings/settings.js';
import { fileWith } from '../../../rigs/folders.js';
import { SETTINGS } from '../../../rigs/link/running-link.js';
import { API_TOKEN } from '../../../rigs/link/stand-in-api.js';

const NEEDED = { ...SETTINGS, LINK_API_URL: 'https://gangway.example.com/' };

describe('the settings of the merchant’s page', () => {
  it('are its address, the API with a token, a name, and defaults', () => {
    expect(loadLinkSettings(NEEDED)).toEqual({
      host: '127.0.0.1',
      port: 8086,
      url: new URL('https://answers.example.com'),
      api: { url: 'https://gangway.example.com', token: API_TOKEN },
      company: 'Acme Payments',
      requestsPerMinute: 120,
      trustedProxies: [],
      logLevel: 'info',
    });
  });

  it('take the token from a file', async () => {
    const { LINK_API_TOKEN: _, ...others } = NEEDED;
    expect(
      loadLinkSettings({ ...others, LINK_API_TOKEN_FILE: await fileWith(`${API_TOKEN}\n`) }).api.token,
    ).toBe(API_TOKEN);
  });

  it.each<[string, string, RegExp]>([
    ['LINK_URL', '', /^LINK_URL: is not set$/],
    ['LINK_URL', 'http://answers.example.com', /^LINK_URL: must be https/],
    ['LINK_URL', 'https://example.com/answers', /^LINK_URL: must be an address without a path$/],
    ['LINK_API_URL', 'http://receiver:8082', /^LINK_API_URL: must be https/],
    ['LINK_API_TOKEN', 'short', /^LINK_API_TOKEN: each token must be 32 or more/],
    ['LINK_API_TOKEN', `${API_TOKEN},${API_TOKEN}`, /^LINK_API_TOKEN: must be one token$/],
    ['LINK_COMPANY', '', /^LINK_COMPANY: is not set$/],
    ['LINK_LOGO_FILE', 'logo.html', /^LINK_LOGO_FILE: must be a file named \.svg or \.png$/],
    ['LINK_LOGO_FILE', 'nowhere.svg', /^LINK_LOGO_FILE: cannot be read \(ENOENT\)$/],
    ['LINK_LOGO_FILE', 'docs/images/encrypted.png', /^LINK_LOGO_FILE: is larger than 64 KiB$/],
    ['LINK_REQUESTS_PER_MINUTE', '0', /^LINK_REQUESTS_PER_MINUTE: must be a whole number above 0$/],
  ])('name %s that is %j', (name, value, message) => {
    const load = () => loadLinkSettings({ ...NEEDED, [name]: value });
    expect(load).toThrow(BadSetting);
    expect(load).toThrow(message);
  });

  it('refuse an address for other machines unless merchants come by https', () => {
    const open = { ...NEEDED, LINK_ADDRESS: '0.0.0.0:8086' };
    expect(loadLinkSettings(open).host).toBe('0.0.0.0');
    expect(() => loadLinkSettings({ ...open, LINK_URL: 'http://localhost:8086' })).toThrow(
      /^LINK_ADDRESS: must be/,
    );
  });
});
