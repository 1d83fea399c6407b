import { tmpdir } from 'node:os';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { boardingActivities } from '../../../src/activities/boarding.js';
import { documentStore } from '../../../src/documents/document-store.js';
import { folder } from '../../../src/documents/folder.js';
import type { ChosenReferences } from '../../../src/messages/boarding-activities.js';
import { merchantBoardingInput } from '../../../src/messages/merchant-boarding-input.js';
import { takesMarks } from '../../rigs/activities/takes-marks.js';
import { answering, clientOf, recordingServer } from '../../rigs/partners/servers.js';

const CREATED = '{"data":{"merchantProfileId":4711},"status":"OK","error":null,"validationResults":[]}';

const BODY =
  '{"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Corner Bakery","pos":"None",' +
  '"agentProfileId":101,"guid":"m-1"}';

const run = <Request, Result>(activity: (request: Request) => Promise<Result>, request: Request) =>
  new MockActivityEnvironment({}, { client: takesMarks }).run(
    activity as (request: Request) => Promise<never>,
    request,
  ) as Promise<Result>;

const activitiesAt = (url: string) =>
  boardingActivities({
    client: clientOf(url),
    documents: documentStore(folder(tmpdir())),
    poll: { minMs: 60_000, maxMs: 3_600_000 },
  });

describe('an input with boardingSettings: false', () => {
  it.each([
    ['v1', 'POST /api/v1/merchant/create'],
    ['v2', 'POST /api/v2/merchant/create'],
  ] as const)('creates a %s merchant without boarding settings, and looks up none', async (version, line) => {
    const { url, requests } = await recordingServer(answering(200, CREATED));
    const { resolveReferences, createMerchant } = activitiesAt(url);
    const { externalId, merchant, ...choices } = merchantBoardingInput().parse({
      externalId: 'm-1',
      merchant: {
        dba: 'Corner Bakery',
        firstName: 'Ada',
        lastName: 'Baker',
        cashDiscount: 'No',
        pos: 'None',
      },
      agentProfileId: 101,
      boardingSettings: false,
    });
    const references = (await run(resolveReferences, choices)) as ChosenReferences;
    await run(createMerchant, { version, merchant, guid: externalId, ...references });
    expect(requests.map((request) => [request.line, String(request.body)])).toEqual([[line, BODY]]);
  });
});

describe('a create', () => {
  const request = {
    version: 'v2',
    merchant: { dba: 'Corner Bakery', firstName: 'Ada', lastName: 'Baker', cashDiscount: 'No', pos: 'None' },
    guid: 'm-1',
    agentProfileId: 101,
  } as const;

  it('returns the warning of the envelope beside the merchant', async () => {
    const body =
      '{"data":{"merchantProfileId":4711},"status":"OK","error":null,"warning":"The agent is new.","validationResults":[]}';
    const { url } = await recordingServer(answering(200, body));
    expect(await run(activitiesAt(url).createMerchant, request)).toEqual({
      merchantProfileId: 4711,
      warnings: ['The agent is new.'],
    });
  });

  it('whose response names problems and a merchant has made the merchant, and is not to be repeated', async () => {
    const body =
      '{"data":{"merchantProfileId":4711},"status":"OK","error":null,"warning":null,' +
      '"validationResults":[{"memberNames":["email"],"errorMessage":"looks unusual"}]}';
    const { url } = await recordingServer(answering(200, body));
    expect(await run(activitiesAt(url).createMerchant, request)).toEqual({
      merchantProfileId: 4711,
      warnings: ['email: looks unusual'],
    });
  });
});
