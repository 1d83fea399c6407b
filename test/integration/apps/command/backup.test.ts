import { readFile, writeFile } from 'node:fs/promises';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { afterAll, describe, expect, it } from 'vitest';
import { generatePayloadKey } from '../../../../src/temporal/payload-codec.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { inputFile, wasStarted } from '../../../rigs/commands/files.js';
import { business, merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

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
  await eventually(
    () => wasStarted(rig.client, handle.workflowId),
    (there) => !there,
    'that it is forgotten',
  );
}

/** Restores to another place on the same server. */
const restoredElsewhere = (file: string, env: Record<string, string> = {}, args: string[] = []) => {
  const elsewhere = { ...rig.env, GANGWAY_TASK_QUEUE: `${rig.taskQueue}-restored`, ...env };
  return runGangway(elsewhere, ['restore', file, ...args]);
};

describe('gangway backup and restore', () => {
  it('keep the accepted corrections, and no unencrypted private value', async () => {
    const input = merchant('changes-requested', { application: { siteInspection: { reference: 'old' } } });
    const boarding = await rig.board(input);
    const requirement = await boarding.requirement('changes-requested');
    const { merchantProfileId = 0 } = await boarding.state();
    const held = business('ticket', { dueInHours: 47, merchantProfileId });
    const onboarding = await rig.onboardBusiness(held);
    const ticket = await onboarding.requirement('ticket');
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
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      onboardings: 2,
      key: expect.stringMatching(/^k[\w-]+$/),
      mac: expect.stringMatching(/^[\w+/]{43}=$/),
    });
    const entry = (id: string) =>
      lines.map((line) => JSON.parse(line)).find(({ workflowId }) => workflowId === id);
    expect(entry(boarding.workflowId)).toMatchObject({
      type: 'merchantBoarding',
      status: 'running',
      stage: 'underwriting',
      merchantProfileId,
    });
    expect(entry(onboarding.workflowId)).toMatchObject({
      type: 'businessOnboarding',
      status: 'completed',
      bankingProfileId: profileId,
    });

    await Promise.all([boarding, onboarding].map(forget));
    expect((await gangway('restore', file, '--dry-run')).stdout.split('\n').toSorted()).toEqual([
      '',
      `${onboarding.workflowId} would be restored, banking profile ${profileId}`,
      `${boarding.workflowId} would be restored, merchant ${merchantProfileId}`,
      'would restore 2, of which 0 ask before they create anything; already there: 0; not restored: 0',
    ]);
    const { stdout } = await gangway('restore', file);
    expect(stdout).toContain(`${boarding.workflowId} restored, merchant ${merchantProfileId}\n`);
    expect(stdout).toContain(`${onboarding.workflowId} restored, banking profile ${profileId}\n`);
    expect(stdout).toContain(
      'restored 2, of which 0 ask before they create anything; already there: 0; not restored: 0\n',
    );
    const there = [boarding, onboarding].map(({ workflowId }) => `${workflowId},there`);
    expect((await gangway('restore', file, '--csv')).stdout.split('\r\n').toSorted()).toEqual(
      ['', ...there, 'workflowId,restoring'].toSorted(),
    );
    const again = await boarding.requirement('changes-requested');
    expect(again.id).not.toBe('');
    expect(requirement.title).toBe(again.title);
    await onboarding.outcome();
    const { events } = await onboarding.handle.fetchHistory();
    const [started] = await decodedInput(events?.[0]);
    expect(started).toMatchObject({ dueInHours: 47, holder: { businessPhone: '5185550199' } });
  });

  it('refuse an entry that has the input of another, even if its author is trusted', async () => {
    const [one, other] = [await rig.board(merchant('waiting')), await rig.board(merchant('waiting'))];
    await Promise.all([one.listed(), other.listed()]);
    const { file, lines } = await backedUp();
    const entries = lines.map((line) => JSON.parse(line));
    const of = ({ workflowId }: Onboarding) => entries.find((entry) => entry.workflowId === workflowId);
    of(other).input = of(one).input;
    await writeFile(file, `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`);
    expect(await restoredElsewhere(file)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/: anyone could have written it, because it was changed since, or key /),
    });
    expect(await restoredElsewhere(file, {}, ['--unauthenticated'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `: a payload of workflow ${one.workflowId} was found in workflow ${other.workflowId}; nothing was started\n`,
      ),
    });
  });

  it('name the missing key, and restore nothing without it', async () => {
    const boarding = await rig.board(merchant('waiting'));
    await boarding.listed();
    const { file, lines } = await backedUp();
    const { key } = JSON.parse(lines.at(-1) ?? '');
    const env = { PAYLOAD_KEYS: generatePayloadKey() };
    const refused = await restoredElsewhere(file, env, ['--dry-run']);
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`because key ${key} is not in PAYLOAD_KEYS (with --unauthenticated,`),
    });
    const trusted = await restoredElsewhere(file, env, ['--unauthenticated']);
    expect(trusted).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `${file}:2: an encrypted payload needs key ${key}, which is not among the keys; nothing was started\n`,
    });
  });
});

async function decodedInput(event: { workflowExecutionStartedEventAttributes?: unknown } | undefined) {
  const started = event?.workflowExecutionStartedEventAttributes as {
    input?: { payloads?: Parameters<typeof decodeArrayFromPayloads>[1] };
  };
  return decodeArrayFromPayloads(rig.client.options.loadedDataConverter, started?.input?.payloads);
}
