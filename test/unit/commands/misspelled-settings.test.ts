import { expect, it } from 'vitest';
import { misspelledSettings } from '../../../src/commands/system/doctor/settings.js';

it.each([
  ['BOARDING_USRNAME', 'BOARDING_USERNAME'],
  ['GANGWAY_POL_MIN', 'GANGWAY_POLL_MIN'],
  ['PAYLOAD_KEY', 'PAYLOAD_KEYS'],
  ['RECEIVER_SECRET', 'RECEIVER_SECRETS'],
  ['NORTH_ISO_BOARDING_URI', 'NORTH_ISO_BOARDING_URL'],
  ['BANKING_PASSWORD_FIL', 'BANKING_PASSWORD_FILE'],
  ['BORDING_URL', 'BOARDING_URL'],
  ['BAORDING_URL', 'BOARDING_URL'],
  ['EVENT_URLS', 'EVENTS_URLS'],
  ['DOCUMENTS_DIR', 'DOCUMENT_DIR'],
  ['NORTHISO_BOARDING_URL', 'NORTH_ISO_BOARDING_URL'],
  ['TEMPORAL_ADRESS', 'TEMPORAL_ADDRESS'],
  ['TEMPORL_NAMESPACE', 'TEMPORAL_NAMESPACE'],
  ['OIDCISSUER', 'OIDC_ISSUER'],
])('%s is reported with the setting that it is similar to', (name, meant) => {
  expect(misspelledSettings({ [name]: 'x' }, ['north-iso']).map(({ why }) => why)).toEqual([
    `${name} is not a setting, so nothing reads it; did you mean ${meant}?`,
  ]);
});

it('a name that only Gangway can read is reported even if none is similar', () => {
  expect(misspelledSettings({ GANGWAY_SHOE_SIZE: '1' }, [])).toEqual([
    { why: 'GANGWAY_SHOE_SIZE is not a setting, so nothing reads it', fix: 'correct its name, or remove it' },
  ]);
});

it('settings, and names of other programs, are left alone', () => {
  const others = [
    'PATH',
    'HOME',
    ...['TEMPORAL_ADDRESS', 'TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_GRPC_META_TENANT'],
    'AWS_REGION',
    'NODE_OPTIONS',
    'npm_config_cache',
    'LOGNAME',
  ];
  const own = [
    'BOARDING_URL',
    'BOARDING_PASSWORD_FILE',
    'GANGWAY_ACCOUNTS',
    'SOUTH_BANKING_URL',
    'CODEC_TOKENS',
  ];
  const environment = Object.fromEntries([...others, ...own].map((name) => [name, 'x']));
  expect(misspelledSettings(environment, ['south'])).toEqual([]);
});
