import { ApplicationFailure } from '@temporalio/common';

/**
 * A workflow can be started without `gangway`, so without its checks: what nothing could work without fails here.
 *
 * @throws {ApplicationFailure} of type `InvalidInput`, naming each member and its rule
 */
export function requireFields(
  input: unknown,
  members: Readonly<Record<string, 'string' | 'number' | 'object' | 'array'>>,
): void {
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const problems = Object.entries(members)
    .filter(([member, type]) => typeOf(given[member]) !== type)
    .map(
      ([member, type]) => `${member}: must be ${type === 'string' || type === 'number' ? 'a' : 'an'} ${type}`,
    );
  if (problems.length > 0) throw ApplicationFailure.nonRetryable(problems.join('; '), 'InvalidInput');
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}
