import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IdempotencyKey, resolveRequirement } from '../../src/messages/requirements.js';
import { GangwayClient } from '../../src/services/client/client.js';
import { loadClientSettings } from '../../src/services/client/settings.js';
import {
  EndedOnboarding,
  KeyReused,
  sendRemark,
  sendResolution,
} from '../../src/services/inbox/send-answer.js';
import { reportStatus } from '../../src/temporal/partner-accounts.js';
import { Refusal, resolveOnce } from '../../src/temporal/program-requests.js';
import { gangway } from '../rigs/command.js';
import { customer, merchant } from '../rigs/inputs.js';
import { Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';

const FOUR_EYES = ['underwriting-note', 'choice'] as const;
let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ continueAfter: 30, fourEyes: FOUR_EYES });
});
afterAll(() => rig.close());

const TEXT = { kind: 'text', text: 'One sale in ten.' } as const;
const BY_OLGA = { actor: 'Olga Moss (olga-1)', reason: 'called' };

async function twoNotes() {
  const boarding = await rig.board(merchant('notes'));
  const { requirements, merchantProfileId = 0 } = await boarding.until(
    (state) => state.requirements.length === 2,
    'two notes',
  );
  const [first, second] = requirements.map(({ id }) => id);
  return { boarding, merchantProfileId, first: first ?? '', second: second ?? '' };
}

/** Changes that mean nothing make the history grow, until it continues in another run. */
async function growOld(boarding: Onboarding<unknown>, merchantProfileId: number): Promise<void> {
  await boarding.changedUntilNextRun(async (change) => {
    const status = change % 2 === 0 ? 'Pending' : 'UW Level 1: Pending';
    await rig.sandbox.transition(merchantProfileId, { status, comment: `still looking ${change}` });
    const detail = `${status}: still looking ${change}`;
    await boarding.until(({ timeline }) => timeline.at(-1)?.detail === detail, detail);
  });
}

const SECOND_PERSON = (id: string) =>
  `answer: a second person must confirm the answer text to ${id}; propose it (gangway resolve --propose, the console, or update ` +
  'proposeAnswer)';

// Proves F8.
describe.concurrent('four eyes', { timeout: 90_000 }, () => {
  // Alone catches a door of its own rules: each sends the same update, and the workflow refuses it.
  it('hold on every door: update, event and Nexus, client, command', async () => {
    const { boarding, first } = await twoNotes();
    const { workflowId } = boarding;
    const resolution = { requirementId: first, answer: TEXT, ...BY_OLGA };
    const refused = SECOND_PERSON(first);
    await expect(boarding.resolve(first, TEXT)).rejects.toMatchObject({ cause: { message: refused } });
    await expect(sendResolution(rig.client, workflowId, resolution)).rejects.toThrow(refused);
    const backend = { client: rig.client, taskQueue: rig.taskQueue, dbaForm: 'shown', accounts: [] } as const;
    const input = { id: workflowId, ...resolution };
    // The sender of an event cannot change the rule of an onboarding that runs.
    const sent = await resolveOnce({ ...backend, fourEyes: [] }, input, randomUUID()).catch((error) => error);
    expect(sent).toBeInstanceOf(Refusal);
    expect(sent).toMatchObject({ kind: 'invalid', errors: [{ field: 'answer' }] });
    const settings = loadClientSettings(rig.env);
    const program = new GangwayClient({ temporal: rig.client, settings, env: rig.env });
    await expect(program.answer(workflowId, resolution)).rejects.toThrow(refused);
    const resolve = ['resolve', workflowId, first, '--text', 'One sale in ten.', '--actor', 'pete'];
    expect(await gangway(rig.env, resolve)).toMatchObject({
      code: 2,
      stderr: `${first}: a second person must confirm this answer: add --propose\n`,
    });
    const { requirements, timeline } = await boarding.state();
    expect(requirements[0]).toMatchObject({ id: first, fourEyes: ['text', 'documents', 'abandon'] });
    expect(timeline.some(({ event }) => event === 'requirement-resolved')).toBe(false);
  });

  it('let one person propose and another confirm, and nobody be both', async () => {
    const { boarding, first } = await twoNotes();
    const { workflowId } = boarding;
    const propose = ['resolve', workflowId, first, '--text', 'Here.', '--actor', 'Ada Park (ada-17)'];
    expect(await gangway(rig.env, [...propose, '--propose'])).toMatchObject({
      code: 0,
      stdout: `${first} proposed. Another person: gangway confirm ${workflowId} ${first}\n`,
    });
    const [open] = (await boarding.state()).requirements;
    const at = open?.proposal?.at ?? '';
    for (const actor of ['Ada Moss (ADA-17)', 'ada park', 'crm (API), for Ada Park'])
      await expect(boarding.confirm(first, at, actor)).rejects.toThrow(
        'actor: must not be the person who proposed the answer',
      );
    await expect(boarding.confirm(first, at, 'crm (API)')).rejects.toThrow(
      'actor: a program must name the person who confirms',
    );
    await boarding.confirm(first, at, 'crm (API), for Olga Moss', 'read it');
    const { timeline } = await boarding.state();
    expect(timeline.find(({ event }) => event === 'answer-confirmed')).toMatchObject({
      actor: 'crm (API), for Olga Moss',
      reason: 'read it',
    });
    const resolved = timeline.find(({ event }) => event === 'requirement-resolved');
    expect(resolved?.actor).toBe('Ada Park (ada-17)');
  });

  // Alone catches that a later run forgets the rule: for a question that it has taken over, and for one that it asks.
  it('hold in the next run, for what was asked before and for what is asked there', async () => {
    const { boarding, merchantProfileId, first } = await twoNotes();
    await growOld(boarding, merchantProfileId);
    await expect(boarding.resolve(first, TEXT)).rejects.toMatchObject({
      cause: { message: SECOND_PERSON(first) },
    });
    await rig.sandbox.transition(merchantProfileId, { status: 'Pending', notes: ['A third note.'] });
    const { requirements } = await boarding.until((state) => state.requirements.length === 3, 'a third note');
    expect(requirements.map(({ fourEyes }) => fourEyes?.length)).toEqual([3, 3, 3]);
  });

  // Alone catches that a customer starts its parts without the rule.
  it('hold for the parts of a customer, and at the customer itself', async () => {
    const onboarding = await rig.onboard(customer({ boarding: 'notes' }));
    const { requirements } = await onboarding.until(
      (state) => state.requirements.length === 2,
      'two notes of the part',
    );
    const first = requirements[0]?.id ?? '';
    const refused = { cause: { message: SECOND_PERSON(first) } };
    await expect(onboarding.resolve(first, TEXT)).rejects.toMatchObject(refused);
    await expect(onboarding.parts.boarding.resolve(first, TEXT)).rejects.toMatchObject(refused);
    const { proposedAt } = await onboarding.parts.boarding.propose(first, TEXT);
    await onboarding.parts.boarding.confirm(first, proposedAt);
    await onboarding.until((state) => state.requirements.length === 1, 'one note left');
  });

  it('hold for the meaning of a status, which is about a whole account', async () => {
    const { client, taskQueue } = rig;
    const place = { system: 'boarding', account: undefined, taskQueue, fourEyes: FOUR_EYES } as const;
    await reportStatus(client, place, 'On Hold');
    const record = new Onboarding(client, `partner-record-boarding.${taskQueue}`);
    const { id } = await record.requirement('new-status');
    await expect(record.resolve(id, { kind: 'choice', choice: 'under-review' })).rejects.toMatchObject({
      cause: {
        message: expect.stringMatching(/^answer: a second person must confirm the answer choice to /),
      },
    });
  });
});

// Proves F9.
describe.concurrent('an update with a key', { timeout: 90_000 }, () => {
  // Alone catches that a later run forgets the keys: Temporal knows the update IDs of a run only.
  it('is applied once in all runs, gives the same receipt, and is refused with another body', async () => {
    const { boarding, merchantProfileId, first } = await twoNotes();
    const remark = { requirementId: first, actor: 'crm (API), for Ada Park', text: 'Called them.' };
    const once = { key: 'crm/7d1e', body: { text: 'Called them.' } };
    const send = (more = {}) => sendRemark(rig.client, boarding.workflowId, remark, { ...once, ...more });
    const receipt = await send();
    await growOld(boarding, merchantProfileId);
    expect(await send()).toEqual(receipt);
    const remarks = async () =>
      (await boarding.state()).timeline.filter(({ event }) => event === 'remark-added');
    expect(await remarks()).toMatchObject([{ actor: 'crm (API), for Ada Park' }]);
    await expect(send({ body: { text: 'Wrote to them.' } })).rejects.toBeInstanceOf(KeyReused);
    // Another program may use the same key.
    await send({ key: 'shop/7d1e', body: { text: 'Wrote to them.' } });
    expect(await remarks()).toHaveLength(2);
  });

  // Alone catches that a lost response to the last update of an onboarding is reported as a failure.
  it('has its receipt after the end of the onboarding', async () => {
    const { boarding, first } = await twoNotes();
    const remark = { requirementId: first, actor: 'olga', text: 'Called them.' };
    const once = { key: 'crm/9', body: remark };
    const receipt = await sendRemark(rig.client, boarding.workflowId, remark, once);
    await boarding.handle.cancel();
    await boarding.until(({ stage }) => stage === 'cancelled');
    expect(await sendRemark(rig.client, boarding.workflowId, remark, once)).toEqual(receipt);
    const other = { ...once, body: {} };
    await expect(sendRemark(rig.client, boarding.workflowId, remark, other)).rejects.toBeInstanceOf(
      EndedOnboarding,
    );
  });

  // Alone catches that an old delivery revives an answer that somebody has taken back.
  it('that answers does not revive an answer that was taken back, in another run', async () => {
    const { boarding, merchantProfileId, first } = await twoNotes();
    const { proposedAt } = await boarding.propose(first, TEXT);
    await boarding.confirm(first, proposedAt);
    const back = { requirementId: first, answer: { kind: 'take-back' }, ...BY_OLGA } as const;
    const once = { key: 'crm/1', body: back };
    const receipt = await sendResolution(rig.client, boarding.workflowId, back, once);
    const again = await boarding.propose(first, TEXT);
    await boarding.confirm(first, again.proposedAt);
    await growOld(boarding, merchantProfileId);
    expect(await sendResolution(rig.client, boarding.workflowId, back, once)).toEqual(receipt);
    const { requirements, unsent } = await boarding.state();
    expect([requirements.length, unsent]).toEqual([1, [first]]);
  });

  it.each<[key: unknown]>([
    [{}],
    [{ id: '' }],
    [{ id: 'a b' }],
    [{ id: 'k', body: 7 }],
    ['k'],
    [{ id: 'k'.repeat(101) }],
  ])('is refused with a key that is none: %j', async (key) => {
    const { boarding, first } = await twoNotes();
    const args: [never, IdempotencyKey] = [{ requirementId: first } as never, key as IdempotencyKey];
    await expect(boarding.handle.executeUpdate(resolveRequirement, { args })).rejects.toMatchObject({
      cause: { message: 'key: must have an id of 1 to 100 characters of ASCII without spaces' },
    });
  });
});
