import { proxyActivities } from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
import { REPEATABLE } from '../journey/activity-options.js';

export const { resolveInOnboarding } = proxyActivities<OnboardingActivities>({
  ...REPEATABLE,
  summary: 'Hand an answer on',
});

export const { awaitOnboarding } = proxyActivities<OnboardingActivities>({
  startToCloseTimeout: '1m',
  summary: 'Wait for an onboarding that was there before',
});
