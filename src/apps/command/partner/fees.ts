import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PartnerResponse } from '../../../messages/activities.js';
import { unknownLines } from '../../../messages/fee-plans.js';
import { partsOfId } from '../../../messages/ids.js';
import { isObject, leavesOf } from '../../../messages/objects.js';
import { formatWarnings } from '../../../services/batches/warnings.js';
import { feesRead, planFees } from '../../../services/fee-plans/fee-lines.js';
import { InvalidInput, problemLines } from '../../../services/texts/invalid-input.js';
import { harmlessJson, parseJson, utf8 } from '../../../services/texts/text.js';
import { feePlansIn } from '../../../temporal/fee-plans.js';
import { toListed } from '../../../temporal/search.js';
import { cannotRead, findById, type IdOptions, partnerAccountOf, sourceName } from '../cli/arguments.js';
import { atTemporal, type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { partnerCallFailed } from '../cli/failures.js';
import { runSingle } from '../cli/follow.js';
import type { Texts } from '../cli/options.js';

/** Checks a file of fee plans, and compares its lines with those of a merchant, if one is named. */
export async function checkPlans(cli: CommandLine, file: string, options: IdOptions & Texts<'merchant'>) {
  const name = sourceName(file);
  const text = utf8(await (file === '-' ? cli.input() : readFile(file)).catch(cannotRead(file)), name);
  parseJson(text, name);
  const read = feePlansIn(text);
  if ('problems' in read) throw new InvalidInput(`${name}: is not valid; nothing was changed`, read.problems);
  const { merchant } = options;
  const own = merchant && (await withTemporal(cli, (context) => feesOf(context, merchant, options)));
  for (const plan of read.plans) {
    const { fees, mayChange } = plan;
    const warnings = [
      ...formatWarnings({ fees }),
      ...(own ? unknownLines(fees, own.fees, `merchant ${own.id}`) : []),
    ];
    if (options.json) cli.json({ name: plan.name, values: leavesOf(fees).length, mayChange, warnings });
    else cli.line(`${plan.name}: ${leavesOf(fees).length} values, ${mayChange.length || 'none'} may change`);
    for (const line of problemLines(warnings)) cli.note(`warning: ${plan.name}:${line}`);
  }
}

/** Prints the fees of a merchant as a file of one plan. */
export const showPlan = atTemporal(
  async (context, merchant: string, options: IdOptions & Texts<'name'>): Promise<void> => {
    const { cli } = context;
    const { id, fees } = await feesOf(context, merchant, options);
    const { fees: own, dropped } = planFees(fees);
    const plan = { name: options.name ?? `merchant-${id}`, description: '', fees: own, mayChange: [] };
    const read = feePlansIn(JSON.stringify([plan]));
    cli.line(harmlessJson(JSON.stringify([plan], null, 2)));
    if (dropped.length > 0) cli.note(`left out, because no input takes it: ${dropped.join(', ')}`);
    if ('problems' in read)
      for (const line of problemLines(read.problems)) cli.note(`warning: correct this first:${line}`);
  },
);

/** @param merchant the merchant's ID at the partner, or the name of an onboarding */
async function feesOf(context: CommandContext, merchant: string, options: IdOptions) {
  const { client, config } = context;
  let account = partnerAccountOf(config, options, merchant, 'nothing was read');
  let id = Number(merchant);
  if (!/^\d{1,10}$/.test(merchant)) {
    const { workflowId, merchantProfileId } = await toListed(
      client,
      await findById(context, merchant, options),
    );
    if (merchantProfileId === undefined) throw new CommandFailed(`${workflowId} has no merchant yet`);
    account = partsOfId(workflowId)?.account;
    id = Number(merchantProfileId);
  }
  const single = feesRead(account, id, '2m');
  const result = await runSingle<PartnerResponse>(context, `fees-${randomUUID()}`, single);
  if ('refusal' in result && result.refusal) throw partnerCallFailed(result.refusal, false);
  const fees = 'response' in result ? result.response : undefined;
  if (isObject(fees) && Object.keys(fees).length > 0) return { id, fees };
  throw new CommandFailed(`merchant ${id} has no fees`);
}
