import { didYouMean } from '../../platform/settings/did-you-mean.js';
import type { FieldProblem } from '../partner-error.js';

/** Looks up an input's agent profile and boarding settings in the partner's lists. */

export interface Reference {
  readonly id: number;
  readonly name: string | null;
}

/** The ID field of each reference, with its name field. */
export const REFERENCE_NAMES = { agentProfileId: 'agent', boardingSettingsId: 'boardingSettings' } as const;

export type ReferenceField = keyof typeof REFERENCE_NAMES;

/**
 * Returns the reference with this ID or name, or the only one.
 *
 * @returns an empty object if none is needed
 */
export function chosenReference(
  idField: ReferenceField,
  { id, name }: { readonly id?: number | undefined; readonly name: string | undefined },
  listed: readonly Reference[],
): { readonly id?: number | undefined } | { readonly problem: FieldProblem } {
  // A list can repeat a row.
  const all = [...new Map(listed.map((entry) => [entry.id, entry])).values()];
  const matching = all.filter(
    (entry) => (id === undefined || entry.id === id) && (name ?? entry.name) === entry.name,
  );
  const isOptional = idField === 'boardingSettingsId';
  if (id !== undefined ? matching.length > 0 : matching.length === 1) return { id: matching[0]?.id };
  if (isOptional && all.length === 0 && id === undefined && name === undefined) return {};
  const choices = all.map((entry) => `${entry.name ?? 'no name'} (${idField} ${entry.id})`);
  const count = matching.length === 0 ? 'none has' : `${matching.length} have`;
  const names = matching.length === 0 ? all.flatMap((entry) => entry.name ?? []) : [];
  const similar = didYouMean(name ?? '', names);
  const unnamed = id === undefined ? 'not given' : 'the partner does not list this id';
  const [field, why] =
    // In a shifted row, a cell may contain anything, so do not repeat the name.
    name === undefined ? [idField, unnamed] : [REFERENCE_NAMES[idField], `${count} this name`];
  const without = isOptional ? '; boardingSettings: false creates without' : '';
  const choose = similar ? `${similar} Or choose` : '; choose';
  return { problem: { field, message: `${why}${choose} one of: ${choices.join(', ') || 'none'}${without}` } };
}
