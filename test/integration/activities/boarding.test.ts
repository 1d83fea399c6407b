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

describe('an input with boardingSettings: false', () => {
  it.each([
    ['v1', 'POST /api/v1/merchant/create'],
    ['v2', 'POST /api/v2/merchant/create'],
  ] as const)('creates a %s merchant without boarding settings, and looks up none', async (version, line) => {
    const { url, requests } = await recordingServer(answering(200, CREATED));
    const { resolveReferences, createMerchant } = boardingActivities({
      client: clientOf(url),
      documents: documentStore(folder(tmpdir())),
      poll: { minMs: 60_000, maxMs: 3_600_000 },
    });
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
    const run = <Request, Result>(activity: (request: Request) => Promise<Result>, request: Request) =>
      new MockActivityEnvironment({}, { client: takesMarks }).run(
        activity as (request: Request) => Promise<never>,
        request,
      );
    const references = (await run(resolveReferences, choices)) as ChosenReferences;
    await run(createMerchant, { version, merchant, guid: externalId, ...references });
    expect(requests.map((request) => [request.line, String(request.body)])).toEqual([[line, BODY]]);
  });
});
