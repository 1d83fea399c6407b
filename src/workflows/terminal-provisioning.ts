import { workflowInfo } from '@temporalio/workflow';
import type { FoundOrCreated } from '../messages/activities.js';
import type { TerminalProvisioningInput } from '../messages/inputs.js';
import { defined } from '../messages/objects.js';
import type { TerminalProvisioningOutcome } from '../messages/onboardings.js';
import { ONCE, partnerActivities, REPEATABLE, type SendOnce } from './journey/activity-proxies.js';
import type { NextSteps } from './journey/current-details.js';
import { CorrectableInput, requireFields } from './journey/input.js';
import { createJourney, type Journey } from './journey/journey.js';
import type { Facts } from './journey/published-state.js';
import { doubts, runRead, runStep } from './journey/run-step.js';

const platform = partnerActivities('payments')({
  findAccounts: { ...REPEATABLE, summary: 'Look for the payments account' },
  createAccount: { ...ONCE, summary: 'Create the payments account, unless it exists' },
  findTerminals: { ...REPEATABLE, summary: 'Look for the terminal' },
  createTerminal: { ...ONCE, summary: 'Create the terminal, unless it exists' },
});

/** Creates or adopts account and terminal of a boarded merchant (apis/3). Started as `terminal-provisioning-<externalId>`. */
export async function terminalProvisioning(
  input: TerminalProvisioningInput,
): Promise<TerminalProvisioningOutcome> {
  requireFields(input, { externalId: 'string', mid: 'string', provisionTerminal: 'object' });
  requireFields(input.provisionTerminal, { account: 'object', terminal: 'object' });
  const { mid } = input;
  const corrected = new CorrectableInput('terminalProvisioning', input);
  const journey = createJourney({
    dueInHours: input.provisionTerminal.dueInHours,
    unclaimedInHours: input.provisionTerminal.unclaimedInHours,
    input: corrected,
    nextSteps: NEXT_STEPS,
    // The customer has named it. The name of the account may be another one.
    dba: () => String(workflowInfo().memo?.['dba'] ?? corrected.current.provisionTerminal.account.name),
    leftBehind,
    // A customer shows the requirements of its merchant and business beside these.
    idPrefix: 'terminal-',
  });
  /** Typed as if complete: the check before anything is sent reports what a correction removed. */
  const asked = () => ({ provisionTerminal: corrected.current.provisionTerminal });
  return journey.run<TerminalProvisioningOutcome>(
    async () => {
      const { id: accountId, isNew } = await findOrCreate(journey, corrected, {
        name: 'payments account',
        description: `whose description ends in "mid ${mid}"`,
        find: () => platform.findAccounts({ mid }),
        create: (send) => send(platform.createAccount, { mid, ...asked() }),
      });
      journey.state.know({ paymentsAccountId: accountId });
      journey.state.refresh();
      const { id: terminalId } = await findOrCreate(journey, corrected, {
        name: 'terminal',
        description: `named as in the input, in account ${accountId}`,
        find: () => platform.findTerminals({ accountId, name: terminalName(corrected.current) }),
        create: (send) => send(platform.createTerminal, { accountId, isNew, ...asked() }),
      });
      journey.state.know({ terminalId });
      return { outcome: 'provisioned', accountId, terminalId };
    },
    (comment, { paymentsAccountId }) => ({
      ...{ outcome: 'abandoned', comment },
      ...defined({ accountId: paymentsAccountId }),
    }),
  );
}

/** '' when a correction removed it. */
function terminalName({ provisionTerminal }: TerminalProvisioningInput): string {
  const name: unknown = provisionTerminal?.terminal?.name;
  return typeof name === 'string' ? name : '';
}

/** Something at the payments platform that has no idempotency key, and is found again by what was written. */
interface Thing {
  readonly name: 'payments account' | 'terminal';
  /** How a person recognizes it. */
  readonly description: string;
  /** Ids of all that match. Reads only. */
  readonly find: () => Promise<readonly string[]>;
  /** Creates it, unless one is found that was created before, or whose creation shows up late. */
  readonly create: (send: SendOnce) => Promise<FoundOrCreated>;
}

async function findOrCreate(
  journey: Journey,
  { correct }: CorrectableInput,
  thing: Thing,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const { name, find, create, description } = thing;
  const look = () => runRead(journey, `look for the ${name}`, find);
  const doubt = doubts();
  const adopted = async (id: string): Promise<FoundOrCreated> => {
    if (!(await look()).includes(id))
      doubt(id, `the payments platform shows no ${name} ${id} ${description}`);
    return { found: [id] };
  };
  for (;;) {
    const made = await runStep<FoundOrCreated>(journey, {
      effect: 'once',
      title: `create the ${name}`,
      run: create,
      correct,
      readEvidence: async () => {
        const found = await look();
        return found.length > 0 ? { found: { found } } : undefined;
      },
      polledEvidence: 'none',
      adopt: adopted,
      idFormat: 'text',
      whereToLook:
        `Look in the payments platform’s portal for a ${name} ${description}. ` +
        'If it is there, adopt its id.',
    });
    const isNew = 'created' in made;
    const id = isNew ? made.created : await theOne(journey, thing, made.found);
    if (id === undefined) continue;
    const what = name === 'terminal' ? name : 'payments-account';
    journey.timeline.add(`${what}-${isNew ? 'created' : 'adopted'}`, { detail: id });
    return { id, isNew };
  }
}

/** The id of the only match. If several match, a person chooses, or deletes some and says retry: undefined. */
async function theOne(
  { ask }: Journey,
  { name, description }: Thing,
  ids: readonly string[],
): Promise<string | undefined> {
  if (ids.length === 1) return ids[0];
  const answer = await ask({
    kind: 'uncertain-write',
    title: `Several found: ${name}`,
    detail:
      `The payments platform has ${ids.length} ${name}s ${description}: ${ids.join(', ')}. ` +
      'Adopt the correct one, or delete the others there and retry.',
    answers: ['adopt', 'retry', 'abandon'],
    idFormat: 'text',
  });
  return answer?.kind === 'adopt' ? answer.id : undefined;
}

const NEXT_STEPS: NextSteps = {
  provisioning: 'create the payments account, then the terminal in it',
  provisioned: 'The merchant has its terminal.',
};

function leftBehind({ paymentsAccountId, terminalId }: Facts): string {
  if (paymentsAccountId === undefined) return 'no payments account is known';
  const terminal = terminalId === undefined ? 'without a terminal' : `with terminal ${terminalId}`;
  return `payments account ${paymentsAccountId} stays at the payments platform, ${terminal}`;
}
