import type { BoardingActivities, Warned } from '../../messages/boarding-activities.js';
import type { BoardingClient } from '../../partners/boarding/client.js';
import { isSubmittable } from '../../partners/boarding/phases.js';
import { createdMerchant } from '../../partners/boarding/schemas.js';
import { problemText } from '../../partners/bounds.js';
import type { CallOptions } from '../../partners/client.js';
import { PartnerError } from '../../partners/partner-error.js';
import { naming, repeatable, untilCancelled } from '../failures.js';
import { writeOnce, writeOnceThenRead } from '../write.js';
import { differences, withChanges } from './fees.js';
import type { MerchantReader } from './merchant.js';
import { chooseReferences } from './references.js';

type ApplicationCalls = Pick<BoardingActivities, 'createMerchant' | 'changeFees' | 'submitMerchant'>;

/** Creates a merchant, sets its fees and submits it. Problems name the fields of the input. */
export function applicationActivities(
  client: BoardingClient,
  { snapshot, statusNow }: MerchantReader,
): ApplicationCalls {
  return {
    createMerchant: ({ version, merchant, guid, references }) =>
      writeOnce(async (options) => {
        const chosen = await chooseReferences(client, references, { signal: options.signal });
        if ('problems' in chosen) return chosen;
        const { agentProfileId } = chosen;
        return warned(options, async (warning) => {
          const create = version === 'v1' ? client.createMerchantV1 : client.createMerchant;
          const { merchantProfileId } = await naming(of('merchant'), () =>
            create({ ...merchant, ...chosen, guid }, warning).catch((error: unknown) =>
              createdDespite(error, warning.onWarning),
            ),
          );
          return { merchantProfileId, agentProfileId };
        });
      }),

    changeFees: ({ merchantProfileId: id, changes }) =>
      repeatable(
        async () => {
          const before = await client.getFees({ id }, untilCancelled());
          const changed = differences(changes, before).length;
          if (changed === 0) return { changed, differing: [] };
          return await warned({}, async (options) => {
            const fees = { ...withChanges(before, changes), id };
            await naming(of('fees'), () => client.updateFees(fees, options));
            const after = await client.getFees({ id }, untilCancelled());
            const differing = differences(changes, after, ['fees']);
            return { changed, differing };
          });
        },
        { mayBeNew: true },
      ),

    submitMerchant: ({ merchantProfileId, application }) =>
      writeOnceThenRead(
        async (options) => {
          const before = await statusNow(merchantProfileId, { signal: options.signal });
          if (!isSubmittable(before.phase)) return { submitted: false, ...before };
          return warned(options, async (warning) => {
            await naming(of('application'), () =>
              client.submitMerchant({ ...application, merchantProfileId }, warning),
            );
            return { submitted: true, ...before };
          });
        },
        (_, options) => snapshot(merchantProfileId, options),
      ),
  };
}

/** Fields of the requests that the input does not have, or has at its top. */
const ADDED = ['', 'id', 'guid', 'merchantProfileId', 'agentProfileId', 'boardingSettingsId'];

const of = (part: 'merchant' | 'fees' | 'application') => (field: string) =>
  ADDED.includes(field) ? field : `${part}.${field}`;

/** Makes a call, and returns the partner's warnings with its result. */
export async function warned<Options extends CallOptions, Result>(
  options: Options,
  call: (options: Options & Required<Pick<CallOptions, 'onWarning'>>) => Promise<Result>,
): Promise<Result & Warned> {
  const warnings: string[] = [];
  const result = await call({ ...options, onWarning: (warning) => void warnings.push(warning) });
  return { ...result, ...(warnings.length > 0 && { warnings }) };
}

/**
 * A create whose response contains problems and a merchant has created that merchant: a corrected repetition would create a second
 * one. So the problems become warnings, and the submission that follows may fail on its own.
 */
function createdDespite(
  error: unknown,
  onWarning: (warning: string) => void,
): { readonly merchantProfileId: number } {
  const created = error instanceof PartnerError && createdMerchant.safeParse(error.refusedWith);
  if (!created || created.error) throw error;
  for (const problem of error.fields) onWarning(problemText(problem));
  return created.data;
}
