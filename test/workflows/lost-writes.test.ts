import { describe, expect, it } from 'vitest';
import { countingProxy } from '../rigs/counting-proxy.js';
import { business, merchant, namedApplication } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

/** An onboarding of which one write meets a fault. */
interface Met {
  readonly onboarding: Onboarding;
  /** The writes that took effect, of which there is one each. */
  effects(): Promise<unknown[]>;
  readonly once: readonly string[];
  /** What a person reads when the write may be lost. */
  readonly question?: object;
}

const holding = (text: string) => ({ detail: expect.stringContaining(text) });

async function boarding(operation: string, fault: string, more: object): Promise<Met> {
  const input = merchant();
  const application = namedApplication(input.externalId);
  await rig.sandbox.plan(fault, operation, { about: input.externalId, ...more });
  return {
    onboarding: await rig.board({ ...input, application }),
    effects: () => rig.sandbox.writes(input.externalId),
    once: ['create-merchant', 'submit-merchant'],
    ...(operation === 'submit-merchant' && {
      question: holding('still reads as Not Submitted. If the partner has the submission, confirm '),
    }),
  };
}

async function review(operation: string, fault: string, more: object): Promise<Met> {
  const input = merchant('uw-level-1');
  await rig.sandbox.plan(fault, operation, { about: input.externalId, ...more });
  const onboarding = await rig.board(input);
  const { id } = await onboarding.requirement('underwriting-note');
  await onboarding.resolve(id, { kind: 'text', text: `Here is ${input.externalId}.` });
  const effects = () => rig.sandbox.writes(input.externalId);
  return { onboarding, effects, once: ['create-merchant', 'submit-merchant', operation] };
}

async function submission(operation: string, fault: string, more: object): Promise<Met> {
  const input = business();
  const { doingBusinessAsName: about } = input.holder;
  await rig.sandbox.plan(fault, operation, { about, ...more });
  return {
    onboarding: await rig.onboardBusiness(input),
    effects: async () => (await bankOf(rig).submissions(input.holder)).map(() => operation),
    once: [operation],
    question: holding(`for a banking profile of “${about}”.`),
  };
}

async function opening(operation: string, fault: string, more: object): Promise<Met> {
  const onboarding = await rig.onboardBusiness(business('waiting', { openFinancialAccount: true }));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
  await rig.sandbox.plan(fault, operation, { about: `"profileId":${profileId}`, ...more });
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

async function reply(operation: string, fault: string, more: object): Promise<Met> {
  const onboarding = await rig.onboardBusiness(business('ticket'));
  const { id } = await onboarding.requirement('ticket');
  const text = `Here is what ${id} asks for.`;
  await rig.sandbox.plan(fault, operation, { about: text, ...more });
  await onboarding.resolve(id, { kind: 'text', text });
  return { onboarding, effects: () => bankOf(rig).repliesTo(id), once: [text] };
}

const CREATE = ['create-merchant', boarding, 'createMerchant'] as const;
const SUBMIT_MERCHANT = ['submit-merchant', boarding, 'submitMerchant'] as const;
const REVIEW = ['request-underwriting-review', review, 'requestUnderwritingReview'] as const;
const SUBMIT_HOLDER = ['submit-business-account-holder', submission, 'submitHolder'] as const;
const OPEN_ACCOUNT = ['submit-business-customer', opening, 'openFinancialAccount'] as const;
const REPLY = ['create-ticket', reply, 'replyToTicket'] as const;

/** The kinds of the requirements so far, and what was found at the partner. */
async function history({ onboarding }: Met) {
  const { timeline } = await onboarding.state();
  const details = (kind: string) =>
    timeline.filter(({ event }) => event === kind).map(({ detail = '' }) => detail);
  return { raised: details('requirement-raised'), confirmed: details('write-confirmed') };
}

// A 500 is no other fault than a lost connection: test/components/partners/errors.test.ts. A review: evidence.test.ts.
describe.concurrent('a write that took effect, and whose response was lost,', () => {
  it.each([
    [...SUBMIT_MERCHANT, 0],
    [...SUBMIT_HOLDER, 0],
    [...OPEN_ACCOUNT, 0],
    [...REPLY, 1],
  ])('(%s) is found at the partner, and nobody is asked', async (operation, begin, _, questions) => {
    const met = await begin(operation, 'drop-after-commit', {});
    expect((await met.onboarding.outcome()).outcome).toMatch(/^(boarded|onboarded)$/);
    expect(await met.effects()).toEqual(met.once);
    const { raised, confirmed } = await history(met);
    expect(raised).toHaveLength(questions);
    expect(confirmed).toEqual([expect.stringMatching(/: found at the partner$/)]);
  });
});

describe.concurrent('a write that was lost, which nobody can see from outside,', () => {
  it.each([CREATE, SUBMIT_MERCHANT, REVIEW, SUBMIT_HOLDER, OPEN_ACCOUNT, REPLY])(
    '(%s) is repeated when a person has looked and says so',
    async (operation, begin) => {
      const met = await begin(operation, 'drop-before-commit', {});
      const requirement = await met.onboarding.requirement('uncertain-write');
      expect(requirement).toMatchObject({ answers: ['confirm', 'retry', 'abandon'], ...met.question });
      await met.onboarding.resolve(requirement.id, { kind: 'retry' });
      expect((await met.onboarding.outcome()).outcome).toMatch(/^(boarded|onboarded)$/);
      expect(await met.effects()).toEqual(met.once);
    },
  );
});

describe.concurrent('a write that certainly did not happen', () => {
  it.each([CREATE, SUBMIT_HOLDER, OPEN_ACCOUNT])(
    '(%s) is repeated after Retry-After when there are too many calls, and costs no event',
    async (operation, begin, activity) => {
      const start = Date.now();
      const met = await begin(operation, '429', { milliseconds: 2_000 });
      expect((await met.onboarding.outcome()).outcome).toMatch(/^(boarded|onboarded)$/);
      expect(Date.now() - start).toBeGreaterThanOrEqual(2_000);
      expect(await met.effects()).toEqual(met.once);
      expect((await history(met)).raised).toEqual([]);
      const { events } = await met.onboarding.handle.fetchHistory();
      const scheduled = (events ?? []).flatMap(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
      );
      expect(scheduled.filter((name) => name === activity)).toHaveLength(1);
    },
  );
});

describe.concurrent('a write at a partner that is down', () => {
  // Down from the look before the write on.
  it.for([
    ['boarding', 'boardingUrl', undefined, 'createMerchant', 'boarded'],
    ['bank', 'bankingUrl', 'POST /api/AccountsSearch/BusinesAccountHolder', 'submitHolder', 'onboarded'],
  ] as const)(
    '(%s) is repeated by itself when it is back, and costs no event until then',
    async ([partner, url, request, activity, outcome], { onTestFinished }) => {
      const own = await createRig({ worker: false });
      onTestFinished(() => own.close());
      const proxy = await countingProxy(own.sandbox.url, own.atClose);
      await own.startWorker({ [url]: proxy.url });
      await proxy.shut(request);
      const { onboarding, writes } = await startedAt(partner, own);
      await onboarding.retrying(activity);
      const written = await onboarding.written();
      // However long the outage lasts, the history does not grow.
      await onboarding.retrying(activity, 3);
      expect(await onboarding.written()).toEqual(written);
      await proxy.open();
      expect(await onboarding.outcome()).toMatchObject({ outcome });
      expect(await onboarding.events()).not.toContain('requirement-raised');
      expect(await writes()).toBe(1);
    },
  );

  async function startedAt(partner: 'boarding' | 'bank', own: Rig) {
    const times = (operation: string) => async () => (await own.sandbox.ledger({ operation })).length;
    if (partner === 'boarding')
      return { onboarding: await own.board(merchant()), writes: times('create-merchant') };
    return {
      onboarding: await own.onboardBusiness(business()),
      writes: times('submit-business-account-holder'),
    };
  }
});
