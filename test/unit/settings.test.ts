import { describe, expect, it } from 'vitest';
import { PROCESS_SETTINGS } from '../../src/commands/help/process-settings.js';
import { metaOf } from '../../src/settings/settings.js';

const settings = PROCESS_SETTINGS.flatMap(({ process, schema, secrets }) =>
  Object.entries(schema.shape).map(([name, setting]) => ({
    process,
    name,
    setting,
    isSecret: secrets.includes(name),
  })),
);

describe('each setting', () => {
  it.each(settings)('$name of $process has a description', ({ setting }) => {
    expect(metaOf(setting, 'description')).toMatch(/^[A-Z].*\.$/);
  });

  it.each(settings)('$name of $process is a secret if its name is that of one', ({ name, isSecret }) => {
    if (/(PASSWORD|SECRETS?|TOKENS?|_KEYS?|_AUTH)$/.test(name)) expect(isSecret).toBe(true);
  });
});
