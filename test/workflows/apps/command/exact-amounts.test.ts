import { afterEach, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { batchFile } from '../../../rigs/commands/files.js';
import { business, customer } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { event, runReceiver, STRUCTURED, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();
afterEach(() => rig.clear());

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

const DOLLARS = '9007199254740993';
const CENTS = `${DOLLARS}00`;

/** Writes an input as JSON with the revenue as a plain number, which `JSON.stringify` could not. */
const withRevenue = (input: object) =>
  JSON.stringify(input).replaceAll('"percentageOwnership":60', `$&,"annualBusinessRevenue":${DOLLARS}`);

/** The stored business at the partner, as JSON text. */
async function atPartner(workflowId: string): Promise<string> {
  const onboarding = new Onboarding(rig.client, workflowId);
  const { profileId } = await onboarding.until((state) => state.profileId !== undefined);
  return (await fetch(`${rig.sandbox.url}/sandbox/profiles/${profileId}`)).text();
}

describe('a revenue beyond 2^53 arrives at the bank with every digit', () => {
  it('from NDJSON and CSV', async () => {
    const [json, csv] = [business(), business()];
    const cells = Object.entries({ ...csv.holder, annualBusinessRevenue: DOLLARS });
    const table = [
      ['externalId', ...cells.map(([name]) => `holder.${name}`)].join(','),
      [csv.externalId, ...cells.map(([, value]) => `"${value}"`)].join(','),
    ];
    const files = { 'rows.ndjson': withRevenue(json), 'rows.csv': table.join('\n') };
    for (const [name, content] of Object.entries(files)) {
      expect(await gangway(['batch', await batchFile(rig, name, content)])).toMatchObject({ code: 0 });
    }
    for (const { externalId } of [json, csv]) {
      const bytes = await atPartner(`business-onboarding-${externalId}`);
      expect(bytes).toContain(`"annualBusinessRevenue":${CENTS},`);
    }
  });

  it('from REST and from events', async () => {
    const receiver = await runReceiver(rig);
    const { externalId, ...input } = business();
    const json = { 'content-type': 'application/json' };
    const body = withRevenue({ type: 'business', ...input });
    const headers = { ...json, authorization: `Bearer ${TOKEN}` };
    const rest = await receiver.call(`PUT /v1/onboardings/${externalId}`, body, headers);
    const [structured, binary] = [customer(), business()];
    const requested = withRevenue(event('customer.onboarding.requested.v1', structured));
    const asEvent = await receiver.post(requested, { 'content-type': STRUCTURED });
    const inHeaders = await receiver.post(withRevenue(binary), {
      ...json,
      'ce-specversion': '1.0',
      'ce-id': 'msg_1',
      'ce-source': '/crm',
      'ce-type': 'business.onboarding.requested.v1',
    });
    expect([rest.status, asEvent.status, inHeaders.status]).toEqual([202, 202, 202]);
    for (const id of [
      `business-onboarding-${externalId}`,
      `customer-onboarding-${structured.externalId}`,
      `business-onboarding-${binary.externalId}`,
    ]) {
      expect(await atPartner(id)).toContain(`"annualBusinessRevenue":${CENTS},`);
    }
  });

  it('from a correction, where it is text', async () => {
    const input = business('correction');
    await rig.onboardBusiness(input);
    const onboarding = new Onboarding(rig.client, `business-onboarding-${input.externalId}`);
    const { id } = await onboarding.requirement('rejected-input');
    const patch = { holder: { website: 'corner.example.com', annualBusinessRevenue: DOLLARS } };
    await gangway(['resolve', input.externalId, id, '--patch', JSON.stringify(patch)]);
    await onboarding.outcome();
    expect(await atPartner(onboarding.workflowId)).toContain(`"annualBusinessRevenue":${CENTS},`);
  });
});
