import { describe, expect, it } from 'vitest';
import type { OnboardingState } from '../../src/messages/onboarding-state.js';
import { countingProxy } from '../rigs/counting-proxy.js';
import { business } from '../rigs/inputs.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

const LIFETIME_MS = 2_000;
const LIFETIMES = 2;
/** Tokens are renewed when four fifths of their life are over; two calls for one end would come together. */
const LEAST_GAP_MS = LIFETIME_MS / 2;

const TOKEN_CALLS = /^POST \/api\/auth\//;

describe('twenty onboardings over several lifetimes of a token', () => {
  it('share one token at a time, and nobody is asked for anything', async () => {
    const rig: Rig = await createRig({
      worker: false,
      sandbox: { pace: { reads: 1 }, tokenLifetimeMs: LIFETIME_MS },
    });
    try {
      const proxy = await countingProxy(rig.sandbox.url);
      await rig.startWorker({ bankingUrl: proxy.url });
      const inputs = Array.from({ length: 20 }, () => business('waiting', { openFinancialAccount: true }));
      const onboardings = await Promise.all(inputs.map((input) => rig.onboardBusiness(input)));
      const tokens = () =>
        proxy.seen().filter(({ line, status }) => TOKEN_CALLS.test(line) && status === 200);
      const submitted = ({ partnerStatus }: OnboardingState) => partnerStatus === 'Submitted';
      const states = await Promise.all(onboardings.map((onboarding) => onboarding.until(submitted)));
      await eventually(
        async () => tokens().length,
        (count) => count > LIFETIMES,
        'tokens',
      );
      for (const { profileId = 0 } of states) {
        await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
      }
      const outcomes = await Promise.all(onboardings.map((onboarding) => onboarding.outcome()));
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(20).fill('onboarded'));
      const events = (await Promise.all(onboardings.map((onboarding) => onboarding.events()))).flat();
      expect(events).not.toContain('requirement-raised');

      const times = tokens().map(({ at }) => at);
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThan(LEAST_GAP_MS);
    } finally {
      await rig.close();
    }
  });
});
