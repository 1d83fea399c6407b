import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { OnboardingState } from '../../../src/messages/onboarding-state.js';
import { generatePayloadKey } from '../../../src/temporal/payload-codec.js';
import { gangway as runGangway } from '../../rigs/command.js';
import { inputFile } from '../../rigs/commands/files.js';
import { business, customer, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { createRig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const rig = await createRig();
afterAll(() => rig.close());

const gangway = (...args: string[]) => runGangway(rig.env, args);

/** Backs the rig up. Returns the file and its lines. */
async function backedUp() {
  const file = await inputFile(rig, '');
  expect(await gangway('backup', file)).toMatchObject({ code: 0, stderr: '' });
  return { file, lines: (await readFile(file, 'utf8')).trimEnd().split('\n') };
}

/** Lets the server lose a workflow, once lists show its end. */
async function forget(onboarding: Onboarding): Promise<void> {
  const { handle } = onboarding;
  await handle.terminate().catch(() => undefined);
  await onboarding.listed(" AND ExecutionStatus != 'Running'");
  await rig.client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: handle.workflowId },
  });
  const isThere = () =>
    handle.describe().then(
      () => true,
      () => false,
    );
  await eventually(isThere, (there) => !there, 'that it is forgotten');
}

/** Another place on the same server, to which a backup of the rig is restored. */
async function restoredElsewhere(file: string, env: Record<string, string> = {}) {
  const { GANGWAY_TASK_QUEUE: _, ...same } = rig.env;
  return runGangway({ ...same, GANGWAY_TASK_QUEUE: `${rig.taskQueue}-restored`, ...env }, ['restore', file]);
}

describe('gangway backup and restore', () => {
  it('keep the accepted corrections, and no unencrypted private value', async () => {
    const input = merchant('request-changes', { application: { siteInspection: { reference: 'old' } } });
    const boarding = await rig.board(input);
    const asked = await boarding.requirement('request-changes');
    const held = business('ticket', { dueInHours: 47 });
    const onboarding = await rig.onboardBusiness(held);
    const ticket = await onboarding.requirement('ticket');
    const { merchantProfileId = 0 } = await boarding.state();
    const { profileId = 0 } = await onboarding.state();
    await onboarding.resolve(ticket.id, {
      kind: 'correction',
      patch: { holder: { businessPhone: '5185550199' } },
    });
    await onboarding.outcome();
    await boarding.listed(" AND OnboardingStage = 'underwriting' AND MerchantProfileId IS NOT NULL");
    await onboarding.listed(" AND ExecutionStatus = 'Completed'");

    const { file, lines } = await backedUp();
    const text = lines.join('\n');
    for (const secret of ['123456789', 'ada@example.com', '5185550199', 'Corner Bakery', 'siteInspection'])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ gangwayBackup: 1, taskQueue: rig.taskQueue });
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ onboardings: 2 });
    const entry = (id: string) =>
      lines.map((line) => JSON.parse(line)).find(({ workflowId }) => workflowId === id);
    expect(entry(boarding.workflowId)).toMatchObject({
      ...{ type: 'merchantBoarding', status: 'running', stage: 'underwriting', merchantProfileId },
    });
    expect(entry(onboarding.workflowId)).toMatchObject({
      ...{ type: 'businessOnboarding', status: 'completed', bankingProfileId: profileId },
    });

    await Promise.all([boarding, onboarding].map(forget));
    expect((await gangway('restore', file)).stdout).toContain(
      'restored 2, of which 0 search the partner first; already there: 0; not restored: 0\n',
    );
    expect((await gangway('restore', file, '--csv')).stdout.split('\r\n').toSorted()).toEqual(
      [
        'workflowId,restoring',
        ...[boarding, onboarding].map(({ workflowId }) => `${workflowId},there`),
        '',
      ].toSorted(),
    );
    const again = await boarding.requirement('request-changes');
    expect(again.id).not.toBe('');
    expect(asked.title).toBe(again.title);
    await onboarding.outcome();
    const { events } = await onboarding.handle.fetchHistory();
    const [started] = await decodedInput(events?.[0]);
    expect(started).toMatchObject({ dueInHours: 47, holder: { businessPhone: '5185550199' } });
  });

  it('leave a part of a customer ended that somebody had ended', async () => {
    const input = customer({ boarding: 'waiting', business: 'waiting' });
    const { externalId } = input;
    const onboarding = await rig.onboard(input);
    const merchantPart = new Onboarding(rig.client, `merchant-boarding-${externalId}`);
    const businessPart = new Onboarding(rig.client, `business-onboarding-${externalId}`);
    const { merchantProfileId } = await onboarding.until(({ profileId }) => profileId !== undefined);
    await merchantPart.until(({ stage }) => stage === 'underwriting');
    const writes = await rig.sandbox.writes(externalId);
    expect(writes).toEqual(['create-merchant', 'submit-merchant']);
    await merchantPart.handle.terminate('ended by hand');
    const isEnded = ({ timeline }: OnboardingState) =>
      timeline.some(({ event, detail }) => event === 'boarding-ended' && detail === 'terminated');
    await onboarding.until(isEnded);
    await merchantPart.listed(" AND ExecutionStatus = 'Terminated'");
    await businessPart.listed(' AND BankingProfileId IS NOT NULL');
    await onboarding.listed();

    const { file } = await backedUp();
    await Promise.all([onboarding, merchantPart, businessPart].map(forget));
    const { stdout } = await gangway('restore', file);
    expect(stdout).toContain(
      `${merchantPart.workflowId} not restored: it is terminated; ${merchantProfileId} stays at its partner\n`,
    );
    const restored = await onboarding.until(isEnded);
    expect(restored).toMatchObject({ merchantProfileId, stage: 'onboarding' });
    await businessPart.until(({ profileId }) => profileId !== undefined);
    await expect(merchantPart.handle.describe()).rejects.toThrow(WorkflowNotFoundError);
    await onboarding.handle.cancel();
    await businessPart.handle.cancel();
    await expect(onboarding.outcome()).rejects.toThrow();
    expect(await rig.sandbox.writes(externalId)).toEqual(writes);
  });

  it('reject an incomplete file, and start nothing', async () => {
    const { file, lines } = await backedUp();
    const changed = async (text: string) => {
      const other = join(rig.documentDir, 'changed.ndjson');
      await writeFile(other, text);
      const { code, stdout, stderr } = await gangway('restore', other);
      expect([code, stdout]).toEqual([2, '']);
      return stderr.replaceAll(other, 'FILE');
    };
    const isCut = 'FILE: is incomplete: its last line does not match the number of onboardings\n';
    expect(await changed(lines.slice(0, -1).join('\n'))).toBe(isCut);
    expect(await changed([...lines.slice(0, 1), ...lines.slice(2)].join('\n'))).toBe(isCut);
    expect(await changed(`${lines[0]}\n{"workflowId"\n`)).toBe(
      'FILE:2: is not JSON: column 14: the text ends early\n',
    );
    expect(await changed(['{"gangwayBackup":2}', ...lines.slice(1)].join('\n'))).toMatch(
      /^FILE:1: is not valid; nothing was started\n {2}gangwayBackup: must be 1\n/,
    );
    const wrong = { ...JSON.parse(lines[1] ?? ''), type: 'partnerAccount', merchantProfileId: 'x' };
    expect(await changed([lines[0], JSON.stringify(wrong), ...lines.slice(2)].join('\n'))).toMatch(
      /^FILE:2: is not valid; nothing was started\n {2}type: .*\n {2}merchantProfileId: /,
    );
    expect(await gangway('restore', '/nowhere')).toMatchObject({
      code: 2,
      stderr: '/nowhere: cannot be read (ENOENT): there is no such file\n',
    });
    expect(await gangway('backup', '/nowhere/file')).toMatchObject({
      code: 2,
      stderr: '/nowhere/file: cannot be written (ENOENT)\n',
    });
    expect(file).not.toBe('');
  });

  it('refuse an entry that has the input of another', async () => {
    const [one, other] = [await rig.board(merchant('waiting')), await rig.board(merchant('waiting'))];
    await Promise.all([one.listed(), other.listed()]);
    const { file, lines } = await backedUp();
    const entries = lines.map((line) => JSON.parse(line));
    const { input } = entries.find(({ workflowId }) => workflowId === one.workflowId);
    const swapped = entries.map((entry) =>
      JSON.stringify(entry.workflowId === other.workflowId ? { ...entry, input } : entry),
    );
    await writeFile(file, `${swapped.join('\n')}\n`);
    expect(await restoredElsewhere(file)).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: `a payload of workflow ${one.workflowId} was found in workflow ${other.workflowId}\n`,
    });
  });

  it('name what a missing key keeps from being restored', async () => {
    const boarding = await rig.board(merchant('waiting'));
    await boarding.listed();
    const { file } = await backedUp();
    const restored = await restoredElsewhere(file, { PAYLOAD_KEYS: generatePayloadKey() });
    expect(restored).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^not restored, because the key is not in PAYLOAD_KEYS: /),
    });
    expect(restored.stderr).toContain(boarding.workflowId);
  });
});

async function decodedInput(event: { workflowExecutionStartedEventAttributes?: unknown } | undefined) {
  const started = event?.workflowExecutionStartedEventAttributes as {
    input?: { payloads?: Parameters<typeof decodeArrayFromPayloads>[1] };
  };
  return decodeArrayFromPayloads(rig.client.options.loadedDataConverter, started?.input?.payloads);
}
