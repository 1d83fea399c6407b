import { describe, expect, it, onTestFinished } from 'vitest';
import { countingProxy } from '../rigs/counting-proxy.js';
import { business, merchant, namedApplication } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { createRig } from '../rigs/rig.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';
import { platformOf, type Write } from '../rigs/workflows/platform.js';

const rig = await sharedRig();
const platform = platformOf(rig);

/** An onboarding of which one write meets a fault. */
interface Met {
  readonly onboarding: Onboarding;
  /** The workflow that makes the write. Default: the onboarding. */
  readonly part?: Onboarding<unknown>;
  /** The writes that took effect, of which there is one each. */
  effects(): Promise<unknown[]>;
  readonly once: readonly string[];
  /** What a person reads when the write may be lost. */
  readonly question?: object;
}

const holding = (text: string) => ({ detail: expect.stringContaining(text) });

async function boarding(operation: string, fault: string): Promise<Met> {
  const input = merchant();
  const application = namedApplication(input.externalId);
  await rig.sandbox.plan(fault, operation, { about: input.externalId });
  return {
    onboarding: await rig.board({ ...input, application }),
    effects: () => rig.sandbox.writes(input.externalId),
    once: ['create-merchant', 'submit-merchant'],
    ...(operation === 'submit-merchant' && {
      question: holding('still reads as Not Submitted. If the partner has the submission, adopt '),
    }),
  };
}

async function review(operation: string, fault: string): Promise<Met> {
  const input = merchant('uw-level-1');
  await rig.sandbox.plan(fault, operation, { about: input.externalId });
  const onboarding = await rig.board(input);
  const { id } = await onboarding.requirement('underwriting-note');
  await onboarding.resolve(id, { kind: 'text', text: `Here is ${input.externalId}.` });
  const effects = () => rig.sandbox.writes(input.externalId);
  return { onboarding, effects, once: ['create-merchant', 'submit-merchant', operation] };
}

async function submission(operation: string, fault: string): Promise<Met> {
  const input = business();
  const { doingBusinessAsName: about } = input.holder;
  await rig.sandbox.plan(fault, operation, { about });
  return {
    onboarding: await rig.onboardBusiness(input),
    effects: async () => (await bankOf(rig).submissions(input.holder)).map(() => operation),
    once: [operation],
    question: holding(`for a banking profile of “${about}”.`),
  };
}

async function opening(operation: string, fault: string): Promise<Met> {
  const onboarding = await rig.onboardBusiness(business('waiting', { openFinancialAccount: true }));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
  await rig.sandbox.plan(fault, operation, { about: `"profileId":${profileId}` });
  await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
  return {
    onboarding,
    async effects() {
      expect(await onboarding.outcome()).toMatchObject({ financialAccountId: `fa-${profileId}-1` });
      return bankOf(rig).writesTo(profileId);
    },
    once: ['submit-business-account-holder', operation],
    question: { idFormat: 'text' },
  };
}

async function reply(operation: string, fault: string): Promise<Met> {
  const onboarding = await rig.onboardBusiness(business('ticket'));
  const { id } = await onboarding.requirement('ticket');
  const text = `Here is what ${id} asks for.`;
  await rig.sandbox.plan(fault, operation, { about: text });
  await onboarding.resolve(id, { kind: 'text', text });
  return { onboarding, effects: () => bankOf(rig).repliesTo(id), once: [text] };
}

async function provisioning(operation: string, fault: string): Promise<Met> {
  const onboarding = await platform.meeting(fault, operation as Write);
  const titles = {
    'create-account': 'create the payments account',
    'create-terminal': 'create the terminal',
  };
  return {
    onboarding,
    part: onboarding.parts.terminal,
    effects: () => platform.writesFor(onboarding),
    once: ['create-account', 'create-terminal'],
    question: {
      id: 'terminal-uncertain-write-1',
      title: `Outcome unknown: ${titles[operation as Write]}`,
      idFormat: 'text',
    },
  };
}

const CREATE = ['create-merchant', boarding] as const;
const SUBMIT_MERCHANT = ['submit-merchant', boarding] as const;
const REVIEW = ['request-underwriting-review', review] as const;
const SUBMIT_HOLDER = ['submit-business-account-holder', submission] as const;
const OPEN_ACCOUNT = ['submit-business-customer', opening] as const;
const REPLY = ['create-ticket', reply] as const;
const CREATE_ACCOUNT = ['create-account', provisioning] as const;
const CREATE_TERMINAL = ['create-terminal', provisioning] as const;

/** The kinds of the requirements so far, and what was found at the partner. */
async function history({ onboarding, part = onboarding }: Met) {
  const { timeline } = await part.state();
  const details = (kind: string) =>
    timeline.filter(({ event }) => event === kind).map(({ detail = '' }) => detail);
  return { raised: details('requirement-raised'), adopted: details('write-adopted') };
}

// A 500 is no other fault than a lost connection: test/integration/partners/errors.test.ts. A review: evidence.test.ts.
describe.concurrent('a write that took effect, and whose response was lost,', () => {
  it.each([
    [...SUBMIT_MERCHANT, 0],
    [...SUBMIT_HOLDER, 0],
    [...OPEN_ACCOUNT, 0],
    [...REPLY, 1],
    [...CREATE_ACCOUNT, 0],
    [...CREATE_TERMINAL, 0],
  ])('(%s) is found at the partner, and nobody is asked', async (operation, begin, questions) => {
    const met = await begin(operation, 'drop-after-commit');
    expect((await met.onboarding.outcome()).outcome).toMatch(/^(boarded|onboarded)$/);
    expect(await met.effects()).toEqual(met.once);
    const { raised, adopted } = await history(met);
    expect(raised).toHaveLength(questions);
    expect(adopted).toEqual([expect.stringMatching(/: found at the partner$/)]);
  });
});

describe.concurrent('a write that was lost, which nobody can see from outside,', () => {
  it.each([
    CREATE,
    SUBMIT_MERCHANT,
    REVIEW,
    SUBMIT_HOLDER,
    OPEN_ACCOUNT,
    REPLY,
    CREATE_ACCOUNT,
    CREATE_TERMINAL,
  ])('(%s) is repeated when a person has looked and says so', async (operation, begin) => {
    const met = await begin(operation, 'drop-before-commit');
    const requirement = await met.onboarding.requirement('uncertain-write');
    expect(requirement).toMatchObject({ answers: ['adopt', 'retry', 'abandon'], ...met.question });
    await met.onboarding.resolve(requirement.id, { kind: 'retry' });
    expect((await met.onboarding.outcome()).outcome).toMatch(/^(boarded|onboarded)$/);
    expect(await met.effects()).toEqual(met.once);
  });
});

it('a write at a partner that is down is repeated by itself when it is back, and costs no event until then', async () => {
  const own = await createRig({ worker: false });
  onTestFinished(() => own.close());
  const proxy = await countingProxy(own.sandbox.url, own.atClose);
  await own.startWorker({ bankingUrl: proxy.url });
  // Down from the look before the write on.
  await proxy.shut('POST /api/AccountsSearch/BusinesAccountHolder');
  const onboarding = await own.onboardBusiness(business());
  await onboarding.retrying('submitHolder');
  const written = await onboarding.written();
  // However long the outage lasts, the history does not grow.
  await onboarding.retrying('submitHolder', 3);
  expect(await onboarding.written()).toEqual(written);
  await proxy.open();
  expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  expect(await onboarding.events()).not.toContain('requirement-raised');
  expect(await own.sandbox.ledger({ operation: 'submit-business-account-holder' })).toHaveLength(1);
});
