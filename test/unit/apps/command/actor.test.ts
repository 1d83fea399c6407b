import { expect, it } from 'vitest';
import { actorFrom } from '../../../../src/apps/command/onboarding/claim.js';

// Alone catches a person at a terminal who poses as a program, and so as another person than before.
it('--actor names a person, and no program', () => {
  expect(actorFrom({ actor: 'Ada Park' })).toBe('Ada Park');
  expect(() => actorFrom({ actor: 'crm (API), for Bo Baker' })).toThrow(
    '--actor must not look like a client of the API; name the person',
  );
});
