import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { DEFAULT_TASK_QUEUE as taskQueue, workflowId } from '../src/messages/ids.js';
import type { MerchantBoardingInput } from '../src/messages/inputs.js';
import { omitUndefined } from '../src/messages/objects.js';
import { KINDS, MERCHANT } from '../src/temporal/kinds/kinds.js';
import { type OperationStart, startOperation } from '../src/temporal/start.js';
import { inputsOf, type Party, workersOf } from './cast.js';
import { type Batch, batchOf, invalidStarts, operationId } from './errands.js';
import type { People } from './people.js';
import { HOUR_MS, type Plan } from './plan.js';
import type { Scene } from './scene.js';

/** All is requested within this time, in milliseconds. */
const REQUESTED_WITHIN_MS = 600_000;

export const dbaFormIn = ({ twists }: Plan) => (twists.includes('masked') ? 'masked' : 'shown');

/** Everything that is started in a run, and how. */
export class Starts {
  batch: Batch | undefined;
  /** What is wrong with invalid starts; undefined until all have ended. */
  invalid: readonly string[] | undefined;
  readonly #options;

  constructor(
    private readonly scene: Scene,
    private readonly people: Pick<People, 'giveUp'>,
    private readonly operations: readonly OperationStart[],
  ) {
    this.#options = { fourEyes: [], taskQueue, dbaForm: dbaFormIn(scene.plan) } as const;
  }

  /** @param later does something after so many milliseconds */
  begin(later: (delayMs: number, run: () => Promise<unknown>) => void): void {
    const { world, plan, cast, client } = this.scene;
    const { errands, existing } = plan;
    const soon = (run: () => Promise<unknown>) => later(world.chance.between(0, REQUESTED_WITHIN_MS), run);
    if (errands.includes('batch'))
      soon(async () => {
        this.batch = await batchOf(this.scene);
        // Whom the batch leaves out is requested alone.
        for (const party of cast) await this.request(party);
      });
    else
      for (const party of cast.flatMap((each) => (each.twice ? [each, each] : each)))
        soon(() => this.request(party));
    for (const operation of this.operations) soon(() => startOperation(client, operation, this.#options));
    if (errands.includes('invalid'))
      soon(async () => {
        this.invalid = await invalidStarts(client);
      });
    if (existing === 'claimed') for (const party of cast) later(0, () => this.#rival(party));
  }

  get haveBegun(): boolean {
    const { cast, service, plan } = this.scene;
    const ids = [...cast.map((party) => party.workflowId), ...this.operations.map(operationId)];
    const areRefused = this.invalid !== undefined || !plan.errands.includes('invalid');
    return areRefused && ids.every((id) => service.latest(id));
  }

  async request(party: Party, again = false): Promise<void> {
    const { plan, client, world } = this.scene;
    const { type, input } = party;
    if (type === 'customerOnboarding' && plan.twists.includes('attached') && !again)
      await this.#attach(party, { ...input.boarding, externalId: input.externalId });
    // A customer keeps what has ended, and its parts look for themselves.
    const isRestored = plan.twists.includes('restored') && plan.existing !== 'before';
    if (isRestored && type !== 'customerOnboarding') {
      const restored = { backedUpAt: new Date(world.now).toISOString() };
      await this.#start(type, party.workflowId, [input, undefined, restored]);
    } else await KINDS[type].start(client, input as never, { ...this.#options, again });
  }

  /** Requested twice, it runs once. */
  async #start(type: string, id: string, args: unknown[]): Promise<void> {
    const options = { taskQueue, workflowId: id, args, workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const;
    await this.scene.client.workflow.start(type, options).catch((error) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  }

  /** Somebody boards the merchant before, perhaps with an invalid input: then the customer ends without it. */
  async #attach(party: Party, boarding: MerchantBoardingInput): Promise<void> {
    const { client, world } = this.scene;
    const { account } = party.input;
    if (party.twice || !world.chance.happens(0.3)) {
      await MERCHANT.start(client, { ...boarding, ...omitUndefined({ account }) }, this.#options);
      return;
    }
    this.people.giveUp(party);
    await this.#start('merchantBoarding', workersOf(party)[0] ?? '', [{}]);
  }

  /** Somebody follows the merchant, perhaps by another name, until they are told not to. */
  async #rival(party: Party): Promise<void> {
    const { client, world } = this.scene;
    const { merchantProfileId, agentProfileId, merchant } = inputsOf(party).boarding ?? {};
    if (!merchantProfileId) return;
    const { account } = party.input;
    const dba = world.chance.pick(['Somebody else', String(merchant?.dba)]);
    const rival = { merchantProfileId, agentProfileId, merchant: { dba }, follow: true, dueInHours: 48 };
    const externalId = `${party.externalId}-rival`;
    await MERCHANT.start(client, omitUndefined({ ...rival, externalId, account }) as never, this.#options);
    await world.sleep(world.chance.between(HOUR_MS, 8 * HOUR_MS));
    // It may have ended with the merchant.
    const handle = client.workflow.getHandle(workflowId('merchantBoarding', externalId, account));
    await handle.cancel().catch(() => undefined);
  }
}
