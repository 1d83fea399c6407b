import { randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accepted, type Caller, startCaller } from '../../../rigs/nexus/caller.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { holderOf, merchantOf, ownersOf } from '../../../rigs/privacy/marked-inputs.js';
import { found, markers } from '../../../rigs/privacy/markers.js';
import { kept } from '../../../rigs/privacy/places.js';
import { createRig, type Rig } from '../../../rigs/rig.js';

let rig: Rig;
let caller: Caller;

beforeAll(async () => {
  // Of its own, because every history on it is read.
  rig = await createRig({ ownNamespace: true });
  caller = await startCaller(rig);
});
afterAll(() => rig.close());

it('neither namespace keeps a private value of a request, an answer or a refusal in plain text', async () => {
  const marked = markers();
  const externalId = `c-${randomUUID()}`;
  const input = {
    externalId,
    boarding: {
      merchant: merchantOf(marked, `${marked.dba} [notes]`),
      application: { remark: marked.application },
      agentProfileId: 101,
      boardingSettingsId: 11,
    },
    business: { holder: holderOf(marked, marked.ssn, marked.dba), beneficialOwners: ownersOf(marked) },
  };
  const operation = await caller.start('onboardCustomer', input);
  await accepted(operation);
  const { business } = input;
  const other = { ...input, business: { ...business, holder: { ...business.holder, ssn: marked.ownerSsn } } };
  expect(await caller.call('onboardCustomer', other)).toMatchObject({
    failures: [
      {},
      { type: 'CONFLICT', message: expect.stringContaining('business.holder.ssn: differs') },
      {},
    ],
  });
  const wrong = { ...input, boarding: { ...input.boarding, [marked.comment]: marked.comment } };
  expect(await caller.call('onboardCustomer', wrong)).toMatchObject({
    failures: [{}, { type: 'BAD_REQUEST' }, {}],
  });
  const boarding = new Onboarding(rig.client, `merchant-boarding-${externalId}`);
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  for (const { id: requirementId } of requirements) {
    const answer = { kind: 'text', text: marked.noteAnswer };
    const who = { actor: marked.actor, reason: marked.reason };
    const answered = await caller.call('answerRequirement', {
      id: boarding.workflowId,
      requirementId,
      answer,
      ...who,
    });
    expect(answered).toHaveProperty('result');
  }
  expect(await caller.call('getStatus', { id: externalId })).toHaveProperty('result.timeline');
  expect(await operation.result()).toMatchObject({ result: { outcome: 'onboarded' } });

  // The dba is meant to be seen, except in the namespace of the caller.
  const { dba: _, ...hidden } = marked;
  const leaks: Record<string, string[]> = {};
  const seen: string[] = [];
  for (const [client, wanted] of [
    [rig.client, hidden],
    [caller.client, marked],
  ] as const) {
    for await (const { workflowId, bytes, visibility } of kept(client)) {
      seen.push(workflowId);
      const leaked = found(Buffer.concat([bytes, visibility]), wanted);
      if (leaked.length > 0) leaks[workflowId] = leaked;
    }
  }
  expect(leaks).toEqual({});
  expect(seen).toEqual(expect.arrayContaining([operation.workflowId, `customer-onboarding-${externalId}`]));
  // The search would find them.
  const { History } = proto.temporal.api.history.v1;
  const history = Buffer.from(History.encode(await operation.fetchHistory()).finish());
  expect(found(history, { endpoint: caller.endpoint })).toEqual(['endpoint']);
});
