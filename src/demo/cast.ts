import type { WorkflowType } from '../messages/ids.js';
import type { OutcomeName } from '../messages/onboarding-state.js';
import type { RequirementKind } from '../messages/requirements.js';

/** Someone of the demo: the file in examples/, what starts it, and how its scenario says that it ends. */
export interface Part {
  readonly command: 'board' | 'onboard-business' | 'onboard' | 'event';
  readonly type: WorkflowType;
  readonly file: string;
  readonly externalId: string;
  readonly outcome: OutcomeName;
}

const merchant = { command: 'board', type: 'merchantBoarding' } as const;
const business = { command: 'onboard-business', type: 'businessOnboarding' } as const;
const customer = { command: 'onboard', type: 'customerOnboarding' } as const;

const example = (name: string) => `examples/${name}.json`;

export const CAST: readonly Part[] = [
  { ...merchant, file: example('merchant'), externalId: 'corner-bakery', outcome: 'boarded' },
  { ...merchant, file: example('merchant-notes'), externalId: 'harbor-books', outcome: 'boarded' },
  { ...merchant, file: example('merchant-request-changes'), externalId: 'city-garage', outcome: 'boarded' },
  { ...merchant, file: example('merchant-declined'), externalId: 'night-market', outcome: 'declined' },
  { ...merchant, file: example('merchant-temporary-mid'), externalId: 'river-cafe', outcome: 'boarded' },
  { ...business, file: example('business-correction'), externalId: 'pixel-prints', outcome: 'onboarded' },
  { ...business, file: example('business-denied'), externalId: 'midnight-arcade', outcome: 'declined' },
  {
    ...customer,
    command: 'event',
    file: example('customer'),
    externalId: 'juniper-tea',
    outcome: 'onboarded',
  },
  { ...customer, file: example('customer-asked'), externalId: 'lantern-bistro', outcome: 'onboarded' },
  { ...customer, file: example('customer-terminal'), externalId: 'maple-deli', outcome: 'onboarded' },
];

/** What the demo's operator answers, as arguments of `gangway resolve`; undefined when it has no answer. */
export function answerTo(kind: RequirementKind, detail: string): readonly string[] | undefined {
  switch (kind) {
    case 'underwriting-note':
      return /check/.test(detail)
        ? ['--document', 'examples/voided-check.txt', '--reason', 'the merchant sent it']
        : ['--text', 'About one sale in ten is keyed in by hand.', '--reason', 'asked the merchant'];
    case 'request-changes':
      return patched(
        { application: { salesAndBusinessProfile: { annualVolume: 120_000 } } },
        'corrected after the statements',
      );
    case 'rejected-input':
      return patched({ holder: { website: 'https://www.example.com' } }, 'the old address was mistyped');
    case 'ticket':
      return patched({ holder: { phone: '5185550199' } }, 'asked the owner');
    default:
      return undefined;
  }
}

function patched(patch: object, reason: string): readonly string[] {
  return ['--patch', JSON.stringify(patch), '--reason', reason];
}
