import { describe, expect, it } from 'vitest';
import { visibilityQuery } from '../../../src/temporal/search.js';

describe('the query of gangway list', () => {
  it('has each of its filters', () => {
    const filters = {
      stage: 'underwriting',
      agent: '101',
      partnerAccount: 'acme',
      actionRequired: true,
    } as const;
    expect(visibilityQuery({ types: ['merchantBoarding', 'businessOnboarding'], ...filters })).toBe(
      "WorkflowType IN ('merchantBoarding', 'businessOnboarding') AND OnboardingStage = 'underwriting' AND " +
        "AgentProfileId = '101' AND PartnerAccount = 'acme' AND ActionRequired = true AND ExecutionStatus = 'Running'",
    );
  });

  it('finds a dba in both forms, a kind of requirement, and times', () => {
    const at = new Date('2026-01-31T10:00:00Z');
    const times = { dueAfter: at, dueUntil: at, startedBefore: at, endedSince: at };
    const filter = { types: ['businessOnboarding'], dba: "Joe's Bikes", kind: 'ticket', ...times } as const;
    expect(visibilityQuery(filter)).toBe(
      "WorkflowType IN ('businessOnboarding') AND Dba IN ('Joe''s Bikes', 'J… B…') AND Requirements = 'ticket' AND " +
        "ActionDueAt > '2026-01-31T10:00:00.000Z' AND ActionDueAt <= '2026-01-31T10:00:00.000Z' AND " +
        "StartTime < '2026-01-31T10:00:00.000Z' AND CloseTime >= '2026-01-31T10:00:00.000Z'",
    );
  });

  it('finds what is at one partner, by the type or by the id of an account', () => {
    const types = ['merchantBoarding', 'businessOnboarding', 'closeCard', 'partnerAccount'] as const;
    expect(visibilityQuery({ types, system: 'banking' })).toBe(
      "WorkflowType IN ('businessOnboarding', 'closeCard', 'partnerAccount') AND " +
        "(WorkflowType != 'partnerAccount' OR WorkflowId STARTS_WITH 'partner-account-banking')",
    );
  });

  it('keeps its filters together with a query with OR', () => {
    const query = "PartnerStatus = 'Pending' OR PartnerStatus = 'Declined'";
    expect(visibilityQuery({ types: ['merchantBoarding'], running: true, query })).toBe(
      "WorkflowType IN ('merchantBoarding') AND ExecutionStatus = 'Running' AND " +
        "(PartnerStatus = 'Pending' OR PartnerStatus = 'Declined')",
    );
  });

  it('quotes the values', () => {
    expect(visibilityQuery({ types: ['merchantBoarding'], agent: "x' OR ''='" })).toBe(
      "WorkflowType IN ('merchantBoarding') AND AgentProfileId = 'x'' OR ''''='''",
    );
  });
});
