import { describe, expect, it } from 'vitest';
import { visibilityQuery } from '../../../src/commands/onboarding/list.js';

describe('the query of gangway list', () => {
  it('has each of its filters', () => {
    const filters = {
      stage: 'underwriting',
      agent: '101',
      partnerAccount: 'acme',
      actionRequired: true,
    } as const;
    expect(visibilityQuery(['merchantBoarding', 'businessOnboarding'], filters)).toBe(
      "WorkflowType IN ('merchantBoarding', 'businessOnboarding') AND OnboardingStage = 'underwriting' AND " +
        "AgentProfileId = '101' AND PartnerAccount = 'acme' AND ActionRequired = true AND ExecutionStatus = 'Running'",
    );
  });

  it('keeps its filters together with a query with OR', () => {
    const query = "PartnerStatus = 'Pending' OR PartnerStatus = 'Declined'";
    expect(visibilityQuery(['merchantBoarding'], { running: true, query })).toBe(
      "WorkflowType IN ('merchantBoarding') AND ExecutionStatus = 'Running' AND " +
        "(PartnerStatus = 'Pending' OR PartnerStatus = 'Declined')",
    );
  });

  it('quotes the values', () => {
    expect(visibilityQuery(['merchantBoarding'], { stage: "x' OR ''='" })).toBe(
      "WorkflowType IN ('merchantBoarding') AND OnboardingStage = 'x'' OR ''''='''",
    );
  });
});
