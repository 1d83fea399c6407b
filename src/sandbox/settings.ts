import { z } from 'zod';
import { duration, listenAddress } from '../settings/settings.js';
import { TOKEN_LIFETIME_MS } from './banking/users.js';
import { pace } from './scenario.js';

/** The settings of the sandbox. docs/configuration.md is made from their descriptions. */
export const sandboxSettings = z.object({
  SANDBOX_ADDRESS: listenAddress.prefault('127.0.0.1:4010').describe('Where the sandbox listens.'),
  SANDBOX_PACE: pace
    .prefault('1s')
    .describe('Time, or number of status reads, between two steps of its underwriters.'),
  SANDBOX_TOKEN_LIFETIME: duration
    .prefault(`${TOKEN_LIFETIME_MS / 60_000}m`)
    .describe('How long a token of its bank is valid.'),
});
