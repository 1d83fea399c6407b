import { OWNER_MEMBERS } from '../../partners/banking/holder.js';
import { accountHolder, beneficialOwner } from '../../partners/banking/requests.js';

const HOLDER_MEMBERS = byLowerCase(Object.keys(accountHolder.shape));
const OWNERS = byLowerCase(OWNER_MEMBERS);
const MEMBERS_OF_OWNER = byLowerCase(Object.keys(beneficialOwner.shape));

/**
 * Where in a `BusinessOnboardingInput` stands what the partner calls by this name, in upper or lower case: `email` is
 * `holder.email`, `owner2.ssn` is `beneficialOwners.1.ssn`. Undefined for a name that is not of E7.
 */
export function inputPath(field: string): string | undefined {
  // `$.` is how services of its kind begin the path of a member that they could not read.
  const [first = '', ...rest] = field.replace(/^\$\./, '').split('.');
  const member = HOLDER_MEMBERS.get(first.toLowerCase());
  if (member !== undefined) return ['holder', member, ...rest].join('.');
  const owner = OWNERS.get(first.toLowerCase());
  if (owner === undefined) return undefined;
  const inOwner = rest.map((name) => MEMBERS_OF_OWNER.get(name.toLowerCase()) ?? name);
  return ['beneficialOwners', OWNER_MEMBERS.indexOf(owner), ...inOwner].join('.');
}

function byLowerCase<Name extends string>(names: readonly Name[]): ReadonlyMap<string, Name> {
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}
