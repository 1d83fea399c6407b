import type { Answer, Requirement } from '../src/messages/requirements.js';
import { ownersOf } from '../test/rigs/privacy/marked-inputs.js';
import type { Markers } from '../test/rigs/privacy/markers.js';
import type { Party } from './cast.js';

/** The answer of the operator to a requirement. A `document` is uploaded under a name of its own. */
export type OperatorAnswer =
  | Extract<Answer, { readonly kind: 'text' | 'correction' | 'retry' }>
  | { readonly kind: 'document' };

/** How notes begin that nobody answers. */
export const SUPERSEDED = 'Read rule';
const UNANSWERED = /^(Read\s+rule|The partner lists)/;

/** What the store of files says. */
export const STORE_FAILS = 'the shelf is locked';

/**
 * The answer to a requirement that the scenario of the party needs, or why the operator gives none. Undefined when none of its
 * scenarios raises such a requirement.
 */
export function answerTo(
  { parts }: Party,
  { kind, detail }: Pick<Requirement, 'kind' | 'detail'>,
  marked: Markers,
): OperatorAnswer | 'uncertain' | 'superseded' | undefined {
  const merchant = parts.boarding?.scenario ?? '';
  const business = parts.business?.scenario ?? '';
  switch (kind) {
    case 'uncertain-write':
      return 'uncertain';
    case 'underwriting-note':
      if (merchant === 'superseded-notes' || UNANSWERED.test(detail)) return 'superseded';
      return /^Please\s+send/.test(detail) ? { kind: 'document' } : { kind: 'text', text: marked.noteAnswer };
    case 'changes-requested':
      if (merchant !== 'changes-requested') return undefined;
      return corrected({ application: { remark: marked.application, annualVolume: 120_000 } });
    case 'rejected-input':
      if (business === 'correction') return corrected({ holder: { website: 'https://www.example.com' } });
      return business.startsWith('ssn ') ? corrected({ holder: { ssn: marked.correctedSsn } }) : undefined;
    case 'ticket':
      return business === 'superseded-ticket' ? 'superseded' : answerToTicket(detail, marked);
    case 'unclear-mid':
      return merchant === 'unclear-mid' ? 'superseded' : undefined;
    case 'credentials':
      return { kind: 'retry' };
    default:
      return undefined;
  }
}

function answerToTicket(detail: string, marked: Markers): OperatorAnswer {
  const [, field = ''] = /about the field (\w+)\.$/.exec(detail) ?? [];
  const owners = ownersOf(marked).map((owner) => ({ ...owner, homeAddress: marked.homeStreet }));
  const patches: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    Phone: { holder: { phone: marked.ownerPhone } },
    Owner1Address: { beneficialOwners: owners },
    EmployerIdentificationNumber: { holder: { employerIdentificationNumber: marked.correctedSsn } },
  };
  const patch = patches[field];
  return patch ? corrected(patch) : { kind: 'text', text: marked.ticketAnswer };
}

export function corrected(patch: Readonly<Record<string, unknown>>) {
  return { kind: 'correction', patch } as const;
}
