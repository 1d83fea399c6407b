import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { workflowId } from '../src/messages/ids.js';
import type { MerchantBoardingInput } from '../src/messages/inputs.js';
import { omitUndefined } from '../src/messages/objects.js';
import { KINDS, MERCHANT } from '../src/temporal/kinds/kinds.js';
import { type OperationStart, startOperation } from '../src/temporal/start.js';
import { type Party, workersOf } from './cast.js';
import { type Batch, batchOf, invalidStarts, operationId } from './errands.js';
import type { People } from './people.js';
import { HOUR_MS, type Plan } from './plan.js';
import type { Scene } from './scene.js';

export const TASK_QUEUE = 'gangway';

/** All is requested within this time, in milliseconds. */
const REQUESTED_WITHIN_MS = 600_000;

export const dbaFormIn = ({ twists }: Plan) => (twists.includes('masked') ? 'masked' : 'shown');

/** Everything that is started in a run, and how. */
export class Starts {
  batch: Batch | undefined;
  /** What is wrong with invalid starts; undefined until all have ended. */
  invalid: readonly string[] | undefined;

  constructor(
    private readonly scene: Scene,
    private readonly people: Pick<People, 'abandoned' | 'spared'>,
    private readonly operations: readonly OperationStart[],
  ) {}

  /** @param later does something after so many milliseconds */
  begin(later: (delayMs: number, run: () => Promise<unknown>) => void): void {
    const { world, plan, cast, client } = this.scene;
    const { errands, existing } = plan;
    const soon = () => world.chance.between(0, REQUESTED_WITHIN_MS);
    if (errands.includes('batch')) later(soon(), () => this.#requestAll());
    else
      for (const party of cast)
        for (let time = 0; time < (party.twice ? 2 : 1); time += 1) later(soon(), () => this.request(party));
    for (const operation of this.operations)
      later(soon(), () => startOperation(client, operation, { fourEyes: [], taskQueue: TASK_QUEUE }));
    if (errands.includes('invalid'))
      later(soon(), async () => {
        this.invalid = await invalidStarts(client, TASK_QUEUE);
      });
    if (existing === 'claimed') for (const party of cast) later(0, () => this.#rival(party));
  }

  get #options() {
    return { fourEyes: [], taskQueue: TASK_QUEUE, dbaForm: dbaFormIn(this.scene.plan) } as const;
  }

  get haveBegun(): boolean {
    const { cast, service, plan } = this.scene;
    const ids = [...cast.map((party) => party.workflowId), ...this.operations.map(operationId)];
    const areRefused = this.invalid !== undefined || !plan.errands.includes('invalid');
    return areRefused && ids.every((id) => service.latest(id));
  }

  /** Whom the batch leaves out is requested alone. */
  async #requestAll(): Promise<void> {
    const { cast, client, files, world } = this.scene;
    this.batch = await batchOf(cast, client, files, world, TASK_QUEUE);
    for (const party of cast) await this.request(party);
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
    const { workflow } = this.scene.client;
    const options = {
      taskQueue: TASK_QUEUE,
      workflowId: id,
      args,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    };
    await workflow.start(type, options as never).catch((error) => {
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
    const { abandoned, spared } = this.people;
    for (const those of [abandoned, spared]) those.add(party);
    await this.#start('merchantBoarding', workersOf(party)[0] ?? '', [{}]);
  }

  /** Somebody follows the merchant, perhaps by another name, until they are told not to. */
  async #rival({ externalId, ...party }: Party): Promise<void> {
    const { client, world } = this.scene;
    if (party.type === 'businessOnboarding') return;
    const part = party.type === 'customerOnboarding' ? party.input.boarding : party.input;
    if (!('merchantProfileId' in part)) return;
    const { merchantProfileId, agentProfileId } = part;
    const { account } = party.input;
    const dba = world.chance.pick(['Somebody else', String(part.merchant.dba)]);
    const rival = { merchantProfileId, agentProfileId, merchant: { dba }, follow: true, dueInHours: 48 };
    const id = `${externalId}-rival`;
    const input = {
      ...rival,
      ...omitUndefined({ account }),
      externalId: id,
    } as unknown as MerchantBoardingInput;
    await MERCHANT.start(client, input, this.#options);
    await world.sleep(world.chance.between(HOUR_MS, 8 * HOUR_MS));
    // It may have ended with the merchant.
    const handle = client.workflow.getHandle(workflowId('merchantBoarding', id, account));
    await handle.cancel().catch(() => undefined);
  }
}
