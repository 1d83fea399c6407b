import type { TerminalProvisioningInput } from '../../messages/inputs.js';
import { mergePatch } from '../../messages/objects.js';
import { CORRECTABLE_TERMINAL_FIELDS } from '../../messages/onboardings.js';
import { DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import type { NextSteps } from '../journey/current-details.js';
import { requireFields } from '../journey/input.js';
import { type Facts, Journey } from '../journey/journey.js';

const NEXT_STEPS: NextSteps = {
  provisioning: 'create the payments account, then the terminal in it',
  provisioned: 'nothing, the merchant has its terminal',
};

function leftBehind({ paymentsAccountId, terminalId }: Facts): string {
  if (paymentsAccountId === undefined) return 'no payments account is known';
  const terminal = terminalId === undefined ? 'without a terminal' : `with terminal ${terminalId}`;
  return `payments account ${paymentsAccountId} stays at the payments platform, ${terminal}`;
}

/** What is to be provisioned as it stands, corrections included. */
export class Provisioning {
  readonly journey: Journey;
  readonly mid: string;
  #input: TerminalProvisioningInput;

  constructor(input: TerminalProvisioningInput) {
    requireFields(input, { externalId: 'string', mid: 'string', provisionTerminal: 'object' });
    requireFields(input.provisionTerminal, { account: 'object', terminal: 'object' });
    this.#input = input;
    this.mid = input.mid;
    this.journey = new Journey({
      dueInHours: input.provisionTerminal.dueInHours ?? DEFAULT_DUE_IN_HOURS,
      correctable: CORRECTABLE_TERMINAL_FIELDS,
      input: { type: 'terminalProvisioning', current: () => this.#input },
      nextSteps: NEXT_STEPS,
      leftBehind,
      // A customer's merchant and business raise some of the same kinds.
      idPrefix: 'terminal-',
    });
  }

  /** What is asked for, typed as whole: what a correction took away is told before anything is sent. */
  get asked(): Pick<TerminalProvisioningInput, 'provisionTerminal'> {
    return { provisionTerminal: this.#input.provisionTerminal };
  }

  /** '' when a correction took it away. */
  get terminalName(): string {
    const name: unknown = this.#input.provisionTerminal?.terminal?.name;
    return typeof name === 'string' ? name : '';
  }

  readonly correct = (patch: Readonly<Record<string, unknown>>): void => {
    this.#input = mergePatch(this.#input, patch);
  };

  get knownAccount(): { accountId?: string } {
    const { paymentsAccountId: accountId } = this.journey.state;
    return accountId === undefined ? {} : { accountId };
  }
}
