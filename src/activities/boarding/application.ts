import { activityInfo } from '@temporalio/activity';
import type {
  BoardingActivities,
  CreatedMerchant,
  NotCreated,
  ReferenceRequest,
  SavedMerchant,
  Warned,
} from '../../messages/boarding-activities.js';
import { fieldOf, isObject, mergePatch } from '../../messages/objects.js';
import type { BoardingClient } from '../../partners/boarding/client.js';
import { isDecided } from '../../partners/boarding/phases.js';
import {
  chosenReference,
  REFERENCE_NAMES,
  type Reference,
  type ReferenceField,
} from '../../partners/boarding/references.js';
import { createdMerchant, merchantFees } from '../../partners/boarding/schemas.js';
import type { CallOptions } from '../../partners/client.js';
import { writeExactly } from '../../partners/json.js';
import { type FieldProblem, PartnerError } from '../../partners/partner-error.js';
import { problemText } from '../../partners/text-limits.js';
import { didYouMean } from '../../platform/settings/did-you-mean.js';
import {
  callOptions,
  ifNotRejected,
  ifVisible,
  parseRequest,
  withFieldNames,
  withRetries,
} from '../failures.js';
import { isClearlyBefore } from '../partner-dates.js';
import type { Reservations } from '../reservations.js';
import { sendOnceThenRead } from '../write.js';
import type { MerchantReader } from './merchant.js';

const DAY_MS = 86_400_000;

/** Activities that create a merchant, set its fees and submit it. Problems name fields of the input. */
export function applicationActivities(
  client: BoardingClient,
  { snapshot, statusNow }: MerchantReader,
  reservations: Reservations,
) {
  /** A new merchant has no decision, no mid, and no status older than its create. Preset fees and `Pending` prove nothing. */
  const against =
    (id: number, since: string, options: CallOptions, respondedAt?: string) =>
    async (): Promise<string[]> => {
      const { status, phase, statusDate, mid } = await statusNow(id, options);
      const reasons = [
        isDecided(phase) && `its status is ${status}`,
        mid !== null && 'it has a mid',
        isClearlyBefore(statusDate, since, respondedAt) && `its status dates from ${statusDate}`,
      ];
      return reasons.filter((each) => each !== false);
    };

  /** Finds merchants that a refused create may have saved. Allows for a wrong clock at the partner. */
  async function savedAmong(saved: readonly SavedMerchant[], options: CallOptions): Promise<number[]> {
    // If even this list returns 404, a 404 for a merchant proves nothing.
    if (saved.length > 0) await ifNotRejected(client.listAgentProfiles({}, options), []);
    const ids = await Promise.all(
      saved.map(async ({ id, since }) => {
        const dayBefore = new Date(Date.parse(since) - DAY_MS).toISOString();
        const reasons = reservations.reasonsAgainst(id, against(id, dayBefore, options));
        return (await ifVisible(reasons, ['not shown'])).length === 0 ? [id] : [];
      }),
    );
    return ids.flat();
  }

  return {
    createMerchant: ({ version, merchant, guid, references, saved }) =>
      sendOnceThenRead<CreatedMerchant | NotCreated, readonly string[] | undefined>(
        async (options) => {
          const there = await savedAmong(saved, { signal: options.signal });
          if (there.length > 0) return { problems: [], saved: there };
          const chosen = await chooseReferences(client, references, { signal: options.signal });
          if ('problems' in chosen) return chosen;
          const { agentProfileId } = chosen;
          return collectWarnings(options, async (warning) => {
            const create = version === 'v1' ? client.createMerchantV1 : client.createMerchant;
            let respondedAt: string | undefined;
            const onDate = (at: number) => {
              respondedAt = new Date(at).toISOString();
            };
            const { merchantProfileId } = await withFieldNames(inputField('merchant'), () =>
              create({ ...merchant, ...chosen, guid }, { ...warning, onDate }).catch(
                async (error: unknown) => {
                  await checkAgentProfile(client, agentProfileId, error);
                  return acceptDespiteProblems(error, warning.onWarning);
                },
              ),
            );
            // Attempts before this one sent nothing, and may have taken hours.
            const since = new Date(activityInfo().currentAttemptScheduledTimestampMs).toISOString();
            return { merchantProfileId, agentProfileId, since, ...(respondedAt && { respondedAt }) };
          });
        },
        async (created, options) =>
          'problems' in created
            ? undefined
            : reservations.reserveNew(
                created.merchantProfileId,
                against(created.merchantProfileId, created.since, options, created.respondedAt),
              ),
      ),

    reserveCreatedMerchant: ({ merchantProfileId, since, respondedAt }) =>
      withRetries(
        () =>
          reservations.reserveNew(
            merchantProfileId,
            against(merchantProfileId, since, callOptions(), respondedAt),
          ),
        { mayBeNew: true, mayBeForeign: true },
      ),

    changeFees: ({ merchantProfileId: id, changes }) =>
      withRetries(
        async () => {
          await reservations.ensureReserved(id);
          const before = await client.getFees({ id }, callOptions());
          const changed = feeDifferences(changes, before).length;
          if (changed === 0) return { changed, differing: [] };
          return await collectWarnings({}, async (options) => {
            const update = (fees: Record<string, unknown>) =>
              client.updateFees({ ...mergePatch(fees, changes), id }, { ...options, isChecked: true });
            await withFieldNames(inputField('fees'), async () => {
              parseRequest(merchantFees, changes, { system: 'boarding', operation: 'update-fees' });
              await update({ ...before }).catch((error: unknown) => {
                const writableFees = parseFees(before);
                const isRefused = error instanceof PartnerError && error.kind === 'Rejected';
                if (!isRefused || isSame(writableFees, before)) throw error;
                return update(writableFees);
              });
            });
            const after = await client.getFees({ id }, callOptions());
            const differing = feeDifferences(changes, after, ['fees']);
            return { changed, differing };
          });
        },
        { existed: true },
      ),

    submitMerchant: ({ merchantProfileId, phases, application }) =>
      sendOnceThenRead(
        async (options) => {
          await reservations.ensureReserved(merchantProfileId);
          const { status, phase } = await statusNow(merchantProfileId, { signal: options.signal });
          const before = { status, phase };
          if (!phases.includes(phase)) return { submitted: false, ...before };
          options.compareWith({ phase });
          return collectWarnings(options, async (warning) => {
            await withFieldNames(inputField('application'), () =>
              client.submitMerchant({ ...application, merchantProfileId }, warning),
            );
            return { submitted: true, ...before };
          });
        },
        (_, options) => snapshot(merchantProfileId, options),
      ),
  } satisfies Partial<BoardingActivities>;
}

/** Request fields that are at the top level of the input, or not in the input. */
const ADDED = ['', 'id', 'guid', 'merchantProfileId', 'agentProfileId', 'boardingSettingsId'];

const inputField = (part: 'merchant' | 'fees' | 'application') => (field: string) =>
  ADDED.includes(field) ? field : `${part}.${field}`;

/** Makes a call, and adds the partner's warnings to its result. */
export async function collectWarnings<Options extends CallOptions, Result>(
  options: Options,
  call: (options: Options & Required<Pick<CallOptions, 'onWarning'>>) => Promise<Result>,
): Promise<Result & Warned> {
  const warnings: string[] = [];
  const result = await call({ ...options, onWarning: (warning) => void warnings.push(warning) });
  return { ...result, ...(warnings.length > 0 && { warnings }) };
}

/** Turns problems into warnings if the response also contains the new merchant, because retrying would create a second one. */
function acceptDespiteProblems(
  error: unknown,
  onWarning: (warning: string) => void,
): { readonly merchantProfileId: number } {
  const created = error instanceof PartnerError && createdMerchant.safeParse(error.refusedWith);
  if (!created || created.error) throw error;
  for (const problem of error.fields) onWarning(problemText(problem));
  return created.data;
}

/**
 * Turns a 403 into a rejection of the agent profile, unless the partner lists that profile: it must belong to the caller's ISO
 * (docs/partner-apis.md#merchant-boarding-rules).
 */
async function checkAgentProfile(client: BoardingClient, id: number, error: unknown): Promise<void> {
  if (!(error instanceof PartnerError) || error.kind !== 'Forbidden' || error.details.atSignIn) return;
  const listed = await client.listAgentProfiles({}).catch(() => undefined);
  const chosen = listed && chosenReference('agentProfileId', { id, name: undefined }, listed);
  if (chosen && !('problem' in chosen)) return;
  const why = 'the partner does not permit it (403): the agent profile may belong to another ISO';
  const message = chosen ? `${why}; ${chosen.problem.message}` : why;
  const fields = [{ field: 'agentProfileId', message }, ...error.fields];
  throw new PartnerError({ ...error.details, kind: 'Rejected', fields }, { cause: error });
}

type References =
  | { readonly agentProfileId: number; readonly boardingSettingsId?: number }
  | { readonly problems: readonly FieldProblem[] };

/** Returns the agent profile ID and boarding settings ID for a create, or the choices for a person. */
async function chooseReferences(
  client: BoardingClient,
  request: ReferenceRequest,
  options: CallOptions,
): Promise<References> {
  const problems: FieldProblem[] = [];

  /** Returns the requested ID, the ID with the requested name, or the only ID. */
  async function choose(
    idField: ReferenceField,
    list: (all: Record<string, never>, options: CallOptions) => Promise<readonly Reference[]>,
  ): Promise<number | undefined> {
    const { [idField]: id, [REFERENCE_NAMES[idField]]: name } = request;
    if (id !== undefined || name === false) return id;
    const match = chosenReference(idField, { name }, await list({}, options));
    if ('problem' in match) problems.push(match.problem);
    return 'problem' in match ? undefined : match.id;
  }

  const agentProfileId = await choose('agentProfileId', client.listAgentProfiles);
  const boardingSettingsId = await choose('boardingSettingsId', client.listBoardingSettings);
  if (problems.length > 0 || agentProfileId === undefined) return { problems };
  return { agentProfileId, ...(boardingSettingsId !== undefined && { boardingSettingsId }) };
}

/** Turns documented fees from text into numbers, because some writes refuse the text that the read returns. */
function parseFees(fees: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy = structuredClone({ ...fees });
  for (const { path } of merchantFees.safeParse(fees).error?.issues ?? []) {
    const group = path
      .slice(0, -1)
      .reduce<unknown>((within, name) => (within as Fields)[name], copy) as Fields;
    const [name = ''] = path.slice(-1);
    const text = group[name];
    if (typeof text === 'string' && AMOUNT.test(text)) group[name] = Number(text);
  }
  return copy;
}

type Fields = Record<PropertyKey, unknown>;

/** A number that a double preserves when it is written back. */
const AMOUNT = /^-?\d{1,9}(?:\.\d{1,6})?$/;

/** Returns the differences between the partner's fees and the requested ones, ignoring fields that were not requested. */
export function feeDifferences(
  requested: unknown,
  has: unknown,
  path: readonly string[] = [],
  names: readonly string[] = [],
): FieldProblem[] {
  if (isObject(requested) && isObject(has)) {
    return Object.entries(requested).flatMap(([name, value]) =>
      feeDifferences(value, fieldOf(has, name), [...path, name], Object.keys(has)),
    );
  }
  if (Array.isArray(requested) && Array.isArray(has) && requested.length === has.length) {
    return requested.flatMap((item, index) => feeDifferences(item, has[index], [...path, String(index)]));
  }
  if (isSame(requested, has)) return [];
  const similar = didYouMean(path.at(-1) ?? '', names);
  const instead = has === undefined ? `nothing${similar}` : writeExactly(has);
  return [
    { field: path.join('.'), message: `asked for ${writeExactly(requested)}, the partner has ${instead}` },
  ];
}

function isSame(requested: unknown, has: unknown): boolean {
  // `null` requests removal of a field, so an absent field matches.
  if (requested === undefined || writeExactly(requested) === writeExactly(has ?? null)) return true;
  // Some services write an empty list as null.
  if (Array.isArray(requested) && requested.length === 0) return (has ?? null) === null;
  // The partner may format the same instant or number differently.
  if (typeof has !== 'string') return false;
  if (typeof requested === 'number') return has.trim() !== '' && Number(has) === requested;
  return isDate(requested) && isDate(has) && Date.parse(requested) === Date.parse(has);
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}(T|$)/.test(value);
}
