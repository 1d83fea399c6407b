/** Agent profiles of the sandbox, by ISO (shape: apis/4). */
export const AGENT_PROFILES = [
  agentProfile(101, 'Harbor Agents', 1),
  agentProfile(102, 'Lighthouse Sales', 1),
  agentProfile(201, 'Other ISO Agents', 2),
];

function agentProfile(id: number, name: string, isoId: number) {
  return {
    isoId,
    record: {
      id,
      name,
      payoutNumber: `P-${id}`,
      agentId: id + 1_000,
      agentName: name,
      agentOfficeId: id + 2_000,
      agentOfficeName: `${name} Office`,
      agentUserName: `agent${id}`,
      email: `agent${id}@example.com`,
    },
  };
}

/** Boarding settings of the sandbox, by ISO (shape: apis/4), each with the fees it fills in. */
export const BOARDING_SETTINGS = [
  boardingSettings(11, 'Standard', 1),
  boardingSettings(12, 'Cash Discount', 1),
  boardingSettings(21, 'Other ISO Standard', 2),
];

function boardingSettings(id: number, name: string, isoId: number) {
  return {
    isoId,
    record: {
      id,
      name,
      bin: '012345',
      bank: '0099',
      association: '000123',
      agent: '000045',
      discoverEnabled: true,
      icaNumber: '1234',
      ergId: '0042',
      noFees: false,
      allowSpecifyMIDBoardingAPI: false,
    },
    fees: {
      cashDiscountRate: 3.5,
      minimumDiscountAmount: 25,
      minimumDiscountStartDate: '2026-01-01T00:00:00Z',
      minimumDiscountType: 'Monthly',
      earlyTerminationFeeAmount: 295,
      earlyTerminationFeeContractMonths: 36,
      visaMasterCardDiscover: { interchangePlus: { qualified: { perItem: 0.1, percent: 0.25 } } },
      authorizationMonthlyAndSpecialProgram: {
        chargeback: { perItem: 25, percent: 0 },
        statement: { perItem: 10, percent: 0 },
        pciAnnual: { perItem: 99, percent: 0 },
      },
      miscFees: [],
      miscFeesVolume: [],
    },
  };
}

/**
 * The users who may call the sandbox's boarding API, by Basic credentials (the password is the user name, unless one is set for
 * all).
 */
export interface User {
  readonly name: string;
  readonly isoId: number;
  readonly mayWrite: boolean;
}

export const USERS: readonly User[] = [
  { name: 'sandbox', isoId: 1, mayWrite: true },
  { name: 'other-iso', isoId: 2, mayWrite: true },
  { name: 'read-only', isoId: 1, mayWrite: false },
];

export function authenticate(authorization: string | undefined, password?: string): User | undefined {
  const credentials = (name: string) => Buffer.from(`${name}:${password ?? name}`).toString('base64');
  return USERS.find(({ name }) => authorization === `Basic ${credentials(name)}`);
}
