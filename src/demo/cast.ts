import type { OutcomeName } from '../messages/onboarding-state.js';
import type { RequirementKind } from '../messages/requirements.js';

/** A merchant of the demo: its file in examples/, and how its scenario says that it ends. */
export interface Part {
  readonly file: string;
  readonly externalId: string;
  readonly outcome: OutcomeName;
}

export const CAST: readonly Part[] = [
  { file: 'examples/merchant.json', externalId: 'corner-bakery', outcome: 'boarded' },
  { file: 'examples/merchant-notes.json', externalId: 'harbor-books', outcome: 'boarded' },
  { file: 'examples/merchant-request-changes.json', externalId: 'city-garage', outcome: 'boarded' },
  { file: 'examples/merchant-declined.json', externalId: 'night-market', outcome: 'declined' },
  { file: 'examples/merchant-temporary-mid.json', externalId: 'river-cafe', outcome: 'boarded' },
];

/** What the demo's operator answers, as arguments of `gangway resolve`; undefined when it has no answer. */
export function answerTo(kind: RequirementKind, detail: string): readonly string[] | undefined {
  if (kind === 'underwriting-note') {
    return /check/.test(detail)
      ? ['--document', 'examples/voided-check.txt', '--reason', 'the merchant sent it']
      : ['--text', 'About one sale in ten is keyed in by hand.', '--reason', 'asked the merchant'];
  }
  if (kind === 'request-changes') {
    const patch = { application: { salesAndBusinessProfile: { annualVolume: 120_000 } } };
    return ['--patch', JSON.stringify(patch), '--reason', 'corrected after the statements'];
  }
  return undefined;
}
