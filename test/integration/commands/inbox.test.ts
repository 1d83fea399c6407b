import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../rigs/command.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { business, merchant } from '../../rigs/inputs.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

let rig: Rig;
beforeAll(async () => {
  // Lists and the inbox show all onboardings of a server.
  rig = await createRig({ server: {} });
});
afterAll(() => rig.close());

/** On the same Temporal server. */
const beside = ({ env }: Rig) => ({ address: env['TEMPORAL_ADDRESS'] ?? '' });

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

const waiting = () => waitingBoarding(rig);

describe('gangway list and inbox', () => {
  it('find onboardings that wait for a person, also by agent profile, with their requirements', async () => {
    const { externalId } = await waiting();
    const workflowId = `merchant-boarding-${externalId}`;
    const listed = jsonLines(await gangway(['list', '--action-required', '--agent', '101', '--json']));
    expect(listed.find((row) => row['workflowId'] === workflowId)).toMatchObject({
      state: 'running',
      stage: 'underwriting',
      partnerStatus: 'Pending',
      merchantProfileId: expect.stringMatching(/^\d+$/),
      agentProfileId: '101',
      actionRequired: true,
    });
    const ofOther = jsonLines(await gangway(['list', '--agent', '102', '--json']));
    expect(ofOther.map((row) => row['workflowId'])).not.toContain(workflowId);
    const items = jsonLines(await gangway(['inbox', '--json'])).filter(
      (item) => item['workflowId'] === workflowId,
    );
    expect(items.map(({ kind, overdue }) => ({ kind, overdue }))).toEqual([
      { kind: 'underwriting-note', overdue: false },
      { kind: 'underwriting-note', overdue: false },
    ]);
    expect((await gangway(['inbox'])).stdout).toContain(
      'Please send a voided check for the deposit account.',
    );
    expect(
      jsonLines(await gangway(['inbox', '--overdue', '--json'])).map((item) => item['workflowId']),
    ).not.toContain(workflowId);
  });

  it('name the boardings that are encrypted with another key, and show the others', async () => {
    const other = await createRig(beside(rig));
    try {
      const boarding = await other.board(merchant('notes'));
      await boarding.requirement('underwriting-note');
      const { externalId } = await waiting();
      const { code, stdout, stderr } = await gangway(['inbox']);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(`^cannot read .*${boarding.workflowId}.*: its key is not in PAYLOAD_KEYS$`, 'm'),
      );
      expect(stdout).toContain(externalId);
      expect(await gangway(['status', boarding.workflowId])).toEqual({
        code: 1,
        stdout: expect.stringContaining(
          `workflow          ${boarding.workflowId}\nstage             underwriting\n`,
        ),
        stderr: `${boarding.workflowId} cannot be read: its key is not in PAYLOAD_KEYS\n`,
      });
    } finally {
      await other.close();
    }
  });

  it('filter by a stage and a query, and quote their values', async () => {
    const declined = await rig.board(merchant('declined'));
    await declined.outcome();
    const { stdout } = await gangway([
      'list',
      '--stage',
      'declined',
      '--query',
      "PartnerStatus = 'Declined'",
    ]);
    expect(stdout).toContain(declined.workflowId);
    expect(jsonLines(await gangway(['list', '--stage', "declined' OR ''='", '--json']))).toEqual([]);
  });
});

describe('gangway list', () => {
  it('shows the banking profile of onboardings', async () => {
    const input = business('denied');
    const { handle, workflowId: id } = await rig.onboardBusiness(input);
    const { profileId } = (await handle.result()) as { profileId: number };
    const query = `WorkflowId = '${id}'`;
    const [listed] = await eventually(
      async () => jsonLines(await gangway(['list', '--stage', 'declined', '--query', query, '--json'])),
      (lines) => lines.length === 1,
      'the list of workflows, which the server writes after the outcome',
    );
    expect(listed).toMatchObject({
      workflowId: id,
      partnerStatus: 'Denied',
      bankingProfileId: String(profileId),
    });
    expect((await gangway(['list', '--query', query])).stdout).toMatch(
      new RegExp(`PROFILE[^]*${id} .* ${profileId} `),
    );
    expect(jsonLines(await gangway(['list', '--operations', '--query', query, '--json']))).toEqual([]);
  });
});
