/** The outcomes of an onboarding or a single operation. */
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

/** The outcome of an onboarding or a single operation. */
export type OutcomeName = (typeof OUTCOMES)[number];

/**
 * The stages of an onboarding, and its endings.
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

/** The stage of an onboarding, or its ending. */
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
