/** How an onboarding or a single operation ends. */
export const OUTCOMES = [
  'boarded',
  'onboarded',
  'provisioned',
  'partly-onboarded',
  'declined',
  'withdrawn',
  'closed',
  'done',
  'rejected',
  'abandoned',
] as const;

/** How an onboarding or a single operation ends. */
export type OutcomeName = (typeof OUTCOMES)[number];

/**
 * Where an onboarding stands, and how it ended.
 *
 * - a merchant: `preparing` (looking up and creating), `applying` (fees and submission), `underwriting`, `boarding`
 *   (approved; the processor has not assigned the `mid` yet)
 * - a business: `applying` (looking for a profile, submitting the holder), `underwriting`, `opening` (the
 *   financial account)
 * - a terminal: `provisioning`
 * - a customer: `onboarding` while one of these runs
 * - a single operation: `working`
 */
export const STAGES = [
  'preparing',
  'applying',
  'underwriting',
  'boarding',
  'opening',
  'provisioning',
  'onboarding',
  'working',
  ...OUTCOMES,
  'cancelled',
] as const;

/** Where an onboarding stands, and how it ended. */
export type Stage = (typeof STAGES)[number];

const FIRST_STAGES: Readonly<Record<string, Stage>> = {
  merchantBoarding: 'preparing',
  businessOnboarding: 'applying',
  terminalProvisioning: 'provisioning',
  customerOnboarding: 'onboarding',
};

/** The stage in which a workflow of this type begins. */
export function firstStage(workflowType: string): Stage {
  return FIRST_STAGES[workflowType] ?? 'working';
}
