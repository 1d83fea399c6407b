import { describe, expect, it } from 'vitest';
import { partIds } from '../../../src/temporal/onboardings.js';
import { gangway as runGangway } from '../../rigs/command.js';
import { idOf, inputFile } from '../../rigs/commands/files.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { customer, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { closedPort } from '../../rigs/partners/servers.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { eventually } from '../../rigs/waiting.js';

const rig = await sharedRig();

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

const file = (content: unknown) => inputFile(rig, content);

const waiting = () => waitingBoarding(rig);

describe('gangway board', () => {
  it('starts a boarding, waits for it, and prints its outcome and its address in the Web UI', async () => {
    const input = merchant();
    const { code, stdout, stderr } = await gangway(['board', await file(input), '--wait']);
    const [started, url, outcome] = stdout.split('\n');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(started).toBe(`started merchant-boarding-${input.externalId}`);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/merchant-boarding-m-/);
    expect(outcome).toMatch(/ boarded: mid 5180\d+$/);
  });

  it('reads standard input, and with --json prints JSON lines only', async () => {
    const input = merchant('declined');
    const result = await gangway(['board', '-', '--wait', '--json'], JSON.stringify(input));
    const workflowId = `merchant-boarding-${input.externalId}`;
    expect(jsonLines(result)).toEqual([
      { workflowId, runId: expect.any(String), started: true, url: expect.any(String) },
      {
        workflowId,
        outcome: 'declined',
        comment: 'Business type is not supported.',
        merchantProfileId: expect.any(Number),
      },
    ]);
    expect(result.code).toBe(0);
  });

  it('warns of what is doubtful, and with --strict starts nothing', async () => {
    const input = merchant();
    const doubtful = { ...input, merchant: { ...input.merchant, dba: '🍕', email: 'not-an-email' } };
    const path = await file(doubtful);
    const format = 'merchant.email: is not an e-mail address';
    const strict = await gangway(['board', path, '--strict']);
    expect(strict).toMatchObject({ code: 2, stdout: '' });
    expect(strict.stderr).toContain(
      `${path}: is doubtful, which --strict rejects; nothing was started\n` +
        `  merchant.dba: has no letter or digit\n  ${format}\n`,
    );
    const { code, stderr } = await gangway(['board', path]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`warning: ${format}\n`)]);
    // What is there takes no new input, so nothing is doubtful.
    for (const options of [['--strict'], []]) {
      const again = await gangway(['board', path, ...options]);
      expect([again.stdout.split('\n')[0], again.stderr]).toEqual([`already started: ${idOf(input)}`, '']);
    }
  });

  // A partner that is not read in time is not compared.
  it.each([
    ['warns', [], 0],
    ['with --strict refuses', ['--strict'], 2],
  ])('%s an agent that the partner does not list', async (_, options, code) => {
    const listed = 'agentProfileId: the partner does not list this id; choose one of: ';
    const ran = await eventually(
      async () => gangway(['board', await file(merchant(undefined, { agentProfileId: 999 })), ...options]),
      ({ stderr }) => stderr.includes(listed),
      'the lists of the partner to be read',
    );
    expect(ran.code).toBe(code);
  });

  it('names every wrong field with its rule, exits 2 and starts nothing', async () => {
    const input = { ...merchant(), agent: 'Harbor Agents', dueInHours: 0 };
    const path = await file(input);
    expect(await gangway(['board', path])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `${path}: is not valid; nothing was started\n  dueInHours: must be 0.00001 or more, in hours\n` +
        '  agent: cannot be combined with agentProfileId; give one of the two\n',
    });
    expect(await rig.sandbox.ledger({ guid: input.externalId })).toEqual([]);
  });
});

describe('gangway status', () => {
  it('shows a person the facts, the open requirements and the timeline', async () => {
    const { externalId, id } = await waiting();
    const { stdout, code } = await gangway(['status', externalId]);
    expect(code).toBe(0);
    for (const part of [
      'underwriting',
      'Pending',
      id,
      'voided check',
      `gangway resolve ${externalId} ${id} --text TEXT`,
      'merchant-created',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it('shows why a call is retried, of an onboarding and of a part of a customer', async () => {
    const alone = await createRig({ boardingUrl: `http://127.0.0.1:${await closedPort()}` });
    try {
      const onboarding = await alone.onboard(customer());
      const { workflowId } = onboarding;
      await onboarding.until(({ boarding }) => boarding !== undefined, 'its boarding');
      const part = new Onboarding(alone.client, partIds(workflowId).boarding);
      await part.retrying('createMerchant');
      for (const id of [part.workflowId, workflowId]) {
        const { stdout } = await runGangway(alone.env, ['status', id]);
        expect(stdout).toMatch(/^retrying +boarding create-merchant: NotSent, ECONNREFUSED$/m);
      }
      await onboarding.handle.terminate();
    } finally {
      await alone.close();
    }
  });

  it('reports an unknown onboarding', async () => {
    const { code, stderr } = await gangway(['status', 'nobody']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'there is no onboarding with id or dba "nobody"; "gangway list" shows all\n',
    });
    expect((await gangway(['status', 'operation-close-card-x'])).stderr).toBe(
      'there is no workflow "operation-close-card-x"\n',
    );
  });
});

describe('an onboarding that was terminated', () => {
  const ended = async (command: string, input: { externalId: string }, id: string, hasId: boolean) => {
    const path = await file(input);
    await gangway([command, path]);
    const onboarding = new Onboarding(rig.client, id);
    const idAtPartner = async () => {
      const { merchantProfileId, profileId } = await onboarding.state();
      return merchantProfileId ?? profileId;
    };
    const partnerId = hasId
      ? await eventually(idAtPartner, (found) => found !== undefined, 'an id at the partner')
      : undefined;
    await onboarding.handle.terminate();
    const { code, stderr } = await gangway([command, path]);
    return { partnerId, code, stderr };
  };

  it('names the merchant at the partner, and how to adopt it', async () => {
    const input = merchant('waiting');
    const id = `merchant-boarding-${input.externalId}`;
    const { partnerId, code, stderr } = await ended('board', input, id, true);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `${id}: it was terminated; merchant ${partnerId} exists at the partner: to adopt it, set "merchantProfileId": ` +
        `${partnerId} in FILE; then start it again with --again\n`,
    });
  });
});
