import type { ReferenceRequest } from '../../messages/boarding-activities.js';
import type { BoardingClient } from '../../partners/boarding/client.js';
import type { CallOptions } from '../../partners/client.js';
import type { FieldProblem } from '../../partners/partner-error.js';

/** The ids that a create needs, or the choices for a person. */
type References =
  | { readonly agentProfileId: number; readonly boardingSettingsId?: number }
  | { readonly problems: readonly FieldProblem[] };

/** Finds the agent profile and the boarding settings of a create. */
export async function chooseReferences(
  client: BoardingClient,
  request: ReferenceRequest,
  options: CallOptions,
): Promise<References> {
  const profile = await chosen(request, 'agentProfileId', 'agent', () =>
    client.listAgentProfiles({}, options),
  );
  const settings = await chosen(request, 'boardingSettingsId', 'boardingSettings', () =>
    client.listBoardingSettings({}, options),
  );
  return toReferences(profile, settings);
}

type Choice = { readonly id: number | undefined } | { readonly problem: FieldProblem };

/** An id as given, by name, or the only one; otherwise the choices for a person. */
async function chosen(
  request: ReferenceRequest,
  idField: 'agentProfileId' | 'boardingSettingsId',
  nameField: 'agent' | 'boardingSettings',
  list: () => Promise<readonly { id: number; name: string | null }[]>,
): Promise<Choice> {
  const given = request[idField];
  if (given !== undefined) return { id: given };
  const name = request[nameField];
  if (name === false) return { id: undefined };
  const all = await list();
  const matching = name === undefined ? all : all.filter((entry) => entry.name === name);
  if (matching.length === 1) return { id: matching[0]?.id };
  // Boarding settings are optional, an agent profile is not.
  if (all.length === 0 && name === undefined && idField === 'boardingSettingsId') return { id: undefined };
  const choices =
    all.map((entry) => `${entry.name ?? 'no name'} (${idField} ${entry.id})`).join(', ') || 'none';
  const orNone = idField === 'boardingSettingsId' ? '; boardingSettings: false creates without' : '';
  const count = matching.length === 0 ? 'none is' : `${matching.length} are`;
  const [field, why] =
    name === undefined ? [idField, 'not given'] : [nameField, `${count} named ${JSON.stringify(name)}`];
  return { problem: { field, message: `${why}; choose one of: ${choices}${orNone}` } };
}

function toReferences(profile: Choice, settings: Choice): References {
  const problems = [profile, settings].flatMap((choice) => ('problem' in choice ? [choice.problem] : []));
  if ('problem' in profile || 'problem' in settings || profile.id === undefined) return { problems };
  const { id: agentProfileId } = profile;
  return { agentProfileId, ...(settings.id !== undefined && { boardingSettingsId: settings.id }) };
}
